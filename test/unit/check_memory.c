/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/* Memory-conscious placement: groups, the tree and its merges, placement. */
#include "demand.h"

static const collio_memory_limits_t roomy = {.group_bytes = 1 << 20,
                                             .domain_bytes = 100,
                                             .min_bytes = 10,
                                             .buffer_bytes = 1 << 20,
                                             .per_node = 4};

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

UNIT_TEST(memory_groups_end_where_no_node_goes_on)
{
    demand_t d;
    int end[BINS_MOST];

    begin(&d, 8, 4, 1);
    want(&d, 0, 0, 3, 10);
    want(&d, 1, 2, 4, 10); /* shares bin 2 with node 0: no cut before bin 4 */
    want(&d, 2, 4, 6, 10);
    want(&d, 3, 6, 8, 10);
    ck_assert_int_eq(3, collio_memory_groups(&d.demand, 20, end));
    ck_assert_int_eq(4, end[0]);
    ck_assert_int_eq(6, end[1]);
    ck_assert_int_eq(8, end[2]);
    /* larger groups take several nodes */
    ck_assert_int_eq(2, collio_memory_groups(&d.demand, 45, end));
    ck_assert_int_eq(4, end[0]);
}

UNIT_TEST(memory_interleaved_nodes_are_one_group)
{
    demand_t d;
    int end[BINS_MOST];

    begin(&d, 64, 4, 1);
    for (int i = 0; i < 4; ++i) {
        want(&d, i, 0, 64, 10);
    }
    ck_assert_int_eq(1, collio_memory_groups(&d.demand, 20, end));
    ck_assert_int_eq(64, end[0]);
}

/* Neighbors share a bin, as they do where requests do not end at a border of bins. */
UNIT_TEST(memory_a_shared_bin_does_not_join_groups)
{
    demand_t d;
    collio_memory_layout_t layout;
    collio_memory_limits_t limits = roomy;
    int end[BINS_MOST];

    begin(&d, 64, 4, 1 << 20);
    for (int i = 0; i < 4; ++i) {
        want(&d, i, i * 15, i * 15 + 16, 10);
    }
    ck_assert_int_eq(4, collio_memory_groups(&d.demand, 1, end));
    for (int i = 0; i < 3; ++i) {
        unit_assert(15 * (i + 1) == end[i] || 15 * (i + 1) + 1 == end[i]);
    }
    ck_assert_int_eq(64, end[3]);
    limits.group_bytes = 1;
    ck_assert_int_eq(0, collio_memory_layout_init(&d.demand, &limits, &layout));
    for (int i = 0; i < 4; ++i) {
        unit_equal(i, layout.group_of[i]);
    }
    for (int i = 0; i < layout.domains; ++i) { /* aggregators are on nodes of their group */
        unit_equal(layout.domain[i].group, layout.domain[i].node);
    }
    collio_memory_layout_fini(&layout);
}

/* Blocks of an array: nodes 0 and 1 interleave, nodes 2 and 3 interleave, and all share a bin. */
UNIT_TEST(memory_nodes_that_interleave_are_a_group)
{
    demand_t d;
    int end[BINS_MOST];

    begin(&d, 100, 4, 1);
    for (int i = 0; i < 4; ++i) {
        want(&d, i, i < 2 ? 0 : 50, i < 2 ? 51 : 100, 10);
    }
    ck_assert_int_eq(2, collio_memory_groups(&d.demand, 1, end));
    unit_assert(50 == end[0] || 51 == end[0]);
}

/* Node 0 has a header and the last part of the file: the header is in the group of node 1. */
UNIT_TEST(memory_a_node_belongs_where_most_of_its_data_are)
{
    demand_t d;
    collio_memory_layout_t layout;
    collio_memory_limits_t limits = roomy;

    begin(&d, 64, 2, 1 << 20);
    want(&d, 0, 0, 1, 10);
    want(&d, 1, 1, 32, 10);
    want(&d, 0, 32, 64, 10);
    limits.group_bytes = 100;
    ck_assert_int_eq(0, collio_memory_layout_init(&d.demand, &limits, &layout));
    unit_equal(2, layout.groups);
    unit_equal(1, layout.group_of[0]);
    unit_equal(0, layout.group_of[1]);
    collio_memory_layout_fini(&layout);
}

UNIT_TEST(memory_empty_bins_at_the_end_are_no_group)
{
    demand_t d;
    int end[BINS_MOST];

    begin(&d, 8, 1, 1);
    want(&d, 0, 0, 4, 10);
    ck_assert_int_eq(1, collio_memory_groups(&d.demand, 40, end));
    ck_assert_int_eq(8, end[0]);
    begin(&d, 8, 1, 1);
    ck_assert_int_eq(1, collio_memory_groups(&d.demand, 40, end));
    ck_assert_int_eq(8, end[0]);
}

UNIT_TEST(memory_tree_halves_by_bytes)
{
    demand_t d;
    collio_memory_tree_t tree;
    int leaf;

    begin(&d, 8, 1, 1);
    want(&d, 0, 0, 1, 400);
    want(&d, 0, 1, 8, 50);
    ck_assert_int_eq(0, collio_memory_tree_init(&d.demand, 0, 8, 200, &tree));
    leaf = collio_memory_tree_leaf(&tree, tree.root, true);
    ck_assert_int_eq(0, tree.vertex[leaf].first);
    ck_assert_int_eq(1, tree.vertex[leaf].end); /* one bin cannot be cut, however full */
    leaf = collio_memory_tree_next(&tree, leaf);
    ck_assert_int_eq(1, tree.vertex[leaf].first);
    ck_assert(tree.vertex[leaf].bytes <= 200);
    collio_memory_tree_fini(&tree);
}

/* Leaves of a tree with bins 0..7 of 10 bytes, cut down to one bin each. */
static void full_tree(demand_t *d, collio_memory_tree_t *tree)
{
    begin(d, 8, 1, 1);
    want(d, 0, 0, 8, 10);
    ck_assert_int_eq(0, collio_memory_tree_init(&d->demand, 0, 8, 10, tree));
}

static int leaf_at(const collio_memory_tree_t *tree, int bin)
{
    int leaf = collio_memory_tree_leaf(tree, tree->root, true);

    while (tree->vertex[leaf].end <= bin) {
        leaf = collio_memory_tree_next(tree, leaf);
    }
    return leaf;
}

UNIT_TEST(memory_merge_sibling_leaf_takes_over)
{
    demand_t d;
    collio_memory_tree_t tree;
    int taker;

    full_tree(&d, &tree);
    taker = collio_memory_tree_merge(&tree, leaf_at(&tree, 0));
    ck_assert_int_eq(taker, leaf_at(&tree, 1));
    ck_assert_int_eq(0, tree.vertex[taker].first);
    ck_assert_int_eq(2, tree.vertex[taker].end);
    ck_assert_int_eq(20, tree.vertex[taker].bytes);
    ck_assert_int_eq(1, tree.vertex[taker].merged);
    collio_memory_tree_fini(&tree);
}

UNIT_TEST(memory_merge_inner_sibling_nearest_leaf)
{
    demand_t d;
    collio_memory_tree_t tree;
    int taker;

    full_tree(&d, &tree);
    /* bins 0 and 1 become one leaf, whose sibling (2, 3) is inner: bin 2 touches it */
    taker = collio_memory_tree_merge(&tree, leaf_at(&tree, 0));
    taker = collio_memory_tree_merge(&tree, taker);
    ck_assert_int_eq(taker, leaf_at(&tree, 2));
    ck_assert_int_eq(0, tree.vertex[taker].first);
    ck_assert_int_eq(3, tree.vertex[taker].end);
    /* from the right: bins 6 and 7, then bin 5 takes them */
    taker = collio_memory_tree_merge(&tree, leaf_at(&tree, 7));
    taker = collio_memory_tree_merge(&tree, taker);
    ck_assert_int_eq(taker, leaf_at(&tree, 5));
    ck_assert_int_eq(5, tree.vertex[taker].first);
    ck_assert_int_eq(8, tree.vertex[taker].end);
    ck_assert_int_eq(3, 1 + tree.vertex[taker].merged);
    collio_memory_tree_fini(&tree);
}

UNIT_TEST(memory_merge_ends_at_the_root)
{
    demand_t d;
    collio_memory_tree_t tree;
    int leaf = 0;

    full_tree(&d, &tree);
    for (int i = 0; i < 7; ++i) {
        leaf = collio_memory_tree_merge(&tree, leaf_at(&tree, 4));
        ck_assert_int_ge(leaf, 0);
    }
    ck_assert_int_eq(-1, collio_memory_tree_merge(&tree, leaf));
    ck_assert_int_eq(0, tree.vertex[tree.root].first);
    ck_assert_int_eq(8, tree.vertex[tree.root].end);
    ck_assert_int_eq(80, tree.vertex[tree.root].bytes);
    collio_memory_tree_fini(&tree);
}

UNIT_TEST(memory_placed_where_memory_is)
{
    demand_t d;
    collio_memory_layout_t layout;

    begin(&d, 4, 3, 1 << 20);
    for (int i = 0; i < 3; ++i) {
        want(&d, i, 0, 4, 10);
    }
    d.node[1].available = 8 << 20;
    lay_out(&d, &(collio_memory_limits_t){1 << 20, 1 << 20, 10, 1 << 20, 4}, &layout);
    ck_assert_int_eq(1, layout.domains);
    ck_assert_int_eq(1, layout.domain[0].node);
    ck_assert_int_eq(1 << 20, layout.domain[0].buffer_bytes);
    ck_assert(!layout.domain[0].reduced);
    collio_memory_layout_fini(&layout);
}

UNIT_TEST(memory_only_nodes_with_data_are_candidates)
{
    demand_t d;
    collio_memory_layout_t layout;

    begin(&d, 4, 2, 1 << 20);
    want(&d, 0, 0, 4, 10);
    d.node[1].available = INT64_C(1) << 40;
    lay_out(&d, &roomy, &layout);
    ck_assert_int_eq(0, layout.domain[0].node);
    collio_memory_layout_fini(&layout);
}

UNIT_TEST(memory_full_node_is_left_out)
{
    demand_t d;
    collio_memory_layout_t layout;

    begin(&d, 4, 2, 1 << 20);
    want(&d, 0, 0, 4, 10);
    want(&d, 1, 0, 4, 10);
    d.node[0].available = 8 << 20;
    d.node[0].held = 4; /* as many as a node may have */
    lay_out(&d, &roomy, &layout);
    ck_assert_int_eq(1, layout.domain[0].node);
    collio_memory_layout_fini(&layout);
}

UNIT_TEST(memory_small_node_takes_no_domain)
{
    demand_t d;
    collio_memory_layout_t layout;

    begin(&d, 4, 2, 1 << 20);
    want(&d, 0, 0, 3, 50); /* bins 0 1 | 2 ... */
    want(&d, 1, 2, 4, 50);
    d.node[0].available = 8 << 20;
    d.node[1].available = 5; /* below min_bytes */
    lay_out(&d, &roomy, &layout);
    unit_equal(0, layout.merges);
    for (int i = 0; i < layout.domains; ++i) {
        ck_assert_int_eq(0, layout.domain[i].node);
    }
    collio_memory_layout_fini(&layout);
}

/* Two places; bins cannot be cut, so there are three leaves. */
UNIT_TEST(memory_a_leaf_without_a_place_is_merged)
{
    demand_t d;
    collio_memory_layout_t layout;
    collio_memory_limits_t limits = roomy;

    begin(&d, 3, 1, 2 << 20);
    want(&d, 0, 0, 3, 60);
    limits.domain_bytes = 1;
    lay_out(&d, &limits, &layout);
    unit_equal(3, layout.leaves);
    unit_equal(1, layout.merges);
    unit_equal(2, layout.domains);
    collio_memory_layout_fini(&layout);
}

UNIT_TEST(memory_no_node_fits_the_largest_takes_it)
{
    demand_t d;
    collio_memory_layout_t layout;
    collio_memory_limits_t limits = roomy;

    begin(&d, 8, 2, 1000);
    want(&d, 0, 0, 8, 50);
    want(&d, 1, 0, 8, 50);
    d.node[1].available = 2000;
    limits.min_bytes = 1 << 20;
    lay_out(&d, &limits, &layout);
    ck_assert_int_eq(1, layout.domains);
    ck_assert_int_eq(1, layout.domain[0].node);
    ck_assert(layout.domain[0].reduced);
    ck_assert_int_eq(COLLIO_MEMORY_LEAST, layout.domain[0].buffer_bytes);
    collio_memory_layout_fini(&layout);
}

/* The poor node's bytes go to the second place of the rich node: no domain is merged. */
UNIT_TEST(memory_a_leaf_without_a_node_takes_a_free_place)
{
    demand_t d;
    collio_memory_layout_t layout;
    collio_memory_limits_t limits = {.group_bytes = 1 << 20,
                                     .domain_bytes = 100,
                                     .min_bytes = 10,
                                     .buffer_bytes = 1 << 20,
                                     .per_node = 2};

    begin(&d, 40, 4, 1 << 20);
    for (int i = 0; i < 4; ++i) {
        want(&d, i, 10 * i, 10 * (i + 1), 10);
    }
    d.node[1].available = 5; /* below min_bytes */
    d.node[3].available = 2 << 20;
    lay_out(&d, &limits, &layout);
    unit_equal(4, layout.domains);
    unit_equal(0, layout.merges);
    unit_equal(0, layout.domain[0].node);
    unit_equal(3, layout.domain[1].node);
    unit_equal(2, layout.domain[2].node);
    unit_equal(3, layout.domain[3].node);
    collio_memory_layout_fini(&layout);
}

/* Two places for what would be eight leaves: two halves, not one leaf and the rest. */
UNIT_TEST(memory_few_places_are_shared_evenly)
{
    demand_t d;
    collio_memory_layout_t layout;
    collio_memory_limits_t limits = {
        .domain_bytes = 100, .min_bytes = 1, .buffer_bytes = 1 << 20, .per_node = 2};

    begin(&d, 8, 1, INT64_C(1) << 30);
    want(&d, 0, 0, 8, 100);
    lay_out(&d, &limits, &layout);
    ck_assert_int_eq(2, layout.domains);
    ck_assert_int_eq(layout.domain[0].bytes, layout.domain[1].bytes);
    collio_memory_layout_fini(&layout);
}

/* The same where aggregators are allowed, but the memory is not there: two have a buffer, and the
 * third would have less than the least. */
UNIT_TEST(memory_places_are_what_memory_allows)
{
    demand_t d;
    collio_memory_layout_t layout;
    collio_memory_limits_t limits = {
        .domain_bytes = 100, .min_bytes = 1 << 20, .buffer_bytes = 4 << 20, .per_node = 4};

    begin(&d, 8, 1, (9 << 20) - 1);
    want(&d, 0, 0, 8, 100);
    lay_out(&d, &limits, &layout);
    ck_assert_int_eq(2, layout.domains);
    ck_assert_int_eq(0, layout.merges);
    ck_assert_int_eq(layout.domain[0].bytes, layout.domain[1].bytes);
    collio_memory_layout_fini(&layout);
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
    for (int bin = 0; bin < 4096; ++bin) { /* the last bins lie behind INT64_MAX */
        int64_t origin, width, begin;

        collio_memory_cut(1, INT64_MAX, INT64_C(1) << 50, 4096, &origin, &width);
        begin = collio_memory_begin(origin, width, bin, INT64_MAX);
        unit_assert(begin >= 0 && (INT64_MAX == begin || begin / width == bin));
    }
}
