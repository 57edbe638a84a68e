/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/* The main program of check_<module>: runs every UNIT_TEST of the file that it is linked with. */
#define _GNU_SOURCE
#include "unit.h"

#include <errno.h>
#include <time.h>

static uint64_t state;

static const char *module(void)
{
    const char *name = strstr(program_invocation_short_name, "check_");

    return NULL == name ? program_invocation_short_name : name + strlen("check_");
}

TCase *unit_tests(void)
{
    static TCase *tests;

    if (NULL == tests) {
        tests = tcase_create(module());
        tcase_set_timeout(tests, 300); /* valgrind, sanitizers */
    }
    return tests;
}

bool unit_selected(const char *test, void (*body)(void))
{
    const char *only = getenv("COLLIO_UNIT_TEST");

    (void) body;
    return NULL == only || 0 == strcmp(only, test);
}

uint64_t unit_bits(void) /* xorshift64* */
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * UINT64_C(2685821657736338717);
}

int64_t unit_below(int64_t below)
{
    return (int64_t) ((unit_bits() >> 1) % (uint64_t) below);
}

int unit_rounds(int rounds)
{
    const char *factor = getenv("COLLIO_ROUNDS");

    return rounds * (NULL == factor ? 1 : atoi(factor));
}

int main(void)
{
    const char *given = getenv("COLLIO_SEED");
    uint64_t seed = NULL == given ? (uint64_t) time(NULL) : strtoull(given, NULL, 0);
    Suite *suite = suite_create(module());
    SRunner *runner = srunner_create(suite);
    int failed, ran;

    suite_add_tcase(suite, unit_tests());
    printf("check_%s: COLLIO_SEED=%" PRIu64 "\n", module(), seed);
    fflush(stdout);
    state = seed * 2 + 1;
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    ran = srunner_ntests_run(runner);
    srunner_free(runner);
    return 0 == failed && 0 < ran ? EXIT_SUCCESS : EXIT_FAILURE;
}
