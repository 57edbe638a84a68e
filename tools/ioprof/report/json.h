/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/* Writes JSON to a stream. Values inside an object have a key, those of an array have NULL. */
#ifndef IOPROF_REPORT_JSON_H
#define IOPROF_REPORT_JSON_H

#include <stdint.h>
#include <stdio.h>

#include "profile/profile.h"

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
void ioprof_json_numbers(struct ioprof_json *json, const char *key, const uint64_t *values, int n);

/** Members that the report and the page have in common. */
void ioprof_json_facts(struct ioprof_json *json, const struct ioprof_profile *profile);
void ioprof_json_answers(struct ioprof_json *json, const struct ioprof_profile *profile);
void ioprof_json_findings(struct ioprof_json *json, const struct ioprof_profile *profile);
void ioprof_json_functions(struct ioprof_json *json, const struct ioprof_profile *profile);
void ioprof_json_variables(struct ioprof_json *json, const struct ioprof_profile *profile);

/** Names for programs: "collective", "independent", "completion", "posix", "inside". */
const char *ioprof_class_key(uint64_t class);
/** What an array field of a record with n elements counts: kinds (4) or classes (5). */
const char *ioprof_element_key(int n, int element);
/** "finalized", "exited", "aborted", "signalled". */
const char *ioprof_end_key(uint64_t end);

#endif /* IOPROF_REPORT_JSON_H */
