/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_CYCLES_H
#define COLLIO_CYCLES_H

#include "plan/plan.h"
#include "transport/transport.h"

/**
 * The cycles of an exchange: window by window, bytes move between requesters and collective
 * buffers, and between collective buffers and the file.
 *
 * Two drivers do this. `flow` serves messages, shared memory and put_lock: each window moves when
 * its two sides are ready, and no step waits. `fence` serves put_fence: all ranks step through
 * numbered rounds together, and a fence waits, so it is for blocking calls only.
 */
typedef struct collio_driver_t {
    /** Memory of this rank as requester: 0 or -errno. Local. */
    int64_t (*prepare)(collio_exchange_t *ex);
    /** Before the first cycle; all ranks call it. 0 or -errno. */
    int (*begin)(collio_exchange_t *ex);
    /** True when all cycles are over. */
    bool (*poll)(collio_exchange_t *ex);
} collio_driver_t;

extern const collio_driver_t collio_driver_flow;
extern const collio_driver_t collio_driver_fence;

/** For the call: prepare allocates all memory of the cycles (an error is noted in the exchange),
 *  start begins, poll continues. If the plan was `prepared` for the same way before, no allocation
 *  can fail. */
bool collio_cycles_prepared(const collio_exchange_t *ex);
void collio_cycles_prepare(collio_exchange_t *ex);
void collio_cycles_start(collio_exchange_t *ex);
bool collio_cycles_poll(collio_exchange_t *ex);
/** Whom this rank waits for in the cycles: "3,7" (ranks of the file), "lock", "access" or "all".
 *  For long waits only. */
void collio_cycles_waits(const collio_exchange_t *ex, char *text, size_t size);

/** Shared by the drivers, on the aggregator's side: bind cycle `number` to its collective buffer,
 *  start its access, record the result. */
collio_slot_t *collio_cycles_slot(collio_exchange_t *ex, size_t number);
void collio_cycles_enter(collio_exchange_t *ex, size_t number);
void collio_cycles_access_start(collio_exchange_t *ex, size_t number);
void collio_cycles_access_finish(collio_exchange_t *ex, size_t number);
/** Waits for an access that was started and ignores its result. */
void collio_cycles_access_end(collio_exchange_t *ex, size_t number);
/** Accounts for the time since the last call: what timing.shuffling and timing.accessing show was
 *  under way until now. */
void collio_cycles_book_time(collio_exchange_t *ex);
/** Every transport that can be named; NULL behind the last. */
extern const collio_transport_t *const collio_transports[];
/** The transport between an aggregator (`aggregator` is its number, not its rank) and a requester
 *  (its rank). Both sides compute the same answer. */
const collio_transport_t *collio_cycles_pick(const collio_exchange_t *ex, int aggregator,
                                             int requester);

/** Is message `number`, from 0, of those between two ranks a synchronous send? */
static inline bool collio_cycles_synchronous(const collio_exchange_t *ex, size_t number)
{
    int64_t each = ex->way.synchronous_each;

    return 0 < each && each - 1 == (int64_t) number % each;
}
/** The requester's side of `flow`. poll returns true when all windows have moved. */
void collio_requester_start(collio_exchange_t *ex);
bool collio_requester_poll(collio_exchange_t *ex, bool *moved);
int64_t collio_requester_prepare(collio_exchange_t *ex);
/** Allocates the requester's staging. Returns the bytes by which it grew, or -ENOMEM. */
int64_t collio_requester_reserve(collio_exchange_t *ex, int64_t bytes);

/** put_fence: the most windows that a request may span in two layers, and the numbering of the
 *  rounds (fence_number.c). */
enum { COLLIO_FENCE_WINDOWS = 1 << 23 };
int collio_fence_prepare(collio_plan_t *plan);
int collio_fence_number(collio_exchange_t *ex);
/** Two layers: a bitmap has a bit for each window number in use; the round of a window is the
 *  number of bits set below its own. Must be called with ascending window numbers. */
typedef struct collio_fence_counter_t {
    const int64_t *bits;
    size_t word;
    size_t below; /* bits in the words before that */
} collio_fence_counter_t;
size_t collio_fence_round(collio_fence_counter_t *counter, int64_t index);

#endif /* COLLIO_CYCLES_H */
