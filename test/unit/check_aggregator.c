/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/* Node map, placement of aggregators, lists of ranks, TAM's local aggregators. */
#include "aggregator.h"
#include "domain.h"

#include <errno.h>

#include "unit.h"

typedef collio_nodes_t nodes_t;

/* Tables for `count` nodes; one node has none. */
static void take(nodes_t *nodes, int ranks, int count)
{
    size_t bytes = collio_nodes_bytes(ranks, count);

    collio_nodes_place(nodes, ranks, count, 0 == bytes ? NULL : malloc(bytes));
}

/* From any key of a node, by a search that has nothing in common with collio_nodes_fill. */
static void make(nodes_t *nodes, const int *key, int ranks)
{
    int *lowest = calloc((size_t) ranks, sizeof(int)), count = 0;

    for (int i = 0; i < ranks; ++i) {
        while (key[lowest[i]] != key[i]) {
            ++lowest[i];
        }
        count += lowest[i] == i;
    }
    take(nodes, ranks, count);
    if (1 < count) {
        memcpy(nodes->node_of, lowest, (size_t) ranks * sizeof(int));
        collio_nodes_fill(nodes);
    }
    free(lowest);
}

static void drop(nodes_t *nodes)
{
    free(nodes->node_of);
    *nodes = (nodes_t){0};
}

/* `ranks` ranks in blocks of `per_node`, on several nodes. */
static void make_blocks(nodes_t *nodes, int ranks, int per_node)
{
    take(nodes, ranks, (ranks + per_node - 1) / per_node);
    for (int i = 0; i < ranks; ++i) {
        nodes->node_of[i] = i - i % per_node;
    }
    collio_nodes_fill(nodes);
}

UNIT_TEST(nodes_numbered_by_lowest_rank)
{
    int key[] = {9, -4, 9, 1000000, -4, 9};
    nodes_t nodes;
    int wanted[] = {0, 1, 0, 2, 1, 0};
    int local[] = {0, 0, 1, 0, 1, 2};
    int member[] = {0, 2, 5, 1, 4, 3};

    make(&nodes, key, 6);
    ck_assert_int_eq(3, nodes.nodes);
    for (int i = 0; i < 6; ++i) {
        ck_assert_int_eq(wanted[i], nodes.node_of[i]);
        ck_assert_int_eq(local[i], nodes.local_rank[i]);
        ck_assert_int_eq(member[i], nodes.member[i]);
    }
    ck_assert_int_eq(0, nodes.first[0]);
    ck_assert_int_eq(3, nodes.first[1]);
    ck_assert_int_eq(5, nodes.first[2]);
    ck_assert_int_eq(6, nodes.first[3]);
    drop(&nodes);
}

UNIT_TEST(place_as_documented)
{
    static const char eight_nodes[] = "00001111222233334444555566667777";
    static const struct {
        const char *nodes; /* a character for each rank */
        int count;
        collio_placement_t placement;
        int wanted, list[8];
    } row[] = {
        {"00001111", 4, COLLIO_PLACEMENT_SPREAD, 4, {0, 2, 4, 6}},
        {"00001111", 4, COLLIO_PLACEMENT_ROUND_ROBIN, 4, {0, 4, 1, 5}},
        {"00001111", 1, COLLIO_PLACEMENT_SPREAD, 1, {0}},
        {"00001111", 3, COLLIO_PLACEMENT_ROUND_ROBIN, 3, {0, 4, 1}},
        {"00001111", 99, COLLIO_PLACEMENT_SPREAD, 8, {0, 1, 2, 3, 4, 5, 6, 7}},
        {"00001111", 99, COLLIO_PLACEMENT_ROUND_ROBIN, 8, {0, 4, 1, 5, 2, 6, 3, 7}},
        /* fewer aggregators than nodes take every second or fourth */
        {eight_nodes, 4, COLLIO_PLACEMENT_SPREAD, 4, {0, 8, 16, 24}},
        {eight_nodes, 2, COLLIO_PLACEMENT_ROUND_ROBIN, 2, {0, 16}},
        /* unequal nodes */
        {"01111122", 5, COLLIO_PLACEMENT_ROUND_ROBIN, 5, {0, 1, 6, 2, 7}},
        {"01111122", 6, COLLIO_PLACEMENT_ROUND_ROBIN, 6, {0, 1, 6, 2, 7, 3}},
        {"01111122", 5, COLLIO_PLACEMENT_SPREAD, 5, {0, 1, 3, 6, 7}},
        /* ranks dealt out to the nodes in turn (--map-by node) */
        {"01201201", 3, COLLIO_PLACEMENT_ROUND_ROBIN, 3, {0, 1, 2}},
        {"01201201", 6, COLLIO_PLACEMENT_SPREAD, 6, {0, 3, 1, 4, 2, 5}},
        /* one rank */
        {"7", -1, COLLIO_PLACEMENT_SPREAD, 1, {0}},
        {"7", 0, COLLIO_PLACEMENT_ROUND_ROBIN, 1, {0}},
        {"7", 1, COLLIO_PLACEMENT_SPREAD, 1, {0}},
        {"7", 3, COLLIO_PLACEMENT_ROUND_ROBIN, 1, {0}},
    };

    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); ++i) {
        int ranks = (int) strlen(row[i].nodes), key[32], list[32];
        nodes_t nodes;

        for (int r = 0; r < ranks; ++r) {
            key[r] = row[i].nodes[r];
        }
        make(&nodes, key, ranks);
        ck_assert_int_eq(row[i].wanted,
                         collio_aggregators_place(&nodes, row[i].count, row[i].placement, list));
        ck_assert_msg(0 == memcmp(row[i].list, list, (size_t) row[i].wanted * sizeof(int)),
                      "row %zu", i);
        drop(&nodes);
    }
}

/* Different ranks, as even over the nodes as their sizes allow. */
static void check_fair(const nodes_t *nodes, const int *list, int count)
{
    int *here = calloc((size_t) nodes->nodes, sizeof(int));
    char *seen = calloc((size_t) nodes->ranks, 1);
    int most = 0;

    for (int i = 0; i < count; ++i) {
        unit_assert(0 <= list[i] && list[i] < nodes->ranks);
        unit_assert(!seen[list[i]]);
        seen[list[i]] = 1;
        here[collio_node_of(nodes, list[i])]++;
    }
    for (int node = 0; node < nodes->nodes; ++node) {
        most = here[node] > most ? here[node] : most;
    }
    for (int node = 0; node < nodes->nodes; ++node) {
        int size = collio_node_size(nodes, node);

        unit_assert(here[node] >= most - 1 || here[node] == size);
    }
    free(here);
    free(seen);
}

UNIT_TEST(place_random_is_fair)
{
    for (int round = unit_rounds(2000); 0 < round; --round) {
        int key[60];
        int list[60];
        int ranks = (int) unit_between(1, 60);
        int keys = (int) unit_between(1, 12);
        nodes_t nodes;

        for (int i = 0; i < ranks; ++i) {
            key[i] = (int) unit_below(keys) * (unit_below(3) ? 1 : -1);
        }
        make(&nodes, key, ranks);
        for (int i = 0; i < ranks; ++i) {
            for (int j = 0; j < i; ++j) {
                unit_assert((key[i] == key[j])
                            == (collio_node_of(&nodes, i) == collio_node_of(&nodes, j)));
            }
            unit_equal(i, collio_node_member(&nodes, collio_node_of(&nodes, i),
                                             collio_node_local(&nodes, i)));
        }
        for (int placement = 0; placement < 3; ++placement) {
            int count = (int) unit_between(1, ranks);

            unit_equal(count, collio_aggregators_place(&nodes, count,
                                                       (collio_placement_t) placement, list));
            check_fair(&nodes, list, count);
        }
        drop(&nodes);
    }
}

/* Bytes that leave their node if rank i writes block i and the parts of the file are even. */
static int64_t bytes_between(const nodes_t *nodes, const int *list, int count, int64_t block)
{
    collio_domains_t domains;
    int64_t bytes = 0;

    ck_assert_int_eq(
        0, collio_domains_make(
               &collio_partition_even,
               &(collio_division_t){.hi = nodes->ranks * block, .unit = 1, .aggregators = count},
               &domains));
    for (int64_t at = 0; at < domains.hi; ++at) {
        int owner = list[collio_domains_locate(&domains, at).aggregator];

        bytes += collio_node_of(nodes, owner) != collio_node_of(nodes, (int) (at / block));
    }
    collio_domains_fini(&domains);
    return bytes;
}

/* Data that ascends with the ranks stays on its node, for every placement that is sorted. */
UNIT_TEST(sorted_aggregators_keep_segmented_data)
{
    static const struct {
        int ranks, per_node, count;
        int64_t round_robin; /* bytes between nodes of 600, without sorting */
    } row[] = {{8, 4, 4, 4 * 600},    {8, 2, 4, 0},  {8, 2, 8, 6 * 600}, {8, 4, 8, 4 * 600},
               {64, 8, 16, 56 * 600}, {64, 8, 8, 0}, {12, 4, 6, 8 * 600}};

    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); ++i) {
        int list[64];
        nodes_t nodes;

        make_blocks(&nodes, row[i].ranks, row[i].per_node);
        for (int placement = 0; placement < 2; ++placement) {
            int count = collio_aggregators_place(&nodes, row[i].count,
                                                 (collio_placement_t) placement, list);

            if (COLLIO_PLACEMENT_ROUND_ROBIN == placement) {
                unit_equal(row[i].round_robin, bytes_between(&nodes, list, count, 600));
            }
            collio_aggregators_sort(list, count);
            unit_equal(0, bytes_between(&nodes, list, count, 600));
        }
        drop(&nodes);
    }
}

/* Ranks that are assigned to nodes in turn: if all aggregate, each has its own bytes. */
UNIT_TEST(sorted_aggregators_by_node)
{
    static const int key[] = {0, 1, 2, 0, 1, 2, 0, 1};
    int list[8];
    nodes_t nodes;

    make(&nodes, key, 8);
    ck_assert_int_eq(8, collio_aggregators_place(&nodes, 8, COLLIO_PLACEMENT_SPREAD, list));
    ck_assert_int_lt(0, bytes_between(&nodes, list, 8, 10));
    collio_aggregators_sort(list, 8);
    ck_assert_int_eq(0, bytes_between(&nodes, list, 8, 10));
    drop(&nodes);
}

UNIT_TEST(place_a_million_ranks)
{
    nodes_t nodes;
    int *list = malloc(sizeof(int) * 1000000);

    make_blocks(&nodes, 1000000, 64);
    ck_assert_int_eq(15625, nodes.nodes);
    ck_assert_int_eq(100000,
                     collio_aggregators_place(&nodes, 100000, COLLIO_PLACEMENT_SPREAD, list));
    check_fair(&nodes, list, 100000);
    ck_assert_int_eq(1000,
                     collio_aggregators_place(&nodes, 1000, COLLIO_PLACEMENT_ROUND_ROBIN, list));
    check_fair(&nodes, list, 1000);
    drop(&nodes);
    free(list);
}

UNIT_TEST(parse_lists)
{
    int list[32];
    int wanted[] = {0, 4, 8, 9, 10, 11, 12, 16, 20};

    ck_assert_int_eq(9, collio_aggregators_parse("0,4,8-11,12-20:4", 32, list, NULL));
    for (int i = 0; i < 9; ++i) {
        ck_assert_int_eq(wanted[i], list[i]);
    }
    ck_assert_int_eq(1, collio_aggregators_parse("31", 32, list, NULL));
    ck_assert_int_eq(32, collio_aggregators_parse("0-31", 32, list, NULL));
    ck_assert_int_eq(1, collio_aggregators_parse("5-5:2147483647", 32, list, NULL));
    ck_assert_int_eq(2, collio_aggregators_parse("7,3", 32, list, NULL));
    ck_assert_int_eq(7, list[0]); /* the order is the user's */
}

UNIT_TEST(parse_names_the_bad_part)
{
    static const struct {
        const char *text;
        const char *bad;
    } cases[] = {
        {"", ""},
        {"x", "x"},
        {"0,", ""},
        {"0,,1", ",1"},
        {"32", "32"},
        {"-1", "-1"},
        {"0,40,1", "40,1"},
        {"1,2,1", "1"},
        {"0-4,3", "3"},
        {"5-3", "5-3"},
        {"3-", ""},
        {"3-99", "99"},
        {"1-5:0", ""},
        {"1-5:x", "x"},
        {"1;2", ";2"},
        {"99999999999999999999", "9"},
        {"2147483648", "2"},
    };
    int list[32];

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        const char *bad = NULL;

        ck_assert_int_eq(-EINVAL, collio_aggregators_parse(cases[i].text, 32, list, &bad));
        ck_assert_ptr_nonnull(bad);
        ck_assert_int_eq(0, strncmp(cases[i].bad, bad, strlen(cases[i].bad)));
        ck_assert(cases[i].text <= bad && bad <= cases[i].text + strlen(cases[i].text));
    }
}

/* The published example: 5 ranks, 2 local aggregators: r0 {r0,r1,r2} and r3 {r3,r4}. */
UNIT_TEST(local_aggregator_published_example)
{
    int serving[] = {0, 0, 0, 3, 3};

    ck_assert_int_eq(0, collio_local_aggregator(5, 2, 0));
    ck_assert_int_eq(3, collio_local_aggregator(5, 2, 1));
    for (int r = 0; r < 5; ++r) {
        ck_assert_int_eq(serving[r], collio_local_aggregator(5, 2, collio_local_number(5, 2, r)));
    }
}

/* The formula itself, and "a rank belongs to the nearest local aggregator at or below it". */
UNIT_TEST(local_aggregator_all_small_nodes)
{
    for (int q = 1; q <= 70; ++q) {
        for (int c = 1; c <= q; ++c) {
            int e = q % c;
            int up = (q + c - 1) / c;
            int down = q / c;
            int nearest = -1;

            for (int r = 0, i = 0; r < q; ++r) {
                int next = i < e ? up * i : up * e + down * (i - e);

                if (i < c && r == next) {
                    ck_assert_int_eq(next, collio_local_aggregator(q, c, i));
                    nearest = r;
                    ++i;
                }
                ck_assert_int_eq(nearest,
                                 collio_local_aggregator(q, c, collio_local_number(q, c, r)));
                ck_assert(r + 1 < q || i == c);
            }
            ck_assert_int_eq(q, collio_local_aggregator(q, c, c));
        }
    }
}

/* A total over nodes of any sizes: the sum is right, and they differ by one where they can. */
UNIT_TEST(local_aggregators_divided)
{
    for (int round = unit_rounds(300); 0 < round; --round) {
        collio_nodes_t nodes;
        collio_local_count_t count;
        int ranks = (int) unit_between(1, 60), total = (int) unit_between(1, ranks + 3);
        int key[60], sum = 0;

        for (int r = 0; r < ranks; ++r) {
            key[r] = (int) unit_below(7);
        }
        make(&nodes, key, ranks);
        count = collio_local_aggregators_divide(&nodes, total);
        for (int node = 0; node < nodes.nodes; ++node) {
            int q = collio_node_size(&nodes, node);
            int c = collio_local_aggregators_on(&nodes, count, node);

            ck_assert(1 <= c && c <= q);
            ck_assert(c == q || c == count.level || c == count.level + 1);
            sum += c;
        }
        total = total < nodes.nodes ? nodes.nodes : total;
        ck_assert_int_eq(total < ranks ? total : ranks, sum);
        drop(&nodes);
    }
}

/* Against a search: the nearest local aggregator of the node at or below the rank. */
UNIT_TEST(local_of_nearest_below)
{
    for (int round = unit_rounds(300); 0 < round; --round) {
        collio_nodes_t nodes;
        collio_local_count_t count;
        int ranks = (int) unit_between(1, 60), key[60], served[60] = {0};

        for (int r = 0; r < ranks; ++r) {
            key[r] = (int) unit_below(7);
        }
        make(&nodes, key, ranks);
        count = collio_local_aggregators_divide(&nodes, (int) unit_between(1, ranks));
        for (int r = 0; r < ranks; ++r) {
            ++served[collio_local_of(&nodes, count, r).rank];
        }
        for (int r = 0; r < ranks; ++r) {
            collio_local_t local = collio_local_of(&nodes, count, r);
            int node = collio_node_of(&nodes, r), nearest = -1, slot = -1;

            for (int i = 0; i <= collio_node_local(&nodes, r); ++i) {
                int member = collio_node_member(&nodes, node, i);

                if (0 < served[member]) {
                    nearest = member;
                    ++slot;
                }
            }
            ck_assert_int_eq(nearest, local.rank);
            ck_assert_int_eq(slot, local.number);
            ck_assert_int_eq(collio_local_aggregators_on(&nodes, count, node), local.count);
            ck_assert_int_eq(served[local.rank], local.members);
        }
        drop(&nodes);
    }
}

/* Nodes of 5, 1 and 2 ranks: at most two each, spread over the node's ranks. */
UNIT_TEST(aggregators_per_node)
{
    static const int key[] = {0, 0, 0, 0, 0, 1, 2, 2}, want[] = {0, 2, 5, 6, 7};
    collio_nodes_t nodes;
    int list[8];

    make(&nodes, key, 8);
    ck_assert_int_eq(5, collio_aggregators_per_node(&nodes, 2, list));
    for (int i = 0; i < 5; ++i) {
        ck_assert_int_eq(want[i], list[i]);
    }
    ck_assert_int_eq(3, collio_aggregators_per_node(&nodes, 0, list));
    ck_assert_int_eq(8, collio_aggregators_per_node(&nodes, 9, list));
    drop(&nodes);
}

/* 9 nodes with 2 ranks each. */
UNIT_TEST(racks_as_listed)
{
    static const struct {
        const char *text;
        int rack_of[9]; /* per node */
    } lists[] = {{"3", {0, 0, 0, 1, 1, 1, 2, 2, 2}},
                 {"4,2", {0, 0, 0, 0, 1, 1, 2, 2, 3}},
                 {"1,7,5", {0, 1, 1, 1, 1, 1, 1, 1, 2}},
                 {"9", {0}},
                 {"2147483647,1", {0}},
                 {"1", {0, 1, 2, 3, 4, 5, 6, 7, 8}}};
    nodes_t nodes, racks;

    make_blocks(&nodes, 18, 2);
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); ++i) {
        ck_assert_int_eq(0, collio_racks_init(&racks, &nodes, lists[i].text));
        for (int rank = 0; rank < 18; ++rank) {
            ck_assert_int_eq(lists[i].rack_of[collio_node_of(&nodes, rank)],
                             collio_node_of(&racks, rank));
        }
        ck_assert_int_eq(lists[i].rack_of[8] + 1, racks.nodes);
        drop(&racks);
    }
    drop(&nodes);
}

UNIT_TEST(racks_refused)
{
    static const char *const lists[] = {"",    "0",  "4,",   ",4",  "4,0",
                                        "4;2", "-1", "rack", "4 2", "99999999999"};
    nodes_t nodes, racks;

    make_blocks(&nodes, 4, 2);
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); ++i) {
        ck_assert_int_eq(-EINVAL, collio_racks_init(&racks, &nodes, lists[i]));
    }
    drop(&nodes);
}
