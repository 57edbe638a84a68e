/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * The wire form: any list survives the round trip, regular patterns are tiny, and no bytes whatever
 * do harm (run with sanitizers or valgrind to see it).
 */
#include "wire.h"

#include <errno.h>

#include "cycle.h"
#include "unit.h"

typedef collio_extent_t extent_t;
typedef collio_extents_t list_t;
typedef collio_bytes_t bytes_t;

enum { MOST = 10000 }; /* pieces of a list */

static void add(list_t *list, int64_t offset, int64_t length)
{
    ck_assert_int_eq(0, collio_extents_append(list, offset, length));
}

static int64_t list_bytes(const list_t *list)
{
    int64_t bytes = 0;

    for (size_t i = 0; i < list->count; ++i) {
        bytes += list->at[i].length;
    }
    return bytes;
}

static void encode(const list_t *list, bytes_t *wire)
{
    ck_assert_int_eq(0, collio_wire_encode(list, wire));
}

/* Encodes and decodes; returns the bytes on the wire. */
static size_t round_trip(const list_t *list)
{
    bytes_t wire = {0};
    list_t back = {0};
    size_t size;

    encode(list, &wire);
    unit_equal(0, collio_wire_decode(wire.at, wire.count, list->count, &back));
    unit_equal(list->count, back.count);
    for (size_t i = 0; i < list->count; ++i) {
        unit_equal(list->at[i].offset, back.at[i].offset);
        unit_equal(list->at[i].length, back.at[i].length);
    }
    if (0 < list->count) { /* one less than there are is too many */
        unit_equal(-EBADMSG, collio_wire_decode(wire.at, wire.count, list->count - 1, &back));
        unit_equal(list->count, back.count);
    }
    size = wire.count;
    collio_bytes_fini(&wire);
    collio_extents_fini(&back);
    return size;
}

UNIT_TEST(wire_empty_and_one)
{
    list_t list = {0};

    ck_assert_uint_eq(0, round_trip(&list));
    add(&list, 0, 8);
    ck_assert_uint_ge(4, round_trip(&list));
    collio_extents_fini(&list);
}

UNIT_TEST(wire_extreme_numbers)
{
    static const extent_t extremes[] = {
        {INT64_MAX - 1, 1},    {0, INT64_MAX}, {INT64_MAX - 8, 8}, {0, 1}, {1, 1},
        {INT64_C(1) << 40, 8}, {0, 8},         {INT64_MAX - 8, 8}};
    list_t list = {0};

    for (size_t i = 0; i < sizeof(extremes) / sizeof(extremes[0]); ++i) {
        add(&list, extremes[i].offset, extremes[i].length);
    }
    for (int i = 0; i < 9; ++i) { /* a regular section that ends at the end of the world */
        add(&list, INT64_MAX - (9 - i) * (INT64_C(1) << 59), INT64_C(1) << 58);
    }
    for (int i = 9; 0 < i; --i) { /* and one that runs down to 0 */
        add(&list, (i - 1) * (INT64_C(1) << 59), 100);
    }
    round_trip(&list);
    collio_extents_fini(&list);
}

UNIT_TEST(wire_section_is_a_few_bytes)
{
    list_t list = {0};

    for (int64_t i = 0; i < 100000; ++i) {
        add(&list, 1000 + 32 * i, 8);
    }
    ck_assert_uint_ge(10, round_trip(&list));
    collio_extents_fini(&list);
}

/* A block of a 3-D array: planes of rows; two rows a plane are the hard case. */
UNIT_TEST(wire_block_is_a_few_bytes)
{
    for (int64_t rows = 1; rows <= 40; rows += 1 == rows ? 1 : 19) {
        list_t list = {0};

        for (int64_t plane = 0; plane < 50; ++plane) {
            for (int64_t row = 0; row < rows; ++row) {
                add(&list, plane * 1000000 + row * 8000 + 640, 80);
            }
        }
        ck_assert_uint_ge(20, round_trip(&list));
        collio_extents_fini(&list);
    }
}

/* 8-byte pieces at random distances: two to four bytes each. */
UNIT_TEST(wire_irregular_is_small)
{
    list_t same = {0};
    list_t mixed = {0};
    int64_t at = 0;
    int64_t to = 0;
    enum { COUNT = 20000 };

    for (int i = 0; i < COUNT; ++i) {
        add(&same, at += unit_between(9, 4000), 8);
        add(&mixed, to += unit_between(17, 4000), 4 * unit_between(1, 3));
    }
    ck_assert_uint_ge(3 * COUNT, round_trip(&same));
    ck_assert_uint_ge(4 * COUNT, round_trip(&mixed));
    collio_extents_fini(&same);
    collio_extents_fini(&mixed);
}

/* BTIO (NPB multi-partition): one rank of q^2, q cells on a diagonal, 40-byte points. */
UNIT_TEST(wire_btio_below_one_percent)
{
    enum { N = 64, Q = 4, CELL = N / Q, POINT = 40, I = 1, J = 2 };
    list_t list = {0};

    for (int64_t c = 0; c < Q; ++c) {
        int64_t x = (I + c) % Q * CELL;
        int64_t y = (J - c + Q) % Q * CELL;

        for (int64_t z = c * CELL; z < (c + 1) * CELL; ++z) {
            for (int64_t row = y; row < y + CELL; ++row) {
                add(&list, ((z * N + row) * N + x) * POINT, CELL * POINT);
            }
        }
    }
    ck_assert_uint_lt(round_trip(&list), (size_t) list_bytes(&list) / 100);
    ck_assert_uint_ge(24 * Q, round_trip(&list));
    collio_extents_fini(&list);
}

/* A mix of everything the encoder knows, in any order, also backwards. */
static void random_list(list_t *list)
{
    for (int64_t part = unit_between(0, 8); 0 < part; --part) {
        int64_t start = unit_below(3) ? unit_below(100000)
                                      : unit_between(INT64_C(1) << 40, INT64_C(1) << 41);
        int64_t length = unit_below(2) ? 8 : unit_between(1, 300);
        int64_t stride = unit_between(-500, 1500);
        int64_t outer = unit_between(-3000, 30000);
        int64_t rows = unit_between(1, 9);
        int64_t planes = unit_below(2) ? 1 : unit_between(1, 9);
        bool irregular = unit_below(3) == 0;

        start += 40000;
        for (int64_t p = 0; p < planes; ++p) {
            for (int64_t r = 0; r < rows; ++r) {
                int64_t jitter = irregular ? unit_below(50) : 0;

                add(list, start + p * outer + r * stride + jitter, length + jitter % 3);
            }
        }
    }
}

UNIT_TEST(wire_random_round_trip)
{
    for (int round = unit_rounds(4000); 0 < round; --round) {
        list_t list = {0};

        random_list(&list);
        round_trip(&list);
        collio_extents_fini(&list);
    }
}

/* Stretches of one length that begin and end anywhere in rows and blocks. */
UNIT_TEST(wire_random_stretches)
{
    for (int round = unit_rounds(4000); 0 < round; --round) {
        list_t list = {0};
        int64_t at = 0;

        for (int64_t pieces = unit_below(700); 0 < pieces; --pieces) {
            int64_t length = unit_below(4) ? 8 : 16;

            at += length + (unit_below(3) ? 8 : 24);
            add(&list, at, length);
        }
        round_trip(&list);
        collio_extents_fini(&list);
    }
}

/* An aggregator can plan with what a peer sent for its domain. */
static void check_plan(const list_t *list)
{
    enum { DOMAIN_BYTES = 1 << 20, WINDOW_BYTES = 4096 };
    collio_split_t split = {0};
    collio_collect_t collect = {0};
    int64_t bytes = list_bytes(list);

    for (size_t i = 0; i < list->count; ++i) {
        if (list->at[i].offset > DOMAIN_BYTES || list->at[i].length > DOMAIN_BYTES) {
            return;
        }
    }
    unit_equal(0, collio_split_extents(list, WINDOW_BYTES, &split));
    for (size_t i = 0; i < split.window_count; ++i) {
        bytes -= split.window[i].bytes;
    }
    unit_equal(0, bytes);
    unit_equal(0, collio_collect_build(&split, 1, NULL, &collect));
    unit_equal(split.window_count, collect.cycle_count);
    collio_collect_fini(&collect);
    collio_split_fini(&split);
}

/* Bytes of a peer, whatever they are: decoded or refused. */
static void decode_anything(const unsigned char *bytes, size_t count)
{
    unsigned char *copy = malloc(count + 1); /* exact size, so that reading past it is seen */
    list_t list = {0};
    int rc;

    memcpy(copy, bytes, count);
    rc = collio_wire_decode(copy, count, MOST, &list);
    unit_assert(0 == rc || (-EBADMSG == rc && 0 == list.count));
    unit_assert(MOST >= list.count);
    for (size_t i = 0; i < list.count; ++i) {
        unit_assert(0 <= list.at[i].offset);
        unit_assert(0 < list.at[i].length);
        unit_assert(list.at[i].offset <= INT64_MAX - list.at[i].length);
    }
    if (0 == rc) {
        (void) round_trip(&list); /* a second trip gives the same */
        check_plan(&list);
    }
    collio_extents_fini(&list);
    free(copy);
}

UNIT_TEST(wire_random_bytes)
{
    for (int round = unit_rounds(40000); 0 < round; --round) {
        unsigned char bytes[200];
        size_t count = (size_t) unit_below(unit_below(4) ? 64 : sizeof(bytes));

        for (size_t i = 0; i < count; ++i) {
            bytes[i] = (unsigned char) (unit_below(3) ? unit_below(256) : unit_below(16));
        }
        if (0 < count && unit_below(2)) {
            bytes[count - 1] &= 0x7f;
        }
        decode_anything(bytes, count);
    }
}

UNIT_TEST(wire_random_damaged_lists)
{
    for (int round = unit_rounds(2000); 0 < round; --round) {
        list_t list = {0};
        bytes_t wire = {0};

        random_list(&list);
        encode(&list, &wire);
        for (int i = 0; i < 8 && 0 < wire.count; ++i) {
            wire.at[unit_below((int64_t) wire.count)] = (unsigned char) unit_below(256);
            decode_anything(wire.at, (size_t) unit_between(0, (int64_t) wire.count));
        }
        collio_bytes_fini(&wire);
        collio_extents_fini(&list);
    }
}

UNIT_TEST(wire_malformed_is_refused)
{
    static const struct {
        size_t count;
        unsigned char bytes[24];
    } bad[] = {
        {1, {0x80}},                   /* a varint that does not end */
        {1, {0x00}},                   /* no pieces */
        {1, {0x04}},                   /* one piece, missing */
        {2, {0x04, 0x00}},             /* no length */
        {3, {0x04, 0x00, 0x00}},       /* length 0 */
        {3, {0x04, 0x01, 0x01}},       /* offset -1 */
        {4, {0x04, 0x00, 0x08, 0x80}}, /* a broken second operation */
        {4, {0x02, 0x00, 0x08, 0x10}}, /* a section of none */
        {4, {0x12, 0x00, 0x08, 0x0f}}, /* a section that goes below 0 */
        {4, {0x0e, 0x0c, 0x01, 0x07}}, /* 6, 2, -2 */
        {4, {0x0e, 0x0a, 0x01, 0x05}}, /* 5, 2, -1 */
        {13, {0x0e, 0x0c, 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}},
        {6, {0x0b, 0x00, 0x08, 0x10, 0x00, 0x10}}, /* a block of empty rows */
        {6, {0x03, 0x00, 0x08, 0x10, 0x02, 0x10}}, /* a block of no rows */
        {11, {0x04, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}}, /* > 64 bits */
        {12, {0x05, 0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}},
        {13, {0x08, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0x02, 0x01}},
    };
    list_t list = {0};

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); ++i) {
        ck_assert_int_eq(-EBADMSG, collio_wire_decode(bad[i].bytes, bad[i].count, 1000000, &list));
        ck_assert_uint_eq(0, list.count);
    }
    collio_extents_fini(&list);
}

/* The corners of a section and of a block may be 0, and the end of the range. */
UNIT_TEST(wire_negative_strides)
{
    static const unsigned char section[] = {0x0e, 0x0c, 0x01, 0x05};           /* 6, 3, 0 */
    static const unsigned char upwards[] = {0x0e, 0x00, 0x01, 0x06};           /* 0, 3, 6 */
    static const unsigned char block[] = {0x0b, 0x0c, 0x01, 0x03, 0x02, 0x07}; /* 6, 4; 2, 0 */
    static const int64_t offsets[][4] = {{6, 3, 0}, {0, 3, 6}, {6, 4, 2, 0}};
    static const struct {
        const unsigned char *bytes;
        size_t count;
    } good[] = {{section, 4}, {upwards, 4}, {block, 6}};
    list_t list = {0};

    for (size_t i = 0; i < 3; ++i) {
        list.count = 0;
        ck_assert_int_eq(-EBADMSG,
                         collio_wire_decode_within(good[i].bytes, good[i].count, 9, 6, &list));
        ck_assert_int_eq(0, collio_wire_decode_within(good[i].bytes, good[i].count, 9, 7, &list));
        ck_assert_uint_eq(2 == i ? 4 : 3, list.count);
        for (size_t k = 0; k < list.count; ++k) {
            ck_assert_int_eq(offsets[i][k], list.at[k].offset);
            ck_assert_int_eq(1, list.at[k].length);
        }
    }
    collio_extents_fini(&list);
}

/* Overlapping reads: 2,000 pieces in 160 bytes. */
UNIT_TEST(wire_decode_within_more_extents_than_bytes)
{
    enum { COUNT = 2000, BYTES = 160 };
    collio_bytes_t wire = {0};
    collio_extents_t sent = {0}, list = {0};

    for (int i = 0; i < COUNT; ++i) {
        ck_assert_int_eq(0, collio_extents_push(&sent, i / 20 % 20 + i % 20 * 7, 3));
    }
    ck_assert_int_eq(0, collio_wire_encode(&sent, &wire));
    ck_assert_int_eq(0, collio_wire_decode_within(wire.at, wire.count, COUNT, BYTES, &list));
    ck_assert_uint_eq(COUNT, list.count);
    list.count = 0;
    ck_assert_int_eq(-EBADMSG,
                     collio_wire_decode_within(wire.at, wire.count, COUNT - 1, BYTES, &list));
    collio_extents_fini(&sent);
    collio_extents_fini(&list);
    collio_bytes_fini(&wire);
}

UNIT_TEST(wire_decode_within_refuses_what_is_outside)
{
    collio_extent_t extents[] = {{0, 10}, {20, 5}, {90, 10}};
    collio_bytes_t wire = {0};
    collio_extents_t list = {0};

    ck_assert_int_eq(0, collio_wire_encode(&(list_t){extents, 3, 3}, &wire));
    ck_assert_int_eq(0, collio_wire_decode_within(wire.at, wire.count, 3, 100, &list));
    ck_assert_int_eq(3, (int) list.count);
    ck_assert_int_eq(-EBADMSG, collio_wire_decode_within(wire.at, wire.count, 3, 99, &list));
    ck_assert_int_eq(3, (int) list.count); /* what was there stays */
    ck_assert_int_eq(-EBADMSG, collio_wire_decode_within(wire.at, wire.count, 2, 100, &list));
    ck_assert_int_eq(-EBADMSG, collio_wire_decode_within(wire.at, wire.count, 3, 0, &list));
    collio_extents_fini(&list);
    collio_bytes_fini(&wire);
}
