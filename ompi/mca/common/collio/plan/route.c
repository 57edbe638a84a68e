/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Route: offset lists from requesters to aggregators.
 *
 * Problem: an aggregator needs the pieces in its domain, but cannot compute which ranks have any.
 * Method:  each requester sends each aggregator only the part of its list in that domain, in
 *          compact form. Nonblocking consensus (Hoefler et al.) finds the end: synchronous sends,
 *          then a barrier that a rank enters when all its sends were received. After the barrier
 *          no message is under way.
 * Cost:    one message for each pair that shares bytes, and a barrier. No rank stores, counts or
 *          receives anything of the size of the job.
 */
#include "plan/plan.h"

#include <errno.h>
#include <stdlib.h>

#include "core/wire.h"

typedef collio_route_t route_t;

/* Lists a share for its aggregator: its pieces; if the plan is outlined, the bounding range of each
 * window, but the pieces of a window whose marks do not hold. Returns 0 or -ENOMEM. */
static int list_share(const collio_exchange_t *ex, const collio_share_t *share,
                      collio_extents_t *list)
{
    const collio_split_t *split = &ex->plan->split;
    collio_marks_t marks = {0};
    int rc = 0;

    if (!ex->plan->outlined) {
        return collio_split_list(split, share->first, share->count, list);
    }
    if (ex->plan->marked) {
        marks = collio_plan_marks(ex, share->aggregator);
    }
    for (size_t w = share->first; 0 == rc && w < share->first + share->count; ++w) {
        const collio_window_t *window = &split->window[w];

        if (!ex->plan->marked || collio_marks_hold(&marks, window->index)) {
            rc = collio_extents_append(list, window->lo, window->hi - window->lo);
        } else {
            rc = collio_split_list(split, w, 1, list);
        }
    }
    return rc;
}

/* Counts a list and `more` bytes that exist for a moment, and the split, which is counted with the
 * plan later: for the peak of memory only. */
static void count_temporary(const collio_exchange_t *ex, const collio_extents_t *list, size_t more)
{
    int64_t bytes = (int64_t) (list->count * sizeof(*list->at) + more)
                    + collio_split_memory(&ex->plan->split);

    collio_file_memory(ex->file, bytes);
    collio_file_memory(ex->file, -bytes);
}

/* Encodes a share for its aggregator. Returns 0 or -ENOMEM. */
static int encode_share(const collio_exchange_t *ex, const collio_share_t *share,
                        collio_bytes_t *list)
{
    collio_extents_t extents = {0};
    int rc = list_share(ex, share, &extents);

    if (0 == rc) {
        rc = collio_wire_encode(&extents, list);
    }
    count_temporary(ex, &extents, list->capacity);
    collio_extents_fini(&extents);
    if (0 < list->count) { /* the list is kept until it is sent: without slack */
        void *smaller = realloc(list->at, list->count);

        if (NULL != smaller) {
            list->at = smaller;
            list->capacity = list->count;
        }
    }
    return rc;
}

/* Returns the rank that orders overlapping writes of this requester: in atomic mode with two layers
 * the rank of its local aggregator, otherwise its own. */
static int leader_of(const collio_exchange_t *ex, int rank)
{
    return COLLIO_LAYERS_ORDERED != ex->layer1.kind
               ? rank
               : collio_local_of(collio_groups(ex->file), ex->layer1.local_aggregators, rank).rank;
}

/* Adds this rank's own share as an aggregator, without a message. */
static void route_add_own(collio_exchange_t *ex, const collio_share_t *share)
{
    collio_extents_t own = {0};
    int rc = list_share(ex, share, &own);

    if (0 == rc) {
        rc = collio_plan_add(ex->plan, ex->file->derived.my_aggregator, ex->file->rank,
                             leader_of(ex, ex->file->rank), &own);
    }
    collio_extents_fini(&own);
    collio_exchange_check(ex, rc);
}

static void route_send_list(collio_exchange_t *ex, const collio_share_t *share)
{
    route_t *route = &ex->route;
    collio_bytes_t *list = &route->lists[route->send_count];
    int rc = encode_share(ex, share, list);

    if (0 == rc
        && OMPI_SUCCESS
               != collio_isend(list->at, list->count,
                               ex->file->derived.aggregators[share->aggregator],
                               collio_exchange_tag(ex, COLLIO_TAG_META), true,
                               ex->file->context->comm, &route->sends[route->send_count])) {
        rc = -EIO;
    }
    if (0 != rc) {
        collio_exchange_fail(ex, -rc);
        return;
    }
    ++route->send_count;
    collio_file_memory(ex->file, (int64_t) list->count);
    collio_file_count(ex->file, COLLIO_STAT_META_MESSAGES, 1);
    collio_file_count(ex->file, COLLIO_STAT_META_BYTES, list->count);
}

/* Adds the marks of a share. Call it after the list was sent: a share has marks only if its
 * aggregator gets a list. */
static void add_marks(const collio_exchange_t *ex, const collio_share_t *share)
{
    const collio_split_t *split = &ex->plan->split;
    collio_marks_t marks = collio_plan_marks(ex, share->aggregator);

    for (size_t w = share->first; w < share->first + share->count; ++w) {
        const collio_window_t *window = &split->window[w];

        if (window->index < marks.windows) {
            collio_merge_input_t list = {&split->piece[window->first], window->count, window->lo};

            collio_marks_add(&marks, window->index, &list, window->bytes);
        }
    }
}

static void route_send_lists(collio_exchange_t *ex, bool mark)
{
    size_t shares = ex->plan->split.share_count;
    route_t *route = &ex->route;

    route->lists = calloc(shares + 1, sizeof(*route->lists));
    route->sends = calloc(shares + 1, sizeof(*route->sends));
    if (NULL == route->lists || NULL == route->sends) {
        collio_exchange_fail(ex, ENOMEM);
        return;
    }
    for (size_t i = 0; i < shares && 0 == ex->error; ++i) {
        const collio_share_t *share = &ex->plan->split.share[i];

        if (share->aggregator == ex->file->derived.my_aggregator) {
            route_add_own(ex, share);
        } else {
            route_send_list(ex, share);
        }
        if (mark && 0 == ex->error) {
            add_marks(ex, share);
        }
    }
}

/* Starts a barrier of all ranks. Returns false if it fails. */
static bool start_barrier(collio_exchange_t *ex)
{
    if (OMPI_SUCCESS == collio_agreement_start(ex->file, COLLIO_SCOPE_FILE, NULL, NULL, 0)) {
        return true;
    }
    collio_exchange_lose(ex);
    return false;
}

/* Clears the marks of an aggregator; the barrier delays requesters until all marks are cleared. */
static void start_marks(collio_exchange_t *ex)
{
    int aggregator = ex->file->derived.my_aggregator;

    if (aggregator >= 0 && 0 == ex->error) {
        collio_marks_t marks = collio_plan_marks(ex, aggregator);
        int64_t bytes = collio_domains_size(&ex->plan->domains, aggregator);

        collio_marks_clear(&marks, bytes / marks.step + (0 < bytes % marks.step));
    }
    ex->route.clearing = start_barrier(ex);
}

void collio_route_start(collio_exchange_t *ex)
{
    collio_layout_listing(ex);
    if (ex->plan->marked) {
        start_marks(ex);
    } else if (0 == ex->error) {
        route_send_lists(ex, false);
    }
}

void collio_route_again(collio_exchange_t *ex)
{
    collio_plan_free_requests(ex->plan);
    route_send_lists(ex, false);
}

static void accept_list(collio_exchange_t *ex, const collio_arrival_t *arrival)
{
    collio_extents_t list = {0};
    int aggregator = ex->file->derived.my_aggregator,
        rc = -EBADMSG; /* a list for a rank without a domain */

    if (0 != ex->error) {
        return; /* the plan will not be used, and may have no domains */
    }
    if (aggregator >= 0) {
        /* every extent has a byte of the request of all ranks */
        rc = collio_wire_decode_within(arrival->list, arrival->bytes, (size_t) ex->range.bytes,
                                       collio_domains_size(&ex->plan->domains, aggregator), &list);
    }

    if (0 == rc) {
        count_temporary(ex, &list, 0);
        collio_file_count(ex->file, COLLIO_STAT_REQUESTS_RECEIVED, list.count);
        rc = collio_plan_add(ex->plan, ex->file->derived.my_aggregator, arrival->peer,
                             leader_of(ex, arrival->peer), &list);
    }
    collio_extents_fini(&list);
    collio_exchange_check(ex, rc);
}

static void receive_lists(collio_exchange_t *ex)
{
    collio_arrival_t *arrival = collio_inbox_poll(ex, &ex->route.inbox,
                                                  collio_exchange_tag(ex, COLLIO_TAG_META));

    while (NULL != arrival) {
        accept_list(ex, arrival);
        arrival = collio_arrival_free(ex, arrival);
    }
}

static void route_free(collio_exchange_t *ex)
{
    route_t *route = &ex->route;

    for (size_t i = 0; NULL != route->lists && i < ex->plan->split.share_count; ++i) {
        collio_file_memory(ex->file, i < route->send_count ? -(int64_t) route->lists[i].count : 0);
        collio_bytes_fini(&route->lists[i]);
    }
    free(route->lists);
    free(route->sends);
    memset(route, 0, sizeof(*route));
}

bool collio_route_poll(collio_exchange_t *ex)
{
    route_t *route = &ex->route;

    if (route->clearing) {
        if (!collio_agreement_poll(ex->file)) {
            return false;
        }
        route->clearing = false;
        if (0 == ex->error) {
            route_send_lists(ex, true);
        }
    }
    receive_lists(ex);
    while (route->sends_done < route->send_count
           && collio_request_done(ex->file, &route->sends[route->sends_done], NULL)) {
        ++route->sends_done;
    }
    if (!route->in_barrier && route->sends_done == route->send_count) {
        route->in_barrier = true;
        route->barrier_done = !start_barrier(ex);
    }
    if (route->in_barrier && !route->barrier_done) {
        route->barrier_done = collio_agreement_poll(ex->file);
        if (route->barrier_done) {
            receive_lists(ex); /* lists that have arrived, but were not probed yet */
        }
    }
    if (!route->barrier_done || !collio_inbox_empty(&route->inbox)) {
        return false;
    }
    route_free(ex);
    return true;
}
