/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Gather: layer 1's offset lists. Every rank sends its local aggregator, in one message, the offset
 * lists of its relayed shares. The local aggregator merges the lists (gather_merge.c), and sends
 * every member the places of its bytes in the staging. The node agrees on the size of the staging.
 *
 *   member   -- aggregator, list, aggregator, list, ... -->  local aggregator: merge
 *   member   <------------- places --------------  (shm only)
 *   node     === largest staging, segment ======   (shm only; agreed while places are sent)
 *
 * All messages stay inside the node, or the rack, and no step waits. COLLECTIVE RULE: a rank that
 * fails sends empty lists and empty replies; the agreement READY distributes the error.
 */
#include "twolayer/relay.h"

#include <errno.h>
#include <stdlib.h>

#include "core/number.h"

typedef collio_relay_t relay_t;

enum { LISTS, REPLIES, SIZE, SEGMENT, MADE }; /* values of making.stage */

/* Records an error; rc is 0 or -errno. */
static void check(collio_exchange_t *ex, int rc)
{
    if (0 != rc) {
        collio_exchange_fail(ex, -rc);
    }
}

static void find_aggregator(collio_exchange_t *ex)
{
    const collio_nodes_t *groups = collio_groups(ex->file);
    int group = collio_node_of(groups, ex->file->rank);
    int ranks = collio_node_size(groups, group), count = collio_layers_in(ex, group);
    int local = collio_local_aggregator_of(ranks, count, collio_node_local(groups, ex->file->rank));
    relay_t *relay = ex->plan->layer1.relay;
    int next = ranks;

    relay->active = count < ranks;
    relay->aggregators = count;
    relay->aggregator = collio_node_member(groups, group, local);
    for (int i = 0; i < count; ++i) {
        int at = collio_local_aggregator(ranks, count, i);

        if (at == local) {
            relay->slot = i;
        } else if (at > local) {
            next = at;
            break;
        }
    }
    relay->member_count = next - local;
}

/* ---- a member's lists ---- */

static int put_number(collio_bytes_t *out, int64_t number)
{
    if (out->count + sizeof(number) > out->capacity) {
        size_t capacity = 2 * out->capacity + sizeof(number);
        unsigned char *at = realloc(out->at, capacity);

        if (NULL == at) {
            return -ENOMEM;
        }
        out->at = at;
        out->capacity = capacity;
    }
    memcpy(out->at + out->count, &number, sizeof(number));
    out->count += sizeof(number);
    return 0;
}

/* Appends a share to the message: aggregator, bytes of the list, list. Returns 0 or -errno. */
static int put_share(collio_exchange_t *ex, const collio_share_t *share)
{
    collio_bytes_t *out = &ex->plan->layer1.relay->making.list;
    size_t before;
    int64_t bytes;
    int rc;

    if (0 != put_number(out, share->aggregator) || 0 != put_number(out, 0)) {
        return -ENOMEM;
    }
    before = out->count;
    rc = collio_split_encode(&ex->plan->split, share, out);
    if (0 != rc) {
        return rc;
    }
    bytes = (int64_t) (out->count - before);
    memcpy(out->at + before - sizeof(bytes), &bytes, sizeof(bytes));
    return 0;
}

static void send_lists(collio_exchange_t *ex)
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
    if (OMPI_SUCCESS
        != collio_isend(relay->making.list.at, relay->making.list.count, relay->aggregator,
                        collio_exchange_tag(ex, COLLIO_TAG_RELAY), false, ex->file->comm,
                        &relay->making.request)) {
        relay->making.request = NULL;
        collio_exchange_lose(ex);
    }
    collio_file_count(ex->file, COLLIO_STAT_META_MESSAGES, 1);
    collio_file_count(ex->file, COLLIO_STAT_META_BYTES, relay->making.list.count);
}

/* Starts the agreement on the largest staging of the node; a member contributes 0. */
static void start_size(collio_exchange_t *ex)
{
    relay_t *relay = ex->plan->layer1.relay;

    relay->making.bytes[0] = relay->staging_bytes;
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
    find_aggregator(ex);
    if (!relay->active) {
        relay->making.stage = MADE;
        return;
    }
    check(ex, 0 == ex->error ? collio_part_mine(ex) : 0);
    if (!collio_relay_is_aggregator(ex)) {
        send_lists(ex);
        check(ex, 0 == ex->error ? collio_gather_split(ex, NULL) : 0);
        start_size(ex);
    }
}

/* ---- receiving ---- */

static bool sent(collio_exchange_t *ex, ompi_request_t **request)
{
    if (NULL != *request && !collio_request_done(ex->file, request, NULL)) {
        return false;
    }
    *request = NULL;
    return true;
}

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

bool collio_relay_may_share(const collio_exchange_t *ex)
{
    return COLLIO_INTRA_ISEND != ex->file->settings.intra && !collio_by_rack(ex->file)
           && COLLIO_SHARED_FAILED != ex->file->kept->relay_shared.state;
}

static bool lists_poll(collio_exchange_t *ex)
{
    relay_t *relay = ex->plan->layer1.relay;

    if (collio_relay_is_aggregator(ex)) {
        if (!received(ex, relay->member_count - 1)) {
            return false;
        }
        check(ex, 0 == ex->error ? collio_gather_merge(ex, relay->making.lists) : 0);
        free_lists(ex);
        start_size(ex);
        return true;
    }
    if (!sent(ex, &relay->making.request)) {
        return false;
    }
    collio_bytes_fini(&relay->making.list);
    return true;
}

/* Sends all replies at once; without memory for the MPI requests, sends empty replies one after the
 * other. Returns true when all replies are sent. */
static bool send_replies(collio_exchange_t *ex)
{
    relay_t *relay = ex->plan->layer1.relay;
    int tag = collio_exchange_tag(ex, COLLIO_TAG_RELAY);

    while (relay->making.replied + 1 < relay->member_count && sent(ex, &relay->making.request)) {
        int member = ++relay->making.replied;
        ompi_request_t **request = NULL == relay->making.reply_request
                                       ? &relay->making.request
                                       : &relay->making.reply_request[member];
        const collio_bytes_t none = {0};
        const collio_bytes_t *reply = NULL == relay->making.reply || 0 != ex->error
                                          ? &none
                                          : &relay->making.reply[member];

        if (OMPI_SUCCESS
            != collio_isend(reply->at, reply->count, collio_relay_rank(ex, member), tag, false,
                            ex->file->comm, request)) {
            *request = NULL;
            collio_exchange_lose(ex);
        }
        collio_file_count(ex->file, COLLIO_STAT_META_MESSAGES, 1);
        collio_file_count(ex->file, COLLIO_STAT_META_BYTES, reply->count);
    }
    for (int m = 1; NULL != relay->making.reply_request && m < relay->member_count; ++m) {
        if (!sent(ex, &relay->making.reply_request[m])) {
            return false;
        }
    }
    return relay->making.replied + 1 >= relay->member_count && sent(ex, &relay->making.request);
}

static void free_replies(relay_t *relay)
{
    for (int i = 0; NULL != relay->making.reply && i < relay->member_count; ++i) {
        collio_bytes_fini(&relay->making.reply[i]);
    }
    free(relay->making.reply);
    free(relay->making.reply_request);
    relay->making.reply = NULL;
    relay->making.reply_request = NULL;
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
        rc = collio_part_places(
            &relay->mine, &(collio_merge_input_t){places.at, places.count, sizeof(*places.at)});
    }
    collio_extents_fini(&places);
    return rc;
}

static bool replies_poll(collio_exchange_t *ex)
{
    if (collio_relay_is_aggregator(ex)) {
        return send_replies(ex);
    }
    if (!received(ex, 1)) {
        return false;
    }
    check(ex, 0 == ex->error ? take_places(ex->plan->layer1.relay) : 0);
    free_lists(ex);
    return true;
}

/* Ends the exchange of lists and places: frees the replies and measures the parts. */
static void end_lists(collio_exchange_t *ex)
{
    relay_t *relay = ex->plan->layer1.relay;

    free_replies(relay);
    ex->plan->layer1.memory_bytes = collio_part_memory(&relay->mine);
    for (int m = 0; NULL != relay->part && m < relay->member_count; ++m) {
        ex->plan->layer1.memory_bytes += collio_part_memory(&relay->part[m]);
    }
}

/* Starts to make the node's segment if there is none, or a larger one if it is too small. Returns
 * true if it was started. */
static bool start_segment(collio_exchange_t *ex)
{
    collio_file_t *file = ex->file;
    collio_shared_t *shared = &file->kept->relay_shared;
    const relay_t *relay = ex->plan->layer1.relay;
    int64_t region = collio_relay_limits_bytes(file)
                     + 2 * ((relay->making.bytes[1] + 63) / 64 * 64);

    if (0 == relay->making.bytes[1]
        || (COLLIO_SHARED_READY == shared->state && shared->region_bytes >= region
            && shared->regions >= relay->aggregators)) {
        return false;
    }
    shared->local_ranks = shared->slots = shared->peers = collio_node_size(
        &file->nodes, collio_node_of(&file->nodes, file->rank));
    shared->regions = relay->aggregators > shared->regions ? relay->aggregators : shared->regions;
    shared->mine = collio_relay_is_aggregator(ex);
    collio_shared_make(file, shared, collio_max(region, shared->region_bytes));
    return true;
}

static void next_stage(collio_exchange_t *ex)
{
    relay_t *relay = ex->plan->layer1.relay;

    switch (relay->making.stage) {
    case LISTS:
        if (collio_relay_may_share(ex)) {
            relay->making.stage = REPLIES;
        } else {
            end_lists(ex);
            relay->making.stage = MADE;
        }
        break;
    case REPLIES:
        end_lists(ex);
        relay->making.stage = SIZE;
        break;
    case SIZE:
        relay->making.stage = start_segment(ex) ? SEGMENT : MADE;
        break;
    default:
        relay->making.stage = MADE;
    }
}

bool collio_gather_poll(collio_exchange_t *ex)
{
    relay_t *relay = ex->plan->layer1.relay;
    bool over = true;

    while (over && MADE != relay->making.stage) {
        switch (relay->making.stage) {
        case LISTS:
            over = lists_poll(ex);
            break;
        case REPLIES:
            over = replies_poll(ex);
            break;
        case SIZE:
            over = collio_agreement_poll(ex->file);
            break;
        default:
            over = collio_shared_poll(ex->file, &ex->file->kept->relay_shared);
        }
        if (over) {
            next_stage(ex);
        }
    }
    return over;
}
