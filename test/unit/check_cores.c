/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/* Which cores the threads of a rank get: own ones, and those of the job that nobody is bound to. */
#include "cores.h"

#include <string.h>

#include "unit.h"

static collio_cores_t range(int first, int last)
{
    collio_cores_t cores = {{0}};

    for (int cpu = first; cpu <= last; ++cpu) {
        collio_cores_add(&cores, cpu);
    }
    return cores;
}

static void expect(const char *list, collio_cores_t own, collio_cores_t job,
                   const collio_cores_t *others, size_t count)
{
    char text[64];

    collio_cores_extend(&own, &job, others, count);
    collio_cores_format(&own, text, sizeof(text));
    ck_assert_str_eq(list, text);
}

UNIT_TEST(cores_of_a_rank_alone_on_its_node)
{
    expect("0-7", range(0, 0), range(0, 7), NULL, 0);
    expect("4-7", range(5, 5), range(4, 7), NULL, 0); /* a job with a part of the node */
}

UNIT_TEST(cores_without_those_of_other_ranks)
{
    collio_cores_t others[] = {range(1, 1), range(2, 3)};

    expect("0,4-7", range(0, 0), range(0, 7), others, 2);
    others[1] = range(1, 7); /* all are taken: the rank keeps its own */
    expect("0", range(0, 0), range(0, 7), others, 2);
    others[1] = range(0, 0); /* a core that two ranks share */
    expect("0,2-7", range(0, 0), range(0, 7), others, 2);
}

UNIT_TEST(cores_of_ranks_that_are_not_bound)
{
    collio_cores_t others[] = {range(0, 7), range(0, 100)}; /* unbound; of a wider mask */

    expect("0-7", range(0, 0), range(0, 7), others, 2);
    expect("0-7", range(0, 7), range(0, 7), others, 2);
}

UNIT_TEST(cores_outside_the_job_are_left_alone)
{
    expect("0-1", range(0, 1), range(1, 7), NULL, 0);
    expect("9", range(9, 9), range(0, 7), NULL, 0);
}

UNIT_TEST(cores_count_and_edges)
{
    collio_cores_t cores = range(63, 64);
    char text[64];

    unit_equal(2, collio_cores_count(&cores));
    collio_cores_add(&cores, 0);
    collio_cores_add(&cores, COLLIO_CORES_MAX - 1);
    unit_equal(4, collio_cores_count(&cores));
    unit_equal(12, collio_cores_format(&cores, text, sizeof(text)));
    ck_assert_str_eq("0,63-64,8191", text);
    ck_assert(!collio_cores_within(&cores, &(collio_cores_t){{0}}));
    ck_assert(collio_cores_within(&(collio_cores_t){{0}}, &cores));
}

UNIT_TEST(cores_list_that_is_too_long)
{
    collio_cores_t cores = {{0}};
    char text[32];

    for (int cpu = 0; cpu < COLLIO_CORES_MAX; cpu += 2) {
        collio_cores_add(&cores, cpu);
    }
    ck_assert(collio_cores_format(&cores, text, sizeof(text)) < sizeof(text));
    ck_assert_str_eq("...", text + strlen(text) - 3);
    ck_assert(0 == strncmp("0,2,4,", text, 6));
}
