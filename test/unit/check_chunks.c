/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

/* Runs of calls without a meeting where ranks share no memory: the ranks of a simulated job move in
 * random order, and each reduction is there some time after the last of them has started it. All
 * must meet in the same call, no later than promised. */
#include "common_collio_chunks.h"

#include "unit.h"

enum { RANKS = 5, RUNS = 1000, LONGEST = 90, FIELDS = MCA_COMMON_COLLIO_CHUNKS_FIELDS };

typedef struct reduction_t {
    int64_t all[FIELDS];
    int arrived;
} reduction_t;

typedef struct rank_t {
    mca_common_collio_chunks_t chunks;
    int told; /* reductions started */
    bool met;
    uint32_t change; /* from this call on it wants to change something */
    uint32_t leave;  /* it comes to a meeting instead of this call */
} rank_t;

typedef struct job_t {
    rank_t rank[RANKS];
    reduction_t reduction[8 * LONGEST];
} job_t;

static uint64_t state = 20261117;

static uint32_t random_below(uint32_t limit)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t) (state >> 33) % limit;
}

static void start_reduction(job_t *job, rank_t *rank)
{
    reduction_t *reduction = &job->reduction[rank->told++];
    int64_t mine[FIELDS];

    mca_common_collio_chunks_tell(&rank->chunks, mine);
    for (int i = 0; i < FIELDS; ++i) {
        reduction->all[i] = reduction->arrived > 0 && reduction->all[i] > mine[i]
                                ? reduction->all[i]
                                : mine[i];
    }
    ++reduction->arrived;
}

static mca_common_collio_wish_t wish_of(const rank_t *rank)
{
    uint32_t call = rank->chunks.calls + 1;

    if (call >= rank->leave) {
        return MCA_COMMON_COLLIO_WISH_MEET;
    }
    return call >= rank->change ? MCA_COMMON_COLLIO_WISH_CHANGE : MCA_COMMON_COLLIO_WISH_GO;
}

static void move(job_t *job, rank_t *rank)
{
    if (rank->chunks.told && RANKS == job->reduction[rank->told - 1].arrived
        && 0 != random_below(3)) {
        mca_common_collio_chunks_hear(&rank->chunks, job->reduction[rank->told - 1].all);
    }
    switch (mca_common_collio_chunks_turn(&rank->chunks, wish_of(rank))) {
    case MCA_COMMON_COLLIO_ANSWER_TELL:
        start_reduction(job, rank);
        break;
    case MCA_COMMON_COLLIO_ANSWER_MEET:
        rank->met = true;
        break;
    default:
        break;
    }
}

static uint32_t least_calls(const job_t *job)
{
    uint32_t least = UINT32_MAX;

    for (int i = 0; i < RANKS; ++i) {
        uint32_t calls = job->rank[i].chunks.calls;

        least = calls < least ? calls : least;
    }
    return least;
}

/* Until all have met; returns the calls of the run. */
static uint32_t make_run(job_t *job, uint32_t most)
{
    bool left = false;
    int met = 0;

    for (int i = 0; i < RANKS; ++i) {
        mca_common_collio_chunks_begin(&job->rank[i].chunks, most);
        left |= job->rank[i].leave != job->rank[0].leave;
    }
    for (int moves = 0; met < RANKS; ++moves) {
        rank_t *rank = &job->rank[random_below(RANKS)];

        ck_assert_msg(moves < 1000000, "the ranks do not meet");
        if (!rank->met) {
            move(job, rank);
            met += rank->met;
        }
        ck_assert(left || rank->chunks.calls <= least_calls(job) + (most < 2 ? 2 : most));
    }
    for (int i = 1; i < RANKS; ++i) {
        unit_equal(job->rank[0].chunks.calls, job->rank[i].chunks.calls);
        unit_equal(job->rank[0].told, job->rank[i].told);
        ck_assert(!job->rank[i].chunks.on);
    }
    return job->rank[0].chunks.calls;
}

static job_t *new_job(uint32_t change, uint32_t leave)
{
    static job_t job;

    memset(&job, 0, sizeof(job));
    for (int i = 0; i < RANKS; ++i) {
        job.rank[i].change = change;
        job.rank[i].leave = leave;
    }
    return &job;
}

/* All ranks come to MPI_File_sync after the same call: nobody makes another one. */
START_TEST(chunks_end_at_once_where_all_come)
{
    for (int run = 0; run < RUNS; ++run) {
        uint32_t leave = 1 + random_below(LONGEST);

        unit_equal(leave - 1, make_run(new_job(UINT32_MAX, leave), 1 + random_below(40)));
    }
}
END_TEST

/* One rank wants a change: less than three times the calls so far, and no more than `most`. */
START_TEST(chunks_end_soon_after_a_change_on_one_rank)
{
    for (int run = 0; run < RUNS; ++run) {
        uint32_t change = 1 + random_below(LONGEST), most = 2 + random_below(40), calls;
        job_t *job = new_job(UINT32_MAX, 4 * LONGEST);

        job->rank[random_below(RANKS)].change = change;
        calls = make_run(job, most);
        ck_assert(calls >= change && calls < change + most && calls < 4 * change);
    }
}
END_TEST

/* A rank leaves its loop and closes the file; the others go on. */
START_TEST(chunks_wait_for_a_rank_that_left)
{
    for (int run = 0; run < RUNS; ++run) {
        job_t *job = new_job(UINT32_MAX, 4 * LONGEST);
        uint32_t leave = 1 + random_below(LONGEST), most = 2 + random_below(40), calls;

        job->rank[random_below(RANKS)].leave = leave;
        calls = make_run(job, most);
        ck_assert(calls + 1 >= leave && calls < leave + most);
    }
}
END_TEST

START_TEST(chunks_any_mixture_ends_in_one_call)
{
    for (int run = 0; run < RUNS; ++run) {
        job_t *job = new_job(UINT32_MAX, LONGEST);

        for (int i = 0; i < RANKS; ++i) {
            job->rank[i].change = 1 + random_below(2 * LONGEST);
            job->rank[i].leave = 1 + random_below(2 * LONGEST);
        }
        (void) make_run(job, 1 + random_below(40));
    }
}
END_TEST

/* The longer a run is, the rarer are its reductions, up to one for 8 calls. */
START_TEST(chunks_grow)
{
    job_t *job = new_job(UINT32_MAX, 2 * LONGEST);

    (void) make_run(job, 128);
    ck_assert(job->rank[0].told <= 26); /* after 1, 3, 7, 15, 23, ..., 175 calls, and at the end */
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("chunks");
    TCase *tests = unit_case(suite, "chunks");

    tcase_add_test(tests, chunks_end_at_once_where_all_come);
    tcase_add_test(tests, chunks_end_soon_after_a_change_on_one_rank);
    tcase_add_test(tests, chunks_wait_for_a_rank_that_left);
    tcase_add_test(tests, chunks_any_mixture_ends_in_one_call);
    tcase_add_test(tests, chunks_grow);
    return unit_main(suite, "check_chunks");
}
