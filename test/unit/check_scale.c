/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * bench/scale: the published counts, and its exact counts against a walk over all runs of all rows
 * and against the real plan.
 */
#include "../../bench/scale/scale.h"
#include "unit.h"

#include <limits.h>

static void make(scale_pattern_t *pattern, const char *name, int ranks, int64_t grid)
{
    ck_assert_ptr_null(scale_pattern_init(pattern, name, ranks, grid));
}

/* 512^2 * 40 * sqrt(P) extents. (With 4 ranks two of them touch where the layers meet.) */
UNIT_TEST(scale_btio_published_extents)
{
    for (int q = 4; q <= 128; q *= 2) {
        scale_pattern_t pattern;

        make(&pattern, "btio", q * q, 0);
        ck_assert_int_eq(INT64_C(512) * 512 * 40 * q,
                         pattern.repeat * scale_count_extents(&pattern, NULL));
        ck_assert_int_eq(INT64_C(512) * 512 * 512 * 5 * 8, pattern.rows * pattern.row_bytes);
        scale_pattern_fini(&pattern);
    }
}

/* 800^2 * y * z extents: so published, and so it is for the process grids 16 x 16 x 16 and
 * 32 x 32 x 16, where y * z = 16 * x. Rows along x are cut into x parts, for 16 components. */
UNIT_TEST(scale_s3d_published_extents)
{
    static const int ranks[] = {64, 512, 4096, 16384, 1000000};

    for (size_t i = 0; i < sizeof(ranks) / sizeof(ranks[0]); ++i) {
        scale_pattern_t pattern;
        int64_t extents = 0;
        int64_t bytes = 0;

        make(&pattern, "s3d", ranks[i], 0);
        for (int call = 0; call < scale_pattern_calls(&pattern); ++call) {
            scale_pattern_set_call(&pattern, call);
            extents += pattern.repeat * scale_count_extents(&pattern, NULL);
            bytes += pattern.repeat * pattern.rows * pattern.row_bytes;
        }
        ck_assert_int_eq(INT64_C(16) * 800 * 800 * pattern.np[0], extents);
        ck_assert_int_eq(INT64_C(16) * 800 * 800 * 800 * 8, bytes);
        if (4096 == ranks[i] || 16384 == ranks[i]) {
            ck_assert_int_eq(INT64_C(800) * 800 * pattern.np[1] * pattern.np[2], extents);
        }
        scale_pattern_fini(&pattern);
    }
}

/* About 1.36e9 and 1.8e8 extents, of about 11 and 500 bytes. */
UNIT_TEST(scale_e3sm_published_extents)
{
    scale_pattern_t pattern;
    int64_t extents;

    make(&pattern, "e3sm-f", 4096, 0);
    extents = scale_count_extents(&pattern, NULL);
    ck_assert(1300000000 < extents && extents < 1370000000);
    ck_assert_int_eq(11, pattern.rows * pattern.row_bytes / extents);
    scale_pattern_fini(&pattern);
    make(&pattern, "e3sm-g", 4096, 0);
    extents = scale_count_extents(&pattern, NULL);
    ck_assert(175000000 < extents && extents < 182000000);
    ck_assert(480 < pattern.rows * pattern.row_bytes / extents);
    ck_assert(520 > pattern.rows * pattern.row_bytes / extents);
    scale_pattern_fini(&pattern);
}

UNIT_TEST(scale_process_grids)
{
    static const int wanted[][4] = {
        {1, 1, 1, 1},        {6, 3, 2, 1},   {64, 4, 4, 4},           {1024, 16, 8, 8},
        {16384, 32, 32, 16}, {13, 13, 1, 1}, {1000000, 100, 100, 100}};

    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); ++i) {
        int np[3];

        scale_process_grid(wanted[i][0], np);
        ck_assert_int_eq(wanted[i][1], np[0]);
        ck_assert_int_eq(wanted[i][2], np[1]);
        ck_assert_int_eq(wanted[i][3], np[2]);
    }
}

/* The rank of every point, from the definition of the pattern: cells c = 0..q-1 of rank i + q j at
 * x = (i + c) mod q, y = (j - c) mod q, z = c. */
UNIT_TEST(scale_btio_cells_by_definition)
{
    enum { N = 12, Q = 3, CELL = N / Q };
    static int rank_of[N][N][N];
    scale_pattern_t pattern;

    for (int i = 0; i < Q; ++i) {
        for (int j = 0; j < Q; ++j) {
            for (int c = 0; c < Q; ++c) {
                for (int p = 0; p < CELL * CELL * CELL; ++p) {
                    int x = (i + c) % Q * CELL + p % CELL;
                    int y = (j - c + Q) % Q * CELL + p / CELL % CELL;

                    rank_of[c * CELL + p / CELL / CELL][y][x] = i + Q * j;
                }
            }
        }
    }
    make(&pattern, "btio", Q * Q, N);
    for (int row = 0; row < N * N; ++row) {
        scale_pattern_load(&pattern, row);
        for (int x = 0; x < N; ++x) {
            ck_assert_int_eq(x / CELL * CELL * 40, pattern.runs[x / CELL].start);
            ck_assert_int_eq(rank_of[row / N][row % N][x], pattern.runs[x / CELL].rank);
        }
    }
    scale_pattern_fini(&pattern);
}

/* Extents by a walk over all runs of all rows. */
static int64_t walk_extents(scale_pattern_t *pattern, const int *id_of)
{
    int64_t extents = 0;
    int last = -1;

    for (int64_t row = 0; row < pattern->rows; ++row) {
        scale_pattern_load(pattern, row);
        for (size_t i = 0; i < pattern->run_count; ++i) {
            int id = NULL == id_of ? pattern->runs[i].rank : id_of[pattern->runs[i].rank];

            extents += id != last;
            last = id;
        }
    }
    return extents;
}

static void random_options(scale_options_t *options)
{
    static const char *const names[] = {"btio", "s3d", "e3sm-f", "e3sm-g"};
    int64_t q = unit_between(1, 6);

    *options = (scale_options_t){.pattern = names[unit_below(4)],
                                 .ranks = (int) unit_between(1, 60),
                                 .per_node = (int) unit_between(1, 20),
                                 .aggregators = (int) unit_between(1, 9),
                                 .local = (int) unit_below(5),
                                 .grid = unit_between(6, 24),
                                 .window_bytes = unit_between(100, 40000),
                                 .unit = unit_below(2) ? 1 : unit_between(1, 4096),
                                 .replay_extents = INT64_MAX / 16};
    if ('b' == options->pattern[0]) {
        options->ranks = (int) (q * q);
    } else if ('e' == options->pattern[0]) {
        options->grid = unit_between(60, 300);
    }
}

/* scale_compute fails if the exact counts and the real plan differ anywhere. */
UNIT_TEST(scale_random_counts_agree_with_plans)
{
    for (int round = unit_rounds(60); 0 < round; --round) {
        scale_options_t options;
        scale_result_t results[SCALE_WAYS];
        scale_pattern_t pattern;
        scale_machine_t machine;
        const char *error;

        random_options(&options);
        if ('e' == options.pattern[0]) { /* a whole one has a billion extents: take some rows */
            continue;
        }
        error = scale_pattern_init(&pattern, options.pattern, options.ranks, options.grid);
        if (NULL == error) {
            ck_assert_ptr_null(scale_machine_init(&machine, &pattern, options.per_node,
                                                  options.aggregators, options.window_bytes,
                                                  options.unit, options.local));
            ck_assert_int_eq(walk_extents(&pattern, NULL), scale_count_extents(&pattern, NULL));
            ck_assert_int_eq(walk_extents(&pattern, machine.group_of),
                             scale_count_extents(&pattern, machine.group_of));
            scale_machine_fini(&machine);
            error = scale_compute(&options, results);
            ck_assert_msg(NULL == error, "%s %d ranks: %s", options.pattern, options.ranks, error);
            ck_assert_int_le(results[SCALE_TAM].messages,
                             results[SCALE_TWO_PHASE].messages
                                 + results[SCALE_TWO_PHASE].cycles * options.aggregators);
            ck_assert_int_le(results[SCALE_TAM].passed_on, results[SCALE_TAM].requested);
        }
        scale_pattern_fini(&pattern);
    }
}

/* Byte by byte: members that have something for an aggregator other than themselves and their local
 * aggregator, in each window number. */
static void check_turns(scale_pattern_t *pattern, const scale_machine_t *machine,
                        const collio_domains_t *domains)
{
    int64_t end = pattern->rows * pattern->row_bytes, counted, walked = 0;
    int64_t rounds = end / machine->window_bytes + 1;
    bool *in = calloc((size_t) (rounds * machine->ranks), sizeof(*in));

    for (int64_t at = 0, run = 0; at < end; ++at) {
        collio_place_t place = collio_domains_locate(domains, at);
        int64_t offset = at % pattern->row_bytes;
        int rank, local;

        scale_pattern_load(pattern, at / pattern->row_bytes);
        run = 0 == offset ? 0 : run;
        while (run + 1 < (int64_t) pattern->run_count && pattern->runs[run + 1].start <= offset) {
            ++run;
        }
        rank = pattern->runs[run].rank;
        local = machine->member[machine->group_first[machine->group_of[rank]]];
        if (rank != local && machine->aggregator_rank[place.aggregator] != rank
            && machine->aggregator_rank[place.aggregator] != local) {
            in[place.local / machine->window_bytes * machine->ranks + rank] = true;
        }
    }
    for (int64_t i = 0; i < rounds * machine->ranks; ++i) {
        walked += in[i];
    }
    free(in);
    ck_assert_int_eq(0, scale_count_turns(pattern, machine, domains, &counted));
    ck_assert_int_eq(walked, counted);
}

UNIT_TEST(scale_e3sm_counts_agree_with_plans)
{
    for (int round = unit_rounds(20); 0 < round; --round) {
        scale_pattern_t pattern;
        scale_machine_t machine;
        collio_domains_t domains;
        scale_figures_t counted[SCALE_WAYS];
        scale_figures_t planned[SCALE_WAYS];
        int aggregators = (int) unit_between(1, 6);

        make(&pattern, "e3sm-f", (int) unit_between(1, 60), unit_between(60, 300));
        pattern.rows = unit_between(1, 20);
        ck_assert_ptr_null(scale_machine_init(&machine, &pattern, (int) unit_between(1, 20),
                                              aggregators, unit_between(100, 4000), 1,
                                              (int) unit_below(4)));
        ck_assert_int_eq(
            0, collio_domains_make(&collio_partition_even,
                                   &(collio_division_t){.lo = 0,
                                                        .hi = pattern.rows * pattern.row_bytes,
                                                        .unit = 1,
                                                        .aggregators = machine.aggregators},
                                   &domains));
        ck_assert_int_eq(walk_extents(&pattern, machine.group_of),
                         scale_count_extents(&pattern, machine.group_of));
        for (int aggregator = 0; aggregator < machine.aggregators; ++aggregator) {
            scale_stretch_t all = {aggregator, domains.bound[aggregator],
                                   domains.bound[aggregator + 1]};

            ck_assert_int_eq(0, scale_count(&pattern, &machine, all, counted));
            ck_assert_int_eq(0, scale_replay(&pattern, &machine, &domains, all, planned));
            for (int way = 0; way < SCALE_WAYS; ++way) {
                ck_assert_int_eq(planned[way].extents, counted[way].extents);
                ck_assert_int_eq(planned[way].pairs, counted[way].pairs);
                ck_assert_int_eq(planned[way].messages, counted[way].messages);
                ck_assert_int_eq(planned[way].self_messages, counted[way].self_messages);
                ck_assert_int_eq(planned[way].between, counted[way].between);
                ck_assert_int_eq(planned[way].carried, counted[way].carried);
                ck_assert_int_eq(planned[way].lists1, counted[way].lists1);
            }
        }
        check_turns(&pattern, &machine, &domains);
        collio_domains_fini(&domains);
        scale_machine_fini(&machine);
        scale_pattern_fini(&pattern);
    }
}

/* As many local aggregators as ranks: exactly two-phase. */
UNIT_TEST(scale_tam_without_layer_1_is_two_phase)
{
    scale_options_t options = {.pattern = "btio",
                               .ranks = 64,
                               .per_node = 16,
                               .aggregators = 8,
                               .local = 16,
                               .grid = 32,
                               .window_bytes = 65536,
                               .unit = 1,
                               .replay_extents = INT64_MAX / 16};
    scale_result_t results[SCALE_WAYS];

    ck_assert_ptr_null(scale_compute(&options, results));
    ck_assert_int_eq(results[0].messages, results[1].messages);
    ck_assert_int_eq(results[0].meta, results[1].meta);
    ck_assert_int_eq(results[0].extents, results[1].extents);
    ck_assert_int_eq(results[0].wire_bytes, results[1].wire_bytes);
    ck_assert_int_eq(0, results[1].merge_ops1);
    ck_assert_int_eq(64, results[1].requesters);
    options.local = 1; /* one a node: at most nodes * aggregators messages a cycle */
    ck_assert_ptr_null(scale_compute(&options, results));
    ck_assert_int_eq(4, results[1].requesters);
    ck_assert_int_ge(results[1].cycles * 4 * 8, results[1].between);
    ck_assert_int_lt(results[1].passed_on, results[1].requested);
    ck_assert_int_lt(results[1].merged, results[1].gathered);
    ck_assert_int_eq(60 * results[1].calls, results[1].meta1);
}

/* A million ranks, of a regular pattern. */
UNIT_TEST(scale_a_million_ranks)
{
    scale_pattern_t pattern;
    scale_machine_t machine;

    make(&pattern, "s3d", 1000000, 0);
    scale_pattern_set_call(&pattern, 2);
    ck_assert_ptr_null(scale_machine_init(&machine, &pattern, 64, 56, 16 << 20, 1, 0));
    ck_assert_int_eq(15625, machine.nodes.nodes);
    ck_assert_int_eq(INT64_C(800) * 800 * 100, scale_count_extents(&pattern, NULL));
    ck_assert_int_lt(scale_count_extents(&pattern, machine.group_of), 800 * 800 * 3);
    scale_machine_fini(&machine);
    scale_pattern_fini(&pattern);
}

/* By hand, for 10,000 nodes of 64 ranks: 832 bins of 8 bytes, two sums and one record of 14 words
 * for each node, and 8 bytes inside the node; 20 rounds between the ranks, 6 inside a node. Sums
 * have an operand and a result; records are reduced in place. */
UNIT_TEST(scale_memory_plan_costs)
{
    int bins = collio_memory_bins(40000, 10000);
    scale_memory_cost_t cost = scale_memory_cost(bins, 10000, 640000, 64);

    ck_assert_int_eq(832, bins);
    ck_assert_int_eq(8 + 832 * 8 + 10000 * (2 * 8 + 14 * 8), cost.bytes);
    ck_assert_int_eq(2 * 6 + 2 * 2 * 20, cost.messages);
    ck_assert_int_eq(2 * (832 * 8 + 10000 * 2 * 8) + 10000 * 14 * 8, cost.held);
    ck_assert_int_eq(512, collio_memory_bins(1, 1));
    ck_assert_int_eq(4096, collio_memory_bins(1000, 250));
    ck_assert_int_eq(512, collio_memory_bins(INT_MAX, INT_MAX));
}

/* Plain buffers do not fit some nodes; those of the policy fit all, and no node has more than plain
 * would take. */
UNIT_TEST(scale_memory_fits_every_node)
{
    static const int ranks[] = {1024, 16384, 131072, 1000000};

    for (size_t i = 0; i < sizeof(ranks) / sizeof(ranks[0]); ++i) {
        scale_memory_t memory = {.ranks = ranks[i],
                                 .ranks_per_node = 64,
                                 .buffer_bytes = 32 << 20,
                                 .deviation = 50 << 20,
                                 .least = 1 << 20,
                                 .node_bytes = 512 << 20};
        scale_memory_result_t result;

        ck_assert_ptr_null(scale_memory(&memory, &result));
        ck_assert_int_eq((ranks[i] + 63) / 64, result.nodes);
        ck_assert_int_gt(result.plain_short, result.nodes / 5);
        ck_assert_int_eq(0, result.memory_short);
        ck_assert_int_le(result.memory_bytes, result.plain_bytes);
        ck_assert_int_gt(result.domains, 0);
    }
}

/* With cards as the only cost, the data takes the messages between nodes of the busiest card, and
 * those of one cycle once more; an agreement goes up and down a tree of the nodes. */
UNIT_TEST(scale_estimate_counts_the_messages_of_a_card)
{
    scale_costs_t kept = scale_costs;
    scale_options_t options = {.pattern = "btio",
                               .ranks = 16,
                               .per_node = 4,
                               .aggregators = 1,
                               .local = 1,
                               .grid = 16,
                               .window_bytes = 4096,
                               .unit = 1};

    scale_costs = (scale_costs_t){.card = 1};
    for (int aggregators = 1; aggregators <= 8; aggregators *= 8) { /* 8: two on each of 4 nodes */
        scale_result_t results[SCALE_WAYS];

        options.aggregators = aggregators;
        ck_assert_ptr_null(scale_compute(&options, results));
        for (int way = 0; way < SCALE_WAYS; ++way) {
            double cycles = (double) results[way].cycles / (double) results[way].calls;
            double cards = 1 == aggregators ? 1 : 4;
            double even = (double) results[way].between / cards * (1 + 1 / cycles);

            ck_assert_double_eq(2.0 * 4 * 2 * (double) results[way].calls,
                                results[way].seconds[SCALE_AGREE]);
            if (1 == aggregators) {
                ck_assert_double_eq_tol(even, results[way].seconds[SCALE_DATA], 1e-6 * even);
            } else {
                ck_assert_double_ge(results[way].seconds[SCALE_DATA], 0.999 * even);
            }
        }
    }
    scale_costs = kept;
}

/* A block of each rank: no byte leaves its node. Rows of all ranks: an aggregator has the share of
 * its node, whichever it is. */
UNIT_TEST(scale_bytes_between_nodes)
{
    for (int nodes = 2; nodes <= 8; nodes *= 2) {
        scale_options_t options = {.pattern = "segmented",
                                   .ranks = 16,
                                   .per_node = 16 / nodes,
                                   .aggregators = 8,
                                   .local = 1,
                                   .window_bytes = 1 << 20,
                                   .unit = 1,
                                   .replay_extents = INT64_MAX / 16};
        scale_result_t results[SCALE_WAYS];

        ck_assert_ptr_null(scale_compute(&options, results));
        for (int way = 0; way < SCALE_WAYS; ++way) {
            ck_assert_int_eq(16 << 20, results[way].bytes);
            ck_assert_int_eq(0, results[way].between_bytes);
        }
        options.pattern = "interleaved";
        ck_assert_ptr_null(scale_compute(&options, results));
        for (int way = 0; way < SCALE_WAYS; ++way) {
            ck_assert_int_eq(16 << 20, results[way].bytes);
            ck_assert_int_eq((16 << 20) / nodes * (nodes - 1), results[way].between_bytes);
        }
    }
}

UNIT_TEST(scale_refuses_what_cannot_be)
{
    scale_pattern_t pattern;

    ck_assert_ptr_nonnull(scale_pattern_init(&pattern, "btio", 12, 0));
    ck_assert_ptr_nonnull(scale_pattern_init(&pattern, "btio", 1000000, 0));
    ck_assert_ptr_nonnull(scale_pattern_init(&pattern, "s3d", 64, 3));
    ck_assert_ptr_nonnull(scale_pattern_init(&pattern, "e3sm-f", 100, 50));
    ck_assert_ptr_nonnull(scale_pattern_init(&pattern, "ior", 4, 0));
}
