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

/** A format of the report; 0, or -1 with errno if it cannot be written. */
int ioprof_report_text(const struct ioprof_profile *profile, FILE *out);

#endif /* IOPROF_CLI_H */
