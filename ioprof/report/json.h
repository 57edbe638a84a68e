/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* Writes JSON to a stream. Values inside an object have a key, those of an array have NULL. */
#ifndef IOPROF_REPORT_JSON_H
#define IOPROF_REPORT_JSON_H

#include "report/rows.h"

/** A sink that writes rows as members of an object that is open. */
struct ioprof_sink ioprof_json_sink(FILE *out);

/** `bracket` is { or [, and } or ] at the end. */
void ioprof_json_open(struct ioprof_sink *json, const char *key, char bracket);
void ioprof_json_close(struct ioprof_sink *json, char bracket);

/** Bytes that are no UTF-8 become U+FFFD. Control characters are escaped, and so is `<`: JSON may
 *  stand inside a script element of a page. A NULL text is null. */
void ioprof_json_text(struct ioprof_sink *json, const char *key, const char *text);
/** IOPROF_UNSET is null. */
void ioprof_json_number(struct ioprof_sink *json, const char *key, uint64_t value);
void ioprof_json_signed(struct ioprof_sink *json, const char *key, int64_t value);
/** A number with three digits after the point. */
void ioprof_json_decimal(struct ioprof_sink *json, const char *key, uint64_t whole, unsigned part);
void ioprof_json_numbers(struct ioprof_sink *json, const char *key, const uint64_t *values, int n);

/** Members that the report and the page have in common. */
void ioprof_json_facts(struct ioprof_sink *json, const struct ioprof_profile *profile);
void ioprof_json_answers(struct ioprof_sink *json, const struct ioprof_profile *profile);
void ioprof_json_findings(struct ioprof_sink *json, const struct ioprof_profile *profile);
void ioprof_json_functions(struct ioprof_sink *json, const struct ioprof_profile *profile);
void ioprof_json_variables(struct ioprof_sink *json, const struct ioprof_profile *profile);
/** The time line: lists of the bins that have something. */
void ioprof_json_time(struct ioprof_sink *json, const struct ioprof_timeline *time);

/** A list of records, one on each line. */
#define IOPROF_JSON_LIST(json, name, profile, items, row)  \
    do {                                                   \
        ioprof_json_open(json, name, '[');                 \
        for (size_t i = 0; i < (profile)->n##items; i++) { \
            fputc('\n', (json)->out);                      \
            ioprof_json_open(json, NULL, '{');             \
            row(json, &(profile)->items[i]);               \
            ioprof_json_close(json, '}');                  \
        }                                                  \
        ioprof_json_close(json, ']');                      \
    } while (0)

#endif /* IOPROF_REPORT_JSON_H */
