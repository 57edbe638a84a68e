/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* The commands of `ioprof` that read profiles. */
#ifndef IOPROF_COMMAND_COMMAND_H
#define IOPROF_COMMAND_COMMAND_H

/** `ioprof report ...`: argv[0] is "report". The exit code. */
int ioprof_report_main(int argc, char **argv);
/** `ioprof advise ...`: argv[0] is "advise". The exit code. */
int ioprof_advise_main(int argc, char **argv);
/** `ioprof compare ...`: argv[0] is "compare". The exit code. */
int ioprof_compare_main(int argc, char **argv);

#endif /* IOPROF_COMMAND_COMMAND_H */
