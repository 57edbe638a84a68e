/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * The cycles of a local aggregator (plan/relay.h): its sources are its members, and the access of a
 * cycle is the delivery of the round's windows to (from) their aggregators, without another copy.
 *
 *   buffer 0   [ aggregator 2: window 8 ][ aggregator 5: window 8 ]     round 8 is being delivered
 *   buffer 1   [ aggregator 2: window 9 ][ aggregator 5: window 9 ]     round 9 is being gathered
 *
 *   shm     a member waits for the grant, copies its bytes to (from) their places
 *   isend   one message per round, packed in the order of the places
 *
 * In a read each window has a limit of its own, because each aggregator has an end of its data. In
 * shared memory a member copies its bytes of a window as soon as the window has arrived, and other
 * windows of the round may be in flight: the round is granted at its start, and members poll the
 * limit of each window. Reads take 2 to 8 % longer if members wait for the whole round
 * (E3SM G and S3D, 16 ranks on four virtual nodes, medians).
 */
#include "cycles/cycles.h"

#include <errno.h>
#include <stdlib.h>

#include "core/number.h"

typedef collio_relay_t relay_t;

/* ---- the rounds of a local aggregator ---- */

static void forward_enter(collio_exchange_t *ex, collio_slot_t *slot)
{
    slot->cut = false;
    if (ex->write || NULL == slot->owner->shared) {
        return;
    }
    for (int aggregator = 0; aggregator < ex->file->derived.aggregator_count; ++aggregator) {
        atomic_store_explicit(&slot->buffer.limits[aggregator], COLLIO_LIMIT_PENDING,
                              memory_order_relaxed);
    }
    (void) collio_cycles_start_sources(ex, slot);
}

/* Describes a move between a member and its local aggregator, whose content and peer are set. */
static void describe_local(const collio_exchange_t *ex, collio_move_t *move)
{
    move->tag = COLLIO_TAG_RELAY;
    move->synchronous = 0 < ex->way.synchronous_each;
    move->extra = ex->write ? 0 : collio_relay_lengths(move->what.windows);
    move->transport = collio_transport_inside(ex, move->peer);
}

static void forward_describe(const collio_exchange_t *ex, const collio_slot_t *slot,
                             const collio_source_t *source, collio_move_t *move)
{
    const relay_t *relay = ex->plan->layer1.relay;
    const collio_split_t *request = 0 == source->requester ? &relay->mine
                                                           : &relay->requests[source->requester];

    (void) slot;
    move->peer = collio_relay_rank(ex, (int) source->requester);
    move->what = collio_content_share(request, &request->share[source->window]);
    describe_local(ex, move);
}

/* The deliveries of a round start by themselves (forwarded_open). */
static void forward_start(collio_exchange_t *ex, collio_slot_t *slot)
{
    (void) ex;
    (void) slot;
}

static bool forward_over(collio_exchange_t *ex, collio_slot_t *slot)
{
    return ex->requester[COLLIO_FORWARDED].first >= slot->cycle->run + slot->cycle->run_count;
}

const collio_sink_t collio_sink_forward = {
    .enter = forward_enter,
    .describe = forward_describe,
    .start = forward_start,
    .over = forward_over,
};

/* ---- windows that are forwarded ---- */

/* A window may be delivered when the delivery of its round has started, unless bytes of a member
 * may be missing. */
static bool forwarded_open(collio_exchange_t *ex, collio_requester_t *requester, size_t i)
{
    const collio_cycle_t *round = ex->local.collect->cycle;

    if (0 <= requester->round_index) {
        round += requester->round_index;
    }
    if (requester->round_index < 0 || i == round->run + round->run_count) {
        ++requester->round_index;
        requester->round = (int) (requester->round_index % 2);
    }
    return 0 == ex->file->lost
           && requester->round_index < (int64_t) ex->local.progress.accesses_started;
}

static void forwarded_describe(const collio_exchange_t *ex, size_t i, collio_move_t *move)
{
    collio_requester_window(ex, collio_relay_direct(ex->plan) + i, move);
    move->forwarded = true;
    move->staging = ex->local.slot[move->round].buffer.at + ex->plan->layer1.relay->place[i];
}

/* Clears the buffer past the data of a window of a read, and lets members copy the window. */
static void forwarded_done(collio_exchange_t *ex, const collio_move_t *move)
{
    collio_slot_t *slot = &ex->local.slot[move->round];
    char *end = move->staging + move->bytes;

    if (ex->write) {
        return;
    }
    memset(end, 0, (size_t) (move->what.bytes - move->bytes));
    slot->cut |= move->bytes < move->what.bytes;
    atomic_store_explicit(&slot->buffer.limits[move->aggregator], end - slot->buffer.at,
                          memory_order_release);
}

const collio_deliver_t collio_deliver_forwarded = {
    .open = forwarded_open,
    .describe = forwarded_describe,
    .done = forwarded_done,
};

/* ---- what a member and its local aggregator exchange ---- */

static bool member_open(collio_exchange_t *ex, collio_requester_t *requester, size_t i)
{
    (void) ex;
    return collio_requester_round(requester, (int64_t) i);
}

static void member_describe(const collio_exchange_t *ex, size_t i, collio_move_t *move)
{
    const relay_t *relay = ex->plan->layer1.relay;

    move->aggregator = -1;
    move->peer = relay->aggregator;
    move->what = collio_content_share(&relay->mine, &relay->mine.share[i]);
    describe_local(ex, move);
}

const collio_deliver_t collio_deliver_member = {
    .open = member_open,
    .describe = member_describe,
};

/* ---- memory ---- */

static int64_t align(int64_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

/* Sets the addresses of the buffers: in the shared segment, of which members need them, too, or in
 * private memory. */
static void place_buffers(collio_exchange_t *ex)
{
    const relay_t *relay = ex->plan->layer1.relay;
    collio_owner_t *owner = &ex->local;
    int64_t limits = collio_relay_limits_bytes(ex->file), stride = align(relay->buffer_bytes);
    char *memory = ex->file->context->kept->relay.at;

    if (NULL != owner->shared) {
        memory = collio_shared_region(owner->shared, relay->region);
        stride = (owner->shared->region_bytes - limits) / 2 / 64 * 64;
    }
    for (int i = 0; i < 2; ++i) {
        collio_slot_t *slot = &owner->slot[i];

        slot->owner = owner;
        slot->number = i;
        slot->move = relay->move[i];
        slot->staging = memory + limits + 2 * stride + i * relay->message_bytes;
        slot->buffer = (collio_buffer_t){.at = memory + limits + i * stride, .limit = INT64_MAX};
        if (!ex->write) {
            slot->buffer.limits = (_Atomic int64_t *) (void *) memory
                                  + i * ex->file->derived.aggregator_count;
        }
    }
}

static int reserve_moves(collio_exchange_t *ex)
{
    relay_t *relay = ex->plan->layer1.relay;
    size_t members = (size_t) relay->member_count;

    for (int i = 0; i < 2; ++i) {
        if (NULL == relay->move[i]) {
            relay->move[i] = calloc(members, sizeof(*relay->move[i]));
            ex->plan->memory_bytes += (int64_t) (members * sizeof(*relay->move[i]));
        }
    }
    return NULL == relay->move[0] || NULL == relay->move[1] ? -ENOMEM : 0;
}

/* Sets the bytes of a member's largest message. */
static void measure_messages(relay_t *relay)
{
    for (size_t s = 0; s < relay->mine.share_count; ++s) {
        const collio_share_t *share = &relay->mine.share[s];

        relay->message_bytes = collio_max(share->bytes + collio_relay_lengths(share->count),
                                          relay->message_bytes);
    }
}

int collio_forward_prepare(collio_exchange_t *ex)
{
    relay_t *relay = ex->plan->layer1.relay;
    collio_kept_t *kept = ex->file->context->kept;
    bool aggregator = collio_relay_is_aggregator(ex);
    int64_t bytes;

    if (!relay->active) {
        return 0;
    }
    ex->local.sink = &collio_sink_forward;
    ex->local.schedule = &collio_schedule_write_comm2;
    ex->local.collect = &relay->rounds;
    if (collio_relay_may_share(ex) && COLLIO_SHARED_READY == kept->relay_shared.state) {
        ex->local.shared = &kept->relay_shared;
        ex->local.number = collio_node_local(&ex->file->nodes, relay->aggregator);
    }
    if (aggregator && 0 != reserve_moves(ex)) {
        return -ENOMEM;
    }
    if (!aggregator && 0 == relay->message_bytes) {
        measure_messages(relay);
    }
    bytes = 2 * relay->message_bytes;
    if (aggregator) {
        bytes += collio_relay_limits_bytes(ex->file) + 2 * align(relay->buffer_bytes);
    }
    if (NULL == ex->local.shared && 0 != collio_arena_reserve(ex->file, &kept->relay, bytes)) {
        return -ENOMEM;
    }
    ex->local.staging_bytes = relay->message_bytes;
    ex->requester[COLLIO_MEMBER].staging = kept->relay.at;
    ex->requester[COLLIO_MEMBER].round_bytes = relay->message_bytes;
    if (aggregator || NULL != ex->local.shared) {
        place_buffers(ex);
    }
    return 0;
}
