/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_CONTEXT_H
#define COLLIO_CONTEXT_H

#include "file/file.h"
#include "node/agreement.h"

/**
 * The parts of an open file that belong to its processes and not to the file: communicators, the
 * agreement, the node's segments, buffers, plans. A file has a context of its own
 * while it is open. When it is closed, the context can be kept for the next file of the same
 * processes (set.h), as if that were the same file under another name.
 */
enum { COLLIO_CONTEXT_TRAITS = 13 };

typedef struct collio_context_t {
    ompi_communicator_t *comm;             /* all ranks */
    ompi_communicator_t *node_comm;        /* ranks of this node; `comm` if these are all */
    collio_agreement_t *agreement;         /* agreement of calls */
    struct collio_kept_t *kept;            /* plans and memory of exchanges, or NULL */
    int64_t memory_bytes;                  /* bytes that are accounted for `kept` */
    int64_t charge;                        /* this rank's part of the node's bytes in `kept` */
    int64_t traits[COLLIO_CONTEXT_TRAITS]; /* agreed values that `kept` depends on */
    uint32_t sequence;                     /* calls so far: tags and ages of plans go on */
} collio_context_t;

/** A new context for a file whose ranks' nodes are known. Collective over f_comm. 0 or an error
 *  class, the same on all ranks unless the file is lost. */
int collio_context_new(collio_file_t *file);

/** Moves the context out of a file that is being closed. `memory`: with the memory of its
 *  exchanges, if that can serve another file; else that is freed. Collective where one-sided
 *  windows have to be freed. */
void collio_context_give(collio_file_t *file, bool memory, collio_context_t *context);
/** Moves it into a file that has none. `memory`: all ranks have kept the memory of exchanges; it is
 *  used if the file has the same traits. Local. */
void collio_context_take(collio_context_t *context, bool memory, collio_file_t *file);

/** Bytes of this rank's own staging in a context that no file has, and how to free them. Local. */
int64_t collio_context_staging(const collio_context_t *context);
void collio_context_drop_staging(collio_context_t *context);

/** Frees the memory of exchanges of a context that no file has, for the whole node. The next file
 *  begins without it on all ranks. Local. */
void collio_context_shed(collio_context_t *context);

/** Frees the context of a file. */
void collio_context_close(collio_file_t *file);
/** Frees one that no file has. */
void collio_context_fini(collio_context_t *context);

/** Plans and the memory of exchanges: file->kept. */
int collio_context_keep_open(collio_file_t *file);
void collio_context_keep_close(collio_file_t *file);

#endif /* COLLIO_CONTEXT_H */
