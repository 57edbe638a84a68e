/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
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
#include "wait.h"

#include "number.h"

enum {
    YIELD_NS = 500 * 1000,  /* maximum expected wait without a sleep, for each rank of a core */
    SLEEP_NS = 1000 * 1000, /* maximum sleep, for each rank of a core */
    RANKS_MOST = 4          /* maximum ranks of a core that are counted: limits a sleep to 4 ms */
};

int64_t collio_wait_sleep(int64_t waited, int64_t last, int crowd, bool behind)
{
    int64_t expected = collio_max(waited, last);
    int64_t most = SLEEP_NS;

    if (expected < (int64_t) YIELD_NS * crowd) {
        return 0;
    }
    if (!behind) {
        most *= collio_min(crowd, RANKS_MOST);
    }
    return collio_min(expected, most);
}

bool collio_wait_reached(uint32_t word, uint32_t round)
{
    return (int32_t) (word - round) > 0;
}
