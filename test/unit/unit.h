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

/* Defines a test, and adds it to those that main (unit.c) runs: UNIT_TEST(name) { ... }
 * Tests with "random" in their names are also targets of `test/fuzz/run core`: there the fuzzer's
 * bytes are the random numbers, and a test has one round. */
#define UNIT_TEST(name)                                            \
    static void unit_body_##name(void);                            \
    START_TEST(name)                                               \
    {                                                              \
        unit_body_##name();                                        \
    }                                                              \
    END_TEST                                                       \
    __attribute__((constructor)) static void unit_add_##name(void) \
    {                                                              \
        if (unit_selected(#name, unit_body_##name)) {              \
            tcase_add_test(unit_tests(), name);                    \
        }                                                          \
    }                                                              \
    static void unit_body_##name(void)

TCase *unit_tests(void);
bool unit_selected(const char *test, void (*body)(void));
/* The next 64 random bits. */
uint64_t unit_bits(void);
/* 0 .. below - 1 */
int64_t unit_below(int64_t below);

/** from .. to */
static inline int64_t unit_between(int64_t from, int64_t to)
{
    return from + unit_below(to - from + 1);
}

/** Rounds of a random test. */
int unit_rounds(int rounds);

#endif /* COLLIO_TEST_UNIT_H */
