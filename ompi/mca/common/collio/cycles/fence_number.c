/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * The rounds of put_fence, which all ranks take together; numbered once per plan.
 *
 * One layer: round i is the i-th cycle of every aggregator, and an aggregator tells its requesters
 * in which rounds their windows come.
 *
 * Two layers: local aggregators work in rounds of one window number each (relay.h). So round i is
 * the i-th window number that any aggregator has; the ranks agree on these by a bitmap. An
 * aggregator that lacks the number has nothing to do in that round.
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

static const collio_share_t *share_at(const collio_exchange_t *ex, size_t i)
{
    return &ex->plan->split.share[i];
}

/* Allocated before the agreement READY: a rank that is out of memory fails there, for all ranks,
 * and nobody begins the numbering. */
int collio_fence_prepare(collio_plan_t *plan)
{
    if (NULL != plan->fence.ordinal) {
        return 0;
    }
    plan->fence.ordinal = calloc(plan->split.window_count + 1, sizeof(*plan->fence.ordinal));
    plan->fence.turn = calloc(3 * plan->split.share_count + 1, sizeof(*plan->fence.turn));
    plan->fence.told = calloc(plan->collect.source_count + 1, sizeof(*plan->fence.told));
    plan->fence.told_first = calloc(plan->requester_count + 1, sizeof(*plan->fence.told_first));
    plan->fence.telling = calloc(plan->requester_count + plan->split.share_count + 1,
                                 sizeof(*plan->fence.telling));
    if (by_index(plan)) {
        const collio_domains_t *domains = &plan->domains;
        int64_t windows = (domains->hi - domains->lo + domains->unit)
                              / collio_domains_least_window(domains, plan->window_bytes)
                          + 2;

        plan->fence.index_words = (size_t) windows / 64 + 1;
        plan->fence.index_bits = calloc(2 * plan->fence.index_words,
                                        sizeof(*plan->fence.index_bits));
        if (NULL == plan->fence.index_bits) {
            return -ENOMEM;
        }
    }
    return NULL == plan->fence.ordinal || NULL == plan->fence.turn || NULL == plan->fence.told
                   || NULL == plan->fence.told_first || NULL == plan->fence.telling
               ? -ENOMEM
               : 0;
}

/* The round of each requester's windows, requester by requester. */
static void number_rounds(collio_plan_t *plan)
{
    for (size_t r = 0; r < plan->requester_count; ++r) {
        plan->fence.told_first[r + 1] = plan->fence.told_first[r] + plan->requests[r].window_count;
    }
    for (size_t c = 0; c < plan->collect.cycle_count; ++c) {
        const collio_cycle_t *cycle = &plan->collect.cycle[c];

        for (size_t s = cycle->source; s < cycle->source + cycle->source_count; ++s) {
            const collio_source_t *source = &plan->collect.source[s];

            plan->fence.told[plan->fence.told_first[source->requester] + source->window] =
                (int64_t) c;
        }
    }
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

/* Two layers: aggregators mark their window numbers; the rest is arithmetic. */
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
        plan->fence.told[c] = (int64_t) collio_fence_round(&cycles, plan->collect.cycle[c].index);
    }
    for (size_t i = 0; i < split->window_count; ++i) {
        size_t w = plan->order[i];

        plan->fence.ordinal[w] = (int64_t) collio_fence_round(&windows, split->window[w].index);
    }
    ex->layer1.actions->number_rounds(ex, all);
    plan->fence.index_rounds = collio_fence_round(&cycles,
                                                  64 * (int64_t) plan->fence.index_words - 1);
    plan->fence.numbered = true;
    return OMPI_SUCCESS;
}

/* Aggregators send, requesters receive. All ranks are in this step, so waiting is safe. */
int collio_fence_number(collio_exchange_t *ex)
{
    collio_plan_t *plan = ex->plan;
    int tag = collio_exchange_tag(ex, COLLIO_TAG_GRANT);
    size_t count = 0;
    int rc = OMPI_SUCCESS;

    if (by_index(plan)) {
        return number_indexes(ex);
    }
    number_rounds(plan);
    for (size_t s = 0; OMPI_SUCCESS == rc && s < plan->split.share_count; ++s) {
        const collio_share_t *share = share_at(ex, s);

        rc = collio_irecv(&plan->fence.ordinal[share->first], share->count * sizeof(int64_t),
                          ex->file->derived.aggregators[share->aggregator], tag, ex->file->comm,
                          &plan->fence.telling[count++]);
    }
    for (size_t r = 0; OMPI_SUCCESS == rc && r < plan->requester_count; ++r) {
        rc = collio_isend(&plan->fence.told[plan->fence.told_first[r]],
                          plan->requests[r].window_count * sizeof(int64_t), plan->requester[r], tag,
                          false, ex->file->comm, &plan->fence.telling[count++]);
    }
    if (OMPI_SUCCESS == rc) {
        rc = ompi_request_wait_all(count, plan->fence.telling, MPI_STATUSES_IGNORE);
    }
    plan->fence.numbered = OMPI_SUCCESS == rc;
    return rc;
}
