/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_POLICY_H
#define COLLIO_POLICY_H

#include <stdbool.h>
#include <stdint.h>

/**
 * Cost rules: what to choose when the user did not. Pure functions of numbers that all ranks agree
 * on, in integer nanoseconds, so every rank has the same result.
 */

/* Costs on a machine of 2020 to 2026. Only their ratios matter for a choice. */
#define COLLIO_COST_MESSAGE_NS      4000   /* receive from another node, and match */
#define COLLIO_COST_LOCAL_NS        500    /* receive within the node */
#define COLLIO_COST_MERGE_NS        8      /* one extent up one level of the heap */
#define COLLIO_COST_EXTENT_NS       40     /* one extent through layer 1: list, place */
#define COLLIO_COST_LAYER_NS        300000 /* ranks of a node wait for each other */
#define COLLIO_COST_CORE_BYTES_NS   4      /* bytes a core copies in a nanosecond */
#define COLLIO_COST_MEMORY_BYTES_NS 20     /* bytes all cores of a node copy together */

/** What is known of a collective call when the layers are chosen. */
typedef struct collio_tam_facts_t {
    int ranks_per_node;       /* ranks of the largest node: q */
    int nodes;                /* number of nodes */
    int global_aggregators;   /* number of aggregators: P_G */
    int64_t extents_per_rank; /* extents of a rank's request; 0 = not known: 1024 */
    int64_t bytes_per_rank;   /* bytes of a rank's request; 0 = not known: 4 MiB */
    int64_t window_bytes;     /* window of an aggregator; 0 = 32 MiB */
    int64_t calls_per_plan;   /* calls that share one plan; 0 = not known: 8 */
    bool shared_memory;       /* ranks copy their bytes themselves, in parallel */
} collio_tam_facts_t;

/** The model's cost of the exchange, in ns, with `c` local aggregators on each node (c = q: plain
 *  two-phase, without layer 1). The file access is left out: it is the same for every c.
 *
 *    layer 1   (g-1) messages + the bytes of g ranks + a fixed cost              g = ceil(q/c)
 *              plan     g k extents through lists and places + g k log(g) merge steps
 *    layer 2   the larger of what a sender and an aggregator have to do:
 *              sender   one message for each (aggregator, cycle), at most its extents
 *              receiver one message for each (requester, cycle), at most its extents
 *                       plan     its extents * log(requesters) merge steps
 *
 *  Time steps and variables of one shape share a plan, so a call is charged a part of it: the
 *  messages of every call count more than the lists of the first one.
 *  Layer 1 falls with c, layer 2 grows with it. The fixed cost keeps small calls on few nodes in
 *  one layer: there is little to save. */
int64_t collio_policy_tam_ns(const collio_tam_facts_t *facts, int c);

/** The cheapest c, 1 <= c <= q. Equal costs: fewer. */
int collio_policy_local_aggregators(const collio_tam_facts_t *facts);

#endif /* COLLIO_POLICY_H */
