/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/* The cost rule of data sieving: the cases that its description promises, and its monotony. */
#include "sieve_rule.h"

#include "unit.h"

typedef collio_sieve_window_t window_t;

/* `runs` pieces of `length`, with holes of `hole` between them */
static window_t regular(int64_t runs, int64_t length, int64_t hole)
{
    window_t window = {
        .runs = runs, .bytes = runs * length, .span = runs * length + (runs - 1) * hole};

    return window;
}

UNIT_TEST(sieve_small_pieces_close_together)
{
    window_t window = regular(512, 64, 960);

    ck_assert(collio_sieve_pays(&window, true));
    ck_assert(collio_sieve_pays(&window, false));
}

UNIT_TEST(sieve_not_when_holes_are_large)
{
    window_t window = regular(40, 2048, 10240);

    ck_assert(!collio_sieve_pays(&window, true));
    ck_assert(!collio_sieve_pays(&window, false));
}

UNIT_TEST(sieve_reads_sooner_than_writes)
{
    window_t window = regular(100, 512, 1800);

    ck_assert(!collio_sieve_pays(&window, true));
    ck_assert(collio_sieve_pays(&window, false));
}

UNIT_TEST(sieve_never_without_a_hole)
{
    window_t whole = regular(1, 1 << 20, 0), touching = regular(100, 10, 0), two = regular(2, 8, 8);

    ck_assert(!collio_sieve_pays(&whole, false));
    ck_assert(!collio_sieve_pays(&touching, false));
    ck_assert(!collio_sieve_pays(&two, true)); /* four calls and a lock for two */
    ck_assert(collio_sieve_pays(&two, false));
}

/* Larger holes never make sieving better, more pieces in the same span never worse. */
UNIT_TEST(sieve_is_monotone)
{
    for (int round = unit_rounds(20000); 0 < round; --round) {
        window_t window = regular(unit_between(2, 5000), unit_between(1, 8000),
                                  unit_between(1, 20000));
        window_t wider = window, denser = window;
        bool write = 0 == unit_below(2);

        wider.span += unit_between(1, 100000);
        denser.runs += unit_between(1, 100);
        if (!collio_sieve_pays(&window, write)) {
            unit_assert(!collio_sieve_pays(&wider, write));
        } else {
            unit_assert(collio_sieve_pays(&denser, write));
        }
    }
}
