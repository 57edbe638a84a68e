/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/* Marks, against a painted line of bytes: how many pieces cover each byte. */
#include "marks.h"
#include "unit.h"

enum { WINDOW = 1000, WINDOWS = 3, BUFFER = 1 << 12 };

static uint64_t memory[BUFFER];

static collio_marks_t clear_marks(int64_t step)
{
    collio_marks_t marks = collio_marks_in(memory, sizeof(memory), WINDOW, step);

    memset(memory, 0xa5, sizeof(memory));
    ck_assert_int_ge(marks.windows, WINDOWS);
    collio_marks_clear(&marks, marks.windows);
    return marks;
}

static void add(const collio_marks_t *marks, int64_t window, int64_t offset, int64_t length)
{
    collio_fragment_t piece = {0, (uint32_t) length};
    collio_merge_input_t list = {&piece, 1, offset};

    collio_marks_add(marks, window, &list, length);
}

static void expect(const collio_marks_t *marks, int64_t window, const collio_extent_t *wanted,
                   size_t count)
{
    collio_extents_t runs = {0};
    int64_t bytes, sum = 0;

    unit_equal(0, collio_marks_runs(marks, window, &runs, &bytes));
    unit_equal((int64_t) count, (int64_t) runs.count);
    for (size_t i = 0; i < count; ++i) {
        unit_equal(wanted[i].offset, runs.at[i].offset);
        unit_equal(wanted[i].length, runs.at[i].length);
        sum += wanted[i].length;
    }
    unit_equal(sum, bytes);
    unit_assert(collio_marks_hold(marks, window));
    collio_extents_fini(&runs);
}

static void expect_refusal(const collio_marks_t *marks, int64_t window)
{
    collio_extents_t runs = {0};
    int64_t bytes;

    unit_equal(0, collio_marks_runs(marks, window, &runs, &bytes));
    unit_equal(0, (int64_t) runs.count);
    unit_equal(-1, bytes);
    unit_assert(!collio_marks_hold(marks, window));
    collio_extents_fini(&runs);
}

UNIT_TEST(marks_nothing)
{
    collio_marks_t marks = clear_marks(WINDOW);

    expect(&marks, 0, NULL, 0);
}

UNIT_TEST(marks_whole_window_and_neighbors)
{
    collio_marks_t marks = clear_marks(WINDOW);
    collio_extent_t wanted[] = {{WINDOW, WINDOW}};

    add(&marks, 1, WINDOW, 64);
    add(&marks, 1, WINDOW + 64, WINDOW - 64); /* its end is the bit after the last byte */
    expect(&marks, 1, wanted, 1);
    expect(&marks, 0, NULL, 0);
    expect(&marks, 2, NULL, 0);
}

UNIT_TEST(marks_holes_are_exact)
{
    collio_marks_t marks = clear_marks(5000); /* windows of a domain may be further apart */
    collio_extent_t wanted[] = {{10003, 20}, {10040, 1}, {10999, 1}};

    add(&marks, 2, 10013, 10);
    add(&marks, 2, 10999, 1);
    add(&marks, 2, 10003, 10);
    add(&marks, 2, 10040, 1);
    expect(&marks, 2, wanted, 3);
}

/* As many bytes as the range has, or as many as the odd runs have but in another place. */
UNIT_TEST(marks_overlaps_are_refused)
{
    static const struct {
        int64_t piece[4][2];
    } cases[] = {
        {{{0, 10}, {0, 10}}},                /* twice the same: no bit is set */
        {{{0, 10}, {5, 10}, {20, 5}}},       /* a hole hides the sum */
        {{{0, 4}, {0, 4}, {0, 4}, {12, 4}}}, /* three times */
        {{{0, 10},
          {0, 10},
          {30, 10},
          {60, 10}}},                   /* two runs are right, one range is covered twice */
        {{{0, 64}, {1, 62}, {100, 1}}}, /* one inside the other */
    };

    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); ++c) {
        collio_marks_t marks = clear_marks(WINDOW);

        for (int i = 0; i < 4; ++i) {
            if (0 < cases[c].piece[i][1]) {
                add(&marks, 0, cases[c].piece[i][0], cases[c].piece[i][1]);
            }
        }
        expect_refusal(&marks, 0);
    }
}

/* The runs of a painted line; SIZE_MAX if a byte was painted twice. */
static size_t painted_runs(const int *line, collio_extent_t *runs)
{
    size_t count = 0;

    for (int64_t i = 0; i < WINDOW; ++i) {
        if (1 < line[i]) {
            return SIZE_MAX;
        }
        if (1 == line[i] && (0 == i || 0 == line[i - 1])) {
            runs[count++] = (collio_extent_t){i, 0};
        }
        if (1 == line[i]) {
            runs[count - 1].length++;
        }
    }
    return count;
}

/* Dense tilings in which a piece is sometimes moved, repeated or left out. */
UNIT_TEST(marks_random)
{
    static collio_extent_t runs[WINDOW];

    for (int round = 0; round < unit_rounds(3000); ++round) {
        collio_marks_t marks = clear_marks(WINDOW);
        int line[WINDOW] = {0};
        int64_t longest = 1 + unit_below(round % 3 ? 20 : 200), at = unit_below(50);
        size_t count;

        while (at < WINDOW) {
            int64_t length = 1 + unit_below(longest), offset = at;

            at += length;
            if (0 == unit_below(60)) { /* left out, moved, or twice */
                offset = unit_below(3) ? unit_below(WINDOW) : WINDOW;
                at -= unit_below(2) ? length : 0;
            }
            length = length < WINDOW - offset ? length : WINDOW - offset;
            if (0 < length) {
                add(&marks, 0, offset, length);
            }
            for (int64_t i = 0; i < length; ++i) {
                line[offset + i]++;
            }
        }
        count = painted_runs(line, runs);
        if (SIZE_MAX == count) {
            expect_refusal(&marks, 0);
        } else {
            expect(&marks, 0, runs, count);
        }
    }
}

UNIT_TEST(marks_only_of_windows_that_fit)
{
    collio_marks_t marks = collio_marks_in(memory, 200, 512, 512);

    ck_assert_int_eq(2, marks.windows); /* 9 words of bits and the sum */
    collio_marks_clear(&marks, 100);
    ck_assert(collio_marks_hold(&marks, 1));
    ck_assert(!collio_marks_hold(&marks, 2));
    marks = collio_marks_in(memory, 50, 512, 512);
    ck_assert(!collio_marks_hold(&marks, 0));
}

UNIT_TEST(marks_pay_where_pieces_are_many_and_near)
{
    ck_assert(collio_marks_pay(14 * 1000, 14 * 1000, 1000, 4));
    ck_assert(collio_marks_pay(20 * 1000, 14 * 1000, 1000, 4));
    ck_assert(!collio_marks_pay(13 * 1000, 14 * 1000, 1000, 4)); /* overlaps for certain */
    ck_assert(!collio_marks_pay(14 * 1000, 14 * 1000, 1000, 16));
    ck_assert(!collio_marks_pay(3000 * 1000, 14 * 1000, 1000, 4));
    ck_assert(!collio_marks_pay(0, 0, 0, 1));
}

/* The union of many lists is that of the merge, which has no span and so uses no marks. */
UNIT_TEST(marks_union_of_lists)
{
    enum { LISTS = 4, EACH = 400 };
    static collio_fragment_t list[LISTS][EACH];
    collio_merge_input_t lists[LISTS];

    for (int round = 0; round < unit_rounds(200); ++round) {
        int64_t at = unit_below(1000), lo = at, bytes = 0, overlap, other;
        size_t count[LISTS] = {0};
        collio_extents_t merged = {0}, marked = {0};
        collio_span_t span;

        for (int i = 0; i < LISTS * EACH; ++i) {
            int64_t length = unit_between(1, 30), r = unit_below(LISTS);

            while (EACH == count[r]) {
                r = (r + 1) % LISTS;
            }
            list[r][count[r]++] = (collio_fragment_t){(uint32_t) at, (uint32_t) length};
            bytes += length;
            at += length + (unit_below(10) ? 0 : unit_below(90));
            at -= 0 == round % 2 && 0 == unit_below(500); /* one byte of an overlap */
        }
        for (int r = 0; r < LISTS; ++r) {
            lists[r] = (collio_merge_input_t){list[r], EACH, 0};
        }
        span = (collio_span_t){lo, at + 100, bytes};
        unit_assert(collio_marks_merge(lists, LISTS, &span));
        unit_equal(0, collio_merge(lists, LISTS, NULL, &merged, &overlap));
        unit_equal(0, collio_merge(lists, LISTS, &span, &marked, &other));
        unit_equal(overlap, other);
        unit_equal((int64_t) merged.count, (int64_t) marked.count);
        unit_assert(0 == memcmp(merged.at, marked.at, merged.count * sizeof(*merged.at)));
        collio_extents_fini(&merged);
        collio_extents_fini(&marked);
    }
}
