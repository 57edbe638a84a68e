/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/* The commands of `ioprof` and the formats of its report, each in a file of its own. */
#ifndef IOPROF_COMMAND_COMMAND_H
#define IOPROF_COMMAND_COMMAND_H

#include <stdio.h>

#include "profile/profile.h"

/** `ioprof report ...`: argv[0] is "report". The exit code. */
int ioprof_report_main(int argc, char **argv);
/** `ioprof compare ...`: argv[0] is "compare". The exit code. */
int ioprof_compare_main(int argc, char **argv);

/** A format of the report; 0, or -1 with errno if it cannot be written. Text and pages make the
 *  profile printable: see profile/printable.h. */
int ioprof_report_text(struct ioprof_profile *profile, FILE *out);
int ioprof_report_json(struct ioprof_profile *profile, FILE *out);
int ioprof_report_html(struct ioprof_profile *profile, FILE *out);
int ioprof_csv_functions(struct ioprof_profile *profile, FILE *out);
int ioprof_csv_ranks(struct ioprof_profile *profile, FILE *out);
int ioprof_csv_files(struct ioprof_profile *profile, FILE *out);
int ioprof_csv_time(struct ioprof_profile *profile, FILE *out);
int ioprof_csv_events(struct ioprof_profile *profile, FILE *out);
int ioprof_csv_variables(struct ioprof_profile *profile, FILE *out);

/** A format of the comparison of two runs; as above. */
int ioprof_compare_text(struct ioprof_profile *a, struct ioprof_profile *b, FILE *out);
int ioprof_compare_html(struct ioprof_profile *a, struct ioprof_profile *b, FILE *out);

#endif /* IOPROF_COMMAND_COMMAND_H */
