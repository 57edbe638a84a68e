/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/**
 * Route: each requester sends each owner the offset list that concerns it, in compact form, and
 * nothing else. An owner does not know who will write to it, so the end is found by nonblocking
 * consensus (Hoefler et al.): synchronous sends, then a barrier that a rank enters when all its
 * sends were received; when the barrier is through, no message can be under way any more. No rank
 * holds, counts or receives anything of size P.
 */
#include "call/common_collio_op.h"

#include <errno.h>
#include <stdlib.h>

#include "core/common_collio_wire.h"

typedef mca_common_collio_route_t route_t;

/* An offset list that is being received. */
typedef struct mca_common_collio_arrival_t {
    struct mca_common_collio_arrival_t *next;
    ompi_request_t *request;
    int requester;
    size_t bytes;
    unsigned char list[];
} arrival_t;

/* What an owner must know of a share: from where to where each window goes. */
static int list_outlines(const mca_common_collio_split_t *split,
                         const mca_common_collio_share_t *share, mca_common_collio_extents_t *list)
{
    int rc = 0;

    for (size_t w = share->first; 0 == rc && w < share->first + share->count; ++w) {
        const mca_common_collio_window_t *window = &split->window[w];
        int64_t lo = split->piece[window->first].offset, hi = lo;

        for (size_t i = window->first; i < window->first + window->count; ++i) {
            int64_t end = split->piece[i].offset + split->piece[i].length;

            hi = end > hi ? end : hi;
        }
        rc = mca_common_collio_extents_append(list, lo, hi - lo);
    }
    return rc;
}

/* My own part, when I am the owner: no message. */
static void add_own(mca_common_collio_op_t *op, const mca_common_collio_share_t *share)
{
    const mca_common_collio_split_t *split = &op->plan->split;
    mca_common_collio_extents_t own = {0};
    int rc = op->plan->outlined ? list_outlines(split, share, &own)
                                : mca_common_collio_split_share_list(split, share, &own);

    if (0 == rc) {
        rc = mca_common_collio_plan_add(op->plan, op->file->rank,
                                        mca_common_collio_layers_leader(op, op->file->rank), &own);
    }
    mca_common_collio_extents_fini(&own);
    if (0 != rc) {
        mca_common_collio_op_fail(op, -rc);
    }
}

static int encode_outlines(const mca_common_collio_split_t *split,
                           const mca_common_collio_share_t *share, mca_common_collio_bytes_t *list)
{
    mca_common_collio_extents_t outlines = {0};
    int rc = list_outlines(split, share, &outlines);

    if (0 == rc) {
        rc = mca_common_collio_wire_encode(outlines.at, outlines.count, sizeof(*outlines.at), list);
    }
    mca_common_collio_extents_fini(&outlines);
    return rc;
}

static int encode_pieces(const mca_common_collio_split_t *split,
                         const mca_common_collio_share_t *share, mca_common_collio_bytes_t *list)
{
    const mca_common_collio_window_t *first = &split->window[share->first];
    const mca_common_collio_window_t *last = &split->window[share->first + share->count - 1];

    return mca_common_collio_wire_encode(&split->piece[first->first],
                                         last->first + last->count - first->first,
                                         sizeof(*split->piece), list);
}

static void send_list(mca_common_collio_op_t *op, const mca_common_collio_share_t *share)
{
    const mca_common_collio_split_t *split = &op->plan->split;
    route_t *route = &op->route;
    mca_common_collio_bytes_t *list = &route->lists[route->send_count];
    int rc = op->plan->outlined ? encode_outlines(split, share, list)
                                : encode_pieces(split, share, list);

    if (0 == rc
        && OMPI_SUCCESS
               != mca_common_collio_isend(list->at, list->count,
                                          op->file->aggregators[share->owner],
                                          mca_common_collio_op_tag(op, MCA_COMMON_COLLIO_TAG_META),
                                          true, op->file->comm, &route->sends[route->send_count])) {
        rc = -EIO;
    }
    if (0 != rc) {
        mca_common_collio_op_fail(op, -rc);
        return;
    }
    ++route->send_count;
    mca_common_collio_file_count(op->file, MCA_COMMON_COLLIO_STAT_meta_messages, 1);
    mca_common_collio_file_count(op->file, MCA_COMMON_COLLIO_STAT_meta_bytes, list->count);
}

void mca_common_collio_route_start(mca_common_collio_op_t *op)
{
    size_t shares = op->plan->split.share_count;
    route_t *route = &op->route;

    route->lists = calloc(shares + 1, sizeof(*route->lists));
    route->sends = calloc(shares + 1, sizeof(*route->sends));
    if (NULL == route->lists || NULL == route->sends) {
        mca_common_collio_op_fail(op, ENOMEM);
        return;
    }
    for (size_t i = 0; i < shares && 0 == op->error; ++i) {
        const mca_common_collio_share_t *share = &op->plan->split.share[i];

        if (share->owner == op->file->my_owner) {
            add_own(op, share);
        } else {
            send_list(op, share);
        }
    }
}

/* No memory for a list: it is received cut off, because its sender waits for that. */
static void discard_list(mca_common_collio_op_t *op, int requester)
{
    op->route.discarding = OMPI_SUCCESS
                           == mca_common_collio_irecv(
                               NULL, 0, requester,
                               mca_common_collio_op_tag(op, MCA_COMMON_COLLIO_TAG_META),
                               op->file->comm, &op->route.discarded);
}

static void receive_list(mca_common_collio_op_t *op, const ompi_status_public_t *status)
{
    size_t bytes = status->_ucount;
    arrival_t *arrival = malloc(sizeof(*arrival) + bytes);

    if (NULL == arrival) {
        mca_common_collio_op_fail(op, ENOMEM);
        discard_list(op, status->MPI_SOURCE);
        return;
    }
    arrival->requester = status->MPI_SOURCE;
    arrival->bytes = bytes;
    if (OMPI_SUCCESS
        != mca_common_collio_irecv(arrival->list, bytes, arrival->requester,
                                   mca_common_collio_op_tag(op, MCA_COMMON_COLLIO_TAG_META),
                                   op->file->comm, &arrival->request)) {
        mca_common_collio_op_lose(op);
        free(arrival);
        return;
    }
    arrival->next = op->route.arrivals;
    op->route.arrivals = arrival;
}

static void probe(mca_common_collio_op_t *op)
{
    ompi_status_public_t status;
    int matched;

    if (op->route.discarding) {
        op->route.discarding = !mca_common_collio_request_discarded(op->file, &op->route.discarded);
    }
    do {
        matched = 0;
        if (op->route.discarding) {
            return; /* one at a time */
        }
        if (OMPI_SUCCESS
            != mca_common_collio_iprobe(mca_common_collio_op_tag(op, MCA_COMMON_COLLIO_TAG_META),
                                        op->file->comm, &matched, &status)) {
            mca_common_collio_op_lose(op);
            return;
        }
        if (matched) {
            receive_list(op, &status);
        }
    } while (matched);
}

static void accept_list(mca_common_collio_op_t *op, const arrival_t *arrival)
{
    mca_common_collio_extents_t list = {0};
    int rc = mca_common_collio_wire_decode(arrival->list, arrival->bytes, SIZE_MAX, &list);

    if (0 == rc) {
        mca_common_collio_file_count(op->file, MCA_COMMON_COLLIO_STAT_requests_received,
                                     list.count);
        rc = mca_common_collio_plan_add(op->plan, arrival->requester,
                                        mca_common_collio_layers_leader(op, arrival->requester),
                                        &list);
    }
    mca_common_collio_extents_fini(&list);
    if (0 != rc) {
        mca_common_collio_op_fail(op, -rc);
    }
}

static void take_arrivals(mca_common_collio_op_t *op)
{
    for (arrival_t **at = &op->route.arrivals; NULL != *at;) {
        arrival_t *arrival = *at;

        if (!mca_common_collio_request_done(op->file, &arrival->request, NULL)) {
            at = &arrival->next;
            continue;
        }
        *at = arrival->next;
        accept_list(op, arrival);
        free(arrival);
    }
}

static void route_free(mca_common_collio_op_t *op)
{
    route_t *route = &op->route;

    for (size_t i = 0; NULL != route->lists && i < op->plan->split.share_count; ++i) {
        mca_common_collio_bytes_fini(&route->lists[i]);
    }
    free(route->lists);
    free(route->sends);
    memset(route, 0, sizeof(*route));
}

bool mca_common_collio_route_poll(mca_common_collio_op_t *op)
{
    route_t *route = &op->route;

    probe(op);
    take_arrivals(op);
    while (route->sends_done < route->send_count
           && mca_common_collio_request_done(op->file, &route->sends[route->sends_done], NULL)) {
        ++route->sends_done;
    }
    if (!route->in_barrier && route->sends_done == route->send_count) {
        route->in_barrier = true;
        if (OMPI_SUCCESS != mca_common_collio_meet_barrier(op->file)) {
            mca_common_collio_op_lose(op);
            route->barrier_done = true;
        }
    }
    if (route->in_barrier && !route->barrier_done) {
        route->barrier_done = mca_common_collio_meet_poll(op->file);
        if (route->barrier_done) {
            probe(op); /* what was matched, but not yet seen by us */
        }
    }
    if (!route->barrier_done || NULL != route->arrivals || route->discarding) {
        return false;
    }
    route_free(op);
    return true;
}
