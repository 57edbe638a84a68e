/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* What differs between two runs. */
#ifndef IOPROF_REPORT_COMPARE_H
#define IOPROF_REPORT_COMPARE_H

#include "profile/profile.h"

/** A figure of both runs. */
enum ioprof_unit { IOPROF_TIME, IOPROF_BYTES, IOPROF_COUNT, IOPROF_PERCENT };
struct ioprof_pair {
    const char *name;
    enum ioprof_unit unit;
    double a, b;
};

/** The figures in the order of the table; times are means of ranks, so that runs of different size
 *  can be compared. The number of them, at most IOPROF_PAIRS. */
#define IOPROF_PAIRS 32
int ioprof_pairs(const struct ioprof_profile *a, const struct ioprof_profile *b,
                 struct ioprof_pair *pairs);
/** A value of the pair as text, valid for the next three calls. */
const char *ioprof_show_pair(const struct ioprof_pair *pair, double value);
/** "-12.3%", "x 4.2", "new", "same". */
const char *ioprof_show_change(const struct ioprof_pair *pair);

/** What changed, in sentences: a malloc'ed array of malloc'ed strings; its length or -1. */
int ioprof_changes(const struct ioprof_profile *a, const struct ioprof_profile *b,
                   char ***sentences);
void ioprof_changes_free(char **sentences, int n);

#endif /* IOPROF_REPORT_COMPARE_H */
