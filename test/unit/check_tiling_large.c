/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/* Tilings with repetitions of about 4 GiB, where stream positions change from 32 to 64 bits,
 * against the list of pieces. */
#include "tiling.h"

#include "unit.h"

typedef collio_tiling_t tiling_t;
typedef collio_extent_t extent_t;
typedef collio_pieces_t pieces_t;

enum { FEW = 12 };
static const int64_t FOUR_GIB = INT64_C(1) << 32;

typedef struct list_t {
    extent_t at[FEW];
    size_t count;
    int64_t base;
    int64_t extent;
    int64_t size;
} list_t;

/* The file offset of a byte of the stream, from the list; *run = bytes from this byte to the end of
 * the pieces of the list that follow each other. */
static int64_t byte_of(const list_t *list, int64_t stream, int64_t *run)
{
    int64_t within = stream % list->size, offset = 0;
    size_t i = 0;

    while (within >= list->at[i].length) {
        within -= list->at[i++].length;
    }
    offset = list->at[i].offset + within;
    *run = list->at[i].length - within;
    for (++i; i < list->count; ++i) {
        if (0 < list->at[i].length && list->at[i].offset != offset + *run) {
            break;
        }
        *run += list->at[i].length;
    }
    return list->base + stream / list->size * list->extent + offset;
}

/* A random list of about 4 GiB: a byte less or more in most cases. */
static void random_large_list(list_t *list)
{
    int64_t at = unit_below(1000);

    *list = (list_t){.count = (size_t) unit_between(1, FEW), .base = unit_below(1000)};
    for (size_t i = 0; i < list->count; ++i) {
        int64_t length = unit_below(3) ? unit_below(20) : unit_below(FOUR_GIB / 4);

        if (i + 1 == list->count && unit_below(4)) { /* can be negative, which is an empty piece */
            length = FOUR_GIB - list->size + unit_between(-2, 2);
        }
        at += unit_below(3) ? unit_below(FOUR_GIB) * unit_below(2) : -unit_below(at + 1);
        list->at[i] = (extent_t){at, length > 0 ? length : 0};
        list->size += list->at[i].length;
        at += list->at[i].length;
    }
    list->extent = unit_below(2) ? at + unit_below(FOUR_GIB) : unit_below(FOUR_GIB);
}

/* Makes the tiling in two steps. */
static void make_large(tiling_t *tiling, const list_t *list)
{
    size_t half = (size_t) unit_below((int64_t) list->count + 1);

    collio_tiling_open(tiling, list->base, list->extent);
    unit_equal(0, collio_tiling_add(tiling, list->at, half));
    unit_equal(0, collio_tiling_add(tiling, list->at + half, list->count - half));
    collio_tiling_close(tiling);
}

/* Compares all that a tiling computes about a stream range with the list. */
static void check_large_range(const tiling_t *tiling, const list_t *list, int64_t first,
                              int64_t bytes)
{
    int64_t lo = INT64_MAX, hi = 0, sum = 0, run, wanted_run, is_lo, is_hi;
    pieces_t pieces = {0};
    collio_cursor_t cursor;

    collio_cursor_seek(&cursor, tiling, first);
    unit_equal(byte_of(list, first, &wanted_run), collio_cursor_run(&cursor, &run));
    unit_assert(tiling->dense || wanted_run == run);
    unit_equal(0, collio_tiling_pieces(tiling, first, bytes, &pieces));
    unit_assert((int64_t) pieces.count <= collio_tiling_piece_bound(tiling, first, bytes));
    for (size_t i = 0; i < pieces.count; ++i) {
        const collio_piece_t *piece = &pieces.at[i];
        int64_t end = piece->stream + piece->length;

        unit_equal(byte_of(list, first + piece->stream, &run), piece->offset);
        unit_equal(byte_of(list, first + end - 1, &run), piece->offset + piece->length - 1);
        for (size_t other = 0; other < i; ++other) {
            unit_assert(pieces.at[other].stream >= end
                        || pieces.at[other].stream + pieces.at[other].length <= piece->stream);
        }
        sum += piece->length;
        lo = piece->offset < lo ? piece->offset : lo;
        hi = piece->offset + piece->length > hi ? piece->offset + piece->length : hi;
    }
    unit_equal(bytes, sum);
    unit_equal(0, collio_tiling_range(tiling, first, bytes, &is_lo, &is_hi));
    unit_equal(lo, is_lo);
    unit_equal(hi, is_hi);
    collio_pieces_fini(&pieces);
}

/* The tiling has the pieces and the shape of its own list only. */
static void check_large_shape(const tiling_t *tiling, const list_t *list)
{
    list_t other = *list;
    size_t changed = (size_t) unit_below((int64_t) list->count);
    int64_t bytes = unit_between(-1, 1) * (unit_below(2) ? 1 : FOUR_GIB);
    tiling_t second;

    make_large(&second, list);
    unit_equal(tiling->count == list->count, collio_tiling_has(tiling, list->at, list->count));
    unit_assert(collio_tiling_same_shape(tiling, &second));
    collio_tiling_fini(&second);
    other.at[changed].length += bytes;
    if (unit_below(2)) { /* lists of the same size */
        other.at[unit_below((int64_t) list->count)].length -= bytes;
    }
    make_large(&second, &other);
    if (tiling->count == list->count && second.count == list->count
        && other.at[changed].length != list->at[changed].length) {
        unit_assert(!collio_tiling_has(tiling, other.at, list->count));
        unit_assert((tiling->dense && second.dense) || !collio_tiling_same_shape(tiling, &second));
    }
    collio_tiling_fini(&second);
}

UNIT_TEST(tiling_random_large_repetitions)
{
    for (int round = unit_rounds(5000); 0 < round; --round) {
        list_t list;
        tiling_t tiling;
        int64_t per_piece;

        random_large_list(&list);
        make_large(&tiling, &list);
        unit_equal(list.size, tiling.size);
        per_piece = 0 != tiling.uniform || 0 == tiling.count ? 8 : list.size < FOUR_GIB ? 12 : 16;
        unit_equal((int64_t) tiling.count * per_piece, collio_tiling_memory(&tiling));
        for (int i = 0; 0 < list.size && i < 10; ++i) {
            int64_t first = unit_below(3 * list.size);

            if (unit_below(2)) { /* from the start of a piece, or a byte before it */
                first = collio_tiling_prefix(&tiling, (size_t) unit_below((int64_t) tiling.count));
                first += list.size - unit_below(2);
            }
            check_large_range(&tiling, &list, first, 1 + unit_below(2 * list.size));
        }
        check_large_shape(&tiling, &list);
        collio_tiling_fini(&tiling);
    }
}

/* Equal pieces of 6 GiB together, folded, are one piece that repeats. */
UNIT_TEST(tiling_fold_of_a_large_repetition)
{
    const int64_t half = FOUR_GIB / 2;
    const extent_t pieces[] = {{0, half}, {3 * half, half}, {6 * half, half}};
    tiling_t tiling, one;

    ck_assert_int_eq(0, collio_tiling_init(&tiling, 0, 9 * half, pieces, 3));
    ck_assert_int_eq(0, collio_tiling_init(&one, 0, 3 * half, pieces, 1));
    collio_tiling_fold(&tiling);
    ck_assert_uint_eq(1, tiling.count);
    ck_assert_int_eq(8, collio_tiling_memory(&tiling));
    ck_assert(collio_tiling_same_shape(&tiling, &one));
    collio_tiling_fini(&tiling);
    collio_tiling_fini(&one);
}

/* Small pieces of memory whose stream positions are about 4 GiB. */
UNIT_TEST(tiling_pack_behind_four_gib)
{
    for (int64_t shift = -20; shift <= 2; ++shift) {
        const int64_t first = FOUR_GIB + shift;
        const extent_t list[] = {{100, first}, {0, 3}, {20, 1}, {8, 7}, {30, 5}};
        char memory[40], target[40] = {0}, wanted[40] = {0}, packed[16];
        int64_t n = 0;
        tiling_t tiling;

        ck_assert_int_eq(0, collio_tiling_init(&tiling, 0, FOUR_GIB, list, 5));
        unit_equal(5 * (16 + shift < 0 ? 12 : 16), collio_tiling_memory(&tiling));
        for (size_t i = 0; i < sizeof(memory); ++i) {
            memory[i] = (char) (i + 1);
        }
        collio_tiling_pack(&tiling, memory, first, 16, packed);
        for (size_t i = 1; i < 5; ++i) {
            for (int64_t b = 0; b < list[i].length; ++b) {
                unit_equal(memory[list[i].offset + b], packed[n++]);
                wanted[list[i].offset + b] = memory[list[i].offset + b];
            }
        }
        collio_tiling_unpack(&tiling, target, first, 16, packed);
        ck_assert_mem_eq(wanted, target, sizeof(wanted));
        collio_tiling_fini(&tiling);
    }
}
