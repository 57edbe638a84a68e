/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/* The k-way merge, against a painted line of bytes. */
#include "merge.h"
#include "unit.h"

typedef collio_extent_t extent_t;
typedef collio_extents_t list_t;
typedef collio_fragment_t piece_t;
typedef collio_merge_input_t input_t;

#define INPUT(array) ((input_t){(array), sizeof(array) / sizeof((array)[0]), 0})

static void expect(const input_t *inputs, size_t count, const extent_t *wanted, size_t wanted_count,
                   int64_t wanted_overlap)
{
    list_t out = {0};
    int64_t overlap = -1;

    ck_assert_int_eq(0, collio_merge(inputs, count, NULL, &out, &overlap));
    ck_assert_uint_eq(wanted_count, out.count);
    for (size_t i = 0; i < wanted_count; ++i) {
        ck_assert_int_eq(wanted[i].offset, out.at[i].offset);
        ck_assert_int_eq(wanted[i].length, out.at[i].length);
    }
    ck_assert_int_eq(wanted_overlap, overlap);
    collio_extents_fini(&out);
}

UNIT_TEST(merge_nothing)
{
    input_t none[3] = {{NULL, 0, 0}, {NULL, 0, 0}, {NULL, 0, 0}};

    expect(NULL, 0, NULL, 0, 0);
    expect(none, 3, NULL, 0, 0);
}

UNIT_TEST(merge_one_input_joins)
{
    piece_t list[] = {{0, 4}, {4, 4}, {10, 2}, {11, 5}, {12, 1}, {20, 1}};
    extent_t wanted[] = {{0, 8}, {10, 6}, {20, 1}};
    input_t inputs[] = {INPUT(list)};

    expect(inputs, 1, wanted, 3, 2); /* byte 11 twice, byte 12 twice */
}

UNIT_TEST(merge_two_interleaved_become_one)
{
    piece_t even[] = {{0, 8}, {16, 8}, {32, 8}};
    piece_t odd[] = {{8, 8}, {24, 8}, {40, 8}};
    extent_t wanted[] = {{0, 48}};
    input_t inputs[] = {INPUT(even), INPUT(odd)};

    expect(inputs, 2, wanted, 1, 0);
}

UNIT_TEST(merge_disjoint_blocks)
{
    piece_t low[] = {{0, 8}, {16, 8}};
    piece_t high[] = {{100, 8}, {116, 8}};
    extent_t wanted[] = {{0, 8}, {16, 8}, {100, 8}, {116, 8}};
    input_t inputs[] = {INPUT(high), INPUT(low)};

    expect(inputs, 2, wanted, 4, 0);
}

UNIT_TEST(merge_overlap_counts_n_minus_one)
{
    piece_t a[] = {{0, 10}};
    piece_t b[] = {{5, 10}};
    piece_t c[] = {{7, 1}};
    extent_t wanted[] = {{0, 15}};
    input_t inputs[] = {INPUT(a), INPUT(b), INPUT(c)};

    expect(inputs, 3, wanted, 1, 6);
}

/* What was in the output stays, and is not joined. */
UNIT_TEST(merge_appends_pieces)
{
    piece_t pieces[] = {{0, 8}, {8, 8}};
    input_t inputs[] = {{pieces, 2, 100}};
    list_t out = {0};

    ck_assert_int_eq(0, collio_extents_append(&out, 92, 8));
    ck_assert_int_eq(0, collio_merge(inputs, 1, NULL, &out, NULL));
    ck_assert_uint_eq(2, out.count);
    ck_assert_int_eq(100, out.at[1].offset);
    ck_assert_int_eq(16, out.at[1].length);
    collio_extents_fini(&out);
}

UNIT_TEST(merge_huge_offsets)
{
    const int64_t gib = INT64_C(1) << 30;
    piece_t a = {0, 3u << 30}, b = {5, 1u << 31}, c = {0, 8};
    extent_t wanted[] = {{1024 * gib, 5 * gib}, {INT64_MAX - 16, 16}};
    input_t inputs[] = {{&a, 1, 1024 * gib},
                        {&b, 1, 1027 * gib - 5},
                        {&c, 1, INT64_MAX - 16},
                        {&c, 1, INT64_MAX - 8}};

    expect(inputs, 4, wanted, 2, 0);
}

/* 5000 ranks, each with every 5000th element: one extent comes out. */
UNIT_TEST(merge_many_inputs_one_line)
{
    enum { RANKS = 5000, EACH = 20 };
    piece_t *all = malloc(sizeof(*all) * RANKS * EACH);
    input_t *inputs = malloc(sizeof(*inputs) * RANKS);
    extent_t wanted = {0, INT64_C(8) * RANKS * EACH};

    for (int rank = 0; rank < RANKS; ++rank) {
        for (int i = 0; i < EACH; ++i) {
            all[rank * EACH + i] = (piece_t){8 * ((uint32_t) i * RANKS + (uint32_t) rank), 8};
        }
        inputs[rank] = (input_t){all + rank * EACH, EACH, 0};
    }
    expect(inputs, RANKS, &wanted, 1, 0);
    free(all);
    free(inputs);
}

enum { LINE = 600, MOST = 40 };

/* Some rounds have thousands of extents, which takes the other method. */
UNIT_TEST(merge_random_against_painted_line)
{
    for (int round = unit_rounds(2000); 0 < round; --round) {
        bool crowd = 0 == unit_below(4);
        size_t count = crowd ? MOST : (size_t) unit_between(0, unit_below(3) ? 5 : MOST);
        int64_t reach = unit_between(1, 40);
        int64_t base = unit_below(2) ? 0 : INT64_C(1) << 40;
        piece_t lists[MOST][LINE];
        input_t inputs[MOST];
        int line[LINE + 100] = {0};
        list_t out = {0};
        int64_t overlap = 0;
        int64_t sum = 0;

        for (size_t i = 0; i < count; ++i) {
            int64_t at = unit_below(LINE);
            size_t n = 0;

            while (at < LINE && unit_below(crowd ? 1000 : 20)) {
                int64_t length = unit_between(1, 15);

                lists[i][n++] = (piece_t){(uint32_t) at, (uint32_t) length};
                for (int64_t b = 0; b < length; ++b) {
                    line[at + b]++;
                }
                at += unit_between(1, reach);
            }
            inputs[i] = (input_t){lists[i], n, base};
        }
        unit_equal(0, collio_merge(inputs, count, NULL, &out, &overlap));
        for (size_t i = 0; i < out.count; ++i) {
            unit_assert(0 < out.at[i].length);
            unit_assert(0 == i || out.at[i - 1].offset + out.at[i - 1].length < out.at[i].offset);
            for (int64_t b = out.at[i].offset - base;
                 b < out.at[i].offset - base + out.at[i].length; ++b) {
                unit_assert(0 < line[b]);
                sum += line[b] - 1;
                line[b] = 0;
            }
        }
        for (int at = 0; at < LINE + 100; ++at) {
            unit_equal(0, line[at]);
        }
        unit_equal(sum, overlap);
        collio_extents_fini(&out);
    }
}

/* Thousands of tiny extents and a long one: too long a line to paint, and still right. */
UNIT_TEST(merge_many_tiny_and_one_long)
{
    enum { EACH = 1000 };
    piece_t lists[3][EACH], long_one = {0, UINT32_MAX};
    extent_t wanted = {0, 3 * EACH * 8 + (int64_t) UINT32_MAX};
    input_t inputs[4];

    for (int rank = 0; rank < 3; ++rank) {
        for (int i = 0; i < EACH; ++i) {
            lists[rank][i] = (piece_t){(uint32_t) (8 * (3 * i + rank)), 8};
        }
        inputs[rank] = (input_t){lists[rank], EACH, 0};
    }
    inputs[3] = (input_t){&long_one, 1, 3 * EACH * 8};
    expect(inputs, 4, &wanted, 1, 0);
}
