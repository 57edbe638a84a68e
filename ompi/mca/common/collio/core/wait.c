/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * Problem: ranks that have done their part wait for those that have not, on the same cores. To
 *          yield a core is cheaper than to sleep and be woken, which costs a reduction some 12
 *          microseconds for each rank of a core; but a rank that yields again and again, or wakes
 *          up to poll for messages, takes time from those that still work.
 * Method:  yield while the wait may be short, that is, up to 40 times what sleep costs; then sleep.
 *          A wait is expected to be as long as the last one of its kind, and at least as long as it
 *          has been already. With 8 ranks on a core:
 *
 *            last wait short   |yield ...  4 ms|sleep 4 ms|sleep 4 ms ...
 *            last wait 7 ms    |sleep 4 ms|sleep 4 ms ...
 *
 * Cost:    the end of a wait is never late: the rank that ends it wakes the sleepers. Between two
 *          sleeps a rank polls for other messages, which takes 10 to 20 microseconds: with a sleep
 *          of 1 ms for each rank of a core, two percent of the core. Messages of the program
 *          progress by these polls only, so a sleep is never longer than 4 ms.
 */
#include "wait.h"

#include "number.h"

enum {
    YIELD_NS = 500 * 1000,  /* longest expected wait without sleep, for each rank of a core */
    SLEEP_NS = 1000 * 1000, /* longest sleep, for each rank of a core */
    RANKS_MOST = 4          /* ranks of a core that count, so a sleep is 4 ms at most */
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
