/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * Cost rules.
 *
 * Problem: how many local aggregators should a node have? With one, a node sends few messages but
 *          one rank merges and copies all data. With one per rank there is no layer 1, and each
 *          aggregator receives messages from every rank in every cycle.
 * Method:  computes the cost of both layers by a simple model (policy.h) for every count.
 * Cost:    O(ranks of a node).
 *
 *   ns  |\ layer 1      / layer 2
 *       | \           /
 *       |  \__     _/
 *       |     \__/
 *       +--------------- c
 */
#include "policy.h"

#include "number.h"

/* Returns a * b, at most INT64_MAX. */
static int64_t product(int64_t a, int64_t b)
{
    return 0 < b && a > INT64_MAX / b ? INT64_MAX : a * b;
}

static int64_t ceil_divide(int64_t a, int64_t b)
{
    return a / b + (0 != a % b);
}

/* Returns the levels of a heap of `count` lists; at least 1, because a single list is walked. */
static int64_t levels(int64_t count)
{
    int64_t n = 1;

    while (62 > n && INT64_C(1) << n < count) {
        ++n;
    }
    return n;
}

static int64_t extents(const collio_tam_facts_t *facts)
{
    return collio_or_default(facts->extents_per_rank, 1024);
}

static int64_t bytes(const collio_tam_facts_t *facts)
{
    return collio_or_default(facts->bytes_per_rank, INT64_C(4) << 20);
}

/* Returns the part of a plan's cost that one call is charged. */
static int64_t per_call(const collio_tam_facts_t *facts, int64_t plan_ns)
{
    return plan_ns / collio_or_default(facts->calls_per_plan, 1);
}

int64_t collio_policy_calls_per_plan(int64_t calls, int64_t plans)
{
    enum { REUSED = 8 };

    return 0 < plans && REUSED <= calls / plans ? REUSED : 1;
}

static int64_t merge_ns(int64_t extent_count, int64_t inputs)
{
    return product(product(extent_count, levels(inputs)), COLLIO_COST_MERGE_NS);
}

static int64_t layer1_ns(const collio_tam_facts_t *facts, int64_t group)
{
    int64_t node_bytes = product(bytes(facts), facts->ranks_per_node);
    int64_t copy = node_bytes / COLLIO_COST_MEMORY_BYTES_NS;
    int64_t mine = facts->shared_memory ? bytes(facts) : product(bytes(facts), group);
    int64_t gathered = product(extents(facts), group);
    int64_t local = collio_or_default(facts->costs.local_ns, COLLIO_COST_LOCAL_NS);
    int64_t kib = collio_or_default(facts->costs.kib_ns, COLLIO_COST_KIB_NS);
    int64_t plan = collio_sum(product(gathered, COLLIO_COST_EXTENT_NS), merge_ns(gathered, group));

    copy = collio_max(copy, product(mine, kib) / 1024);
    return collio_sum(collio_sum(product(group - 1, local), copy),
                      collio_sum(per_call(facts, plan), COLLIO_COST_LAYER_NS));
}

static int64_t layer2_ns(const collio_tam_facts_t *facts, int64_t group, int64_t c)
{
    int64_t window = collio_or_default(facts->window_bytes, INT64_C(32) << 20);
    int64_t ranks = (int64_t) facts->ranks_per_node * facts->nodes;
    int64_t aggregators = collio_max(1, facts->global_aggregators);
    int64_t cycles = collio_max(1, product(ranks, bytes(facts)) / aggregators / window);
    int64_t requesters = c * facts->nodes;
    int64_t received = ceil_divide(product(ranks, extents(facts)), aggregators);
    int64_t receives = collio_min(product(requesters, cycles), received);
    int64_t sends = collio_min(product(aggregators, cycles), product(extents(facts), group));
    int64_t message = 1 < facts->nodes
                          ? collio_or_default(facts->costs.message_ns, COLLIO_COST_MESSAGE_NS)
                          : collio_or_default(facts->costs.local_ns, COLLIO_COST_LOCAL_NS);

    return collio_max(
        product(sends, message),
        collio_sum(product(receives, message), per_call(facts, merge_ns(received, requesters))));
}

int64_t collio_policy_tam_ns(const collio_tam_facts_t *facts, int c)
{
    int64_t group = ceil_divide(facts->ranks_per_node, c);
    int64_t cost = layer2_ns(facts, group, c);

    return c == facts->ranks_per_node ? cost : collio_sum(cost, layer1_ns(facts, group));
}

int collio_policy_local_aggregators(const collio_tam_facts_t *facts)
{
    int64_t best_ns = INT64_MAX;
    int best = 1;

    for (int c = 1; c <= facts->ranks_per_node; ++c) {
        int64_t ns = collio_policy_tam_ns(facts, c);

        if (ns < best_ns) {
            best_ns = ns;
            best = c;
        }
    }
    return best;
}
