/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* The formats of the report that need no browser, each in a file of its own. */
#ifndef IOPROF_REPORT_REPORT_H
#define IOPROF_REPORT_REPORT_H

#include <stdio.h>

#include "profile/profile.h"

/** Each writes one format of the report; 0, or -1 with errno if it cannot be written. Text makes
 *  the profile printable: see profile/printable.h. */
int ioprof_report_text(struct ioprof_profile *profile, FILE *out);
int ioprof_report_json(struct ioprof_profile *profile, FILE *out);
int ioprof_report_trace(struct ioprof_profile *profile, FILE *out);
int ioprof_csv_functions(struct ioprof_profile *profile, FILE *out);
int ioprof_csv_ranks(struct ioprof_profile *profile, FILE *out);
int ioprof_csv_files(struct ioprof_profile *profile, FILE *out);
int ioprof_csv_time(struct ioprof_profile *profile, FILE *out);
int ioprof_csv_memory(struct ioprof_profile *profile, FILE *out);
int ioprof_csv_node(struct ioprof_profile *profile, FILE *out);
int ioprof_csv_events(struct ioprof_profile *profile, FILE *out);
int ioprof_csv_variables(struct ioprof_profile *profile, FILE *out);

/** Writes the settings that findings suggest as a hint file; as above. */
int ioprof_advise(struct ioprof_profile *profile, FILE *out);

/** Writes the comparison of two runs as text; as above. */
int ioprof_compare_text(struct ioprof_profile *a, struct ioprof_profile *b, FILE *out);

#endif /* IOPROF_REPORT_REPORT_H */
