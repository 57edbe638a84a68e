/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_KEPT_H
#define COLLIO_KEPT_H

#include "access/lockahead.h"
#include "exchange/arena.h"
#include "node/shared.h"

#include "core/aggregator.h"

/**
 * What the exchanges of one file keep between calls: memory, windows, plans. It is made and freed
 * with the record of the file, which points to it (file->kept).
 */

/** One-sided windows over the collective buffers; see transport/onesided/. */
typedef struct collio_put_t {
    bool open;            /* the windows exist */
    bool failed;          /* the osc component cannot make windows; a help text was printed */
    char *base[2];        /* this rank's buffers, each with its room and its limit */
    bool allocated;       /* the windows own the memory of the buffers */
    int64_t slot_bytes;   /* bytes of a buffer and its room */
    bool mine;            /* this rank has buffers */
    uint32_t stamp;       /* stamp of the plan that the windows were made for; 0: all plans */
    int buffers;          /* number of buffers, 1 or 2 */
    collio_win_t *win[2]; /* the windows */
} collio_put_t;

typedef struct collio_kept_t {
    struct collio_plans_t *plans;       /* plans of earlier calls */
    collio_shared_t shared;             /* collective buffers that the node shares */
    collio_shared_t relay_shared;       /* staging of the node's local aggregators */
    collio_put_t put;                   /* one-sided windows; closed until needed */
    collio_arena_t buffers;             /* private collective buffers and their staging */
    collio_arena_t staging;             /* messages of this rank as a requester */
    collio_arena_t relay;               /* messages and staging of layer 1 without shm */
    collio_lockahead_covered_t covered; /* ranges of direct accesses that lock-ahead covers */
    int64_t *stops;                     /* how far each aggregator came, after a failure */
    int64_t *histogram; /* histogram of sparse requests; taken at open, because its step must not
                           fail */

    collio_local_count_t local_used; /* local aggregators of the last call, for the report */
    int layers_used;                 /* collio_layers_t of the last call, for the report */
    uint64_t printed;                /* reasons that a text was printed for: a bit each */
} collio_kept_t;

/** The node's collective buffers, or its local aggregators' staging, cannot be shared. */
static inline bool collio_kept_unshared(const collio_kept_t *kept)
{
    return COLLIO_SHARED_FAILED == kept->shared.state
           || COLLIO_SHARED_FAILED == kept->relay_shared.state;
}

/** Partition memory. Do the buffers of this node's aggregators not fit its memory, as they would be
 *  without that policy? Local. */
bool collio_kept_falls_short(const struct collio_file_t *file);
/** Memory for the reductions of new plans. Local: an Open MPI error code. */
int collio_kept_memory_open(struct collio_file_t *file, int bins);
void collio_kept_memory_close(struct collio_file_t *file);
/** What collective buffers of this rank's node may use: the override, or half of what is left. */
int64_t collio_kept_memory_usable(const struct collio_file_t *file);

/** Bytes of this rank in collective buffers and their staging. */
int64_t collio_kept_buffers(const collio_kept_t *kept);

/** Bytes that are charged to each rank of this node for it: an equal part of what the node's
 *  aggregators may use, and of what local aggregators share. The same on all ranks of the node. */
int64_t collio_kept_charge(const struct collio_file_t *file);

/** The amount of free memory may have changed: look again, whatever was found lately. */
void collio_kept_memory_changed(void);

#endif /* COLLIO_KEPT_H */
