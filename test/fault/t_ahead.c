/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/*
 * Runs of calls without a meeting (node/common_collio_ahead.h), without MPI: threads are the ranks.
 * In every run some ranks stop it at random calls. All ranks must find the same call to meet in; a
 * rank that stops a run in a call that nobody has begun must meet in that call; nobody may be more
 * than MOST calls ahead of the slowest.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "node/common_collio_ahead.h"

enum { RANKS = 5, RUNS = 400, MOST = 7, LONGEST = 60 };

static struct {
    _Alignas(64) mca_common_collio_ahead_word_t begun;
    struct {
        _Alignas(64) mca_common_collio_ahead_word_t done;
    } seat[RANKS];
} page;

static pthread_barrier_t meeting;
static _Atomic int finished[RANKS];
static uint32_t calls[RANKS];
static _Atomic int failures;

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

static void fail(const char *what, int run, int rank)
{
    if (failures++ < 10) {
        printf("# run %d, rank %d: %s\n", run, rank, what);
    }
}

/* The calls of one run: until all meet. Returns their number. */
static uint32_t make_run(mca_common_collio_ahead_t *ahead, int run, uint64_t *random)
{
    uint32_t last = (uint32_t) (next_random(random) % LONGEST); /* then this rank wants to stop */

    for (;;) {
        bool willing = ahead->calls < last;
        mca_common_collio_answer_t answer = mca_common_collio_ahead_turn(ahead, willing);

        if (MCA_COMMON_COLLIO_ANSWER_MEET == answer) {
            return ahead->calls;
        }
        if (MCA_COMMON_COLLIO_ANSWER_WAIT == answer) {
            if (!willing) {
                fail("a rank that stops must not wait", run, ahead->me);
            }
            (void) mca_common_collio_ahead_rest(ahead);
            continue;
        }
        for (int i = 0; i < RANKS; ++i) {
            if ((int) ahead->calls - finished[i] > MOST) {
                fail("too far ahead", run, ahead->me);
            }
        }
        if (0 == next_random(random) % 8) {
            sched_yield();
        }
        finished[ahead->me] = (int) ahead->calls;
        if (0 == next_random(random) % 100) { /* an access that fails */
            mca_common_collio_ahead_stop(ahead);
        }
        mca_common_collio_ahead_done(ahead);
    }
}

static void *rank(void *number)
{
    int me = (int) (intptr_t) number;
    uint64_t random = 77 + (uint64_t) me;
    mca_common_collio_ahead_t ahead = {.begun = &page.begun,
                                       .done = (char *) &page.seat[0].done,
                                       .stride = sizeof(page.seat[0]),
                                       .ranks = RANKS,
                                       .me = me};

    for (int run = 0; run < RUNS; ++run) {
        finished[me] = 0;
        pthread_barrier_wait(&meeting);
        mca_common_collio_ahead_begin(&ahead, MOST);
        calls[me] = make_run(&ahead, run, &random);
        pthread_barrier_wait(&meeting);
        if (calls[me] != calls[0]) {
            fail("meets in another call than rank 0", run, me);
        }
        if (ahead.on) {
            fail("a run that is over is under way", run, me);
        }
        pthread_barrier_wait(&meeting);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[RANKS];

    pthread_barrier_init(&meeting, NULL, RANKS);
    for (intptr_t i = 0; i < RANKS; ++i) {
        if (0 != pthread_create(&thread[i], NULL, rank, (void *) i)) {
            printf("not ok threads\n");
            return 1;
        }
    }
    for (int i = 0; i < RANKS; ++i) {
        pthread_join(thread[i], NULL);
    }
    printf("%s all_ranks_meet_in_the_same_call\n", 0 == failures ? "ok" : "not ok");
    return 0 == failures ? 0 : 1;
}
