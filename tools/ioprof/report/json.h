/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* Writes JSON to a stream. Values inside an object have a key, those of an array have NULL. */
#ifndef IOPROF_REPORT_JSON_H
#define IOPROF_REPORT_JSON_H

#include <stdint.h>
#include <stdio.h>

#include "profile/profile.h"
#include "report/rows.h"

struct ioprof_json {
    FILE *out;
    int comma; /* a value was written before in this object or array */
};

/** `bracket` is { or [, and } or ] at the end. */
void ioprof_json_open(struct ioprof_json *json, const char *key, char bracket);
void ioprof_json_close(struct ioprof_json *json, char bracket);

/** Bytes that are no UTF-8 become U+FFFD. Control characters are escaped, and so is `<`: JSON may
 *  stand inside a script element of a page. A NULL text is null. */
void ioprof_json_text(struct ioprof_json *json, const char *key, const char *text);
/** IOPROF_UNSET is null. */
void ioprof_json_number(struct ioprof_json *json, const char *key, uint64_t value);
void ioprof_json_signed(struct ioprof_json *json, const char *key, int64_t value);
/** Six digits; for shares and means. */
void ioprof_json_real(struct ioprof_json *json, const char *key, double value);
/** A number with three digits behind the point. */
void ioprof_json_decimal(struct ioprof_json *json, const char *key, uint64_t whole, unsigned part);
void ioprof_json_numbers(struct ioprof_json *json, const char *key, const uint64_t *values, int n);

/** A sink of rows that writes the fields into an object that is open. */
struct ioprof_json_sink {
    struct ioprof_sink sink;
    struct ioprof_json json;
};
struct ioprof_json_sink ioprof_json_sink(FILE *out);

/** Members that the report and the page have in common. */
void ioprof_json_facts(struct ioprof_json *json, const struct ioprof_profile *profile);
void ioprof_json_answers(struct ioprof_json *json, const struct ioprof_profile *profile);
void ioprof_json_findings(struct ioprof_json *json, const struct ioprof_profile *profile);
void ioprof_json_functions(struct ioprof_json *json, const struct ioprof_profile *profile);
void ioprof_json_variables(struct ioprof_json *json, const struct ioprof_profile *profile);

#endif /* IOPROF_REPORT_JSON_H */
