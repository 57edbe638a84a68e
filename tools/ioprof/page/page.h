/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* The page: a template (page/, embedded by page/embed) with the data of one run, or of two that are
 * compared. */
#ifndef IOPROF_PAGE_PAGE_H
#define IOPROF_PAGE_PAGE_H

#include "profile/profile.h"
#include "report/json.h"

/** The template; NAME stands for a part in @@NAME@@. */
extern const char ioprof_page_template[];

struct ioprof_page {
    const char *title;
    const struct ioprof_profile *runs[2];
    int nruns;
    /** Writes what is readable without scripts. */
    void (*summary)(const struct ioprof_page *page, FILE *out);
};

/** The report of a run, and the comparison of two, as pages. 0, or -1 with errno. Both make the
 *  profiles printable. */
int ioprof_report_html(struct ioprof_profile *profile, FILE *out);
int ioprof_compare_html(struct ioprof_profile *a, struct ioprof_profile *b, FILE *out);

/** 0, or -1 with errno. */
int ioprof_page_write(const struct ioprof_page *page, FILE *out);

/** Text with the characters that HTML gives a meaning escaped. */
void ioprof_html_text(FILE *out, const char *text);
/** Answers and findings of a run. */
void ioprof_html_answers(const struct ioprof_profile *run, FILE *out);

/** The data of a run as an object, reduced to a size that a page can have: see the limits in
 *  page/data.c. */
void ioprof_page_run(struct ioprof_sink *json, const struct ioprof_profile *run);

#endif /* IOPROF_PAGE_PAGE_H */
