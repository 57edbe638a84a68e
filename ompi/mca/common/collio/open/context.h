/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_CONTEXT_H
#define COLLIO_CONTEXT_H

#include "file/file.h"
#include "node/agreement.h"

/**
 * The file context: communicators, agreement, the node's segments, buffers and plans. These belong
 * to the processes of a file and not to the file. Each open file has its own context. When the file
 * is closed, the context can be kept for the next file of the same processes (set.h).
 */
enum { COLLIO_CONTEXT_TRAITS = 8 };

typedef struct collio_context_t {
    ompi_communicator_t *comm;             /* all ranks */
    ompi_communicator_t *node_comm;        /* ranks of this node; `comm` if these are all */
    collio_agreement_t *agreement;         /* agreement of calls */
    struct collio_kept_t *kept;            /* plans and memory of exchanges, or NULL */
    int64_t memory_bytes;                  /* bytes that collio_file_memory has for `kept` */
    int64_t charge;                        /* this rank's part of the node's bytes in `kept` */
    int64_t traits[COLLIO_CONTEXT_TRAITS]; /* agreed values that `kept` depends on */
    uint32_t sequence;                     /* number of the next call: for tags, ages of plans */
} collio_context_t;

/** Creates the communicators of all ranks and of this node's ranks. Collective. Returns an Open MPI
 *  error code; file->comm may be valid after an error. */
int collio_file_connect(collio_file_t *file);

/** Creates a context for a file that has its map of nodes. Collective over f_comm. Returns 0 or an
 *  error class, the same on all ranks unless the file handle has failed. */
int collio_context_new(collio_file_t *file);

/** Moves the context out of a file that is being closed. `memory`: keeps plans and memory of
 *  exchanges, if another file can use them; otherwise frees both. Collective if RMA windows must be
 *  freed. */
void collio_context_give(collio_file_t *file, bool memory, collio_context_t *context);
/** Moves a context into a file that has none. `memory`: all ranks have kept plans and memory of
 *  exchanges; the file uses both if its traits are equal. Local. */
void collio_context_take(collio_context_t *context, bool memory, collio_file_t *file);

/** Return and free the bytes of this rank's staging buffers in a context without a file. Local. */
int64_t collio_context_staging(const collio_context_t *context);
void collio_context_drop_staging(collio_context_t *context);

/** Frees plans and memory of exchanges of a context without a file, for the whole node. All ranks
 *  of the next file then begin without them. Local. */
void collio_context_shed(collio_context_t *context);

/** Frees the context of a file. */
void collio_context_close(collio_file_t *file);
/** Frees a context without a file. */
void collio_context_fini(collio_context_t *context);

/** Create and free file->kept: plans and memory of exchanges. An Open MPI error code. */
int collio_context_keep_open(collio_file_t *file);
void collio_context_keep_close(collio_file_t *file);

#endif /* COLLIO_CONTEXT_H */
