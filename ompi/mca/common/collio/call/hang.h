/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_HANG_H
#define COLLIO_HANG_H

#include "call/op.h"

/**
 * The position of a rank in a job that hangs: one line per open file, which collio-hang reads.
 *
 *   SIGUSR1    If the parameter common_collio_hang names a directory, each rank appends its lines
 *              to a file in this directory. The handler only formats and writes. It reads records
 *              (places) that are not freed while the handler is installed, so a rank that makes no
 *              MPI call also writes its lines.
 *   timeout    When a call ends because the time limit `timeout` has passed, the rank writes a line
 *              for each file, to the same file or, without the parameter, to stderr.
 *
 * Without the parameter a call reads one pointer per phase and records nothing.
 */

/** Registers the parameter. Called by each component's register function. */
void collio_hang_register(void);
/** Restores the handler of SIGUSR1 and frees all places. Called for the last component. */
void collio_hang_fini(void);

/** Takes a place for a new file (file->hang), if the parameter is set. Local. */
void collio_hang_attach(collio_file_t *file);
/** Releases the place of a file that is closed. */
void collio_hang_detach(collio_file_t *file);

/** Records the phase that begins, or what a call waits for in its phase (in a wait of more than a
 *  second). The file must have a place. */
void collio_hang_note(const collio_op_t *op, collio_phase_t phase, uint64_t since_ns);
/** Writes the line of a call that is abandoned and the lines of all other files. */
void collio_hang_write(const collio_op_t *op);

#endif /* COLLIO_HANG_H */
