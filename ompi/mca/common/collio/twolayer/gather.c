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

typedef collio_relay_t relay_t;
typedef collio_gathered_t gathered_t;

enum { LISTS, REPLIES, SIZE, SEGMENT, MADE }; /* values of making.stage */

static void find_aggregator(collio_exchange_t *ex)
{
    const collio_nodes_t *groups = collio_groups(ex->file);
    int group = collio_node_of(groups, ex->file->rank);
    int ranks = collio_ranks_in(ex->file, group), count = collio_layers_in(ex, group);
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
    const collio_split_t *split = &ex->plan->split;
    collio_bytes_t *out = &ex->plan->layer1.relay->making.list;
    const collio_window_t *first = &split->window[share->first];
    const collio_window_t *last = &split->window[share->first + share->count - 1];
    size_t before;
    int64_t bytes;
    int rc;

    if (0 != put_number(out, share->aggregator) || 0 != put_number(out, 0)) {
        return -ENOMEM;
    }
    before = out->count;
    rc = collio_wire_encode(&split->piece[first->first], last->first + last->count - first->first,
                            sizeof(*split->piece), out);
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
    relay->making.stage = relay->active ? LISTS : MADE;
    if (relay->active && !collio_relay_is_aggregator(ex)) {
        send_lists(ex);
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

/* Receives and drops a message for which there is no memory, so that its sender can continue. */
static void discard(collio_exchange_t *ex, int peer)
{
    collio_exchange_fail(ex, ENOMEM);
    if (OMPI_SUCCESS
        != collio_irecv(NULL, 0, peer, collio_exchange_tag(ex, COLLIO_TAG_RELAY), ex->file->comm,
                        &ex->plan->layer1.relay->making.discarded)) {
        ex->plan->layer1.relay->making.discarded = NULL;
    }
}

/* Starts to receive all messages that have arrived, into the list of arrivals. */
static void receive(collio_exchange_t *ex)
{
    relay_t *relay = ex->plan->layer1.relay;
    int tag = collio_exchange_tag(ex, COLLIO_TAG_RELAY);
    const collio_nodes_t *nodes = collio_groups(ex->file);
    ompi_status_public_t status;
    gathered_t *arrival;
    int matched = 0;

    if (NULL != relay->making.discarded
        && !collio_request_discarded(ex->file, &relay->making.discarded)) {
        return;
    }
    relay->making.discarded = NULL;
    for (;;) {
        if (OMPI_SUCCESS != collio_iprobe(tag, ex->file->comm, &matched, &status)) {
            collio_exchange_lose(ex);
            return;
        }
        if (!matched) {
            return;
        }
        ++relay->making.arrived;
        arrival = malloc(sizeof(*arrival) + status._ucount);
        if (NULL == arrival) {
            discard(ex, status.MPI_SOURCE);
            return;
        }
        arrival->member = collio_node_local(nodes, status.MPI_SOURCE)
                          - collio_node_local(nodes, relay->aggregator);
        arrival->bytes = status._ucount;
        if (OMPI_SUCCESS
            != collio_irecv(arrival->list, arrival->bytes, status.MPI_SOURCE, tag, ex->file->comm,
                            &arrival->request)) {
            collio_exchange_lose(ex);
            free(arrival);
            return;
        }
        arrival->next = relay->making.arrivals;
        relay->making.arrivals = arrival;
    }
}

/* Returns true when `count` messages have been received. */
static bool received(collio_exchange_t *ex, int count)
{
    relay_t *relay = ex->plan->layer1.relay;

    if (relay->making.arrived < count || NULL != relay->making.discarded) {
        receive(ex);
    }
    for (gathered_t *arrival = relay->making.arrivals; NULL != arrival; arrival = arrival->next) {
        if (NULL != arrival->request) {
            if (!collio_request_done(ex->file, &arrival->request, NULL)) {
                return false;
            }
            arrival->request = NULL;
        }
    }
    return relay->making.arrived == count && NULL == relay->making.discarded;
}

static void free_arrivals(relay_t *relay)
{
    while (NULL != relay->making.arrivals) {
        gathered_t *next = relay->making.arrivals->next;

        free(relay->making.arrivals);
        relay->making.arrivals = next;
    }
    relay->making.arrived = 0;
}

/* ---- the steps ---- */

bool collio_relay_may_share(const collio_exchange_t *ex)
{
    return COLLIO_INTRA_ISEND != ex->file->settings.intra && !collio_by_rack(ex->file)
           && COLLIO_SHARED_FAILED != ex->file->kept->relay_shared.state;
}

static void merge(collio_exchange_t *ex)
{
    relay_t *relay = ex->plan->layer1.relay;
    int rc = 0 == ex->error ? collio_gather_merge(ex, relay->making.arrivals) : 0;

    if (0 != rc) {
        collio_exchange_fail(ex, -rc);
    }
    free_arrivals(relay);
}

static bool lists_poll(collio_exchange_t *ex)
{
    relay_t *relay = ex->plan->layer1.relay;

    if (collio_relay_is_aggregator(ex)) {
        if (!received(ex, relay->member_count - 1)) {
            return false;
        }
        merge(ex);
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

static bool replies_poll(collio_exchange_t *ex)
{
    relay_t *relay = ex->plan->layer1.relay;
    gathered_t *arrival;
    int rc = 0;

    if (collio_relay_is_aggregator(ex)) {
        return send_replies(ex);
    }
    if (!received(ex, 1)) {
        return false;
    }
    arrival = relay->making.arrivals;
    if (NULL != arrival && 0 == ex->error) {
        /* rejects absurd lengths: a valid list has at most one extent per piece */
        rc = collio_wire_decode(arrival->list, arrival->bytes, 2 * ex->plan->split.piece_count,
                                &relay->making.places);
    }
    if (0 != rc) {
        collio_exchange_fail(ex, -rc);
    }
    free_arrivals(relay);
    return true;
}

/* Makes this rank's part, after its places have arrived or if places are not needed. */
static void make_mine(collio_exchange_t *ex)
{
    relay_t *relay = ex->plan->layer1.relay;
    int rc = 0 == ex->error ? collio_gather_mine(ex, &relay->making.places) : 0;

    if (0 != rc) {
        collio_exchange_fail(ex, -rc);
    }
    collio_extents_fini(&relay->making.places);
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
    shared->local_ranks = shared->slots = shared->peers = collio_ranks_in(
        file, collio_node_of(&file->nodes, file->rank));
    shared->regions = relay->aggregators > shared->regions ? relay->aggregators : shared->regions;
    shared->mine = collio_relay_is_aggregator(ex);
    collio_shared_make(file, shared, region > shared->region_bytes ? region : shared->region_bytes);
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
            make_mine(ex);
            relay->making.stage = MADE;
        }
        break;
    case REPLIES:
        make_mine(ex);
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
