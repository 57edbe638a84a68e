/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_RUN_H
#define MCA_COMMON_COLLIO_RUN_H

#include "core/common_collio_chunks.h"

#include <stdbool.h>
#include <stdint.h>

struct mca_common_collio_file_t;

/**
 * A run: collective calls that each rank makes by itself, until all ranks meet in the same call.
 * Where all ranks share a page it says which call that is (ahead.h); else they find it by
 * reductions that run behind the calls (core/chunks). Who uses a run need not know.
 */
bool mca_common_collio_run_on(const struct mca_common_collio_file_t *file);

/** Calls of this rank in this run. */
uint32_t mca_common_collio_run_calls(const struct mca_common_collio_file_t *file);

/** Begins a run. All ranks do so after the same meeting, with the same `most` > 0: calls that a
 *  rank may be ahead of the slowest, and after which all ranks know of a stop. */
void mca_common_collio_run_begin(struct mca_common_collio_file_t *file, uint32_t most);

/** How the next call is made: GO, WAIT or MEET. Never waits. */
mca_common_collio_answer_t mca_common_collio_run_turn(struct mca_common_collio_file_t *file,
                                                      mca_common_collio_wish_t wish);
/** The call that was told GO is finished on this rank. */
void mca_common_collio_run_done(struct mca_common_collio_file_t *file);

/** The run shall end, in a call that is not yet made. */
void mca_common_collio_run_stop(struct mca_common_collio_file_t *file);

/** Ends a run in which no call was made. */
void mca_common_collio_run_leave(struct mca_common_collio_file_t *file);

/** For a rank that makes one blocking call after the other, so that nobody else looks for messages:
 *  moves the reduction on that runs behind them. */
void mca_common_collio_run_push(struct mca_common_collio_file_t *file);

/** Gives the core away for a moment if this rank was told to wait. True: ask again now. */
bool mca_common_collio_run_rest(struct mca_common_collio_file_t *file);

#endif /* MCA_COMMON_COLLIO_RUN_H */
