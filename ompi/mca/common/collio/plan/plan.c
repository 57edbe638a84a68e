/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Plans: finds, makes and frees plans. See plan.h.
 */
#include "plan/relay.h"

#include <errno.h>
#include <stdlib.h>

/* Returns the place of a request in the file; a request without bytes has place 0. */
static void place_of(const collio_shape_t *shape, int64_t *anchor, int64_t *phase)
{
    *anchor = *phase = 0;
    if (0 < shape->bytes) {
        collio_tiling_place(shape->view, shape->stream, anchor, phase);
    }
}

/* The next time step has the same flattened view, the next variable a view of the same shape. */
static bool same_view(const collio_flat_t *a, const collio_flat_t *b)
{
    return a == b || collio_tiling_same_shape(&a->tiling, &b->tiling);
}

int64_t collio_plans_match(const collio_plans_t *plans, const collio_shape_t *shape, int64_t *delta)
{
    int64_t fits = 0, anchor, phase;

    place_of(shape, &anchor, &phase);
    for (int i = 0; i < COLLIO_PLANS_MAX; ++i) {
        const collio_plan_t *plan = &plans->plan[i];
        int64_t move = anchor - plan->anchor;

        if (!plan->valid || plan->bytes != shape->bytes
            || plan->prepared.shared_failed != shape->shared_failed
            || (shape->write && plan->outlined && !plan->marked) || plan->memory.withheld) {
            continue;
        }
        if (0 == shape->bytes) {
            fits |= INT64_C(1) << i;
        } else if (plan->phase == phase && (0 == fits || *delta == move)
                   && collio_domains_can_shift(&plan->domains, move)
                   && same_view(plan->view, shape->flat)) {
            /* plans that are equal on this rank may differ on others: offer all */
            *delta = move;
            fits |= INT64_C(1) << i;
        }
    }
    return fits;
}

static bool same_layers(const collio_exchange_t *ex, const collio_plan_t *plan)
{
    return plan->layer1.kind == ex->layer1.kind
           && (COLLIO_LAYERS_ONE == plan->layer1.kind
               || plan->layer1.level == ex->layer1.local_aggregators.level);
}

collio_plan_t *collio_plans_agreed(collio_exchange_t *ex, int64_t fits, int64_t delta)
{
    collio_plan_t *found = NULL;

    for (int i = 0; i < COLLIO_PLANS_MAX; ++i) {
        collio_plan_t *plan = &ex->file->context->kept->plans->plan[i];

        if (0 == (fits & INT64_C(1) << i) || !collio_domains_shift(&plan->domains, delta)) {
            continue;
        }
        plan->anchor += delta;
        if (NULL == found && same_layers(ex, plan) && collio_layout_fits(ex, plan)
            && (!plan->outlined || COLLIO_BUFFERS_SHARED == ex->way.can.buffers)) {
            found = plan;
        }
    }
    return found;
}

collio_plan_t *collio_plans_evict(collio_file_t *file)
{
    collio_plan_t *oldest = &file->context->kept->plans->plan[0];

    for (int i = 0; i < COLLIO_PLANS_MAX; ++i) {
        collio_plan_t *plan = &file->context->kept->plans->plan[i];

        if (!plan->valid) {
            oldest = plan;
            break;
        }
        if (plan->used < oldest->used) {
            oldest = plan;
        }
    }
    collio_file_memory(file, -oldest->memory_bytes);
    collio_plan_fini(oldest);
    return oldest;
}

void collio_plan_begin(collio_plan_t *plan, const collio_shape_t *shape, int64_t window_bytes)
{
    plan->view = collio_flat_retain(shape->flat);
    place_of(shape, &plan->anchor, &plan->phase);
    plan->bytes = shape->bytes;
    plan->window_bytes = window_bytes;
}

/* Sort key of a window: windows are ordered by (index, aggregator). */
typedef struct rank_t {
    int64_t index; /* window number in the domain */
    size_t window; /* position in split->window, which ascends by aggregator */
} rank_t;

static int plan_compare_ranks(const void *a, const void *b)
{
    const rank_t *x = a, *y = b;

    if (x->index != y->index) {
        return x->index < y->index ? -1 : 1;
    }
    return x->window < y->window ? -1 : 1;
}

static int order_windows(collio_plan_t *plan)
{
    const collio_split_t *split = &plan->split;
    rank_t *ranks = malloc(sizeof(*ranks) * (split->window_count + 1));

    if (NULL == ranks) {
        return -ENOMEM;
    }
    for (size_t s = 0; s < split->share_count; ++s) {
        for (size_t w = 0; w < split->share[s].count; ++w) {
            size_t window = split->share[s].first + w;

            plan->share_of[window] = (int) s;
            ranks[window].index = split->window[window].index;
            ranks[window].window = window;
        }
    }
    qsort(ranks, split->window_count, sizeof(*ranks), plan_compare_ranks);
    for (size_t i = 0; i < split->window_count; ++i) {
        plan->order[i] = ranks[i].window;
    }
    free(ranks);
    return 0;
}

int collio_plan_split(collio_plan_t *plan, const collio_shape_t *shape, int64_t *piece_count)
{
    int rc = collio_split_view(shape->view, shape->stream, shape->bytes, &plan->domains,
                               plan->window_bytes, &plan->split, piece_count);

    return 0 != rc ? rc : collio_plan_index(plan);
}

int collio_plan_index(collio_plan_t *plan)
{
    size_t windows = plan->split.window_count + 1;

    free(plan->order);
    free(plan->share_of);
    plan->order = malloc(windows * sizeof(*plan->order));
    plan->share_of = malloc(windows * sizeof(*plan->share_of));
    if (NULL == plan->order || NULL == plan->share_of) {
        return -ENOMEM;
    }
    return order_windows(plan);
}

const collio_split_t *collio_plan_request(const collio_plan_t *plan)
{
    return NULL != plan->layer1.own ? plan->layer1.own : &plan->split;
}

static int requesters_reserve(collio_plan_t *plan, size_t room)
{
    int *ranks = realloc(plan->requester, room * sizeof(*ranks));
    collio_split_t *requests;

    if (NULL == ranks) {
        return -ENOMEM;
    }
    plan->requester = ranks;
    ranks = realloc(plan->leader, room * sizeof(*ranks));
    if (NULL == ranks) {
        return -ENOMEM;
    }
    plan->leader = ranks;
    requests = realloc(plan->requests, room * sizeof(*requests));
    if (NULL == requests) {
        return -ENOMEM;
    }
    plan->requests = requests;
    return 0;
}

int collio_plan_add(collio_plan_t *plan, int aggregator, int requester, int leader,
                    const collio_extents_t *local)
{
    size_t count = plan->requester_count;
    int rc = 0;

    if (0 == (count & (count - 1))) { /* doubles */
        rc = requesters_reserve(plan, 0 == count ? 1 : 2 * count);
    }
    if (0 != rc) {
        return rc;
    }
    memset(&plan->requests[count], 0, sizeof(plan->requests[count]));
    rc = collio_split_extents(local, collio_plan_window(plan, aggregator), &plan->requests[count]);
    if (0 == rc) {
        plan->requester[count] = requester;
        plan->leader[count] = leader;
        ++plan->requester_count;
    }
    return rc;
}

/* Sort key of a requester. */
typedef struct arrived_t {
    int leader; /* rank of the requester's local aggregator, or its own rank */
    int rank;   /* rank of the requester */
    size_t at;  /* position in the order of arrival */
} arrived_t;

static int compare_arrived(const void *a, const void *b)
{
    const arrived_t *x = a, *y = b;

    if (x->leader != y->leader) {
        return x->leader < y->leader ? -1 : 1;
    }
    return x->rank < y->rank ? -1 : 1;
}

/* Sorts the lists, which are in the order of arrival, by leader and rank. Overlapping writes are
 * thus deterministic, and every aggregator has the same order. */
static int sort_requesters(collio_plan_t *plan)
{
    size_t count = plan->requester_count;
    arrived_t *arrived = malloc((count + 1) * sizeof(*arrived));
    collio_split_t *sorted = malloc((count + 1) * sizeof(*sorted));

    if (NULL == arrived || NULL == sorted) {
        free(arrived);
        free(sorted);
        return -ENOMEM;
    }
    for (size_t i = 0; i < count; ++i) {
        arrived[i] = (arrived_t){plan->leader[i], plan->requester[i], i};
    }
    qsort(arrived, count, sizeof(*arrived), compare_arrived);
    for (size_t i = 0; i < count; ++i) {
        plan->requester[i] = arrived[i].rank;
        plan->leader[i] = arrived[i].leader;
        sorted[i] = plan->requests[arrived[i].at];
    }
    free(arrived);
    free(plan->requests);
    plan->requests = sorted;
    return 0;
}

static void plan_measure(collio_plan_t *plan)
{
    const collio_collect_t *collect = &plan->collect;

    plan->memory_bytes = collio_split_memory(&plan->split)
                         + (int64_t) (collect->runs.capacity * sizeof(collio_extent_t)
                                      + collect->cycle_count * sizeof(*collect->cycle)
                                      + collect->source_count * sizeof(*collect->source));
    plan->memory_bytes += plan->layer1.memory_bytes;
    if (NULL != plan->layer1.own) {
        plan->memory_bytes += collio_split_memory(plan->layer1.own);
    }
    for (size_t i = 0; i < plan->requester_count; ++i) {
        const collio_split_t *request = &plan->requests[i];

        plan->memory_bytes += (int64_t) sizeof(*request) + collio_split_memory(request);
        for (size_t w = 0; w < request->window_count; ++w) {
            if (request->window[w].bytes > plan->source_bytes) {
                plan->source_bytes = request->window[w].bytes;
            }
        }
    }
    for (size_t i = 0; i < collect->cycle_count; ++i) {
        if (collect->cycle[i].source_count > plan->sources_max) {
            plan->sources_max = collect->cycle[i].source_count;
        }
        if (collect->cycle[i].run_count > plan->runs_max) {
            plan->runs_max = collect->cycle[i].run_count;
        }
    }
}

collio_marks_t collio_plan_marks(const collio_exchange_t *ex, int aggregator)
{
    const collio_file_t *file = ex->file;
    char *region = collio_shared_region(&file->context->kept->shared,
                                        file->derived.aggregator_owner[aggregator]);

    return collio_marks_in(region, ex->buffer_bytes * ex->way.schedule->buffers, ex->buffer_bytes,
                           collio_plan_window(ex->plan, aggregator));
}

int collio_plan_merge(collio_exchange_t *ex)
{
    collio_plan_t *plan = ex->plan;
    bool marked = plan->marked && 0 < plan->requester_count;
    collio_marks_t marks;
    int rc = sort_requesters(plan);

    if (marked) {
        marks = collio_plan_marks(ex, ex->file->derived.my_aggregator);
    }
    if (0 == rc) {
        rc = collio_collect_build(plan->requests, plan->requester_count, marked ? &marks : NULL,
                                  &plan->collect);
    }
    if (0 == rc) {
        plan_measure(plan);
    }
    return rc;
}

void collio_plan_free_requests(collio_plan_t *plan)
{
    for (size_t i = 0; i < plan->requester_count; ++i) {
        collio_split_fini(&plan->requests[i]);
    }
    plan->requester_count = 0;
    collio_collect_fini(&plan->collect);
    for (int i = 0; i < 2; ++i) {
        free(plan->prepared.move[i]);
        free(plan->prepared.segments[i]);
        plan->prepared.move[i] = NULL;
        plan->prepared.segments[i] = NULL;
    }
    free(plan->prepared.deliveries);
    plan->prepared.deliveries = NULL;
}

void collio_plan_fini(collio_plan_t *plan)
{
    collio_flat_release(plan->view);
    collio_domains_fini(&plan->domains);
    collio_split_fini(&plan->split);
    if (NULL != plan->layer1.relay) {
        collio_relay_fini(plan->layer1.relay);
    }
    free(plan->order);
    free(plan->share_of);
    free(plan->fence.windows);
    collio_numbers_fini(&plan->fence.of);
    collio_numbers_fini(&plan->places);
    collio_plan_free_requests(plan);
    free(plan->requester);
    free(plan->leader);
    free(plan->requests);
    *plan = (collio_plan_t){.layer1.relay = plan->layer1.relay};
}
