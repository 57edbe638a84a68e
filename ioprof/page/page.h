/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* The page: a template (page/, embedded by page/embed) with the data of one run, or of two that are
 * compared. */
#ifndef IOPROF_PAGE_PAGE_H
#define IOPROF_PAGE_PAGE_H

#include "profile/profile.h"
#include "report/json.h"

/** The template; NAME stands for a part in @@NAME@@. */
extern const char ioprof_page_template[];

/** The report of a run, and the comparison of two, as pages. 0, or -1 with errno. Both make the
 *  profiles printable. */
int ioprof_report_html(struct ioprof_profile *profile, FILE *out);
int ioprof_compare_html(struct ioprof_profile *a, struct ioprof_profile *b, FILE *out);

/** The data of a run as an object, reduced to a size that a page can have: see the limits in
 *  page/data.c. */
void ioprof_page_run(struct ioprof_sink *json, const struct ioprof_profile *run);

#endif /* IOPROF_PAGE_PAGE_H */
