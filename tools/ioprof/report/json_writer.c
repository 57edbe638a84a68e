/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "profile/printable.h"
#include "report/json.h"
#include "report/text.h"

#include <stdlib.h>
#include <string.h>

static void put_string(FILE *out, const char *text)
{
    const unsigned char *at = (const unsigned char *) text;

    fputc('"', out);
    while ('\0' != *at) {
        uint32_t code = 0;
        int bytes = ioprof_character(at, &code);

        if (0 == bytes) {
            fputs("\\ufffd", out);
            at++;
        } else if (ioprof_is_control(code) || '<' == *at) {
            fprintf(out, "\\u%04x", (unsigned) code);
            at += bytes;
        } else {
            if ('"' == *at || '\\' == *at) {
                fputc('\\', out);
            }
            fwrite(at, 1, (size_t) bytes, out);
            at += bytes;
        }
    }
    fputc('"', out);
}

static void begin_value(struct ioprof_json *json, const char *key)
{
    if (json->comma) {
        fputc(',', json->out);
    }
    json->comma = 1;
    if (NULL != key) {
        put_string(json->out, key);
        fputc(':', json->out);
    }
}

void ioprof_json_open(struct ioprof_json *json, const char *key, char bracket)
{
    begin_value(json, key);
    fputc(bracket, json->out);
    json->comma = 0;
}

void ioprof_json_close(struct ioprof_json *json, char bracket)
{
    fputc(bracket, json->out);
    json->comma = 1;
}

void ioprof_json_text(struct ioprof_json *json, const char *key, const char *text)
{
    begin_value(json, key);
    if (NULL == text) {
        fputs("null", json->out);
    } else {
        put_string(json->out, text);
    }
}

void ioprof_json_number(struct ioprof_json *json, const char *key, uint64_t value)
{
    begin_value(json, key);
    if (IOPROF_UNSET == value) {
        fputs("null", json->out);
    } else {
        fprintf(json->out, "%llu", (unsigned long long) value);
    }
}

void ioprof_json_signed(struct ioprof_json *json, const char *key, int64_t value)
{
    begin_value(json, key);
    fprintf(json->out, "%lld", (long long) value);
}

void ioprof_json_real(struct ioprof_json *json, const char *key, double value)
{
    begin_value(json, key);
    fprintf(json->out, "%.6g", value);
}

void ioprof_json_numbers(struct ioprof_json *json, const char *key, const uint64_t *values, int n)
{
    ioprof_json_open(json, key, '[');
    for (int i = 0; i < n; i++) {
        ioprof_json_number(json, NULL, values[i]);
    }
    ioprof_json_close(json, ']');
}

const char *ioprof_class_key(uint64_t class)
{
    static const char *const keys[IOPROF_CLASSES] = {"collective", "independent", "completion",
                                                     "posix", "inside"};

    return class < IOPROF_CLASSES ? keys[class] : "unknown";
}

const char *ioprof_element_key(int n, int element)
{
    return IOPROF_BIN_KINDS == n ? ioprof_kind_name((uint64_t) element)
                                 : ioprof_class_key((uint64_t) element);
}

const char *ioprof_end_key(uint64_t end)
{
    static const char *const keys[] = {"finalized", "exited", "aborted", "signalled"};

    return end < 4 ? keys[end] : "unknown";
}

void ioprof_json_facts(struct ioprof_json *json, const struct ioprof_profile *profile)
{
    ioprof_json_open(json, "facts", '{');
    for (size_t i = 0; i < profile->nfacts; i++) {
        ioprof_json_text(json, profile->facts[i].key, profile->facts[i].value);
    }
    ioprof_json_close(json, '}');
}

void ioprof_json_answers(struct ioprof_json *json, const struct ioprof_profile *profile)
{
    ioprof_json_open(json, "answers", '[');
    for (int i = 0; i < IOPROF_QUESTIONS; i++) {
        char *text = ioprof_answer(profile, i);

        ioprof_json_open(json, NULL, '{');
        ioprof_json_text(json, "question", ioprof_questions[i]);
        ioprof_json_text(json, "answer", text);
        ioprof_json_close(json, '}');
        free(text);
    }
    ioprof_json_close(json, ']');
}

void ioprof_json_findings(struct ioprof_json *json, const struct ioprof_profile *profile)
{
    struct ioprof_finding *findings = NULL;
    int n = ioprof_findings(profile, &findings);

    ioprof_json_open(json, "findings", '[');
    for (int i = 0; i < n; i++) {
        ioprof_json_open(json, NULL, '{');
        ioprof_json_text(json, "text", findings[i].text);
        ioprof_json_text(json, "advice", findings[i].advice);
        ioprof_json_close(json, '}');
    }
    ioprof_json_close(json, ']');
    ioprof_findings_free(findings, n < 0 ? 0 : n);
}

void ioprof_json_functions(struct ioprof_json *json, const struct ioprof_profile *profile)
{
    ioprof_json_open(json, "functions", '[');
    for (size_t i = 0; i < profile->nfuncs; i++) {
        const struct ioprof_func *f = &profile->funcs[i];

        ioprof_json_open(json, NULL, '{');
        ioprof_json_text(json, "name", f->name);
        ioprof_json_text(json, "class", ioprof_class_key(f->class));
        ioprof_json_text(json, "kind", ioprof_kind_name(f->kind));
        ioprof_json_number(json, "calls", f->calls);
        ioprof_json_number(json, "errors", f->errors);
        ioprof_json_number(json, "ns", f->ns);
        ioprof_json_number(json, "max_ns", f->max_ns);
        ioprof_json_number(json, "span_ns", f->span_ns);
        ioprof_json_number(json, "bytes", f->bytes);
        ioprof_json_number(json, "ranks", f->ranks);
        ioprof_json_number(json, "top_rank", f->top_rank);
        ioprof_json_number(json, "top_rank_ns", f->top_rank_ns);
        ioprof_json_numbers(json, "sizes", f->sizes, IOPROF_SIZES);
        ioprof_json_close(json, '}');
    }
    ioprof_json_close(json, ']');
}

void ioprof_json_variables(struct ioprof_json *json, const struct ioprof_profile *profile)
{
    ioprof_json_open(json, "variables", '[');
    for (size_t i = 0; i < profile->npvars; i++) {
        const struct ioprof_pvar *v = &profile->pvars[i];

        ioprof_json_open(json, NULL, '{');
        ioprof_json_text(json, "name", v->name);
        ioprof_json_text(json, "text", v->text);
        ioprof_json_number(json, "sum", v->sum);
        ioprof_json_number(json, "min", v->min);
        ioprof_json_number(json, "max", v->max);
        ioprof_json_number(json, "ranks", v->ranks);
        ioprof_json_close(json, '}');
    }
    ioprof_json_close(json, ']');
}
