/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/* Defaults of aggregators and buffers. */
#include "defaults.h"

#include "unit.h"

typedef collio_site_t site_t;

static int aggregators(site_t site)
{
    return collio_default_aggregators(&site);
}

static int64_t buffer(site_t site)
{
    return collio_default_buffer(&site);
}

UNIT_TEST(defaults_one_node_has_two_aggregators)
{
    ck_assert_int_eq(2, aggregators((site_t){.ranks = 16, .nodes = 1}));
    ck_assert_int_eq(2, aggregators((site_t){.ranks = 128, .nodes = 1, .network = true}));
    ck_assert_int_eq(1, aggregators((site_t){.ranks = 1, .nodes = 1}));
}

UNIT_TEST(defaults_several_nodes_have_one_each)
{
    ck_assert_int_eq(4, aggregators((site_t){.ranks = 64, .nodes = 4, .network = true}));
    ck_assert_int_eq(3, aggregators((site_t){.ranks = 3, .nodes = 3}));
}

static site_t lustre(int ranks, int nodes, int stripes)
{
    return (site_t){.ranks = ranks,
                    .nodes = nodes,
                    .network = true,
                    .striped = true,
                    .stripes = stripes,
                    .stripe_bytes = 1 << 20};
}

UNIT_TEST(defaults_each_stripe_has_one_writer)
{
    ck_assert_int_eq(8, aggregators(lustre(64, 4, 8)));
    ck_assert_int_eq(1, aggregators(lustre(64, 4, 1)));
    /* 12 stripes, 5 ranks: 4 divides 12, so that no OST has two writers */
    ck_assert_int_eq(4, aggregators(lustre(5, 1, 12)));
    ck_assert_int_eq(1, aggregators(lustre(5, 1, 7)));
    for (int stripes = 1; stripes < 40; ++stripes) {
        for (int ranks = 1; ranks < 20; ++ranks) {
            int count = aggregators(lustre(ranks, 1, stripes));

            ck_assert_int_le(count, ranks);
            ck_assert_int_eq(0, stripes % count);
        }
    }
}

/* Half of the ranks, at least one per stripe, and 16 buffers of 32 MiB on a node. */
UNIT_TEST(defaults_lockahead_takes_half_of_the_ranks)
{
    static const struct {
        int ranks, nodes, stripes, wanted;
    } row[] = {{1024, 64, 32, 512},  {256, 64, 32, 128}, {64, 64, 32, 32}, {64, 4, 1, 32},
               {4096, 64, 32, 1024}, {128, 1, 4, 16},    {8, 2, 16, 8},    {1, 1, 4, 1}};

    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); ++i) {
        site_t site = lustre(row[i].ranks, row[i].nodes, row[i].stripes);

        site.lockahead = true;
        ck_assert_int_eq(row[i].wanted, aggregators(site));
    }
}

/* 512 MiB of buffers on each of 4 nodes, whatever the size of a buffer; at least one on each. */
UNIT_TEST(defaults_lockahead_is_bound_by_memory)
{
    static const struct {
        int64_t mib;
        int wanted;
    } row[] = {{0, 64}, {4, 512}, {8, 256}, {32, 64}, {128, 16}, {512, 4}, {4096, 4}};

    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); ++i) {
        site_t site = lustre(1024, 4, 1);

        site.lockahead = true;
        site.buffer_bytes = row[i].mib << 20;
        ck_assert_int_eq(row[i].wanted, aggregators(site));
    }
}

UNIT_TEST(defaults_stripes_of_other_file_systems_count_too)
{
    ck_assert_int_eq(6, aggregators((site_t){.ranks = 64, .nodes = 2, .stripes = 6}));
    ck_assert_int_eq(4, aggregators((site_t){.ranks = 4, .nodes = 2, .stripes = 6}));
}

UNIT_TEST(defaults_small_buffers_only_where_nothing_is_far)
{
    ck_assert_int_eq(2 << 20, buffer((site_t){.ranks = 16, .nodes = 1}));
    ck_assert_int_eq(32 << 20, buffer((site_t){.ranks = 16, .nodes = 1, .network = true}));
    ck_assert_int_eq(32 << 20, buffer((site_t){.ranks = 16, .nodes = 2}));
    ck_assert_int_eq(32 << 20, buffer(lustre(4, 1, 4)));
}

/* At most 64 MiB wait at an aggregator, or a collective buffer where memory is short. */
UNIT_TEST(defaults_few_messages_are_synchronous)
{
    ck_assert_int_eq(1024, collio_default_synchronous_each(64 << 10, 128 << 10, false));
    ck_assert_int_eq(4, collio_default_synchronous_each(16 << 20, 32 << 20, false));
    ck_assert_int_eq(1, collio_default_synchronous_each(64 << 20, 64 << 20, false));
    ck_assert_int_eq(1, collio_default_synchronous_each(INT64_C(1) << 40, 1, false));
    ck_assert_int_eq(2, collio_default_synchronous_each(64 << 10, 128 << 10, true));
    ck_assert_int_eq(1, collio_default_synchronous_each(128 << 10, 128 << 10, true));
}
