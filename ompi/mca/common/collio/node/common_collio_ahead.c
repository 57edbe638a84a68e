/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/**
 * Calls without a meeting. See ahead.h.
 */
#include "node/common_collio_ahead.h"

#include <sched.h>
#include <time.h>

typedef mca_common_collio_ahead_word_t word_t;

static const uint64_t STOPPED = 1;

static uint64_t word_of(uint32_t run, uint32_t calls)
{
    return (uint64_t) run << 32 | (uint64_t) calls << 1;
}

/* Words of an earlier run count as no calls of this one. */
static uint64_t of_this_run(const mca_common_collio_ahead_t *ahead, uint64_t word)
{
    return word >> 32 == ahead->run ? word : word_of(ahead->run, 0);
}

static uint32_t calls_of(uint64_t word)
{
    return (uint32_t) word >> 1;
}

void mca_common_collio_ahead_begin(mca_common_collio_ahead_t *ahead, uint32_t most)
{
    ++ahead->run;
    ahead->most = most;
    ahead->calls = ahead->least = 0;
    ahead->waiting = false;
    ahead->on = true;
}

/* Calls that every rank has finished. */
static uint32_t least_of(const mca_common_collio_ahead_t *ahead)
{
    uint32_t least = ahead->calls;

    for (int i = 0; i < ahead->ranks; ++i) {
        word_t *done = (word_t *) (ahead->done + ahead->stride * (size_t) i);
        uint32_t calls = calls_of(of_this_run(ahead, atomic_load(done)));

        least = calls < least ? calls : least;
    }
    return least;
}

static bool too_far(mca_common_collio_ahead_t *ahead, uint32_t call)
{
    if (call - ahead->least <= ahead->most) {
        return false;
    }
    ahead->least = least_of(ahead);
    return call - ahead->least > ahead->most;
}

mca_common_collio_answer_t mca_common_collio_ahead_turn(mca_common_collio_ahead_t *ahead,
                                                        bool willing)
{
    enum { LONGEST_RUN = 1 << 30 }; /* what a word can count */
    uint32_t call = ahead->calls + 1;
    uint64_t seen = atomic_load(ahead->begun);

    willing = willing && call < LONGEST_RUN;
    ahead->waiting = false;
    for (;;) {
        uint64_t word = of_this_run(ahead, seen);

        if (call <= calls_of(word)) {
            break; /* another rank has begun it */
        }
        if (0 != (word & STOPPED)) {
            ahead->on = false;
            return MCA_COMMON_COLLIO_ANSWER_MEET;
        }
        if (willing && too_far(ahead, call)) {
            ahead->waiting = true;
            return MCA_COMMON_COLLIO_ANSWER_WAIT;
        }
        /* a failed exchange has loaded the present value */
        (void) atomic_compare_exchange_weak(ahead->begun, &seen,
                                            willing ? word_of(ahead->run, call) : word | STOPPED);
        seen = atomic_load(ahead->begun);
    }
    ahead->calls = call;
    return MCA_COMMON_COLLIO_ANSWER_GO;
}

void mca_common_collio_ahead_done(mca_common_collio_ahead_t *ahead)
{
    word_t *mine = (word_t *) (ahead->done + ahead->stride * (size_t) ahead->me);

    atomic_store_explicit(mine, word_of(ahead->run, ahead->calls), memory_order_release);
}

void mca_common_collio_ahead_stop(mca_common_collio_ahead_t *ahead)
{
    uint64_t seen = atomic_load(ahead->begun);

    while (!atomic_compare_exchange_weak(ahead->begun, &seen, of_this_run(ahead, seen) | STOPPED)) {
    }
}

bool mca_common_collio_ahead_rest(mca_common_collio_ahead_t *ahead)
{
    enum { YIELDS = 8, SLEEP_NS = 50000 };
    const struct timespec moment = {.tv_nsec = SLEEP_NS};

    if (!ahead->waiting) {
        return false;
    }
    for (int i = 0; i < YIELDS; ++i) {
        sched_yield();
        if (!too_far(ahead, ahead->calls + 1)
            || 0 != (of_this_run(ahead, atomic_load(ahead->begun)) & STOPPED)) {
            return true;
        }
    }
    (void) nanosleep(&moment, NULL); /* many calls are left before others wait for this rank */
    return false;
}
