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

void ioprof_json_decimal(struct ioprof_json *json, const char *key, uint64_t whole, unsigned part)
{
    begin_value(json, key);
    fprintf(json->out, "%llu.%03u", (unsigned long long) whole, part);
}

void ioprof_json_numbers(struct ioprof_json *json, const char *key, const uint64_t *values, int n)
{
    ioprof_json_open(json, key, '[');
    for (int i = 0; i < n; i++) {
        ioprof_json_number(json, NULL, values[i]);
    }
    ioprof_json_close(json, ']');
}

/* ---- rows as objects ---- */

static struct ioprof_json *json_of(struct ioprof_sink *sink)
{
    return &((struct ioprof_json_sink *) sink)->json;
}

static void sink_text(struct ioprof_sink *sink, const char *name, const char *value)
{
    ioprof_json_text(json_of(sink), name, value);
}

static void sink_number(struct ioprof_sink *sink, const char *name, uint64_t value)
{
    ioprof_json_number(json_of(sink), name, value);
}

static void sink_numbers(struct ioprof_sink *sink, const char *name, const uint64_t *values, int n,
                         const char *(*element)(int n, int i))
{
    ioprof_json_open(json_of(sink), name, '{');
    for (int i = 0; i < n; i++) {
        ioprof_json_number(json_of(sink), element(n, i), values[i]);
    }
    ioprof_json_close(json_of(sink), '}');
}

static void sink_sizes(struct ioprof_sink *sink, const char *name, const uint64_t *values)
{
    ioprof_json_numbers(json_of(sink), name, values, IOPROF_SIZES);
}

static void sink_begin(struct ioprof_sink *sink, const char *name, int in_names)
{
    (void) in_names;
    ioprof_json_open(json_of(sink), name, '{');
}

static void sink_end(struct ioprof_sink *sink)
{
    ioprof_json_close(json_of(sink), '}');
}

struct ioprof_json_sink ioprof_json_sink(FILE *out)
{
    return (struct ioprof_json_sink){
        .sink = {sink_text, sink_number, sink_numbers, sink_sizes, sink_begin, sink_end, 0},
        .json = {out, 0}};
}

/* ---- members that the report and the page have in common ---- */

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

/** Lists of rows; the sink shares the state of the writer. */
#define LIST(function, name, items, row)                                          \
    void function(struct ioprof_json *json, const struct ioprof_profile *profile) \
    {                                                                             \
        struct ioprof_json_sink sink = ioprof_json_sink(json->out);               \
                                                                                  \
        ioprof_json_open(json, name, '[');                                        \
        for (size_t i = 0; i < profile->n##items; i++) {                          \
            ioprof_json_open(json, NULL, '{');                                    \
            sink.json = *json;                                                    \
            row(&sink.sink, &profile->items[i]);                                  \
            *json = sink.json;                                                    \
            ioprof_json_close(json, '}');                                         \
        }                                                                         \
        ioprof_json_close(json, ']');                                             \
    }
LIST(ioprof_json_functions, "functions", funcs, ioprof_row_function)
LIST(ioprof_json_variables, "variables", pvars, ioprof_row_variable)
