/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_CYCLES_H
#define COLLIO_CYCLES_H

#include "plan/relay.h"
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

/** What the cycles of an owner do besides moving bytes between sources and buffers: a file access
 *  for each cycle of an aggregator, deliveries to (from) aggregators at a local aggregator. */
typedef struct collio_sink_t {
    /** Fills in what only this sink needs in a slot that a cycle enters. */
    void (*enter)(collio_exchange_t *ex, collio_slot_t *slot);
    /** Describes the move of a source of the slot's cycle, which is cleared. */
    void (*describe)(const collio_exchange_t *ex, const collio_slot_t *slot,
                     const collio_source_t *source, collio_move_t *move);
    /** Starts the access of the slot's cycle. */
    void (*start)(collio_exchange_t *ex, collio_slot_t *slot);
    /** Polls that access; true when it has ended. */
    bool (*over)(collio_exchange_t *ex, collio_slot_t *slot);
} collio_sink_t;

extern const collio_sink_t collio_sink_file;
extern const collio_sink_t collio_sink_forward;

/** Return the buffer of cycle `number`; bind the cycle to it. */
collio_slot_t *collio_cycles_slot(collio_owner_t *owner, size_t number);
void collio_cycles_enter(collio_exchange_t *ex, collio_owner_t *owner, size_t number);
/** Starts as many sources as fit the staging; the other sources start when the started ones are
 *  done. Returns true if a source was started. */
bool collio_cycles_start_sources(collio_exchange_t *ex, collio_slot_t *slot);

/** File access, for the drivers: start the access of a cycle, record its result. */
void collio_cycles_access_start(collio_exchange_t *ex, collio_slot_t *slot);
void collio_cycles_access_finish(collio_exchange_t *ex, collio_slot_t *slot);
/** Waits for an access that was started and ignores its result. */
void collio_cycles_access_end(collio_exchange_t *ex, size_t number);
/** Records which stages are under way. */
void collio_cycles_note_stages(collio_exchange_t *ex);
/** Adds the time since the last call of this function to the counter of the stage that was under
 *  way (timing.shuffling, timing.accessing). */
void collio_cycles_book_time(collio_exchange_t *ex);

/** Returns true if message `number`, from 0, between two ranks is a synchronous send. */
static inline bool collio_cycles_synchronous(const collio_exchange_t *ex, size_t number)
{
    int64_t each = ex->way.synchronous_each;

    return 0 < each && each - 1 == (int64_t) number % each;
}

/** How a requester delivers its bytes, or has them delivered. */
typedef struct collio_deliver_t {
    /** True if move i may start; sets its round. */
    bool (*open)(collio_exchange_t *ex, collio_requester_t *requester, size_t i);
    /** Describes move i, which is cleared except for its round. */
    void (*describe)(const collio_exchange_t *ex, size_t i, collio_move_t *move);
    /** Called when the bytes have moved; NULL: nothing to do. */
    void (*done)(collio_exchange_t *ex, const collio_move_t *move);
} collio_deliver_t;

extern const collio_deliver_t collio_deliver_forwarded;
extern const collio_deliver_t collio_deliver_member;

/** The requester's side of `flow`: start resets the state; poll advances the moves of one
 *  requester, a COLLIO_DIRECT..., and returns true when all have moved; prepare is
 *  collio_driver_t's. */
void collio_requester_start(collio_exchange_t *ex);
bool collio_requester_poll(collio_exchange_t *ex, int which, bool *moved);
int collio_requester_prepare(collio_exchange_t *ex);
/** Allocates the staging of direct moves, and all moves. Returns 0 or -ENOMEM. */
int collio_requester_reserve(collio_exchange_t *ex, int64_t bytes);
/** True if a move of round `index` may start: of its round, or of a new one, which requires that
 *  the round before the current one is over. */
bool collio_requester_round(collio_requester_t *requester, int64_t index);
/** Describes the move of window i of plan->order to its aggregator. */
void collio_requester_window(const collio_exchange_t *ex, size_t i, collio_move_t *move);

/** Layer 1 (sink_forward.c): allocates its memory. Returns 0 or -ENOMEM. */
int collio_forward_prepare(collio_exchange_t *ex);

#endif /* COLLIO_CYCLES_H */
