/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/* Memory-conscious placement: bins, groups, bisection and merges, placement. */
#include "demand.h"

typedef collio_memory_part_t part_t;

enum { MIB = 1 << 20 };

/* Limits of nodes with enough memory: group, domain, least and buffer bytes, places. */
#define ROOMY                \
    {                        \
        MIB, 100, 10, MIB, 4 \
    }

/* Requests of nodes: `bytes` in each of the bins [first, end). */
typedef struct request_t {
    int node, first, end;
    int64_t bytes;
} request_t;

static void want_all(demand_t *d, const request_t *request)
{
    for (; request->bytes > 0; ++request) {
        want(d, request->node, request->first, request->end, request->bytes);
    }
}

UNIT_TEST(memory_touched_crosses_words)
{
    demand_t d;

    begin(&d, 200, 1, 1);
    want(&d, 0, 60, 70, 1);
    want(&d, 0, 130, 131, 1);
    unit_equal(11, collio_memory_touched(&d.node[0], 0, 200));
    unit_equal(6, collio_memory_touched(&d.node[0], 64, 130));
    unit_equal(1, collio_memory_touched(&d.node[0], 130, 131));
    unit_equal(0, collio_memory_touched(&d.node[0], 131, 200));
    unit_equal(0, collio_memory_touched(&d.node[0], 64, 64));
}

static const struct {
    const char *name;
    int bins, nodes;
    request_t request[5];
    int64_t group_bytes;
    int groups, end[4], home[4];
} group_row[] = {
    /* clang-format off */
    /* bin 2 is shared: no cut before bin 4 */
    {"groups end where no node goes on", 8, 4, {{0, 0, 3, 10}, {1, 2, 4, 10}, {2, 4, 6, 10},
     {3, 6, 8, 10}}, 20, 3, {4, 6, 8}, {0, 0, 1, 2}},
    {"larger groups take several nodes", 8, 4, {{0, 0, 3, 10}, {1, 2, 4, 10}, {2, 4, 6, 10},
     {3, 6, 8, 10}}, 45, 2, {4, 8}, {0, 0, 1, 1}},
    {"nodes that interleave everywhere are one group", 64, 4, {{0, 0, 64, 10}, {1, 0, 64, 10},
     {2, 0, 64, 10}, {3, 0, 64, 10}}, 20, 1, {64}, {0, 0, 0, 0}},
    /* as neighbors do where requests do not end at a border of bins */
    {"a shared bin does not join groups", 64, 4, {{0, 0, 16, 10}, {1, 15, 31, 10},
     {2, 30, 46, 10}, {3, 45, 61, 10}}, 1, 4, {15, 30, 45, 64}, {0, 1, 2, 3}},
    /* blocks of an array: nodes 0 and 1 interleave, nodes 2 and 3 interleave, and all share */
    {"nodes that interleave are a group", 100, 4, {{0, 0, 51, 10}, {1, 0, 51, 10},
     {2, 50, 100, 10}, {3, 50, 100, 10}}, 1, 2, {50, 100}, {0, 0, 1, 1}},
    /* node 0 has a header and the last part: the header is in the group of node 1 */
    {"a node belongs where most of its data are", 64, 2, {{0, 0, 1, 10}, {1, 1, 32, 10},
     {0, 32, 64, 10}}, 100, 2, {32, 64}, {1, 0}},
    {"empty bins at the end are no group", 8, 1, {{0, 0, 4, 10}}, 40, 1, {8}, {0}},
    {"no data are one group", 8, 1, {{0}}, 40, 1, {8}, {-1}},
    /* clang-format on */
};

UNIT_TEST(memory_groups)
{
    for (size_t i = 0; i < sizeof(group_row) / sizeof(group_row[0]); ++i) {
        demand_t d;
        int end[BINS_MAX];

        begin(&d, group_row[i].bins, group_row[i].nodes, 1);
        want_all(&d, group_row[i].request);
        ck_assert_msg(group_row[i].groups
                          == collio_memory_groups(&d.demand, group_row[i].group_bytes, end),
                      "%s", group_row[i].name);
        for (int g = 0; g < group_row[i].groups; ++g) {
            ck_assert_msg(group_row[i].end[g] == end[g], "%s: %d", group_row[i].name, end[g]);
        }
        for (int n = 0; n < group_row[i].nodes; ++n) {
            ck_assert_msg(group_row[i].home[n]
                              == collio_memory_home(&d.node[n], end, group_row[i].groups),
                          "%s", group_row[i].name);
        }
    }
}

static int bisect(demand_t *d, const request_t *request, int64_t domain_bytes, part_t *leaf)
{
    part_t whole = {.end = 8, .aggregator = -1};

    begin(d, 8, 1, 1);
    want_all(d, request);
    for (int bin = 0; bin < 8; ++bin) {
        whole.bytes += d->bytes[bin];
    }
    return collio_memory_bisect(d->bytes, &whole, domain_bytes, leaf);
}

UNIT_TEST(memory_tree_halves_by_bytes)
{
    static const request_t request[] = {{0, 0, 1, 400}, {0, 1, 8, 50}, {0}};
    demand_t d;
    part_t leaf[8];

    unit_assert(2 <= bisect(&d, request, 200, leaf));
    unit_equal(0, leaf[0].first);
    unit_equal(1, leaf[0].end); /* one bin cannot be cut, however full */
    unit_equal(1, leaf[1].first);
    unit_assert(leaf[1].bytes <= 200);
}

/* Bins of 10 bytes, a leaf each, under a full tree. A step merges a leaf with its neighbors. */
UNIT_TEST(memory_merge_goes_to_the_sibling_or_its_nearest_leaf)
{
    static const request_t request[] = {{0, 0, 8, 10}, {0}};
    static const struct {
        int before, leaf, after, taker, first, end;
    } step[] = {
        {-1, 0, 1, 1, 0, 2}, /* the sibling is a leaf */
        {-1, 1, 2, 2, 0, 3}, /* the sibling (2, 3) is inner: bin 2 touches the leaf */
        {6, 7, -1, 6, 6, 8}, /* the same from the right */
        {5, 6, -1, 5, 5, 8}, /* (4, 5) is inner: bin 5 touches the leaf */
        {2, 3, 4, 2, 0, 4},  /* of two neighbors the sibling */
        {-1, 2, 4, 4, 0, 5}, /* from one half of the tree to the other */
        {4, 5, -1, 4, 0, 8}, /* all bins */
    };
    demand_t d;
    part_t leaf[8];

    unit_equal(8, bisect(&d, request, 10, leaf));
    for (size_t i = 0; i < sizeof(step) / sizeof(step[0]); ++i) {
        part_t *taker = collio_memory_merge(&leaf[step[i].leaf],
                                            step[i].before < 0 ? NULL : &leaf[step[i].before],
                                            step[i].after < 0 ? NULL : &leaf[step[i].after]);

        ck_assert_msg(taker == &leaf[step[i].taker], "step %zu", i);
        unit_equal(step[i].first, taker->first);
        unit_equal(step[i].end, taker->end);
        unit_equal(10 * (taker->end - taker->first), taker->bytes);
        unit_equal(taker->end - taker->first, 1 + taker->merged);
    }
    ck_assert_ptr_null(collio_memory_merge(&leaf[4], NULL, NULL));
}

static const struct {
    const char *name;
    int bins, nodes;
    request_t request[5];
    int64_t available[4]; /* 0: 1 MiB */
    int held;             /* aggregators of node 0 that work for other files */
    collio_memory_limits_t limits;
    int groups, leaves, parts;
    struct {
        int first, node;
        int64_t buffer_bytes; /* 0: not checked */
    } part[8];
    bool reduced;
} layout_row[] = {
    /* clang-format off */
    {"where memory is", 4, 3, {{0, 0, 4, 10}, {1, 0, 4, 10}, {2, 0, 4, 10}}, {MIB, 8 * MIB, MIB},
     0, {MIB, MIB, 10, MIB, 4}, 1, 1, 1, {{0, 1, MIB}}, false},
    {"equal memory: the first node", 4, 3, {{1, 0, 4, 10}, {2, 0, 4, 10}}, {0}, 0,
     {MIB, MIB, 10, MIB, 4}, 1, 1, 1, {{0, 1, MIB}}, false},
    {"only nodes with data are candidates", 4, 2, {{0, 0, 4, 10}}, {MIB, INT64_C(1) << 40}, 0,
     ROOMY, 1, 1, 1, {{0, 0, 0}}, false},
    {"a node with as many aggregators as it may have is left out", 4, 2, {{0, 0, 4, 10},
     {1, 0, 4, 10}}, {8 * MIB, MIB}, 4, ROOMY, 1, 1, 1, {{0, 1, 0}}, false},
    {"a node below min_bytes takes no domain", 4, 2, {{0, 0, 3, 50}, {1, 2, 4, 50}}, {8 * MIB, 5},
     0, ROOMY, 1, 3, 3, {{0, 0, 0}, {2, 0, 0}, {3, 0, 0}}, false},
    /* two places; bins cannot be cut, so there are three leaves */
    {"a leaf without a place is merged", 3, 1, {{0, 0, 3, 60}}, {2 * MIB}, 0,
     {MIB, 1, 10, MIB, 4}, 1, 3, 2, {{0, 0, 0}, {1, 0, 0}}, false},
    {"no node fits: the largest takes it", 8, 2, {{0, 0, 8, 50}, {1, 0, 8, 50}}, {1000, 2000}, 0,
     {MIB, 100, MIB, MIB, 4}, 1, 8, 1, {{0, 1, COLLIO_MEMORY_MIN}}, true},
    /* the poor node's bytes go to the second place of the rich node */
    {"a leaf without a node takes a free place", 40, 4, {{0, 0, 10, 10}, {1, 10, 20, 10},
     {2, 20, 30, 10}, {3, 30, 40, 10}}, {MIB, 5, MIB, 2 * MIB}, 0, {MIB, 100, 10, MIB, 2}, 1, 4,
     4, {{0, 0, 0}, {10, 3, 0}, {20, 2, 0}, {30, 3, 0}}, false},
    {"nodes with parts of their own keep them", 200, 4, {{0, 0, 50, MIB / 100},
     {1, 50, 100, MIB / 100}, {2, 100, 150, MIB / 100}, {3, 150, 200, MIB / 100}},
     {MIB / 2, MIB / 2, MIB / 8, MIB / 8}, 0, {64 * MIB, MIB / 2, MIB / 16, MIB / 2, 4}, 1, 4, 4,
     {{0, 0, MIB / 2}, {50, 1, MIB / 2}, {100, 2, MIB / 8}, {150, 3, MIB / 8}}, false},
    /* what would be eight leaves: two halves, not one leaf and the rest */
    {"few places are shared evenly", 8, 1, {{0, 0, 8, 100}}, {1024 * MIB}, 0, {0, 100, 1, MIB, 2},
     1, 2, 2, {{0, 0, MIB}, {4, 0, MIB}}, false},
    /* two have a buffer, and the third would have less than min_bytes */
    {"places are what memory allows", 8, 1, {{0, 0, 8, 100}}, {9 * MIB - 1}, 0,
     {0, 100, MIB, 4 * MIB, 4}, 1, 2, 2, {{0, 0, 4 * MIB}, {4, 0, 4 * MIB}}, false},
    {"the aggregators of a group are on its nodes", 64, 4, {{0, 0, 16, 10}, {1, 15, 31, 10},
     {2, 30, 46, 10}, {3, 45, 61, 10}}, {0}, 0, {1, 1000, 10, MIB, 4}, 4, 4, 4, {{0, 0, MIB},
     {15, 1, MIB}, {30, 2, MIB}, {45, 3, MIB}}, false},
    {"no data", 8, 2, {{0}}, {0}, 0, ROOMY, 1, 1, 0, {{0}}, false},
    /* clang-format on */
};

UNIT_TEST(memory_layouts)
{
    for (size_t i = 0; i < sizeof(layout_row) / sizeof(layout_row[0]); ++i) {
        collio_memory_layout_t layout;
        demand_t d;

        begin(&d, layout_row[i].bins, layout_row[i].nodes, MIB);
        want_all(&d, layout_row[i].request);
        for (int n = 0; n < layout_row[i].nodes && layout_row[i].available[n] > 0; ++n) {
            d.node[n].available = layout_row[i].available[n];
        }
        d.node[0].held = layout_row[i].held;
        unit_equal(0, collio_memory_layout_init(&d.demand, &layout_row[i].limits, &layout));
        ck_assert_msg(layout_row[i].groups == layout.groups && layout_row[i].leaves == layout.leaves
                          && layout_row[i].parts == layout.parts
                          && layout_row[i].leaves - layout_row[i].parts == layout.merges,
                      "%s: %d groups, %d leaves, %d parts", layout_row[i].name, layout.groups,
                      layout.leaves, layout.parts);
        for (int p = 0; p < layout.parts; ++p) {
            const part_t *part = &layout.part[p];

            ck_assert_msg(layout_row[i].part[p].first == part->first
                              && layout_row[i].part[p].node == d.node_of[part->aggregator]
                              && layout_row[i].reduced == part->reduced
                              && (0 == layout_row[i].part[p].buffer_bytes
                                  || layout_row[i].part[p].buffer_bytes == part->buffer_bytes),
                          "%s: part %d: bin %d, node %d, %lld bytes", layout_row[i].name, p,
                          part->first, d.node_of[part->aggregator], (long long) part->buffer_bytes);
        }
        collio_memory_layout_fini(&layout);
    }
}

/* Bins cover the range, begin and end at stripes, and are not longer than that asks for. */
UNIT_TEST(memory_bins_keep_stripes)
{
    for (int i = unit_rounds(1000); i > 0; --i) {
        int64_t unit = unit_between(1, 1 << 22), lo = unit_below(INT64_C(1) << 40);
        int64_t hi = lo + unit_between(1, INT64_C(1) << unit_between(1, 40)), origin, width;
        int bins = (int) unit_between(512, 4096);

        collio_memory_cut(lo, hi, unit, bins, &origin, &width);
        unit_equal(0, origin % unit);
        unit_equal(0, width % unit);
        unit_assert(origin <= lo && lo < origin + unit && width > 0);
        unit_assert(origin + bins * width >= hi);
        unit_assert(width == unit || origin + bins * (width - unit) < hi);
        unit_assert(collio_memory_begin(origin, width, bins, hi) == hi);
    }
    for (int bin = 0; bin < 4096; ++bin) { /* the last bins lie past INT64_MAX */
        int64_t origin, width, begin;

        collio_memory_cut(1, INT64_MAX, INT64_C(1) << 50, 4096, &origin, &width);
        begin = collio_memory_begin(origin, width, bin, INT64_MAX);
        unit_assert(begin >= 0 && (INT64_MAX == begin || begin / width == bin));
    }
}
