/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_CYCLES_H
#define MCA_COMMON_COLLIO_CYCLES_H

#include "plan/common_collio_plan.h"
#include "transport/common_collio_transport.h"

/**
 * The cycles of an exchange: window by window, bytes move between requesters and collective
 * buffers, and between collective buffers and the file.
 *
 * Two drivers do this. `flow` serves messages, shared memory and put_lock: each window moves when
 * its two sides are ready, and no step waits. `fence` serves put_fence: all ranks step through
 * numbered rounds together, and a fence waits, so it is for blocking calls only.
 */
typedef struct mca_common_collio_driver_t {
    /** Memory of this rank as requester: 0 or -errno. Local. */
    int64_t (*prepare)(mca_common_collio_exchange_t *ex);
    /** Before the first cycle; all ranks call it. 0 or -errno. */
    int (*begin)(mca_common_collio_exchange_t *ex);
    /** True when all cycles are over. */
    bool (*poll)(mca_common_collio_exchange_t *ex);
} mca_common_collio_driver_t;

extern const mca_common_collio_driver_t mca_common_collio_driver_flow;
extern const mca_common_collio_driver_t mca_common_collio_driver_fence;

/** For the call: prepare allocates all memory of the cycles (an error is noted in the exchange),
 *  start begins, poll continues. If the plan was `prepared` for the same way before, no allocation
 *  can fail. */
bool mca_common_collio_cycles_prepared(const mca_common_collio_exchange_t *ex);
void mca_common_collio_cycles_prepare(mca_common_collio_exchange_t *ex);
void mca_common_collio_cycles_start(mca_common_collio_exchange_t *ex);
bool mca_common_collio_cycles_poll(mca_common_collio_exchange_t *ex);

/** Shared by the drivers, on the aggregator's side: bind cycle `number` to its collective buffer,
 *  start its access, record the result. */
mca_common_collio_slot_t *mca_common_collio_cycles_slot(mca_common_collio_exchange_t *ex,
                                                        size_t number);
void mca_common_collio_cycles_enter(mca_common_collio_exchange_t *ex, size_t number);
void mca_common_collio_cycles_access_start(mca_common_collio_exchange_t *ex, size_t number);
void mca_common_collio_cycles_access_finish(mca_common_collio_exchange_t *ex, size_t number);
/** Waits for an access that was started and ignores its result. */
void mca_common_collio_cycles_access_end(mca_common_collio_exchange_t *ex, size_t number);
/** Accounts for the time since the last call: what timing.shuffling and timing.accessing show was
 *  under way until now. */
void mca_common_collio_cycles_book_time(mca_common_collio_exchange_t *ex);
/** The transport between an aggregator (`aggregator` is its number, not its rank) and a requester
 *  (its rank). Both sides compute the same answer. */
const mca_common_collio_transport_t *
mca_common_collio_cycles_pick(const mca_common_collio_exchange_t *ex, int aggregator,
                              int requester);
/** The requester's side of `flow`. poll returns true when all windows have moved. */
void mca_common_collio_requester_start(mca_common_collio_exchange_t *ex);
bool mca_common_collio_requester_poll(mca_common_collio_exchange_t *ex, bool *moved);
int64_t mca_common_collio_requester_prepare(mca_common_collio_exchange_t *ex);
/** Allocates the requester's staging. Returns the bytes by which it grew, or -ENOMEM. */
int64_t mca_common_collio_requester_reserve(mca_common_collio_exchange_t *ex, int64_t bytes);

/** put_fence: the most windows that a request may span in two layers, and the numbering of the
 *  rounds (fence_number.c). */
enum { MCA_COMMON_COLLIO_FENCE_WINDOWS = 1 << 23 };
int mca_common_collio_fence_prepare(mca_common_collio_plan_t *plan);
int mca_common_collio_fence_number(mca_common_collio_exchange_t *ex);
/** Two layers: a bitmap has a bit for each window number in use; the round of a window is the
 *  number of bits set below its own. Must be called with ascending window numbers. */
typedef struct mca_common_collio_fence_counter_t {
    const int64_t *bits;
    size_t word;
    size_t below; /* bits in the words before that */
} mca_common_collio_fence_counter_t;
size_t mca_common_collio_fence_round(mca_common_collio_fence_counter_t *counter, int64_t index);

#endif /* MCA_COMMON_COLLIO_CYCLES_H */
