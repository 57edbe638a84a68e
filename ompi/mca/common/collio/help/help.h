/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_HELP_H
#define COLLIO_HELP_H

#include "compat/compat.h"

#include <inttypes.h>

#include "help/texts.h"

/**
 * help/: prints the lines that a user must act on. Every text is a row of the catalog texts.h, from
 * which docs/messages.md is made. A text is printed once per job, or once per file.
 *
 * opal_show_help is not used. It prints a topic once, with the arguments of the first caller, so a
 * second wrong hint would not be printed; and in a process that mpirun did not start, Open MPI
 * 4.1.4 loses the text. Open MPI 6.0 prints only texts that were compiled into it.
 *
 * A text that several ranks of a file may have (a wrong parameter) waits until the ranks of a file
 * synchronize; then one rank prints it. All other texts are printed at once by the rank that has
 * them, unless a process of the node has printed the same one.
 */
typedef enum collio_help_scope_t {
    COLLIO_HELP_PER_JOB, /* the text is printed for the first file only */
    COLLIO_HELP_PER_FILE /* the text is printed for each file */
} collio_help_scope_t;

/** Prints a text of the catalog at once: collio_help("fs/beegfs", path, COLLIO_HELP_CLOSE,
 *  strerror(error)). The line begins with `who`, then the name of the file unless it is NULL.
 *  collio_help_rank adds the rank, unless it is negative. Local. */
#define collio_help(who, file, ...) collio_help_rank(who, file, -1, __VA_ARGS__)
void collio_help_rank(const char *who, const char *file, int rank, collio_help_scope_t scope,
                      const char *format, ...) __attribute__((format(printf, 5, 6)));

/** Keeps a text until the ranks of a file synchronize. A text that was printed, or that waits
 *  already, is not kept again. Local. */
void collio_help_later(collio_help_scope_t scope, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Returns the contribution of this rank (by MPI_MAX) to the agreement that precedes help_agreed:
 *  0 if no text waits. */
int64_t collio_help_waiting(ompi_communicator_t *comm);
/** Prints every text that waits on any rank, each once. Collective over `comm`, if `highest`, the
 *  maximum of the contributions, is not 0. */
void collio_help_agreed(ompi_communicator_t *comm, int64_t highest);
/** Prints at once the texts that wait on this rank, unless a process of the node has printed them.
 *  Local. */
void collio_help_flush(void);

/** Frees all texts; none may wait. */
void collio_help_fini(void);

#endif /* COLLIO_HELP_H */
