/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Gather: layer 1's offset lists. Every rank sends its local aggregator, in one message, the offset
 * lists of its relayed shares. The local aggregator merges the lists (gather_merge.c), and sends
 * every member the places of its bytes in the buffers. The node agrees on the size of a buffer.
 *
 *   member   -- head, list, head, list, ... --->  local aggregator: merge
 *   member   <------------- places --------------  (shm only)
 *   node     === largest buffer, segment =======   (shm only; agreed while places are sent)
 *
 * All messages stay inside the node, or the rack, and no step waits. COLLECTIVE RULE: a rank that
 * fails sends empty lists and empty replies; the agreement READY distributes the error.
 */
#include "twolayer/gather.h"

#include <errno.h>
#include <stdlib.h>

#include "core/grow.h"
#include "core/number.h"

typedef collio_relay_t relay_t;

static void find_aggregator(collio_exchange_t *ex)
{
    const collio_nodes_t *groups = collio_groups(ex->file);
    int rank = ex->file->rank;
    collio_local_t local = collio_local_of(groups, ex->layer1.local_aggregators, rank);
    relay_t *relay = ex->plan->layer1.relay;

    relay->active = local.count < collio_node_size(groups, collio_node_of(groups, rank));
    relay->aggregators = local.count;
    relay->region = local.number;
    relay->aggregator = local.rank;
    relay->member_count = local.members;
}

/* Sends making.list to a rank. */
static void gather_send_list(collio_exchange_t *ex, int peer)
{
    relay_t *relay = ex->plan->layer1.relay;

    if (OMPI_SUCCESS
        != collio_isend(relay->making.list.at, relay->making.list.count, peer,
                        collio_exchange_tag(ex, COLLIO_TAG_RELAY), false, ex->file->context->comm,
                        &relay->making.request)) {
        relay->making.request = NULL;
        collio_exchange_lose(ex);
    }
    collio_file_count(ex->file, COLLIO_STAT_META_MESSAGES, 1);
    collio_file_count(ex->file, COLLIO_STAT_META_BYTES, relay->making.list.count);
}

/* Returns true when the rank that making.list was sent to has it. */
static bool sent(collio_exchange_t *ex)
{
    relay_t *relay = ex->plan->layer1.relay;

    if (NULL != relay->making.request
        && !collio_request_done(ex->file, &relay->making.request, NULL)) {
        return false;
    }
    relay->making.request = NULL;
    return true;
}

/* ---- a member's lists ---- */

/* Appends the encoded pieces of window[first .. first + count). Returns 0 or -errno. */
static int encode_windows(const collio_split_t *split, size_t first, size_t count,
                          collio_bytes_t *out)
{
    collio_extents_t list = {0};
    int rc = collio_split_list(split, first, count, &list);

    if (0 == rc) {
        rc = collio_wire_encode(&list, out);
    }
    collio_extents_fini(&list);
    return rc;
}

/* Appends a share to the message: head and list. Returns 0 or -errno. */
static int put_share(collio_exchange_t *ex, const collio_share_t *share)
{
    collio_bytes_t *out = &ex->plan->layer1.relay->making.list;
    collio_list_head_t head = {.aggregator = share->aggregator};
    size_t before = out->count;
    int rc;

    while (out->capacity - before < sizeof(head)) {
        unsigned char *at = collio_grow(out->at, &out->capacity, 1);

        if (NULL == at) {
            return -ENOMEM;
        }
        out->at = at;
    }
    out->count += sizeof(head);
    rc = encode_windows(&ex->plan->split, share->first, share->count, out);
    head.bytes = (int64_t) (out->count - before - sizeof(head));
    memcpy(out->at + before, &head, sizeof(head));
    return rc;
}

static void gather_send_lists(collio_exchange_t *ex)
{
    relay_t *relay = ex->plan->layer1.relay;
    const collio_split_t *split = &ex->plan->split;
    int rc = 0;

    for (size_t s = 0; 0 == rc && 0 == ex->error && s < split->share_count; ++s) {
        if (collio_relayed(ex, split->share[s].aggregator)) {
            rc = put_share(ex, &split->share[s]);
        }
    }
    if (0 != rc) {
        collio_exchange_fail(ex, -rc);
        relay->making.list.count = 0;
    }
    gather_send_list(ex, relay->aggregator);
}

/* Starts the agreement on the largest buffer of the node; a member contributes 0. */
static void start_size(collio_exchange_t *ex)
{
    relay_t *relay = ex->plan->layer1.relay;

    relay->making.bytes[0] = relay->buffer_bytes;
    if (collio_relay_may_share(ex)
        && OMPI_SUCCESS
               != collio_agreement_start(ex->file, COLLIO_SCOPE_NODE, &relay->making.bytes[0],
                                         &relay->making.bytes[1], 1)) {
        collio_exchange_lose(ex);
    }
}

void collio_gather_start(collio_exchange_t *ex)
{
    relay_t *relay = ex->plan->layer1.relay;

    memset(relay, 0, sizeof(*relay));
    ex->plan->layer1.kind = ex->layer1.kind;
    ex->plan->layer1.level = ex->layer1.local_aggregators.level;
    find_aggregator(ex);
    if (!relay->active) {
        return;
    }
    collio_exchange_check(ex, 0 == ex->error ? collio_places_mine(ex) : 0);
    if (!collio_relay_is_aggregator(ex)) {
        gather_send_lists(ex);
        collio_exchange_check(ex, 0 == ex->error ? collio_gather_split(ex, NULL) : 0);
        start_size(ex);
    }
}

/* ---- receiving ---- */

/* Returns true when `count` messages are in making.lists. */
static bool received(collio_exchange_t *ex, int count)
{
    relay_t *relay = ex->plan->layer1.relay;
    collio_inbox_t *inbox = &relay->making.inbox;
    collio_arrival_t *arrival = NULL, *next;

    if (inbox->matched < count || !collio_inbox_empty(inbox)) {
        arrival = collio_inbox_poll(ex, inbox, collio_exchange_tag(ex, COLLIO_TAG_RELAY));
    }
    for (; NULL != arrival; arrival = next) {
        next = arrival->next;
        arrival->next = relay->making.lists;
        relay->making.lists = arrival;
    }
    return inbox->matched == count && collio_inbox_empty(inbox);
}

static void free_lists(collio_exchange_t *ex)
{
    relay_t *relay = ex->plan->layer1.relay;

    while (NULL != relay->making.lists) {
        relay->making.lists = collio_arrival_free(ex, relay->making.lists);
    }
}

/* ---- the steps ---- */

static bool lists_poll(collio_exchange_t *ex)
{
    relay_t *relay = ex->plan->layer1.relay;

    if (collio_relay_is_aggregator(ex)) {
        if (!received(ex, relay->member_count - 1)) {
            return false;
        }
        collio_exchange_check(ex,
                              0 == ex->error ? collio_gather_merge(ex, relay->making.lists) : 0);
        free_lists(ex);
        start_size(ex);
        return true;
    }
    return sent(ex);
}

/* Sends each member the places of its bytes in the order of its pieces, one member after the other;
 * after an error replies are empty. Returns true when all replies are sent. */
static bool send_replies(collio_exchange_t *ex)
{
    relay_t *relay = ex->plan->layer1.relay;

    while (sent(ex)) {
        int member = ++relay->making.replied;

        if (member == relay->member_count) {
            return true;
        }
        relay->making.list.count = 0;
        if (0 == ex->error) {
            const collio_split_t *list = &relay->requests[member];
            int rc = encode_windows(list, 0, list->window_count, &relay->making.list);

            if (0 != rc) {
                relay->making.list.count = 0;
                collio_exchange_fail(ex, -rc);
            }
        }
        gather_send_list(ex, collio_relay_rank(ex, member));
    }
    return false;
}

/* Sets the places of this member's bytes from the reply. */
static int take_places(relay_t *relay)
{
    const collio_arrival_t *reply = relay->making.lists;
    collio_extents_t places = {0};
    int rc;

    if (NULL == reply) {
        return 0;
    }
    /* rejects absurd lengths: a valid list has at most one extent per piece */
    rc = collio_wire_decode(reply->list, reply->bytes, relay->mine.piece_count, &places);
    if (0 == rc) {
        rc = collio_places_set(&relay->mine, &places);
    }
    collio_extents_fini(&places);
    return rc;
}

static bool replies_poll(collio_exchange_t *ex)
{
    if (!collio_relay_may_share(ex)) {
        return true;
    }
    if (collio_relay_is_aggregator(ex)) {
        return send_replies(ex);
    }
    if (!received(ex, 1)) {
        return false;
    }
    collio_exchange_check(ex, 0 == ex->error ? take_places(ex->plan->layer1.relay) : 0);
    free_lists(ex);
    return true;
}

/* Starts to make the node's segment if there is none, or a larger one if it is too small. Returns
 * true if it was started. */
static bool start_segment(collio_exchange_t *ex)
{
    collio_file_t *file = ex->file;
    collio_shared_t *shared = &file->context->kept->relay_shared;
    const relay_t *relay = ex->plan->layer1.relay;
    int64_t region = collio_relay_limits_bytes(file)
                     + 2 * ((relay->making.bytes[1] + 63) / 64 * 64);

    if (0 == relay->making.bytes[1]
        || (COLLIO_SHARED_READY == shared->state && shared->region_bytes >= region
            && shared->regions >= relay->aggregators)) {
        return false;
    }
    shared->local_ranks = shared->owners = shared->peers = collio_node_size(
        &file->nodes, collio_node_of(&file->nodes, file->rank));
    shared->regions = relay->aggregators > shared->regions ? relay->aggregators : shared->regions;
    shared->mine = collio_relay_is_aggregator(ex);
    collio_shared_make(file, shared, collio_max(region, shared->region_bytes));
    return true;
}

/* Waits for the agreement on the size, and starts the segment. */
static bool size_poll(collio_exchange_t *ex)
{
    relay_t *relay = ex->plan->layer1.relay;

    if (collio_relay_may_share(ex) && !collio_agreement_poll(ex->file)) {
        return false;
    }
    relay->making.segment = collio_relay_may_share(ex) && start_segment(ex);
    return true;
}

static bool segment_poll(collio_exchange_t *ex)
{
    relay_t *relay = ex->plan->layer1.relay;

    if (relay->making.segment
        && !collio_shared_poll(ex->file, &ex->file->context->kept->relay_shared)) {
        return false;
    }
    collio_bytes_fini(&relay->making.list);
    ex->plan->layer1.memory_bytes = collio_relay_memory(relay);
    return true;
}

bool collio_gather_poll(collio_exchange_t *ex)
{
    static bool (*const stages[])(collio_exchange_t *) = {lists_poll, replies_poll, size_poll,
                                                          segment_poll};
    relay_t *relay = ex->plan->layer1.relay;

    while (relay->active && relay->making.stage < sizeof(stages) / sizeof(stages[0])) {
        if (!stages[relay->making.stage](ex)) {
            return false;
        }
        ++relay->making.stage;
    }
    return true;
}
