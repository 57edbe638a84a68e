/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_CONTEXT_H
#define COLLIO_CONTEXT_H

#include "file/file.h"
#include "node/agreement.h"

/** Gives the file a new context with communicators and an agreement, which uses messages.
 *  Collective. Returns an Open MPI error code; after an error, the file has the new context only if
 *  that has its communicator of all ranks. */
int collio_context_connect(collio_file_t *file);

/** Creates a context for a file that has its map of nodes. Collective over f_comm. Returns 0 or an
 *  error class, the same on all ranks unless the file handle has failed. */
int collio_context_new(collio_file_t *file);

/** Prepares the context of a file that is being closed for another file. `memory`: keeps plans and
 *  memory of exchanges, if another file can use them; otherwise frees both. Collective if RMA
 *  windows must be freed. */
void collio_context_give(collio_file_t *file, bool memory);
/** Gives a file that is being opened a kept context. `memory`: all ranks have kept plans and memory
 *  of exchanges; the file uses both if its traits are equal. Local. */
void collio_context_take(collio_context_t *context, bool memory, collio_file_t *file);

/** Return and free the bytes of this rank's staging buffers in a context without a file. Local. */
int64_t collio_context_staging(const collio_context_t *context);
void collio_context_drop_staging(collio_context_t *context);

/** Frees plans and memory of exchanges of a context without a file, for the whole node. All ranks
 *  of the next file then begin without them. Local. */
void collio_context_shed(collio_context_t *context);

/** Frees the context of a file, with RMA windows. Collective. */
void collio_context_close(collio_file_t *file);
/** Frees a context without a file. */
void collio_context_free(collio_context_t *context);

/** Create and free plans and memory of exchanges. An Open MPI error code. */
int collio_context_keep_open(collio_file_t *file);
void collio_context_keep_close(collio_file_t *file);

#endif /* COLLIO_CONTEXT_H */
