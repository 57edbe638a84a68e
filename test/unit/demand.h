/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef UNIT_DEMAND_H
#define UNIT_DEMAND_H

#include "memory.h"

#include "unit.h"

/** Requests and memory of nodes, for the tests of memory-conscious placement. */

enum { BINS_MAX = 200, NODES_MAX = 24, WORDS = (BINS_MAX + 63) / 64, EACH = 6 };

/* A demand that owns its arrays. */
typedef struct demand_t {
    int64_t bytes[BINS_MAX];
    uint64_t touched[NODES_MAX][WORDS];
    collio_memory_node_t node[NODES_MAX];
    int node_of[EACH * NODES_MAX];
    collio_memory_demand_t demand;
} demand_t;

/* Every node has EACH aggregators. */
static inline void begin(demand_t *d, int bins, int nodes, int64_t available)
{
    memset(d, 0, sizeof(*d));
    for (int i = 0; i < nodes; ++i) {
        d->node[i] = (collio_memory_node_t){.available = available, .touched = d->touched[i]};
    }
    for (int i = 0; i < EACH * nodes; ++i) {
        d->node_of[i] = i / EACH;
    }
    d->demand = (collio_memory_demand_t){d->bytes, bins, d->node, nodes, d->node_of, EACH * nodes};
}

static inline void want(demand_t *d, int node, int first, int end, int64_t bytes)
{
    for (int bin = first; bin < end; ++bin) {
        d->bytes[bin] += bytes;
        d->touched[node][bin / 64] |= UINT64_C(1) << (bin % 64);
    }
}

#endif /* UNIT_DEMAND_H */
