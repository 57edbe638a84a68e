/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_POLICY_H
#define COLLIO_POLICY_H

#include <stdbool.h>
#include <stdint.h>

/**
 * Cost rules for choices that the user has left to `auto`. Pure functions of agreed numbers, in
 * integer nanoseconds, so every rank has the same result.
 */

/* Costs on a machine of 2020 to 2026. Only their ratios matter for a choice. */
#define COLLIO_COST_MESSAGE_NS      4000   /* receiving and matching a message between nodes */
#define COLLIO_COST_LOCAL_NS        500    /* receiving a message within the node */
#define COLLIO_COST_MERGE_NS        8      /* moving one extent up one level of the heap */
#define COLLIO_COST_EXTENT_NS       40     /* handling one extent in layer 1: list, place */
#define COLLIO_COST_LAYER_NS        300000 /* fixed cost: ranks of a node wait for each other */
#define COLLIO_COST_KIB_NS          256    /* copying one KiB by one core */
#define COLLIO_COST_MEMORY_BYTES_NS 20     /* bytes that all cores copy per nanosecond */

/** Costs of messages of two layers, measured by the processes of a file (node/costs.h). */
typedef struct collio_costs_t {
    int64_t message_ns; /* receiving a message between nodes; 0: unknown, COLLIO_COST_MESSAGE_NS */
    int64_t local_ns;   /* receiving a message within a node; 0: unknown, COLLIO_COST_LOCAL_NS */
    int64_t kib_ns;     /* moving one KiB within a node by one core; 0: COLLIO_COST_KIB_NS */
} collio_costs_t;

/** Facts of a collective call from which the number of local aggregators is chosen. */
typedef struct collio_tam_facts_t {
    int ranks_per_node;       /* ranks of the largest node: q */
    int nodes;                /* number of nodes */
    int global_aggregators;   /* number of aggregators: P_G */
    int64_t extents_per_rank; /* number of extents of a rank's request; 0: unknown, uses 1024 */
    int64_t bytes_per_rank;   /* bytes of a rank's request; 0: unknown, uses 4 MiB */
    int64_t window_bytes;     /* bytes of a window; 0: unknown, uses 32 MiB */
    int64_t calls_per_plan;   /* number of calls that share one plan; 0: unknown, uses 1 */
    bool shared_memory;       /* ranks copy their bytes to shared memory, in parallel */
    collio_costs_t costs;     /* measured costs */
} collio_tam_facts_t;

/** Returns the model's cost of the exchange, in ns, with `c` local aggregators on each node (c = q:
 *  one layer). Does not include the file access, which is the same for every c.
 *
 *    layer 1   (g-1) messages + the bytes of g ranks + a fixed cost              g = ceil(q/c)
 *              plan     g k extents through lists and places + g k log(g) merge steps
 *    layer 2   the maximum of the cost of a sender and the cost of an aggregator:
 *              sender   one message for each (aggregator, cycle), at most its extents
 *              receiver one message for each (requester, cycle), at most its extents
 *                       plan     its extents * log(requesters) merge steps
 *
 *  Time steps and variables of one shape share a plan, so a call is charged 1 / calls_per_plan of
 *  the plan. The cost of layer 1 falls with c, the cost of layer 2 grows with c. Because of the
 *  fixed cost, small calls on few nodes use one layer. */
int64_t collio_policy_tam_ns(const collio_tam_facts_t *facts, int c);

/** Returns calls_per_plan: 1, until `plans` plans have served 8 calls each on average, then 8.
 *  A program may write once: its only plan is charged to its only call, as in the published runs.
 *  Once plans are known to be reused, new ones are charged less, and a plan whose number of local
 *  aggregators is no longer the best is made again, once. */
int64_t collio_policy_calls_per_plan(int64_t calls, int64_t plans);

/** Returns the c with the lowest cost, 1 <= c <= q; of equal costs the smallest c. */
int collio_policy_local_aggregators(const collio_tam_facts_t *facts);

#endif /* COLLIO_POLICY_H */
