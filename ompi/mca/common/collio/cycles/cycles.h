/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_CYCLES_H
#define COLLIO_CYCLES_H

#include "plan/plan.h"
#include "transport/transport.h"

/**
 * cycles/: the cycles of an exchange. Window by window, bytes move between requesters and
 * collective buffers, and between collective buffers and the file. The transports (transport/) move
 * the bytes of one window; the schedule (core/schedule.h) decides which cycles overlap.
 *
 * There are two drivers. `flow` serves messages, shared memory and put_lock: each window moves when
 * its two sides are ready, and only the one-sided calls of put_lock wait. `fence` serves put_fence:
 * all ranks step through numbered rounds together, and fences wait, so `fence` serves blocking
 * calls only.
 */
typedef struct collio_driver_t {
    /** Allocates the memory of this rank as requester. Returns 0 or -ENOMEM. Local. */
    int (*prepare)(collio_exchange_t *ex);
    /** Communicates before the first cycle; all ranks call it. Returns 0 or an error code. */
    int (*begin)(collio_exchange_t *ex);
    /** Advances the cycles. Returns true when all cycles are over. */
    bool (*poll)(collio_exchange_t *ex);
} collio_driver_t;

extern const collio_driver_t collio_driver_flow;
extern const collio_driver_t collio_driver_fence;

/** For the call: prepare allocates all memory of the cycles (an error is recorded in the exchange),
 *  start begins the cycles, poll advances them and returns true when they are over. `prepared`: an
 *  earlier call has prepared the plan in the same way, so no allocation can fail. */
bool collio_cycles_prepared(const collio_exchange_t *ex);
void collio_cycles_prepare(collio_exchange_t *ex);
void collio_cycles_start(collio_exchange_t *ex);
bool collio_cycles_poll(collio_exchange_t *ex);
/** Writes to `text` whom this rank waits for in the cycles: "3,7" (ranks of the file), "lock",
 *  "access" or "all". For long waits only. */
void collio_cycles_waits(const collio_exchange_t *ex, char *text, size_t size);

/** Shared by the drivers, on the aggregator's side, for cycle `number`: return its collective
 *  buffer, bind the cycle to the buffer, start the access, record the result of the access. */
collio_slot_t *collio_cycles_slot(collio_exchange_t *ex, size_t number);
void collio_cycles_enter(collio_exchange_t *ex, size_t number);
void collio_cycles_access_start(collio_exchange_t *ex, size_t number);
void collio_cycles_access_finish(collio_exchange_t *ex, size_t number);
/** Polls the moves of a slot that were started, and applies them if the slot is in order. Sets
 *  *moved if one has ended; returns true when all have ended. */
bool collio_cycles_moved(collio_exchange_t *ex, collio_slot_t *slot, bool *moved);
/** Waits for an access that was started and ignores its result. */
void collio_cycles_access_end(collio_exchange_t *ex, size_t number);
/** Adds the time since the last call of this function to the counter of the stage that was under
 *  way (timing.shuffling, timing.accessing). */
void collio_cycles_book_time(collio_exchange_t *ex);

/** Returns true if message `number`, from 0, between two ranks is a synchronous send. */
static inline bool collio_cycles_synchronous(const collio_exchange_t *ex, size_t number)
{
    int64_t each = ex->way.synchronous_each;

    return 0 < each && each - 1 == (int64_t) number % each;
}
/** The requester's side of `flow`: start resets the state; poll advances the deliveries and returns
 *  true when all windows have moved; prepare is collio_driver_t's. */
void collio_requester_start(collio_exchange_t *ex);
bool collio_requester_poll(collio_exchange_t *ex, bool *moved);
int collio_requester_prepare(collio_exchange_t *ex);
/** Allocates the requester's staging and deliveries. Returns 0 or -ENOMEM. */
int collio_requester_reserve(collio_exchange_t *ex, int64_t bytes);

#endif /* COLLIO_CYCLES_H */
