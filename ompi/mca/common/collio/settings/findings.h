/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_FINDINGS_H
#define COLLIO_FINDINGS_H

#include "compat/compat.h"

/**
 * What a rank has to tell the user about parameters and hints. Each text is told once, by one rank:
 * it waits here until the ranks of a file come together. Files of disjoint communicators (such as
 * MPI_COMM_SELF on every rank) have nobody in common; there each node tells once.
 */

/** Notes a line without its final full stop. A text that was told before, or is waiting, is not
 *  noted again. */
void collio_finding(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** What this rank contributes (by MPI_MAX) to the agreement that precedes findings_tell: 0 if it
 *  has nothing to tell. */
int64_t collio_findings_waiting(ompi_communicator_t *comm);
/** Tells everything that waits on any rank, each text once. Collective over `comm`, if `highest`,
 *  the maximum of what the ranks contributed, is not 0. */
void collio_findings_tell(ompi_communicator_t *comm, int64_t highest);
/** Without the other ranks: tells at once what waits here and no rank of the node has told.
 *  Local. */
void collio_findings_tell_mine(void);

/** Frees everything; nothing may be waiting any more. */
void collio_findings_fini(void);

#endif /* COLLIO_FINDINGS_H */
