/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_HANG_H
#define COLLIO_HANG_H

#include "call/op.h"

/**
 * Where a rank is, for a job that hangs: one line per open file, which collio-hang reads.
 *
 *   SIGUSR1    if the parameter common_collio_hang names a directory: each rank appends its lines
 *              to a file there. The handler only formats and writes; what it reads lies in places
 *              that are never freed while it is installed. So a rank that computes and makes no MPI
 *              call is readable, too.
 *   timeout    a call that is left because the time limit `timeout` has passed: a line for each
 *              file, into the same place, or to stderr if there is none.
 *
 * Without the parameter a call reads one pointer per phase, and nothing is noted.
 */

/** Registers the parameter; from each component's register function. */
void collio_hang_register(void);
/** Restores the handler of SIGUSR1 and frees everything, with the last component. */
void collio_hang_fini(void);

/** A file is open: takes a place for it (file->hang), if the parameter is set. Local. */
void collio_hang_attach(collio_file_t *file);
/** The file ends: its place is free. */
void collio_hang_detach(collio_file_t *file);

/** Notes the phase that begins. Only with a place. */
void collio_hang_enter(const collio_op_t *op, collio_phase_t phase, uint64_t now);
/** Notes whom the call waits for; from a wait of more than a second. Only with a place. */
void collio_hang_wait(const collio_op_t *op);
/** Writes the line of a call that is left, and those of other files, see above. */
void collio_hang_write(const collio_op_t *op);

#endif /* COLLIO_HANG_H */
