/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_KEPT_H
#define COLLIO_KEPT_H

#include "access/lockahead.h"
#include "exchange/arena.h"
#include "node/shared.h"

#include "core/aggregator.h"

/**
 * State that the exchanges of one file keep between calls: memory, RMA windows, plans. It is made
 * and freed with the record of the file, which points to it (file->context->kept).
 */

/** RMA windows over the collective buffers; see transport/. */
typedef struct collio_put_t {
    bool open;            /* the RMA windows exist */
    bool failed;          /* RMA windows cannot be used; a help text was printed */
    char *base[2];        /* this rank's collective buffers, each with its room and its limit */
    bool allocated;       /* the RMA windows own the memory of the buffers */
    bool by_flush;        /* put_fence: no fences, but one epoch, flushes and barriers */
    bool locked[2];       /* this rank has the epoch of the RMA window open */
    int64_t slot_bytes;   /* bytes of a collective buffer and its room */
    bool mine;            /* this rank has collective buffers */
    uint32_t stamp;       /* stamp of the plan that the RMA windows serve; 0: all plans */
    int buffers;          /* number of collective buffers: 1 or 2 */
    collio_win_t *win[2]; /* RMA windows, one per collective buffer */
} collio_put_t;

typedef struct collio_kept_t {
    struct collio_plans_t *plans;       /* plans of earlier calls */
    collio_shared_t shared;             /* collective buffers that the node shares */
    collio_shared_t relay_shared;       /* staging of the node's local aggregators */
    collio_put_t put;                   /* RMA windows; closed until needed */
    collio_arena_t buffers;             /* private collective buffers and their staging */
    collio_arena_t staging;             /* messages of this rank as a requester */
    collio_arena_t relay;               /* messages and staging of layer 1 without shm */
    collio_lockahead_covered_t covered; /* ranges of direct accesses that lock-ahead covers */
    int64_t *stops;                     /* local byte at which each aggregator stopped; twice */
    int64_t *histogram; /* histogram of sparse requests; allocated at open, because the step that
                           fills it must not fail */

    /** How often plans are used, for the number of local aggregators. The same on all ranks. */
    struct {
        int64_t calls;          /* number of exchanges */
        int64_t plans;          /* number of exchanges that had no plan */
        int64_t calls_per_plan; /* maximum of collio_policy_calls_per_plan after each exchange */
    } reuse;

    collio_local_count_t local_used; /* local aggregators of the last call, for the report */
    int layers_used;                 /* collio_layers_t of the last call, for the report */
    uint64_t printed;                /* one bit per reason: its text was printed */
} collio_kept_t;

/** Returns true if the node cannot share its collective buffers, or the staging of its local
 *  aggregators. */
static inline bool collio_kept_unshared(const collio_kept_t *kept)
{
    return COLLIO_SHARED_FAILED == kept->shared.state
           || COLLIO_SHARED_FAILED == kept->relay_shared.state;
}

/** Partition memory: returns true on an aggregator if the buffers of this node's aggregators, at
 *  their usual size, do not fit the memory of the node. Local. */
bool collio_kept_falls_short(const struct collio_file_t *file);
/** Partition memory: allocates the memory for the reductions of new plans. Returns OMPI_SUCCESS or
 *  an Open MPI error code. Local. */
int collio_kept_memory_open(struct collio_file_t *file, int bins);
void collio_kept_memory_close(struct collio_file_t *file);
/** Returns the bytes that collective buffers of this rank's node may use: the setting
 *  memory_available, or half of the available memory. */
int64_t collio_kept_memory_usable(const struct collio_file_t *file);

/** Returns the bytes of this rank in collective buffers and their staging. */
int64_t collio_kept_buffers(const collio_kept_t *kept);

/** Returns the bytes of `kept` that are charged to each rank of this node: an equal part of the
 *  buffers of the node's aggregators and of the shared staging of its local aggregators. The same
 *  on all ranks of the node. */
int64_t collio_kept_charge(const struct collio_file_t *file);

/** Discards the cached amount of free memory, which may have changed. */
void collio_kept_memory_changed(void);

#endif /* COLLIO_KEPT_H */
