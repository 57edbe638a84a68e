/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "ioprof_json.h"
#include "ioprof_text.h"

#include <stdlib.h>
#include <string.h>

/** How many bytes at `at` are one UTF-8 character, 0: none. */
static int character(const unsigned char *at)
{
    static const struct {
        unsigned char mask, lead;
        int bytes;
        uint32_t least;
    } forms[] = {
        {0x80, 0, 1, 0}, {0xe0, 0xc0, 2, 0x80}, {0xf0, 0xe0, 3, 0x800}, {0xf8, 0xf0, 4, 0x10000}};

    for (int i = 0; i < 4; i++) {
        uint32_t value = at[0] & (uint32_t) ~forms[i].mask & 0xff;

        if ((at[0] & forms[i].mask) != forms[i].lead) {
            continue;
        }
        for (int j = 1; j < forms[i].bytes; j++) {
            if (0x80 != (at[j] & 0xc0)) {
                return 0;
            }
            value = value << 6 | (at[j] & 0x3f);
        }
        return value < forms[i].least || value > 0x10ffff || (value >> 11) == 0x1b ? 0
                                                                                   : forms[i].bytes;
    }
    return 0;
}

static void put_string(FILE *out, const char *text)
{
    const unsigned char *at = (const unsigned char *) text;

    fputc('"', out);
    while ('\0' != *at) {
        int bytes = character(at);

        if (0 == bytes) {
            fputs("\\ufffd", out);
            at++;
        } else if (*at < 0x20 || 0x7f == *at || '<' == *at) {
            fprintf(out, "\\u%04x", *at++);
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
