/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * Aggregation groups.
 *
 * Problem: bytes should move only inside a group of nodes, and no node may have aggregators in two
 *          groups.
 * Method:  a cut between two bins is possible if no node requests bytes on both sides of the cut.
 *          Groups grow from the left to at least group_bytes, then to the next possible cut.
 *          Interleaved data have no such cut and are one group.
 * Cost:    O(nodes * bins / 64 + bins).
 */
#include "memory.h"

enum { WORD = 64 };

bool collio_memory_touches(const collio_memory_node_t *node, int first, int end)
{
    for (int bin = first; bin < end;) {
        int within = bin % WORD, room = WORD - within;
        int bits = end - bin < room ? end - bin : room;
        uint64_t mask = (WORD == bits ? UINT64_MAX : (UINT64_C(1) << bits) - 1) << within;

        if (0 != (node->touched[bin / WORD] & mask)) {
            return true;
        }
        bin += bits;
    }
    return false;
}

/* Returns the last bin that the node touches; -1: none. */
static int last_touched(const collio_memory_node_t *node, int bins)
{
    for (int word = (bins - 1) / WORD; word >= 0; --word) {
        if (0 != node->touched[word]) {
            return word * WORD + WORD - 1 - __builtin_clzll(node->touched[word]);
        }
    }
    return -1;
}

int collio_memory_first(const collio_memory_node_t *node, int bins)
{
    for (int word = 0; word <= (bins - 1) / WORD; ++word) {
        if (0 != node->touched[word]) {
            return word * WORD + __builtin_ctzll(node->touched[word]);
        }
    }
    return bins;
}

/* Sets reach[b] to the last bin that a node with first bin b touches; b: there is no such node. */
static void note_reach(const collio_memory_demand_t *demand, int *reach)
{
    for (int bin = 0; bin < demand->bins; ++bin) {
        reach[bin] = bin;
    }
    for (int i = 0; i < demand->nodes; ++i) {
        int first = collio_memory_first(&demand->node[i], demand->bins);
        int last = last_touched(&demand->node[i], demand->bins);

        if (last >= 0 && reach[first] < last) {
            reach[first] = last;
        }
    }
}

/* end[] is used twice. First it has the reach of each bin; end[g] is written after the reach of bin
 * g was read, because no group is empty. */
int collio_memory_groups(const collio_memory_demand_t *demand, int64_t group_bytes, int *end)
{
    int groups = 0, furthest = 0;
    int64_t bytes = 0;

    group_bytes = group_bytes > 0 ? group_bytes : 1;
    note_reach(demand, end);
    for (int bin = 0; bin < demand->bins; ++bin) {
        furthest = end[bin] > furthest ? end[bin] : furthest;
        bytes += demand->bytes[bin];
        if (furthest <= bin && bytes >= group_bytes) {
            end[groups++] = bin + 1;
            bytes = 0;
        }
    }
    if (0 == groups || bytes > 0) {
        ++groups;
    }
    end[groups - 1] = demand->bins; /* the last group has the unrequested bins at the end */
    return groups;
}
