/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/* Windows and their readers in single cases; check_cycle.c has random ones. */
#include "split.h"
#include "unit.h"

static const int64_t window_bytes = COLLIO_WINDOW_MAX;

/* A window of 2 GiB in one piece, and pieces at its first and its last byte. */
UNIT_TEST(split_largest_window)
{
    const int64_t first = 5 * window_bytes;
    const collio_extent_t at[] = {
        {first, 1}, {first + window_bytes - 1, 1 + window_bytes}, {first + 7 * window_bytes, 9}};
    collio_extents_t list = {0}, back = {0};
    collio_split_t split;

    for (int i = 0; i < 3; ++i) {
        ck_assert_int_eq(0, collio_extents_append(&list, at[i].offset, at[i].length));
    }
    ck_assert_int_eq(0, collio_split_extents(&list, window_bytes, &split));
    ck_assert_uint_eq(3, split.window_count);
    ck_assert_int_eq(2, split.window[0].bytes);
    ck_assert_uint_eq(window_bytes - 1, split.piece[1].offset);
    ck_assert_uint_eq(window_bytes, split.piece[2].length);
    ck_assert_int_eq(first + 2 * window_bytes, split.window[1].hi);
    ck_assert_int_eq(window_bytes - 3,
                     collio_window_prefix(&split, &split.window[1], split.window[1].hi - 3));
    ck_assert_int_eq(1, collio_window_prefix(&split, &split.window[0], split.window[0].hi - 1));
    ck_assert_int_eq(0, collio_window_prefix(&split, &split.window[0], first));
    ck_assert_int_eq(0, collio_split_list(&split, 0, split.window_count, &back));
    ck_assert_uint_eq(3, back.count);
    ck_assert_mem_eq(at, back.at, sizeof(at));
    collio_split_fini(&split);
    collio_extents_fini(&list);
    collio_extents_fini(&back);
}

/* A list that overlaps and goes back: the order of the requester's message, cut at windows. */
UNIT_TEST(split_unordered_list)
{
    const collio_extent_t at[] = {{90, 20}, {10, 5}, {12, 8}, {10, 1}};
    const int64_t offset[] = {10, 10, 12, 90, 100}, length[] = {5, 1, 8, 10, 10};
    collio_split_t split;
    size_t n = 0;

    ck_assert_int_eq(
        0, collio_split_extents(&(collio_extents_t){(collio_extent_t *) at, 4, 4}, 100, &split));
    ck_assert_uint_eq(2, split.window_count);
    for (size_t w = 0; w < 2; ++w) {
        for (size_t i = 0; i < split.window[w].count; ++i, ++n) {
            ck_assert_int_eq(offset[n], split.window[w].lo + split.piece[n].offset);
            ck_assert_int_eq(length[n], split.piece[n].length);
        }
    }
    ck_assert_uint_eq(5, n);
    ck_assert_int_eq(100, split.window[0].hi);
    ck_assert_int_eq(8, collio_window_prefix(&split, &split.window[0], 14)); /* 5 + 1 + 2 */
    collio_split_fini(&split);
}

/* Pieces out of the order of the stream: a strand each time the stream jumps, kept by a copy. */
UNIT_TEST(split_strands)
{
    const collio_piece_t part[] = {{5, 2, 40}, {7, 3, 42}, {20, 4, 0}, {30, 1, 4}, {64, 6, 5}};
    collio_split_t split = {0}, copy = {0};
    collio_fragment_t cut;

    ck_assert_int_eq(0, collio_split_reserve(&split, 5, 0, 1));
    ck_assert_int_eq(0, collio_split_share(&split, 3, 64, part, 5));
    ck_assert_int_eq(0, collio_split_reserve(&copy, 5, 0, 0));
    ck_assert_int_eq(0, collio_split_copy(&copy, &split, &split.window[1]));
    ck_assert_int_eq(0, collio_split_copy(&copy, &split, &split.window[0]));
    ck_assert_uint_eq(3, copy.strand_count);
    for (int i = 0; i < 2; ++i) {
        const collio_split_t *from = 0 == i ? &split : &copy;
        collio_reader_t reader = collio_reader(from, &from->window[i]);
        collio_run_t run = collio_reader_next(&reader, 3, &cut);

        ck_assert_int_eq(2, run.bytes); /* a whole piece, then a part of one */
        run = collio_reader_next(&reader, 1, &cut);
        ck_assert_int_eq(1, run.bytes);
        ck_assert_int_eq(42, run.stream);
        run = collio_reader_next(&reader, reader.left, &cut);
        ck_assert_int_eq(2, run.bytes);
        ck_assert_uint_eq(3, run.at->offset);
        ck_assert_int_eq(43, run.stream);
        run = collio_reader_next(&reader, reader.left, &cut);
        ck_assert_int_eq(5, run.bytes);
        ck_assert_int_eq(0, run.stream);
        ck_assert_int_eq(2, run.end - run.at);
        ck_assert_int_eq(0, reader.left);
        reader = collio_reader(from, &from->window[1 - i]);
        ck_assert_int_eq(5, reader.stream);
        ck_assert(reader.strand_end == reader.end);
    }
    collio_split_fini(&split);
    collio_split_fini(&copy);
}

/* Windows that nobody wants do not exist: a header and data 1 TiB past it are two cycles. */
UNIT_TEST(split_sparse_request_has_two_cycles)
{
    collio_extents_t list = {0};
    collio_split_t split;
    collio_collect_t collect;

    ck_assert_int_eq(0, collio_extents_append(&list, 0, 100));
    ck_assert_int_eq(0, collio_extents_append(&list, INT64_C(1) << 40, 100));
    ck_assert_int_eq(0, collio_split_extents(&list, 1 << 20, &split));
    ck_assert_int_eq(0, collio_collect_build(&split, 1, NULL, &collect));
    ck_assert_uint_eq(2, collect.cycle_count);
    ck_assert_int_eq(INT64_C(1) << 20, collect.cycle[1].index);
    ck_assert_int_eq(0, collect.overlap_bytes);
    collio_collect_fini(&collect);
    collio_split_fini(&split);
    collio_extents_fini(&list);
}

/* An absurd list from a peer is an error, not a crash. */
UNIT_TEST(split_absurd_window_count)
{
    collio_extents_t list = {0};
    collio_split_t split;

    ck_assert_int_eq(0, collio_extents_append(&list, 0, INT64_MAX));
    ck_assert_int_eq(-12, collio_split_extents(&list, 1, &split));
    collio_extents_fini(&list);
}
