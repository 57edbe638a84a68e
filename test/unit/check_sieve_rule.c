/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/* The cost rule of data sieving: the cases that its description promises, and its monotony. */
#include "sieve_rule.h"

#include "unit.h"

typedef collio_sieve_window_t window_t;

static bool in_memory = true; /* windows of a file in memory */
static bool network;          /* windows of a file on a network */

/* `runs` pieces of `length`, with holes of `hole` between them */
static window_t regular(int64_t runs, int64_t length, int64_t hole)
{
    window_t window = {.runs = runs,
                       .bytes = runs * length,
                       .span = runs * length + (runs - 1) * hole,
                       .call_bytes = collio_sieve_call_bytes(in_memory, network)};

    return window;
}

UNIT_TEST(sieve_small_pieces_close_together)
{
    window_t window = regular(512, 64, 960);

    ck_assert(collio_sieve_pays(&window, true));
    ck_assert(collio_sieve_pays(&window, false));
}

/* BTIO of class C on 9 ranks: rows of 54 points of 5 doubles, and holes of 5 times the data.
 * Sieving lost on 3 of 5 machines of its authors: it pays for reads from a network only. */
UNIT_TEST(sieve_btio)
{
    static const struct {
        bool memory, network, read_pays;
    } row[] = {{true, false, false}, {false, false, false}, {false, true, true}};

    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); ++i) {
        for (int64_t runs = 40; runs <= 100000; runs *= 50) {
            window_t window;

            in_memory = row[i].memory;
            network = row[i].network;
            window = regular(runs, 54 * 40, 5 * 54 * 40);
            ck_assert(!collio_sieve_pays(&window, true));
            ck_assert_int_eq(row[i].read_pays, collio_sieve_pays(&window, false));
        }
    }
    in_memory = true;
    network = false;
}

/* Distances of 64-byte pieces at which sieving was measured to win or lose by 1.5 or more. */
UNIT_TEST(sieve_as_measured)
{
    static const struct {
        bool memory, network, write;
        int64_t wins, loses;
    } row[] = {{true, false, false, 2048, 8192},   {true, false, true, 1024, 4096},
               {false, false, false, 4096, 16384}, {false, false, true, 2048, 65536},
               {false, true, false, 8192, 32768},  {false, true, true, 4096, 32768}};

    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); ++i) {
        window_t window;

        in_memory = row[i].memory;
        network = row[i].network;
        window = regular(4096, 64, row[i].wins - 64);
        ck_assert(collio_sieve_pays(&window, row[i].write));
        window = regular(4096, 64, row[i].loses - 64);
        ck_assert(!collio_sieve_pays(&window, row[i].write));
    }
    in_memory = true;
    network = false;
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

/* A view is dense if a long window of its pieces is sieved, whatever their size. */
UNIT_TEST(sieve_dense_views)
{
    int64_t call = collio_sieve_call_bytes(true, false);

    for (int round = unit_rounds(2000); 0 < round; --round) {
        int64_t length = unit_between(1, 3000), hole = unit_between(1, 3000);
        int64_t period = length + hole;
        window_t window = regular(1 << 20, length, hole);
        bool dense = collio_sieve_dense(collio_sieve_density(1, length, period, call));

        if (4 < labs((long) (period - call / 2))) {
            unit_equal(collio_sieve_pays(&window, true), dense);
            unit_equal(dense, collio_sieve_dense(
                                  collio_sieve_density(700, 700 * length, 700 * period, call)));
        }
    }
    ck_assert_int_eq(0, collio_sieve_density(1, 64, 64, call));
    ck_assert_int_eq(0, collio_sieve_density(10, 640, 600, call)); /* pieces that overlap */
    ck_assert(!collio_sieve_dense(0));
    ck_assert(!collio_sieve_dense(16 * collio_sieve_density(1, 1 << 20, INT64_C(1) << 30, call)));
    ck_assert(collio_sieve_dense(32 * collio_sieve_density(1, 64, 4096, call))); /* 32 ranks */
    ck_assert(0 <= collio_sieve_density(INT64_MAX / 2, 1, INT64_MAX, call));
}

UNIT_TEST(sieve_windows_end_at_stripes)
{
    ck_assert_int_eq(1000, collio_sieve_window_end(0, 1000, 0));
    ck_assert_int_eq(1107, collio_sieve_window_end(107, 1000, 0));
    ck_assert_int_eq(1107, collio_sieve_window_end(107, 1000, 4096)); /* smaller than a stripe */
    ck_assert_int_eq(8192, collio_sieve_window_end(107, 8192, 4096));
    ck_assert_int_eq(12288, collio_sieve_window_end(4097, 9000, 4096));
}

/* Pieces at the largest offsets, and a window that a user has made as large as the file. */
UNIT_TEST(sieve_at_the_largest_offsets)
{
    window_t window = {.runs = 2, .bytes = 2, .span = INT64_MAX, .call_bytes = 4096};

    ck_assert_int_eq(INT64_MAX, collio_sieve_window_end(INT64_MAX - 5, 1000, 0));
    ck_assert_int_eq(INT64_MAX, collio_sieve_window_end(INT64_MAX - 5, 1 << 20, 4096));
    ck_assert_int_eq(INT64_MAX, collio_sieve_window_end(INT64_MAX - 5, INT64_MAX, 7));
    ck_assert(!collio_sieve_pays(&window, true));
    ck_assert(!collio_sieve_pays(&window, false));
}
