/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_WAIT_H
#define COLLIO_WAIT_H

#include <stdbool.h>
#include <stdint.h>

#include "number.h"

/**
 * Waiting while ranks outnumber cores.
 *
 * Problem: ranks that wait share cores with ranks that work. Yielding is cheaper than sleeping and
 *          waking, which costs a reduction about 12 microseconds for each rank of a core. But a
 *          rank that yields repeatedly, or wakes to poll for messages, takes time from ranks that
 *          work.
 * Method:  yields while the expected wait is at most 40 times the cost of a sleep; then sleeps. The
 *          expected wait is the maximum of the last wait of the same scope and the time waited so
 *          far. With 8 ranks on a core:
 *
 *            last wait short   |yield ...  4 ms|sleep 4 ms|sleep 4 ms ...
 *            last wait 7 ms    |sleep 4 ms|sleep 4 ms ...
 *
 * Cost:    a sleep does not delay the end of a wait, because the rank that ends the wait wakes the
 *          sleepers. Between two sleeps a rank polls for other messages, which takes 10 to 20
 *          microseconds: with a sleep of 1 ms for each rank of a core, two percent of the core.
 *          Messages of the program progress by these polls only, so a sleep is at most 4 ms.
 */
enum {
    COLLIO_WAIT_YIELD_NS = 500 * 1000,  /* maximum wait without a sleep, for each rank of a core */
    COLLIO_WAIT_SLEEP_NS = 1000 * 1000, /* maximum sleep, for each rank of a core */
    COLLIO_WAIT_RANKS_MAX = 4 /* maximum ranks of a core that are counted: sleeps of 4 ms at most */
};

/** Returns the maximum nanoseconds to sleep, or 0: yield the core and check again.
 *    waited   nanoseconds that this wait has lasted
 *    last     nanoseconds of the last wait of this scope
 *    ranks_per_core ranks per core, at least 1
 *    background   other calls of this rank may be in progress: the rank must check every 1 ms */
static inline int64_t collio_wait_sleep(int64_t waited, int64_t last, int ranks_per_core,
                                        bool background)
{
    int64_t expected = collio_max(waited, last);

    if (expected < (int64_t) COLLIO_WAIT_YIELD_NS * ranks_per_core) {
        return 0;
    }
    ranks_per_core = background ? 1 : (int) collio_min(ranks_per_core, COLLIO_WAIT_RANKS_MAX);
    return collio_min(expected, (int64_t) COLLIO_WAIT_SLEEP_NS * ranks_per_core);
}

/** True if agreement number `number`, counted from 0, has reached a point (all contributions are
 *  reduced, or the result is available). `word` is in shared memory: the number of agreements,
 *  modulo 2^32, that have reached the point. It may lag by several, because agreements may skip a
 *  point. */
static inline bool collio_wait_reached(uint32_t word, uint32_t number)
{
    return (int32_t) (word - number) > 0;
}

#endif /* COLLIO_WAIT_H */
