/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/* Cost rules: the choice of TAM's local aggregators. */
#include "policy.h"

#include "unit.h"

typedef collio_tam_facts_t facts_t;

/* E3SM G as published: 180 million extents, 85 GiB, 64 ranks a node, 56 aggregators. */
static facts_t e3sm_g(int nodes)
{
    int64_t ranks = INT64_C(64) * nodes;

    return (facts_t){.ranks_per_node = 64,
                     .nodes = nodes,
                     .global_aggregators = 56,
                     .extents_per_rank = INT64_C(180000000) / ranks,
                     .bytes_per_rank = (INT64_C(85) << 30) / ranks,
                     .window_bytes = 16 << 20,
                     .calls_per_plan = 1};
}

/* The authors found 256 local aggregators best at 1K to 16K ranks; the model comes near. */
UNIT_TEST(policy_near_the_published_choice)
{
    for (int nodes = 16; nodes <= 256; nodes *= 2) {
        facts_t facts = e3sm_g(nodes);
        int total = nodes * collio_policy_local_aggregators(&facts);

        ck_assert_int_le(128, total);
        ck_assert_int_le(total, 512);
    }
}

/* The data sets of the authors (docs/studies/tam.md): 64 ranks per node, 56 aggregators, 1 MiB in a
 * cycle, lists by messages. Where a message inside a node costs as much as one between nodes, and
 * one core copies 1 byte in a nanosecond (slow cores, a fast network), the minimum is near the
 * published 256 from 1,024 ranks on; 256 ranks have one layer, as published. The default costs
 * choose fewer. */
UNIT_TEST(policy_follows_measured_costs)
{
    static const struct {
        const char *name;
        double pieces; /* of all ranks */
        int64_t gib;
    } sets[] = {{"E3SM F", 1.36e9, 14}, {"E3SM G", 1.75e8, 85}, {"BTIO", 3.3554432e8, 200}};
    static const collio_costs_t slow = {2000, 2000, 1024};
    int lower = 0;

    for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); ++i) {
        for (int nodes = 4; nodes <= 256; nodes *= 4) {
            int ranks = 64 * nodes;
            facts_t facts = {.ranks_per_node = 64,
                             .nodes = nodes,
                             .global_aggregators = 56,
                             .extents_per_rank = (int64_t) (sets[i].pieces / ranks),
                             .bytes_per_rank = (sets[i].gib << 30) / ranks,
                             .window_bytes = 1 << 20,
                             .calls_per_plan = 1};
            int usual = nodes * collio_policy_local_aggregators(&facts), total;

            facts.costs = slow;
            total = nodes * collio_policy_local_aggregators(&facts);
            ck_assert_msg(160 <= total && total <= 256, "%s, %d ranks: %d", sets[i].name, ranks,
                          total);
            ck_assert(256 != ranks || 256 == total);
            lower += usual < total;
        }
    }
    ck_assert_int_gt(lower, 3);
}

/* A cost of 0 is unknown: the default. */
UNIT_TEST(policy_unknown_costs_are_usual)
{
    facts_t facts = e3sm_g(64), usual = facts;

    usual.costs = (collio_costs_t){COLLIO_COST_MESSAGE_NS, COLLIO_COST_LOCAL_NS,
                                   COLLIO_COST_KIB_NS};
    for (int c = 1; c <= 64; ++c) {
        ck_assert_int_eq(collio_policy_tam_ns(&facts, c), collio_policy_tam_ns(&usual, c));
    }
    usual.costs.message_ns *= 2;
    ck_assert_int_gt(collio_policy_tam_ns(&usual, 64), collio_policy_tam_ns(&facts, 64));
}

/* The facts of twolayer/layers.c: windows of 16 MiB (half of the default buffer), shared memory,
 * the default costs, a first call. From 1,024 ranks on the published best is 256. */
UNIT_TEST(policy_production_facts)
{
    static const struct {
        const char *name;
        double pieces[3]; /* of all ranks, with 1,024, 4,096 and 16,384 ranks */
        int64_t gib;
        int first[3], reused[3]; /* local aggregators of the first call, and of reused plans */
    } sets[] = {
        {"E3SM F", {1.36e9, 1.36e9, 1.36e9}, 14, {256, 512, 512}, {256, 256, 256}},
        {"E3SM G", {1.75e8, 1.75e8, 1.75e8}, 85, {128, 128, 256}, {64, 64, 256}},
        {"BTIO", {3.36e8, 6.71e8, 1.342e9}, 200, {128, 256, 256}, {64, 64, 256}},
        {"S3D", {2.05e7, 8.19e7, 3.277e8}, 61, {64, 128, 256}, {48, 64, 256}},
    };

    for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); ++i) {
        for (int j = 0; j < 3; ++j) {
            int nodes = 16 << 2 * j, ranks = 64 * nodes;
            facts_t facts = {.ranks_per_node = 64,
                             .nodes = nodes,
                             .global_aggregators = 56,
                             .extents_per_rank = (int64_t) (sets[i].pieces[j] / ranks),
                             .bytes_per_rank = (sets[i].gib << 30) / ranks,
                             .window_bytes = 16 << 20,
                             .calls_per_plan = collio_policy_calls_per_plan(0, 0),
                             .shared_memory = true};
            int first = nodes * collio_policy_local_aggregators(&facts), reused;

            facts.calls_per_plan = collio_policy_calls_per_plan(8, 1);
            reused = nodes * collio_policy_local_aggregators(&facts);
            ck_assert_msg(sets[i].first[j] == first && sets[i].reused[j] == reused,
                          "%s, %d ranks: %d first, %d with reuse", sets[i].name, ranks, first,
                          reused);
        }
    }
}

UNIT_TEST(policy_reuse_is_known_after_eight_calls)
{
    ck_assert_int_eq(1, collio_policy_calls_per_plan(0, 0));
    ck_assert_int_eq(1, collio_policy_calls_per_plan(7, 1));
    ck_assert_int_eq(8, collio_policy_calls_per_plan(8, 1));
    ck_assert_int_eq(1, collio_policy_calls_per_plan(15, 2));
    ck_assert_int_eq(8, collio_policy_calls_per_plan(1000, 3));
    ck_assert_int_eq(1, collio_policy_calls_per_plan(1000, 1000));
}

/* A plan that many calls share: the messages of every call decide, so fewer local aggregators. */
UNIT_TEST(policy_kept_plans_need_fewer)
{
    for (int nodes = 16; nodes <= 256; nodes *= 2) {
        facts_t once = e3sm_g(nodes), kept = once;

        kept.calls_per_plan = collio_policy_calls_per_plan(80, 10);
        ck_assert_int_le(collio_policy_local_aggregators(&kept),
                         collio_policy_local_aggregators(&once));
    }
}

/* 8 nodes with 8 aggregators, buffers of 64 KiB, as bench/studies/tam: bytes and pieces of E3SM F
 * and G, BTIO and S3D, plans that are reused. Each further local aggregator of a node sends as many
 * messages again. */
UNIT_TEST(policy_many_windows_need_one)
{
    static const int64_t bytes[] = {2 << 20, 4 << 20, 4 << 20, 1 << 20};
    static const int64_t piece[] = {14, 500, 580, 800};

    for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); ++i) {
        for (int ranks = 4; ranks <= 16; ranks *= 2) {
            facts_t facts = {.ranks_per_node = ranks,
                             .nodes = 8,
                             .global_aggregators = 8,
                             .extents_per_rank = bytes[i] / piece[i] / (8 * ranks),
                             .bytes_per_rank = bytes[i] / (8 * ranks),
                             .window_bytes = 32 << 10,
                             .calls_per_plan = 8,
                             .shared_memory = true};

            ck_assert_int_eq(1, collio_policy_local_aggregators(&facts));
        }
    }
}

/* More nodes: never more local aggregators on each. */
UNIT_TEST(policy_falls_with_nodes)
{
    int last = 64;

    for (int nodes = 1; nodes <= 4096; nodes *= 2) {
        facts_t facts = e3sm_g(nodes);
        int c = collio_policy_local_aggregators(&facts);

        ck_assert_int_le(c, last);
        last = c;
    }
    ck_assert_int_eq(1, last);
}

/* One contiguous piece each: there is nothing to merge, so layer 1 does not pay. */
UNIT_TEST(policy_contiguous_needs_no_layer)
{
    for (int nodes = 1; nodes <= 256; nodes *= 4) {
        facts_t facts = e3sm_g(nodes);

        facts.extents_per_rank = 1;
        ck_assert_int_eq(64, collio_policy_local_aggregators(&facts));
    }
}

UNIT_TEST(policy_small_machines)
{
    facts_t one_rank = {.ranks_per_node = 1, .nodes = 1, .global_aggregators = 1};
    facts_t one_a_node = {.ranks_per_node = 1, .nodes = 1000, .global_aggregators = 10};
    facts_t one_node = {.ranks_per_node = 16, .nodes = 1, .global_aggregators = 1};

    ck_assert_int_eq(1, collio_policy_local_aggregators(&one_rank));
    ck_assert_int_eq(1, collio_policy_local_aggregators(&one_a_node));
    /* on one node both layers use the same memory: a second copy cannot pay */
    ck_assert_int_eq(16, collio_policy_local_aggregators(&one_node));
}

/* 64 ranks on four nodes, one cycle: there is little to save, so all is left as it is. With more
 * cycles, more nodes or more ranks there is. */
UNIT_TEST(policy_small_calls_stay_plain)
{
    static const int64_t pieces[] = {40, 156, 684, 1009, 5910};
    static const int64_t sizes[] = {4096, 16384, 262144, 65536, 65536};

    for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); ++i) {
        facts_t facts = {.ranks_per_node = 16,
                         .nodes = 4,
                         .global_aggregators = 4,
                         .extents_per_rank = pieces[i],
                         .bytes_per_rank = sizes[i],
                         .window_bytes = 16 << 20,
                         .calls_per_plan = 8,
                         .shared_memory = true};

        ck_assert_int_eq(16, collio_policy_local_aggregators(&facts));
        facts.nodes = 64;
        ck_assert_int_gt(16, collio_policy_local_aggregators(&facts));
    }
}

/* The model itself: layer 1 falls with c, the rest grows; c = q has no layer 1. */
UNIT_TEST(policy_layers_pull_apart)
{
    facts_t facts = e3sm_g(256);
    facts_t shared = facts;

    for (int c = 1; c < 32; c *= 2) { /* at 256 nodes layer 2 dominates */
        ck_assert_int_lt(collio_policy_tam_ns(&facts, c), collio_policy_tam_ns(&facts, 2 * c));
    }
    facts.nodes = 2; /* at 2 nodes layer 1 does */
    for (int c = 1; c < 32; c *= 2) {
        ck_assert_int_gt(collio_policy_tam_ns(&facts, c), collio_policy_tam_ns(&facts, 2 * c));
    }
    shared.shared_memory = true; /* copying in parallel is never slower */
    facts.nodes = 256;
    for (int c = 1; c <= 64; ++c) {
        ck_assert_int_le(collio_policy_tam_ns(&shared, c), collio_policy_tam_ns(&facts, c));
    }
}

/* Any numbers at all: a valid answer, the cheapest, and no overflow (run with UBSan). */
UNIT_TEST(policy_random_is_the_cheapest)
{
    for (int round = unit_rounds(2000); 0 < round; --round) {
        facts_t facts = {.ranks_per_node = (int) unit_between(1, 300),
                         .nodes = (int) unit_between(1, INT64_C(1) << unit_below(22)),
                         .global_aggregators = (int) unit_between(0, 100000),
                         .extents_per_rank = unit_below(INT64_C(1) << unit_below(62)),
                         .bytes_per_rank = unit_below(INT64_C(1) << unit_below(62)),
                         .window_bytes = unit_below(INT64_C(1) << unit_below(40)),
                         .calls_per_plan = unit_below(1000),
                         .costs = {unit_below(INT64_C(1) << unit_below(40)),
                                   unit_below(INT64_C(1) << unit_below(40)),
                                   unit_below(INT64_C(1) << unit_below(40))},
                         .shared_memory = unit_below(2)};
        int best = collio_policy_local_aggregators(&facts);
        int64_t ns = collio_policy_tam_ns(&facts, best);

        unit_assert(1 <= best && best <= facts.ranks_per_node);
        for (int c = 1; c <= facts.ranks_per_node; ++c) {
            int64_t other = collio_policy_tam_ns(&facts, c);

            unit_assert(0 <= other);
            unit_assert(c < best ? ns < other : ns <= other);
        }
    }
}

/* The cost in nanoseconds, computed from the formulas of policy.h by another program. Each cost and
 * each default changes one of them at least. */
UNIT_TEST(policy_costs)
{
    static const struct {
        facts_t facts;
        int c;
        int64_t ns;
    } known[] = {
        {{16, 4, 4, 0, 0, 0, 0, false, {0}}, 2, INT64_C(9673612)},
        {{16, 4, 4, 0, 0, 0, 0, false, {0}}, 16, INT64_C(1298432)},
        {{16, 1, 1, 100, 1000, 4096, 1, true, {0}}, 3, INT64_C(371800)},
        {{8, 2, 4, 10000, 65536, 1048576, 3, true, {0}}, 8, INT64_C(490666)},
        {{64, 1, 1, 5, 1048576, 1048576, 1, false, {0}}, 1, INT64_C(17171436)},
        {{64, 1, 1, 5, 1048576, 1048576, 1, true, {0}}, 64, INT64_C(175360)},
        {{64, 2, 1, 7, 1048576, 1048576, 1, true, {0}}, 9, INT64_C(7282367)},
        {{4, 8, 64, 0, 0, 1048576, 1, false, {0}}, 2, INT64_C(3007956)},
        {{256, 8, 1, 100000, 0, 0, 0, false, {0}}, 16, INT64_C(11769066591)},
        {{1, 1, 1, 5, 67108863, 0, 1, false, {0}}, 1, INT64_C(540)},
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); ++i) {
        ck_assert_int_eq(known[i].ns, collio_policy_tam_ns(&known[i].facts, known[i].c));
    }
}
