/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_AHEAD_H
#define MCA_COMMON_COLLIO_AHEAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/common_collio_chunks.h"

/**
 * Collective calls that need no other rank: each rank accesses its own pieces and returns. The
 * ranks share two things in their page: the number of the highest call that any of them has begun
 * (`begun`), and how many calls each has finished (`done`).
 *
 *   begun       12          12 stopped
 *               |           |
 *   rank 0  ... 11 12       .  13: all ranks meet
 *   rank 1  ... 10 11       12 13
 *   rank 2  ... 11 <stop    12 13
 *
 * A rank begins call n if another rank has begun it already, or if it can raise `begun` to n.
 * A rank that cannot go on like this (its request has changed, its access has failed, it comes to
 * MPI_File_sync) stops the run: `begun` takes no higher number from then on. So the last call of
 * the run is one that some rank has already begun, every rank finds the same one, and all ranks
 * meet in the call after it. Before that call no rank waits for the others, except one that is too
 * far ahead of the slowest. How far that is each rank may say for itself.
 *
 * Runs are numbered. A run begins only after a meeting, when nobody looks at the previous one any
 * more, so values of earlier runs count as 0 and nothing has to be cleared.
 */
/** In the shared page; each on a cache line of its own. run << 32 | calls << 1 | stopped. */
typedef _Atomic uint64_t mca_common_collio_ahead_word_t;

typedef struct mca_common_collio_ahead_t {
    mca_common_collio_ahead_word_t *begun; /* NULL: the ranks share no page */
    char *done;                            /* of rank 0 */
    size_t stride;                         /* to the next rank's */
    int ranks;
    int me;
    bool on;        /* a run is under way; the same on all ranks at the same call */
    uint32_t most;  /* calls that this rank may be ahead of the slowest */
    bool waiting;   /* this rank is too far ahead */
    uint32_t run;   /* its number */
    uint32_t calls; /* of this rank in this run */
    uint32_t least; /* calls that every rank has finished, as far as this rank knows */
} mca_common_collio_ahead_t;

/** Begins a run. All ranks do so after the same meeting. `most` > 0. */
void mca_common_collio_ahead_begin(mca_common_collio_ahead_t *ahead, uint32_t most);

/** How the next call is made. A rank that is not willing to make it without the others stops the
 *  run, and is told GO if another rank has begun this call before. Never waits. */
mca_common_collio_answer_t mca_common_collio_ahead_turn(mca_common_collio_ahead_t *ahead,
                                                        bool willing);
/** The call that was told GO is finished on this rank. */
void mca_common_collio_ahead_done(mca_common_collio_ahead_t *ahead);

/** No rank begins a call of this run that nobody has begun yet. */
void mca_common_collio_ahead_stop(mca_common_collio_ahead_t *ahead);

/** Gives the core away for a moment if this rank was told to wait. True: its turn has come. */
bool mca_common_collio_ahead_rest(mca_common_collio_ahead_t *ahead);

#endif /* MCA_COMMON_COLLIO_AHEAD_H */
