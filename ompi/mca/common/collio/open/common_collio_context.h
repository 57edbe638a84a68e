/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_CONTEXT_H
#define MCA_COMMON_COLLIO_CONTEXT_H

#include "file/common_collio_file.h"

/**
 * The parts of an open file that belong to its processes and not to the file: communicators, the
 * page of the reductions, the node's segments, buffers, plans. A file has a context of its own
 * while it is open. When it is closed, the context can be kept for the next file of the same
 * processes (set.h), as if that were the same file under another name.
 */
enum { MCA_COMMON_COLLIO_CONTEXT_TRAITS = 13 };

typedef struct mca_common_collio_context_t {
    struct mca_common_collio_connection_t connection;
    struct mca_common_collio_kept_t *kept; /* NULL: nothing of the exchanges */
    int64_t memory_bytes;                  /* accounted for it */
    int64_t charge; /* of it: this rank's part of what the node keeps, without its own staging */
    int64_t traits[MCA_COMMON_COLLIO_CONTEXT_TRAITS]; /* agreed values that `kept` depends on */
    uint32_t sequence; /* of calls; it goes on, so tags and plans' ages stay in order */
} mca_common_collio_context_t;

/** A new context for a file whose ranks' nodes are known, with its reductions connected.
 *  Collective over f_comm. 0 or an error class, the same on all ranks unless the file is lost. */
int mca_common_collio_context_new(mca_common_collio_file_t *file);

/** The local parts: memory, datatype, operation. An Open MPI error code. */
int mca_common_collio_context_parts(mca_common_collio_file_t *file);

/** Moves the context out of a file that is being closed. `memory`: with the memory of its
 *  exchanges, if that can serve another file; else that is freed. Collective where one-sided
 *  windows have to be freed. */
void mca_common_collio_context_give(mca_common_collio_file_t *file, bool memory,
                                    mca_common_collio_context_t *context);
/** Moves it into a file that has none. `memory`: all ranks have kept the memory of exchanges; it is
 *  used if the file has the same traits. Local. */
void mca_common_collio_context_take(mca_common_collio_context_t *context, bool memory,
                                    mca_common_collio_file_t *file);

/** Bytes of this rank's own staging in a context that no file has, and how to free them. Local. */
int64_t mca_common_collio_context_staging(const mca_common_collio_context_t *context);
void mca_common_collio_context_drop_staging(mca_common_collio_context_t *context);

/** Frees the memory of exchanges of a context that no file has, for the whole node. The next file
 *  begins without it on all ranks. Local. */
void mca_common_collio_context_shed(mca_common_collio_context_t *context);

/** Frees the context of a file. */
void mca_common_collio_context_close(mca_common_collio_file_t *file);
/** Frees one that no file has. */
void mca_common_collio_context_fini(mca_common_collio_context_t *context);

/** Plans and the memory of exchanges: file->kept. */
int mca_common_collio_context_keep_open(mca_common_collio_file_t *file);
void mca_common_collio_context_keep_close(mca_common_collio_file_t *file);

#endif /* MCA_COMMON_COLLIO_CONTEXT_H */
