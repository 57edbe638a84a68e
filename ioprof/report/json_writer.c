/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#include "profile/printable.h"
#include "report/json.h"
#include "report/rows.h"
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

static void begin_value(struct ioprof_sink *json, const char *key)
{
    if (json->values) {
        fputc(',', json->out);
    }
    json->values = 1;
    if (NULL != key) {
        put_string(json->out, key);
        fputc(':', json->out);
    }
}

void ioprof_json_open(struct ioprof_sink *json, const char *key, char bracket)
{
    begin_value(json, key);
    fputc(bracket, json->out);
    json->values = 0;
}

void ioprof_json_close(struct ioprof_sink *json, char bracket)
{
    fputc(bracket, json->out);
    json->values = 1;
}

void ioprof_json_text(struct ioprof_sink *json, const char *key, const char *text)
{
    begin_value(json, key);
    if (NULL == text) {
        fputs("null", json->out);
    } else {
        put_string(json->out, text);
    }
}

void ioprof_json_number(struct ioprof_sink *json, const char *key, uint64_t value)
{
    begin_value(json, key);
    if (IOPROF_UNSET == value) {
        fputs("null", json->out);
    } else {
        fprintf(json->out, "%llu", (unsigned long long) value);
    }
}

void ioprof_json_signed(struct ioprof_sink *json, const char *key, int64_t value)
{
    begin_value(json, key);
    fprintf(json->out, "%lld", (long long) value);
}

void ioprof_json_decimal(struct ioprof_sink *json, const char *key, uint64_t whole, unsigned part)
{
    begin_value(json, key);
    fprintf(json->out, "%llu.%03u", (unsigned long long) whole, part);
}

void ioprof_json_numbers(struct ioprof_sink *json, const char *key, const uint64_t *values, int n)
{
    ioprof_json_open(json, key, '[');
    for (int i = 0; i < n; i++) {
        ioprof_json_number(json, NULL, values[i]);
    }
    ioprof_json_close(json, ']');
}

static void sink_numbers(struct ioprof_sink *json, const char *name, const uint64_t *values, int n,
                         const char *(*element)(int n, int i))
{
    ioprof_json_open(json, name, '{');
    for (int i = 0; i < n; i++) {
        ioprof_json_number(json, element(n, i), values[i]);
    }
    ioprof_json_close(json, '}');
}

static void sink_sizes(struct ioprof_sink *json, const char *name, const uint64_t *values)
{
    ioprof_json_numbers(json, name, values, IOPROF_SIZES);
}

static void sink_begin(struct ioprof_sink *json, const char *name, int in_names)
{
    (void) in_names;
    ioprof_json_open(json, name, '{');
}

static void sink_end(struct ioprof_sink *json)
{
    ioprof_json_close(json, '}');
}

struct ioprof_sink ioprof_json_sink(FILE *out)
{
    return (struct ioprof_sink){.text = ioprof_json_text,
                                .number = ioprof_json_number,
                                .numbers = sink_numbers,
                                .sizes = sink_sizes,
                                .begin = sink_begin,
                                .end = sink_end,
                                .out = out};
}

/* ---- members that the report and the page have in common ---- */

void ioprof_json_facts(struct ioprof_sink *json, const struct ioprof_profile *profile)
{
    ioprof_json_open(json, "facts", '{');
    for (size_t i = 0; i < profile->nfacts; i++) {
        ioprof_json_text(json, profile->facts[i].key, profile->facts[i].value);
    }
    ioprof_json_close(json, '}');
}

void ioprof_json_answers(struct ioprof_sink *json, const struct ioprof_profile *profile)
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

void ioprof_json_findings(struct ioprof_sink *json, const struct ioprof_profile *profile)
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
    ioprof_findings_free(findings, n);
}

void ioprof_json_functions(struct ioprof_sink *json, const struct ioprof_profile *profile)
{
    IOPROF_JSON_LIST(json, "functions", profile, funcs, ioprof_row_function);
}

void ioprof_json_variables(struct ioprof_sink *json, const struct ioprof_profile *profile)
{
    IOPROF_JSON_LIST(json, "variables", profile, pvars, ioprof_row_variable);
}

static void put_bin(struct ioprof_sink *json, const struct ioprof_timeline *time, int bin,
                    int layer, int kind)
{
    ioprof_json_open(json, NULL, '{');
    ioprof_row_bin(json, time, bin, layer, kind);
    ioprof_json_close(json, '}');
}

static void put_bins(struct ioprof_sink *json, const char *name, const struct ioprof_timeline *time,
                     int (*has)(const struct ioprof_timeline *time, int bin),
                     void (*row)(struct ioprof_sink *json, const struct ioprof_timeline *time,
                                 int bin))
{
    ioprof_json_open(json, name, '[');
    for (int bin = 0; bin < IOPROF_BINS; bin++) {
        if (has(time, bin)) {
            ioprof_json_open(json, NULL, '{');
            row(json, time, bin);
            ioprof_json_close(json, '}');
        }
    }
    ioprof_json_close(json, ']');
}

void ioprof_json_time(struct ioprof_sink *json, const struct ioprof_timeline *time)
{
    ioprof_json_open(json, "bins", '[');
    ioprof_each_bin(time, json, put_bin);
    ioprof_json_close(json, ']');
    put_bins(json, "memory", time, ioprof_has_memory, ioprof_row_memory);
    put_bins(json, "node", time, ioprof_has_node, ioprof_row_node);
}
