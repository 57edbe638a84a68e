/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* The commands of `ioprof` that read profiles, and the exit codes of all. */
#ifndef IOPROF_COMMAND_COMMAND_H
#define IOPROF_COMMAND_COMMAND_H

/** Exit codes (docs/stability.md: they do not change); otherwise 0, or that of the program. */
enum {
    IOPROF_EXIT_FAILED = 1, /* no profile to read, no output, or no library */
    IOPROF_EXIT_USAGE = 2,  /* wrong options */
    IOPROF_EXIT_CANNOT_RUN = 126,
    IOPROF_EXIT_NOT_FOUND = 127 /* the program */
};

/** `ioprof report ...`: argv[0] is "report". The exit code. */
int ioprof_report_main(int argc, char **argv);
/** `ioprof advise ...`: argv[0] is "advise". The exit code. */
int ioprof_advise_main(int argc, char **argv);
/** `ioprof compare ...`: argv[0] is "compare". The exit code. */
int ioprof_compare_main(int argc, char **argv);

#endif /* IOPROF_COMMAND_COMMAND_H */
