/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * The random unit tests of a file of test/unit as a target of libFuzzer: takes the place of unit.c
 * and of libcheck. The fuzzer's bytes choose the test and are its random numbers; zeros follow.
 */
#include <stdarg.h>

#include "unit.h"

enum { MOST_TESTS = 16 };

static void (*tests[MOST_TESTS])(void);
static size_t test_count;
static const uint8_t *at, *end;

bool unit_selected(const char *test, void (*body)(void))
{
    if (NULL != strstr(test, "random") && test_count < MOST_TESTS) {
        tests[test_count++] = body;
    }
    return false;
}

static uint64_t bytes(int count)
{
    uint64_t value = 0;

    for (int i = 0; i < count; ++i) {
        value = value << 8 | (at < end ? *at++ : 0);
    }
    return value;
}

uint64_t unit_bits(void)
{
    return bytes(8);
}

int64_t unit_below(int64_t below)
{
    int count = below <= 256 ? 1 : below <= 65536 ? 2 : below <= INT64_C(1) << 32 ? 4 : 8;

    return (int64_t) (bytes(count) % (uint64_t) below);
}

int unit_rounds(int rounds)
{
    (void) rounds;
    return 1;
}

TCase *unit_tests(void)
{
    return NULL;
}

void _tcase_add_test(TCase *tests_of, const TTest *test, int signal, int status, int from, int to)
{
    (void) tests_of, (void) test, (void) signal, (void) status, (void) from, (void) to;
}

void _mark_point(const char *file, int line)
{
    (void) file, (void) line;
}

void _ck_assert_failed(const char *file, int line, const char *expr, const char *message, ...)
{
    va_list arguments;

    fprintf(stderr, "%s:%d: %s: ", file, line, expr);
    va_start(arguments, message);
    if (NULL != message) {
        vfprintf(stderr, message, arguments);
    }
    va_end(arguments);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    at = data;
    end = data + size;
    tests[bytes(1) % test_count]();
    return 0;
}
