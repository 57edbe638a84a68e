/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/* Tilings, cursors, pieces and packing, against walking the stream byte by byte. */
#include "copy.h"
#include "tiling.h"

#include "unit.h"

typedef collio_tiling_t tiling_t;
typedef collio_extent_t extent_t;
typedef collio_pieces_t pieces_t;

static void make(tiling_t *tiling, int64_t base, int64_t extent, const extent_t *pieces,
                 size_t count)
{
    ck_assert_int_eq(0, collio_tiling_init(tiling, base, extent, pieces, count));
}

UNIT_TEST(tiling_empty)
{
    extent_t nothing[] = {{5, 0}, {9, 0}};
    tiling_t tiling;
    pieces_t pieces = {0};

    make(&tiling, 100, 10, nothing, 2);
    ck_assert_uint_eq(0, tiling.count);
    ck_assert_int_eq(0, tiling.size);
    ck_assert(!tiling.dense);
    ck_assert_int_eq(0, collio_tiling_piece_bound(&tiling, 0, 100));
    ck_assert_int_eq(0, collio_tiling_pieces(&tiling, 0, 0, &pieces));
    ck_assert_uint_eq(0, pieces.count);
    collio_tiling_pack(&tiling, NULL, 0, 0, NULL);
    collio_tiling_fini(&tiling);
    collio_tiling_fini(&tiling);
    make(&tiling, 0, 0, NULL, 0);
    collio_tiling_fini(&tiling);
}

UNIT_TEST(tiling_init_joins_and_describes)
{
    extent_t pieces[] = {{0, 4}, {4, 4}, {8, 0}, {16, 8}};
    tiling_t tiling;

    make(&tiling, 0, 32, pieces, 4);
    ck_assert_uint_eq(2, tiling.count);
    ck_assert_int_eq(16, tiling.size);
    ck_assert_int_eq(8, tiling.uniform);
    ck_assert_int_eq(8, collio_tiling_prefix(&tiling, 1));
    ck_assert_int_eq(16, collio_tiling_prefix(&tiling, 2));
    ck_assert(tiling.ascending);
    ck_assert(!tiling.dense);
    collio_tiling_fini(&tiling);
    make(&tiling, 0, 16, pieces, 4); /* the next repetition begins inside this one */
    ck_assert(!tiling.ascending);
    collio_tiling_fini(&tiling);
    make(&tiling, 7, 8, pieces, 3);
    ck_assert(tiling.dense);
    ck_assert(tiling.ascending);
    collio_tiling_fini(&tiling);
}

UNIT_TEST(tiling_dense_is_one_piece)
{
    extent_t byte = {0, 1};
    const int64_t far = INT64_C(1) << 40;
    tiling_t tiling;
    pieces_t pieces = {0};

    make(&tiling, far, 1, &byte, 1);
    ck_assert_int_eq(1, collio_tiling_piece_bound(&tiling, 5, INT64_C(1) << 33));
    ck_assert_int_eq(0, collio_tiling_pieces(&tiling, far, INT64_C(3) << 31, &pieces));
    ck_assert_uint_eq(1, pieces.count);
    ck_assert_int_eq(2 * far, pieces.at[0].offset);
    ck_assert_int_eq(INT64_C(3) << 31, pieces.at[0].length);
    ck_assert_int_eq(0, pieces.at[0].stream);
    collio_pieces_fini(&pieces);
    collio_tiling_fini(&tiling);
}

UNIT_TEST(tiling_far_repetition)
{
    extent_t pieces[] = {{0, 8}, {INT64_C(3) << 30, INT64_C(1) << 31}};
    const int64_t extent = INT64_C(1) << 33;
    const int64_t size = 8 + (INT64_C(1) << 31);
    tiling_t tiling;
    collio_cursor_t cursor;
    pieces_t found = {0};
    int64_t run;

    make(&tiling, 512, extent, pieces, 2);
    collio_cursor_seek(&cursor, &tiling, 1000 * size + 10);
    ck_assert_int_eq(512 + 1000 * extent + (INT64_C(3) << 30) + 2,
                     collio_cursor_run(&cursor, &run));
    ck_assert_int_eq((INT64_C(1) << 31) - 2, run);
    ck_assert_int_eq(0, collio_tiling_pieces(&tiling, 1000 * size + 4, size, &found));
    ck_assert_uint_eq(3, found.count);
    ck_assert_int_eq(4, found.at[0].length);
    ck_assert_int_eq(INT64_C(1) << 31, found.at[1].length);
    ck_assert_int_eq(4, found.at[2].length);
    collio_pieces_fini(&found);
    collio_tiling_fini(&tiling);
}

/* Sorting brings pieces together that continue each other; overlapping ones stay apart. */
UNIT_TEST(tiling_unsorted_view)
{
    extent_t swapped[] = {{8, 4}, {0, 4}};
    extent_t twice[] = {{0, 4}, {0, 4}};
    tiling_t tiling;
    pieces_t pieces = {0};

    make(&tiling, 0, 12, swapped, 2); /* 8-11, 0-3, 20-23, 12-15: 8-11 then 12-15 is no join */
    ck_assert_int_eq(0, collio_tiling_pieces(&tiling, 0, 16, &pieces));
    ck_assert_uint_eq(4, pieces.count);
    ck_assert_int_eq(0, pieces.at[0].offset);
    ck_assert_int_eq(4, pieces.at[0].stream);
    ck_assert_int_eq(0, pieces.at[1].stream);
    collio_pieces_fini(&pieces);
    collio_tiling_fini(&tiling);
    make(&tiling, 0, 100, twice, 2);
    ck_assert_int_eq(0, collio_tiling_pieces(&tiling, 0, 8, &pieces));
    ck_assert_uint_eq(2, pieces.count);
    ck_assert_int_eq(0, pieces.at[0].stream);
    ck_assert_int_eq(4, pieces.at[1].stream);
    collio_pieces_fini(&pieces);
    collio_tiling_fini(&tiling);
}

enum { MOST_PIECES = 12, MOST_BYTES = 900 };

/* A random tiling; sorted and without overlap if asked for (memory that is unpacked to). */
static void random_tiling(tiling_t *tiling, bool disjoint)
{
    static const int64_t lengths[] = {1, 2, 3, 4, 8, 16, 5, 24, 40};
    size_t count = (size_t) unit_between(1, MOST_PIECES);
    bool uniform = unit_below(2);
    int64_t same = lengths[unit_below(9)];
    extent_t pieces[MOST_PIECES];
    int64_t at = unit_below(10);

    for (size_t i = 0; i < count; ++i) {
        int64_t length = uniform ? same : lengths[unit_below(9)] * unit_below(6) / 3;

        pieces[i] = (extent_t){disjoint ? at : unit_below(300), length};
        at += length + unit_below(3) * unit_below(12);
    }
    if (disjoint && unit_below(2)) { /* memory may go backwards */
        for (size_t i = 0; i < count / 2; ++i) {
            extent_t swap = pieces[i];

            pieces[i] = pieces[count - 1 - i];
            pieces[count - 1 - i] = swap;
        }
    }
    at += unit_below(2) * unit_below(30);
    if (!disjoint) {
        at = unit_below(4) ? unit_below(400) : 0;
    }
    make(tiling, unit_below(100), at, pieces, count);
}

/* Offsets of every byte of the stream, from the definition. */
static void walk(const tiling_t *tiling, int64_t *offsets, int64_t bytes)
{
    int64_t n = 0;

    for (int64_t repetition = 0; n < bytes; ++repetition) {
        for (size_t i = 0; i < tiling->count; ++i) {
            for (int64_t b = 0; b < collio_tiling_length(tiling, i) && n < bytes; ++b) {
                offsets[n++] = tiling->base + repetition * tiling->extent + tiling->offset[i] + b;
            }
        }
    }
}

static void check_pieces(const tiling_t *tiling, const int64_t *offsets)
{
    int64_t first = unit_below(MOST_BYTES);
    int64_t bytes = unit_below(MOST_BYTES - first) + 1;
    int64_t bound = collio_tiling_piece_bound(tiling, first, bytes);
    bool seen[MOST_BYTES] = {false};
    pieces_t pieces = {0};

    unit_equal(0, collio_tiling_pieces(tiling, first, bytes, &pieces));
    unit_assert((int64_t) pieces.count <= bound);
    for (size_t i = 0; i < pieces.count; ++i) {
        const collio_piece_t *piece = &pieces.at[i];

        if (0 < i) {
            unit_assert(piece[-1].offset < piece->offset
                        || (piece[-1].offset == piece->offset && piece[-1].stream < piece->stream));
            unit_assert(piece[-1].offset + piece[-1].length != piece->offset
                        || piece[-1].stream + piece[-1].length != piece->stream);
        }
        for (int64_t b = 0; b < piece->length; ++b) {
            unit_assert(!seen[piece->stream + b]);
            seen[piece->stream + b] = true;
            unit_equal(offsets[first + piece->stream + b], piece->offset + b);
        }
    }
    for (int64_t b = 0; b < bytes; ++b) {
        unit_assert(seen[b]);
    }
    collio_pieces_fini(&pieces);
}

UNIT_TEST(tiling_random_pieces_against_walk)
{
    for (int round = unit_rounds(3000); 0 < round; --round) {
        int64_t offsets[MOST_BYTES];
        tiling_t tiling;
        bool ascending = true;
        int64_t compared;

        random_tiling(&tiling, unit_below(2));
        if (0 < tiling.size) {
            walk(&tiling, offsets, MOST_BYTES);
            check_pieces(&tiling, offsets);
            compared = MOST_BYTES < 2 * tiling.size ? MOST_BYTES : 2 * tiling.size;
            for (int64_t i = 1; i < compared; ++i) {
                ascending = ascending && offsets[i - 1] < offsets[i];
            }
            ck_assert(ascending || !tiling.ascending);
            ck_assert(!ascending || tiling.ascending || MOST_BYTES < 2 * tiling.size);
        }
        collio_tiling_fini(&tiling);
    }
}

UNIT_TEST(tiling_random_pack_and_unpack)
{
    enum { MEMORY = 200 * MOST_BYTES };
    char *memory = malloc(MEMORY);
    char *target = malloc(MEMORY);
    char *wanted = malloc(MEMORY);

    for (int64_t i = 0; i < MEMORY; ++i) {
        memory[i] = (char) (i * 7 + (i >> 8));
    }
    for (int round = unit_rounds(3000); 0 < round; --round) {
        int64_t offsets[MOST_BYTES];
        char packed[MOST_BYTES];
        int64_t stream = unit_below(MOST_BYTES);
        int64_t bytes = unit_below(MOST_BYTES - stream + 1);
        tiling_t tiling;

        random_tiling(&tiling, true);
        if (0 < tiling.size) {
            walk(&tiling, offsets, MOST_BYTES);
            collio_tiling_pack(&tiling, memory, stream, bytes, packed);
            memset(target, 0, MEMORY);
            memset(wanted, 0, MEMORY);
            for (int64_t b = 0; b < bytes; ++b) {
                unit_equal(memory[offsets[stream + b]], packed[b]);
                wanted[offsets[stream + b]] = packed[b];
            }
            collio_tiling_unpack(&tiling, target, stream, bytes, packed);
            ck_assert_mem_eq(wanted, target, MEMORY);
        }
        collio_tiling_fini(&tiling);
    }
    free(memory);
    free(target);
    free(wanted);
}

/* Exactly `length` bytes move, at every alignment; those around them stay. */
UNIT_TEST(copy_every_length)
{
    enum { MOST = 80, SHIFTS = 17, SPACE = MOST + 2 * SHIFTS };

    for (size_t length = 0; length <= MOST; ++length) {
        for (size_t shift = 0; shift < SHIFTS; ++shift) {
            char from[SPACE], to[SPACE], wanted[SPACE];

            for (size_t i = 0; i < SPACE; ++i) {
                from[i] = (char) unit_bits();
                to[i] = wanted[i] = (char) ~from[i];
            }
            for (size_t i = 0; i < length; ++i) {
                wanted[shift + i] = from[SHIFTS - shift + i];
            }
            collio_copy(to + shift, from + SHIFTS - shift, length);
            unit_assert(0 == memcmp(wanted, to, SPACE));
        }
    }
}

/* Absolute addresses from MPI_BOTTOM, and pieces before the buffer's address. */
UNIT_TEST(tiling_pack_from_bottom_and_backwards)
{
    char data[64];
    char packed[16];
    extent_t piece = {(int64_t) (intptr_t) data, 8};
    extent_t after = {-8, 4};
    tiling_t tiling;

    for (int i = 0; i < 64; ++i) {
        data[i] = (char) i;
    }
    make(&tiling, 0, 32, &piece, 1);
    collio_tiling_pack(&tiling, NULL, 0, 16, packed);
    ck_assert_mem_eq(data, packed, 8);
    ck_assert_mem_eq(data + 32, packed + 8, 8);
    collio_tiling_fini(&tiling);
    make(&tiling, 0, -8, &after, 1);
    collio_tiling_pack(&tiling, data + 32, 0, 8, packed);
    ck_assert_mem_eq(data + 24, packed, 4);
    ck_assert_mem_eq(data + 16, packed + 4, 4);
    collio_tiling_fini(&tiling);
}

/* Folded or not: the same bytes at every stream position. */
UNIT_TEST(tiling_fold_keeps_the_stream)
{
    for (int round = 0; round < 200; ++round) {
        int64_t length = 1 + unit_below(5), step = (unit_below(2) ? 1 : -1) * (6 + unit_below(9));
        size_t count = 1 + (size_t) unit_below(9);
        int64_t extent = step * (int64_t) count + (unit_below(4) ? 0 : unit_below(3));
        bool regular = 0 != unit_below(4);
        collio_tiling_t plain, folded;
        extent_t pieces[10];

        for (size_t i = 0; i < count; ++i) {
            pieces[i] = (extent_t){3 + step * (int64_t) i, length};
        }
        if (!regular) {
            pieces[count - 1].offset += 1;
        }
        ck_assert_int_eq(0, collio_tiling_init(&plain, 1000, extent, pieces, count));
        ck_assert_int_eq(0, collio_tiling_init(&folded, 1000, extent, pieces, count));
        collio_tiling_fold(&folded);
        if (regular && 1 < count && extent == step * (int64_t) count) {
            ck_assert_uint_eq(1, folded.count);
        }
        for (int64_t at = 0; at < 40; ++at) {
            collio_cursor_t a, b;
            int64_t run;

            collio_cursor_seek(&a, &plain, at);
            collio_cursor_seek(&b, &folded, at);
            ck_assert_int_eq(collio_cursor_run(&a, &run), collio_cursor_run(&b, &run));
        }
        ck_assert(plain.ascending == folded.ascending);
        collio_tiling_fini(&plain);
        collio_tiling_fini(&folded);
    }
}

/* Equal pieces have one array; a different one brings the other array, of 4 bytes per piece. */
UNIT_TEST(tiling_equal_pieces_have_no_lengths)
{
    const extent_t equal[] = {{0, 4}, {10, 4}, {20, 4}}, last[] = {{0, 4}, {10, 4}, {20, 8}};
    const extent_t joined[] = {{0, 4}, {4, 4}, {10, 4}, {14, 4}, {20, 8}};
    collio_tiling_t tiling;

    ck_assert_int_eq(0, collio_tiling_init(&tiling, 0, 100, equal, 3));
    ck_assert_int_eq(4, tiling.uniform);
    ck_assert_ptr_null(tiling.prefix);
    collio_tiling_fini(&tiling);
    ck_assert_int_eq(0, collio_tiling_init(&tiling, 0, 100, last, 3));
    ck_assert_int_eq(0, tiling.uniform);
    ck_assert_int_eq(8, collio_tiling_length(&tiling, 2));
    ck_assert_int_eq(8, collio_tiling_prefix(&tiling, 2));
    ck_assert_int_eq(16, tiling.size);
    collio_tiling_fini(&tiling);
    ck_assert_int_eq(0, collio_tiling_init(&tiling, 0, 100, joined, 5));
    ck_assert_uint_eq(3, tiling.count);
    ck_assert_int_eq(8, tiling.uniform);
    ck_assert_int_eq(24, tiling.size);
    collio_tiling_fini(&tiling);
}

/* A tiling is found by its own pieces, and by no other list. */
UNIT_TEST(tiling_random_list_found_by_its_own_only)
{
    enum { MOST = 12 };

    for (int round = unit_rounds(20000); 0 < round; --round) {
        extent_t list[MOST], other[MOST];
        size_t count = (size_t) unit_below(MOST), changed = (size_t) unit_below(MOST);
        collio_tiling_t tiling, second;
        int64_t at = 0;
        bool same;

        for (size_t i = 0; i < count; ++i) { /* some pieces touch, some are empty, some descend */
            at += unit_below(8) ? unit_below(3) : -20;
            list[i] = (extent_t){at, unit_below(4)};
            at += list[i].length;
        }
        memcpy(other, list, sizeof(list));
        if (changed < count) {
            other[changed].length += unit_below(2);
            other[changed].offset += unit_below(2);
        }
        collio_tiling_init(&tiling, 0, 100, list, count);
        collio_tiling_open(&second, 0, 100);
        collio_tiling_add(&second, other, count / 2);
        collio_tiling_add(&second, other + count / 2, count - count / 2);
        collio_tiling_close(&second);
        same = tiling.count == count && second.count == count;
        for (size_t i = 0; same && i < tiling.count; ++i) {
            same = tiling.offset[i] == second.offset[i]
                   && collio_tiling_length(&tiling, i) == collio_tiling_length(&second, i);
        }
        unit_equal(tiling.count == count, collio_tiling_has(&tiling, list, count));
        unit_equal(same, collio_tiling_has(&tiling, other, count));
        collio_tiling_fini(&tiling);
        collio_tiling_fini(&second);
    }
}
