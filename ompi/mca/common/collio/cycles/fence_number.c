/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Numbers the rounds of put_fence, which all ranks take together; once per plan.
 *
 * One layer: round i is the i-th cycle of every aggregator, and an aggregator sends its requesters
 * the rounds of their windows.
 *
 * Two layers: local aggregators work in rounds of one window number each (relay.h). Therefore round
 * i is the i-th window number that any aggregator has; the ranks agree on these numbers by a
 * bitmap. An aggregator without a window of that number has no cycle in the round.
 *
 *   aggregator 0 has windows  0 1   5      bitmap  110011     rounds  0 1 . . 2 3
 *   aggregator 1              0   4 5              numbers            0 1 2 3 4 5
 */
#include "cycles/cycles.h"

#include <errno.h>
#include <stdlib.h>

static bool by_index(const collio_plan_t *plan)
{
    return COLLIO_LAYERS_ONE != plan->layer1.kind;
}

/* Called before the agreement READY, which distributes the error of a rank that is out of memory:
 * then no rank begins the numbering. */
int collio_fence_prepare(collio_plan_t *plan)
{
    const collio_domains_t *domains = &plan->domains;
    int64_t windows;

    if (NULL != plan->fence.turn) {
        return 0;
    }
    plan->fence.turn = calloc(3 * plan->split.share_count + 1, sizeof(*plan->fence.turn));
    if (NULL == plan->fence.turn || 0 != collio_numbers_prepare(plan, &plan->fence.of)) {
        return -ENOMEM;
    }
    if (!by_index(plan)) {
        return 0;
    }
    windows = (domains->hi - domains->lo + domains->unit)
                  / collio_domains_least_window(domains, plan->window_bytes)
              + 2;
    plan->fence.index_words = (size_t) windows / 64 + 1;
    plan->fence.index_bits = calloc(2 * plan->fence.index_words, sizeof(*plan->fence.index_bits));
    plan->fence.cycle_round = calloc(plan->collect.cycle_count + 1,
                                     sizeof(*plan->fence.cycle_round));
    return NULL == plan->fence.index_bits || NULL == plan->fence.cycle_round ? -ENOMEM : 0;
}

size_t collio_fence_round(collio_fence_counter_t *counter, int64_t index)
{
    uint64_t under = (UINT64_C(1) << (index % 64)) - 1;

    for (; counter->word < (size_t) index / 64; ++counter->word) {
        counter->below += (size_t) __builtin_popcountll((uint64_t) counter->bits[counter->word]);
    }
    return counter->below
           + (size_t) __builtin_popcountll((uint64_t) counter->bits[counter->word] & under);
}

/* Two layers: aggregators set the bits of their window numbers, and one reduction combines the
 * bitmaps. All ranks compute the rounds from the result. */
static int number_indexes(collio_exchange_t *ex)
{
    collio_plan_t *plan = ex->plan;
    const collio_split_t *split = &plan->split;
    int64_t *all = plan->fence.index_bits + plan->fence.index_words;
    collio_fence_counter_t cycles = {.bits = all}, windows = {.bits = all};
    int rc;

    for (size_t c = 0; c < plan->collect.cycle_count; ++c) {
        int64_t index = plan->collect.cycle[c].index;

        plan->fence.index_bits[index / 64] |= (int64_t) (UINT64_C(1) << (index % 64));
    }
    rc = collio_allreduce(plan->fence.index_bits, all, (int) plan->fence.index_words, MPI_INT64_T,
                          MPI_BOR, ex->file->comm);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    for (size_t c = 0; c < plan->collect.cycle_count; ++c) {
        plan->fence.cycle_round[c] = (int64_t) collio_fence_round(&cycles,
                                                                  plan->collect.cycle[c].index);
    }
    for (size_t i = 0; i < split->window_count; ++i) {
        size_t w = plan->order[i];

        plan->fence.of.received[w] = (int64_t) collio_fence_round(&windows, split->window[w].index);
    }
    ex->layer1.actions->number_rounds(ex, all);
    plan->fence.index_rounds = collio_fence_round(&cycles,
                                                  64 * (int64_t) plan->fence.index_words - 1);
    plan->fence.numbered = true;
    return OMPI_SUCCESS;
}

int collio_fence_number(collio_exchange_t *ex)
{
    collio_plan_t *plan = ex->plan;
    int rc;

    if (by_index(plan)) {
        return number_indexes(ex);
    }
    for (size_t c = 0; c < plan->collect.cycle_count; ++c) {
        const collio_cycle_t *cycle = &plan->collect.cycle[c];

        for (size_t s = cycle->source; s < cycle->source + cycle->source_count; ++s) {
            *collio_numbers_of(&plan->fence.of, &plan->collect.source[s]) = (int64_t) c;
        }
    }
    rc = collio_numbers_exchange(ex, &plan->fence.of, COLLIO_TAG_GRANT);
    plan->fence.numbered = OMPI_SUCCESS == rc;
    return rc;
}
