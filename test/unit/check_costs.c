/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/* Pairs of times: the difference that ranks agree on is that of one node. */
#include "costs.h"

#include "unit.h"

enum { NODES = 3 };

static int64_t agreed(const int64_t many[NODES], const int64_t few[NODES])
{
    int64_t all = COLLIO_COSTS_NO_OFFER;

    for (int i = 0; i < NODES; ++i) {
        all = collio_max(all, collio_costs_offer(many[i], few[i]));
    }
    return collio_costs_difference(all);
}

/* Minima of both times over the nodes would give 26000 - 9000 and 9000 - 1000. */
UNIT_TEST(costs_are_those_of_one_node)
{
    ck_assert_int_eq(15000,
                     agreed((int64_t[]){26000, 30000, 90000}, (int64_t[]){11000, 9000, 9500}));
    ck_assert_int_eq(7000, agreed((int64_t[]){9000, 9000, 9500}, (int64_t[]){2500, 2000, 1000}));
}

UNIT_TEST(costs_of_nobody_and_noise_are_zero)
{
    ck_assert_int_eq(0, collio_costs_difference(COLLIO_COSTS_NO_OFFER));
    ck_assert_int_eq(0, collio_costs_difference(collio_costs_offer(0, 0)));
    ck_assert_int_eq(0, collio_costs_difference(collio_costs_offer(100, 200)));
    ck_assert_int_eq(
        5, collio_costs_difference(collio_max(COLLIO_COSTS_NO_OFFER, collio_costs_offer(9, 4))));
}

/* Times above 2.1 s count as 2.1 s; an offer is never that of nobody. */
UNIT_TEST(costs_do_not_overflow)
{
    const int64_t most = (INT64_C(1) << COLLIO_COSTS_BITS) - 1;

    ck_assert_int_eq(most, collio_costs_difference(collio_costs_offer(INT64_MAX, 0)));
    ck_assert_int_eq(0, collio_costs_difference(collio_costs_offer(INT64_MAX, INT64_MAX)));
    ck_assert_int_eq(0, collio_costs_difference(collio_costs_offer(-1, INT64_MIN)));
    ck_assert(COLLIO_COSTS_NO_OFFER < collio_costs_offer(INT64_MAX, INT64_MAX));
}
