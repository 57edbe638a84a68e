/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * Bins and aggregation groups.
 *
 * Problem: bytes should move only inside a group of nodes, and no node may have aggregators in two
 *          groups. Requests of neighbors share bins, and blocks of arrays interleave, so few cuts
 *          have no node on both sides.
 * Method:  a cut strays by the bins that nodes touch on their lesser side of the cut. Groups grow
 *          from the left to at least group_bytes, then to a cut from which the next bin does not
 *          stray less. Neither cut of a group may stray by more than an eighth of the bins that
 *          are touched in the group, so three quarters of them are touched by nodes that have the
 *          most bins there: each node belongs to the group where it has the most bins.
 *          Data that all nodes interleave over the whole range have no such cut and are one group:
 *          a cut would keep no byte inside a group, and would keep domains from the nodes that
 *          have memory.
 *          Every rank receives the touched bins of every node; with ten thousand nodes these must
 *          not use up the memory that the policy saves, so there are fewer bins with many nodes.
 * Cost:    O(nodes * bins / 64), and O(bins) more for the span of each node.
 */
#include "memory.h"

#include "number.h"

#include <errno.h>
#include <stdlib.h>

enum {
    BINS_EACH = 32,        /* bins per aggregator */
    BINS_MIN = 512,        /* minimum number of bins */
    BINS_MAX = 4096,       /* maximum number of bins */
    TOUCHED_MAX = 1 << 20, /* bytes: maximum for the touched bins of all nodes */
    WORD = 64,             /* bins of a word */
    STRAY_SHARE = 8        /* a cut may stray by this part of the touched bins of a group */
};

int collio_memory_bins(int aggregators, int nodes)
{
    int64_t bins = collio_min((int64_t) aggregators * BINS_EACH, BINS_MAX);
    int64_t words = TOUCHED_MAX / 8 / collio_max(nodes, 1);

    return (int) collio_max(BINS_MIN, collio_min(bins, WORD * words));
}

void collio_memory_cut(int64_t lo, int64_t hi, int64_t unit, int bins, int64_t *origin,
                       int64_t *width)
{
    int64_t span;

    unit = collio_max(unit, 1);
    *origin = lo - lo % unit;
    span = hi - *origin;
    *width = span / bins + (span % bins > 0);
    if (*width % unit > 0) {
        *width += unit - *width % unit;
    }
}

/* A bin, and the cut after it. */
typedef struct border_t {
    int64_t touched; /* number of nodes that touch the bin */
    int64_t stray;   /* sum over the nodes of the bins that they touch on their lesser side */
} border_t;

int collio_memory_touched(const collio_memory_node_t *node, int first, int end)
{
    int count = 0;

    for (int bin = first; bin < end;) {
        int within = bin % WORD, room = WORD - within;
        int bits = end - bin < room ? end - bin : room;
        uint64_t mask = (WORD == bits ? UINT64_MAX : (UINT64_C(1) << bits) - 1) << within;

        count += __builtin_popcountll(node->touched[bin / WORD] & mask);
        bin += bits;
    }
    return count;
}

static void add_node(const collio_memory_node_t *node, int bins, border_t *border)
{
    int left = 0, right = collio_memory_touched(node, 0, bins);

    for (int bin = 0; bin < bins && right > 0; ++bin) {
        int hit = (int) (node->touched[bin / WORD] >> (bin % WORD) & 1);

        if (0 == left && 0 == node->touched[bin / WORD]) {
            bin |= WORD - 1; /* the bins before the data of the node */
            continue;
        }
        left += hit;
        right -= hit;
        border[bin].touched += hit;
        border[bin].stray += left < right ? left : right;
    }
}

int collio_memory_groups(const collio_memory_demand_t *demand, int64_t group_bytes, int *end)
{
    border_t *border = calloc((size_t) demand->bins, sizeof(*border));
    int64_t bytes = 0, touched = 0, before = 0; /* before: stray of the cut before the group */
    int groups = 0;

    if (NULL == border) {
        return -ENOMEM;
    }
    for (int i = 0; i < demand->nodes; ++i) {
        add_node(&demand->node[i], demand->bins, border);
    }
    for (int bin = 0; bin + 1 < demand->bins; ++bin) {
        int64_t stray = border[bin].stray;

        bytes += demand->bytes[bin];
        touched += border[bin].touched;
        if (bytes > 0 && bytes >= group_bytes && stray <= border[bin + 1].stray
            && collio_max(before, stray) <= touched / STRAY_SHARE) {
            end[groups++] = bin + 1;
            before = stray;
            bytes = touched = 0;
        }
    }
    bytes += demand->bytes[demand->bins - 1];
    touched += border[demand->bins - 1].touched;
    if (0 == groups || (bytes > 0 && before <= touched / STRAY_SHARE)) {
        ++groups;
    }
    end[groups - 1] = demand->bins; /* the last group has the rest, requested or not */
    free(border);
    return groups;
}

int collio_memory_home(const collio_memory_node_t *node, const int *end, int groups)
{
    int home = -1, most = 0, rest = collio_memory_touched(node, 0, end[groups - 1]);
    int first = 0, g = 0;

    while (rest > 0 && 0 == node->touched[first / WORD]) {
        first += WORD;
    }
    while (rest > 0 && end[g] <= first) { /* groups before the data of the node */
        ++g;
    }
    for (; rest > most; first = end[g++]) {
        int touched = collio_memory_touched(node, first, end[g]);

        rest -= touched;
        if (touched > most) {
            most = touched;
            home = g;
        }
    }
    return home;
}
