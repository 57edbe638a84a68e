/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/* Memory-conscious placement: groups, the tree and its merges, placement; then random demands. */
#include "memory.h"

#include "unit.h"

enum { BINS_MOST = 200, NODES_MOST = 24, WORDS = (BINS_MOST + 63) / 64 };

typedef collio_memory_domain_t domain_t;

/* A demand that owns its arrays. */
typedef struct demand_t {
    int64_t bytes[BINS_MOST];
    int64_t wants[NODES_MOST][BINS_MOST];
    uint64_t touched[NODES_MOST][WORDS];
    collio_memory_node_t node[NODES_MOST];
    collio_memory_demand_t demand;
} demand_t;

static void begin(demand_t *d, int bins, int nodes, int64_t available)
{
    memset(d, 0, sizeof(*d));
    for (int i = 0; i < nodes; ++i) {
        d->node[i] = (collio_memory_node_t){.available = available, .touched = d->touched[i]};
    }
    d->demand = (collio_memory_demand_t){d->bytes, bins, d->node, nodes};
}

static void want(demand_t *d, int node, int first, int end, int64_t bytes)
{
    for (int bin = first; bin < end; ++bin) {
        d->bytes[bin] += bytes;
        d->wants[node][bin] += bytes;
        d->touched[node][bin / 64] |= UINT64_C(1) << (bin % 64);
    }
}

static const collio_memory_limits_t roomy = {.group_bytes = 1 << 20,
                                             .domain_bytes = 100,
                                             .min_bytes = 10,
                                             .buffer_bytes = 1 << 20,
                                             .per_node = 4};

UNIT_TEST(memory_touches_crosses_words)
{
    demand_t d;

    begin(&d, 200, 1, 1);
    want(&d, 0, 130, 131, 1);
    ck_assert(collio_memory_touches(&d.node[0], 0, 200));
    ck_assert(collio_memory_touches(&d.node[0], 130, 131));
    ck_assert(!collio_memory_touches(&d.node[0], 0, 130));
    ck_assert(!collio_memory_touches(&d.node[0], 131, 200));
    ck_assert(!collio_memory_touches(&d.node[0], 64, 64));
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

static void lay_out(demand_t *d, const collio_memory_limits_t *limits,
                    collio_memory_layout_t *layout)
{
    ck_assert_int_eq(0, collio_memory_layout_init(&d->demand, limits, layout));
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

UNIT_TEST(memory_small_node_is_merged_away)
{
    demand_t d;
    collio_memory_layout_t layout;

    begin(&d, 4, 2, 1 << 20);
    want(&d, 0, 0, 3, 50); /* bins 0 1 | 2 ... */
    want(&d, 1, 2, 4, 50);
    d.node[0].available = 8 << 20;
    d.node[1].available = 5; /* below min_bytes */
    lay_out(&d, &roomy, &layout);
    ck_assert_int_gt(layout.merges, 0);
    for (int i = 0; i < layout.domains; ++i) {
        ck_assert_int_eq(0, layout.domain[i].node);
    }
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

static void random_demand(demand_t *d)
{
    int bins = (int) unit_between(1, BINS_MOST), nodes = (int) unit_between(1, NODES_MOST);
    bool serial = 0 == unit_below(2);

    begin(d, bins, nodes, 0);
    for (int i = 0; i < nodes; ++i) {
        d->node[i].available = 0 == unit_below(6) ? 0 : unit_below(INT64_C(1) << 24);
        d->node[i].held = (int) unit_below(4);
        for (int parts = (int) unit_below(4); parts > 0; --parts) {
            int first = serial ? i * bins / nodes : (int) unit_below(bins);
            int end = serial ? (i + 1) * bins / nodes : (int) unit_between(first + 1, bins);

            want(d, i, first, end, unit_between(1, 1000));
        }
    }
}

/* Could a node take one more domain with these bins? */
static bool has_room(const demand_t *d, const collio_memory_limits_t *limits, int node,
                     const int *given, const int64_t *left)
{
    return d->node[node].held + given[node] < limits->per_node && left[node] >= limits->min_bytes
           && left[node] > 0;
}

/* The group of every bin, and of every node: that of its data, -1 if it has none. */
static void find_groups(const demand_t *d, int64_t group_bytes, int *of_bin, int *of_node)
{
    int end[BINS_MOST], groups = collio_memory_groups(&d->demand, group_bytes, end);

    for (int g = 0, bin = 0; g < groups; ++g) {
        for (; bin < end[g]; ++bin) {
            of_bin[bin] = g;
        }
    }
    for (int n = 0; n < d->demand.nodes; ++n) {
        of_node[n] = -1;
        for (int bin = 0; bin < d->demand.bins; ++bin) {
            of_node[n] = d->wants[n][bin] > 0 ? of_bin[bin] : of_node[n];
        }
    }
}

/* The shuffle: bytes of a node that go to an aggregator of another group are counted. There are
 * none, unless a group has no aggregator at all. */
static void check_shuffle(const demand_t *d, int64_t group_bytes, const int *node_of,
                          int aggregators, const collio_memory_part_t *part, int parts)
{
    int of_bin[BINS_MOST], of_node[NODES_MOST];
    bool has[BINS_MOST] = {false};
    int64_t moved = 0, between = 0, wanted = 0;

    find_groups(d, group_bytes, of_bin, of_node);
    for (int o = 0; o < aggregators; ++o) {
        if (of_node[node_of[o]] >= 0) {
            has[of_node[node_of[o]]] = true;
        }
    }
    for (int i = 0; i < parts; ++i) {
        int there = of_node[node_of[part[i].aggregator]];

        for (int bin = part[i].first; bin < part[i].end; ++bin) {
            for (int n = 0; n < d->demand.nodes; ++n) {
                moved += d->wants[n][bin];
                between += has[of_bin[bin]] && of_node[n] != there ? d->wants[n][bin] : 0;
            }
        }
    }
    for (int bin = 0; bin < d->demand.bins; ++bin) {
        wanted += d->bytes[bin];
    }
    unit_equal(wanted, moved);
    unit_equal(0, between);
}

/* All bins once, no aggregator twice, on the domain's node while it has one; slots without gaps. */
static void check_assign(const demand_t *d, int64_t group_bytes,
                         const collio_memory_layout_t *layout)
{
    enum { OWNERS_MOST = 3 * NODES_MOST };
    collio_memory_part_t part[OWNERS_MOST];
    int node_of[OWNERS_MOST], aggregators = (int) unit_between(1, OWNERS_MOST), parts, at = 0;
    bool used[OWNERS_MOST] = {false};
    int64_t wanted = 0, got = 0;

    for (int o = 0; o < aggregators; ++o) {
        node_of[o] = (int) unit_below(d->demand.nodes);
    }
    for (int bin = 0; bin < d->demand.bins; ++bin) {
        wanted += d->bytes[bin];
    }
    parts = collio_memory_assign(layout, node_of, aggregators, d->demand.nodes, part);
    unit_assert(parts <= aggregators && (parts > 0) == (wanted > 0));
    for (int i = 0; i < parts; ++i) {
        unit_equal(at, part[i].first);
        at = part[i].end;
        got += part[i].bytes;
        unit_assert(part[i].bytes > 0 && !used[part[i].aggregator]);
        used[part[i].aggregator] = true;
    }
    unit_assert(0 == parts || d->demand.bins == at);
    unit_equal(wanted, got);
    check_shuffle(d, group_bytes, node_of, aggregators, part, parts);
    for (int o = 0; o < aggregators; ++o) { /* a used one has no unused one of its node before it */
        for (int before = 0; used[o] && before < o; ++before) {
            unit_assert(used[before] || node_of[before] != node_of[o]);
        }
    }
}

static void check_random(void)
{
    static demand_t d;

    random_demand(&d);
    collio_memory_limits_t limits = {.group_bytes = unit_between(0, 20000),
                                     .domain_bytes = unit_between(1, 20000),
                                     .min_bytes = unit_below(1 << 20),
                                     .buffer_bytes = unit_between(1 << 10, 1 << 23),
                                     .per_node = (int) unit_between(1, 6)};
    collio_memory_layout_t layout;
    int given[NODES_MOST] = {0}, group_of[NODES_MOST];
    int64_t left[NODES_MOST];
    int at = 0, reduced = 0;

    lay_out(&d, &limits, &layout);
    for (int i = 0; i < d.demand.nodes; ++i) {
        group_of[i] = -1;
        left[i] = d.node[i].available;
    }
    for (int i = 0; i < layout.domains; ++i) {
        const domain_t *domain = &layout.domain[i];
        int64_t bytes = 0;

        unit_equal(at, domain->first); /* every bin once, in order */
        unit_assert(domain->end > domain->first);
        at = domain->end;
        for (int bin = domain->first; bin < domain->end; ++bin) {
            bytes += d.bytes[bin];
        }
        unit_equal(bytes, domain->bytes);
        /* whoever wants bytes of a domain is in its group, and in no other */
        for (int n = 0; n < d.demand.nodes; ++n) {
            if (collio_memory_touches(&d.node[n], domain->first, domain->end)) {
                unit_assert(-1 == group_of[n] || group_of[n] == domain->group);
                group_of[n] = domain->group;
            }
        }
        unit_equal(given[domain->node], domain->number);
        ++given[domain->node];
        left[domain->node] -= domain->bytes > 0 ? domain->buffer_bytes : 0;
        reduced += domain->reduced;
    }
    unit_equal(d.demand.bins, at);
    unit_assert(layout.leaves - layout.merges == layout.domains);
    for (int i = 0; i < layout.domains; ++i) {
        const domain_t *domain = &layout.domain[i];

        if (domain->reduced || 0 == domain->bytes) {
            continue;
        }
        unit_assert(d.node[domain->node].held + given[domain->node] <= limits.per_node);
        unit_assert(domain->buffer_bytes <= limits.buffer_bytes
                    || COLLIO_MEMORY_LEAST == domain->buffer_bytes);
        unit_assert(collio_memory_touches(&d.node[domain->node], domain->first, domain->end));
        unit_assert(left[domain->node] >= 0 || COLLIO_MEMORY_LEAST == domain->buffer_bytes);
    }
    /* a reduced domain is one that no node of its group could have taken */
    for (int i = 0; i < layout.domains && reduced > 0; ++i) {
        for (int n = 0; layout.domain[i].reduced && n < d.demand.nodes; ++n) {
            int before[NODES_MOST] = {0};
            int64_t whole[NODES_MOST];

            whole[n] = d.node[n].available;
            unit_assert(
                !collio_memory_touches(&d.node[n], layout.domain[i].first, layout.domain[i].end)
                || !has_room(&d, &limits, n, before, whole));
        }
    }
    check_assign(&d, limits.group_bytes, &layout);
    collio_memory_layout_fini(&layout);
}

UNIT_TEST(memory_random_demands_keep_the_rules)
{
    for (int i = unit_rounds(3000); i > 0; --i) {
        check_random();
    }
}
