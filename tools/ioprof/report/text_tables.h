/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* Tables of the text report. */
#ifndef IOPROF_REPORT_TEXT_TABLES_H
#define IOPROF_REPORT_TEXT_TABLES_H

#include <stdio.h>

#include "profile/profile.h"

void ioprof_text_heading(FILE *out, const char *text);
/** Values in the unit that the column's heading names. Up to eight results are valid at a time. */
const char *ioprof_text_ms(double ns);
const char *ioprof_text_mib(double bytes);

void ioprof_text_ranks(const struct ioprof_profile *p, FILE *out);
void ioprof_text_files(const struct ioprof_profile *p, FILE *out);

#endif /* IOPROF_REPORT_TEXT_TABLES_H */
