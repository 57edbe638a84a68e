/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * Bins, and the cost of a new plan.
 *
 * Problem: every rank receives a record of every node; with ten thousand nodes of 64 ranks, these
 *          records must not use up the memory that the policy saves.
 * Method:  fewer bins if there are many nodes. Domains end at borders of bins, so the number of
 *          bins is also the maximum number of domains.
 * Cost:    memory.h has the formula.
 */
#include "memory.h"

int collio_memory_bins(int aggregators, int nodes)
{
    int64_t bins = (int64_t) aggregators * COLLIO_MEMORY_BINS_EACH;
    int64_t words = COLLIO_MEMORY_TOUCHED_MOST / 8 / (nodes > 0 ? nodes : 1);

    bins = bins < COLLIO_MEMORY_BINS_MOST ? bins : COLLIO_MEMORY_BINS_MOST;
    bins = bins < 64 * words ? bins : 64 * words;
    return (int) (bins > COLLIO_MEMORY_BINS_LEAST ? bins : COLLIO_MEMORY_BINS_LEAST);
}

void collio_memory_cut(int64_t lo, int64_t hi, int64_t unit, int bins, int64_t *origin,
                       int64_t *width)
{
    int64_t span;

    unit = unit > 0 ? unit : 1;
    *origin = lo - lo % unit;
    span = hi - *origin;
    *width = span / bins + (span % bins > 0);
    if (*width % unit > 0) {
        *width += unit - *width % unit;
    }
}

/* 2 * ceil(log2(n)) */
static int64_t reduction_messages(int64_t n)
{
    int64_t messages = 0;

    for (int64_t reached = 1; reached < n; reached *= 2) {
        messages += 2;
    }
    return messages;
}

collio_memory_cost_t collio_memory_cost(int bins, int nodes, int ranks, int ranks_per_node)
{
    int64_t sums = (int64_t) sizeof(int64_t) * (bins + 2 * (int64_t) nodes);
    int64_t records = (int64_t) sizeof(uint64_t) * nodes
                      * (1 + (int64_t) collio_memory_words(bins));

    return (collio_memory_cost_t){
        .bytes = (int64_t) sizeof(int64_t) + sums + records,
        .messages = reduction_messages(ranks_per_node) + 2 * reduction_messages(ranks),
        .held = 2 * sums + records, /* records are reduced in place */
    };
}
