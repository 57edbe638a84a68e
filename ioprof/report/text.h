/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* Sentences and numbers of the report, for every format of it. */
#ifndef IOPROF_REPORT_TEXT_H
#define IOPROF_REPORT_TEXT_H

#include <stdio.h>

#include "profile/profile.h"

/** Room for a short text of 32 bytes, until seven more were asked for. */
char *ioprof_next_text(void);
/** "1.5 MiB", "12.3 s": short texts for people; up to eight results are valid at a time. */
const char *ioprof_show_bytes(double bytes);
const char *ioprof_show_time(double ns);

/** Figures over all ranks, from which the sentences are made. */
struct ioprof_figures {
    double wall_ns; /* sum over ranks */
    double run_ns;  /* from the first start of a rank to the last end */
    double io_ns;   /* MPI-IO and the program's POSIX: the inside ones are part of MPI-IO */
    double mpi_ns, posix_ns, inside_ns;
    double kind_ns[IOPROF_KINDS]; /* of io_ns */
    double mpi_bytes, posix_bytes, inside_bytes;
};
void ioprof_figure(const struct ioprof_profile *profile, struct ioprof_figures *f);

/** Answers the four questions: MPI-IO or POSIX, which ranks, how much time in what, and when. Each
 *  answer is a sentence or more, to be freed. */
#define IOPROF_QUESTIONS 4
extern const char *const ioprof_questions[IOPROF_QUESTIONS];
char *ioprof_answer(const struct ioprof_profile *profile, int question);

/** What is worth acting on: a finding, and what would change it. */
struct ioprof_finding {
    char *text, *advice;
    char *hints;                    /* lines "KEY VALUE" of a hint file; NULL: none */
    const struct ioprof_file *file; /* for which they are; NULL: all files */
    unsigned components;            /* that they need, besides a collective one */
};
enum { IOPROF_USE_MTPWRITE = 1, IOPROF_USE_LUSTRE = 2, IOPROF_USE_BEEGFS = 4 };
/** The findings in a malloc'ed array; its length, or -1 without memory. */
int ioprof_findings(const struct ioprof_profile *profile, struct ioprof_finding **findings);
void ioprof_findings_free(struct ioprof_finding *findings, int n);

/** The number of hosts on which the ranks were. */
size_t ioprof_hosts(const struct ioprof_profile *profile);
/** Bytes of a rank that reached files: POSIX, in MPI-IO or not. */
uint64_t ioprof_rank_bytes(const struct ioprof_rank *rank);
/** All ranks, most of these bytes first, in a malloc'ed array; NULL without memory. */
struct ioprof_rank **ioprof_ranks_by_bytes(const struct ioprof_profile *profile);
/** Time of a rank in I/O: MPI-IO, its completion, and POSIX of the program. */
uint64_t ioprof_rank_ns(const struct ioprof_rank *rank);

/* ---- tables of the text report: report/text_tables.c ---- */

void ioprof_text_heading(FILE *out, const char *text);
/** Words in lines of 96 columns, each after `prefix`. */
void ioprof_text_paragraph(FILE *out, const char *text, const char *prefix);
/** Values in the unit that the column's heading names. Up to eight results are valid at a time. */
const char *ioprof_text_ms(double ns);
const char *ioprof_text_mib(double bytes);

/** True for files that Open MPI itself uses: session files, help texts. */
int ioprof_is_openmpis(const struct ioprof_file *file);

void ioprof_text_ranks(const struct ioprof_profile *p, FILE *out);
void ioprof_text_files(const struct ioprof_profile *p, FILE *out);

#endif /* IOPROF_REPORT_TEXT_H */
