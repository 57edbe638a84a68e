/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_TEST_UNIT_H
#define COLLIO_TEST_UNIT_H

/*
 * What the unit tests share: reproducible random numbers and a main program.
 *
 * The seed is printed, so that a failure can be run again: COLLIO_SEED=<seed> ./check_<module>
 * COLLIO_ROUNDS multiplies the number of random rounds. COLLIO_UNIT_TEST=<test> runs one test only.
 */
#include <check.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Like ck_assert..., for inner loops: Check's own write a mark for each call. */
#define unit_assert(condition)                      \
    do {                                            \
        if (!(condition)) {                         \
            ck_abort_msg("not so: %s", #condition); \
        }                                           \
    } while (0)
#define unit_equal(wanted, is)                                                          \
    do {                                                                                \
        int64_t unit_wanted = (int64_t) (wanted);                                       \
        int64_t unit_is = (int64_t) (is);                                               \
        if (unit_wanted != unit_is) {                                                   \
            ck_abort_msg("%s is %" PRId64 ", not %" PRId64, #is, unit_is, unit_wanted); \
        }                                                                               \
    } while (0)

/* As Check's own, but COLLIO_UNIT_TEST can name the only test to run. */
#undef tcase_add_test
#define tcase_add_test(tests, test)                      \
    do {                                                 \
        if (unit_selected(#test)) {                      \
            tcase_add_test_raise_signal(tests, test, 0); \
        }                                                \
    } while (0)

static inline bool unit_selected(const char *test)
{
    const char *only = getenv("COLLIO_UNIT_TEST");

    return NULL == only || 0 == strcmp(only, test);
}

static uint64_t unit_state;

static inline uint64_t unit_bits(void) /* xorshift64* */
{
    unit_state ^= unit_state >> 12;
    unit_state ^= unit_state << 25;
    unit_state ^= unit_state >> 27;
    return unit_state * UINT64_C(2685821657736338717);
}

/** 0 .. below - 1 */
static inline int64_t unit_below(int64_t below)
{
    return (int64_t) ((unit_bits() >> 1) % (uint64_t) below);
}

/** from .. to */
static inline int64_t unit_between(int64_t from, int64_t to)
{
    return from + unit_below(to - from + 1);
}

/** Rounds of a random test. */
static inline int unit_rounds(int rounds)
{
    const char *factor = getenv("COLLIO_ROUNDS");

    return rounds * (NULL == factor ? 1 : atoi(factor));
}

static inline int unit_main(Suite *suite, const char *name)
{
    const char *given = getenv("COLLIO_SEED");
    uint64_t seed = NULL == given ? (uint64_t) time(NULL) : strtoull(given, NULL, 0);
    SRunner *runner = srunner_create(suite);
    int failed, ran;

    printf("%s: COLLIO_SEED=%" PRIu64 "\n", name, seed);
    fflush(stdout);
    unit_state = seed * 2 + 1;
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    ran = srunner_ntests_run(runner);
    srunner_free(runner);
    return 0 == failed && 0 < ran ? EXIT_SUCCESS : EXIT_FAILURE;
}

/** A suite of one test case with a long timeout (valgrind, sanitizers). */
static inline TCase *unit_case(Suite *suite, const char *name)
{
    TCase *tests = tcase_create(name);

    tcase_set_timeout(tests, 300);
    suite_add_tcase(suite, tests);
    return tests;
}

#endif /* COLLIO_TEST_UNIT_H */
