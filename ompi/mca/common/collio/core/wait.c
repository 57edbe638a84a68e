/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * Problem: ranks that have done their part wait for those that have not, on the same cores. To
 *          hand a core on is cheaper than to sleep and be woken, which takes a reduction some 12
 *          microseconds for each rank of a core; but a rank that yields again and again, or wakes
 *          up to look for messages, takes time from those that still work.
 * Method:  yield while the wait may be short, that is, up to 40 times what sleep costs; then sleep.
 *          A wait is taken to be as long as the last one of its kind, and at least as long as it
 *          has been already. With 8 ranks on a core:
 *
 *            last wait short   |yield ...  4 ms|sleep 4 ms|sleep 4 ms ...
 *            last wait 7 ms    |sleep 4 ms|sleep 4 ms ...
 *
 * Cost:    nobody is late: who is waited for wakes the sleepers. Between two sleeps a rank looks
 *          for messages that have nothing to do with this wait; that takes 10 to 20 microseconds,
 *          so with a sleep of 1 ms for each rank of a core all looks take two percent of it. But a
 *          message that the program has under way moves on with these looks only: so they are never
 *          more than 4 ms apart, however many ranks there are.
 */
#include "wait.h"

enum {
    PATIENCE_NS = 500 * 1000, /* for each rank of a core */
    LOOK_NS = 1000 * 1000,    /* from look to look, for each rank of a core */
    CROWD = 4                 /* but a message waits for so many of these at most */
};

int64_t collio_wait_sleep(int64_t waited, int64_t last, int crowd, bool behind)
{
    int64_t expected = waited > last ? waited : last;
    int64_t most = (int64_t) LOOK_NS * (behind ? 1 : crowd < CROWD ? crowd : CROWD);

    if (expected < (int64_t) PATIENCE_NS * crowd) {
        return 0;
    }
    return expected < most ? expected : most;
}

bool collio_wait_reached(uint32_t word, uint32_t round)
{
    return (int32_t) (word - round) > 0;
}
