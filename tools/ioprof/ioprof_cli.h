/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/* The commands of `ioprof` and the formats of its report, each in a file of its own. */
#ifndef IOPROF_CLI_H
#define IOPROF_CLI_H

#include <stdio.h>

#include "ioprof_profile.h"

/** `ioprof report ...`: argv[0] is "report". The exit code. */
int ioprof_report_main(int argc, char **argv);
/** `ioprof compare ...`: argv[0] is "compare". The exit code. */
int ioprof_compare_main(int argc, char **argv);

/** A format of the report; 0, or -1 with errno if it cannot be written. */
int ioprof_report_text(const struct ioprof_profile *profile, FILE *out);
int ioprof_report_json(const struct ioprof_profile *profile, FILE *out);
int ioprof_report_html(const struct ioprof_profile *profile, FILE *out);
int ioprof_csv_functions(const struct ioprof_profile *profile, FILE *out);
int ioprof_csv_ranks(const struct ioprof_profile *profile, FILE *out);
int ioprof_csv_files(const struct ioprof_profile *profile, FILE *out);
int ioprof_csv_time(const struct ioprof_profile *profile, FILE *out);
int ioprof_csv_events(const struct ioprof_profile *profile, FILE *out);
int ioprof_csv_variables(const struct ioprof_profile *profile, FILE *out);

/** A format of the comparison of two runs; as above. */
int ioprof_compare_text(const struct ioprof_profile *a, const struct ioprof_profile *b, FILE *out);
int ioprof_compare_html(const struct ioprof_profile *a, const struct ioprof_profile *b, FILE *out);

#endif /* IOPROF_CLI_H */
