/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * The rounds of a local aggregator (see relay.h). One half of its staging collects the members'
 * bytes of a round, by messages or by the members' copies in shared memory. The windows in that
 * half are then delivered to their aggregators like direct windows (cycles/requester.c), without
 * another copy. The bytes of reads move in the opposite direction.
 *
 *   half 0   [ aggregator 2: window 8 ][ aggregator 5: window 8 ]     round 8 is being delivered
 *   half 1   [ aggregator 2: window 9 ][ aggregator 5: window 9 ]     round 9 is being handed over
 *
 * All memory was allocated before the first cycle. A message that fails counts as arrived: the
 * error is recorded, and other messages continue.
 */
#include "twolayer/relay.h"

#include "cycles/cycles.h"

#include <errno.h>
#include <stdlib.h>

#include "core/number.h"

typedef collio_relay_t relay_t;
typedef collio_half_t half_t;
typedef collio_turn_t turn_t;

/* ---- memory ---- */

static int64_t align(int64_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

int64_t collio_relay_limits_bytes(const collio_file_t *file)
{
    return align(2 * file->derived.aggregator_count * (int64_t) sizeof(int64_t));
}

/* Returns the memory of the local aggregator: in the shared segment, or private. */
static char *memory(const collio_exchange_t *ex)
{
    const relay_t *relay = ex->plan->layer1.relay;

    return relay->shared ? collio_shared_region(&ex->file->context->kept->relay_shared, relay->slot)
                         : ex->file->context->kept->relay.at;
}

/* Return the limits, or the bytes, of one half. */
static _Atomic int64_t *limits_of(const collio_exchange_t *ex, int half)
{
    return (_Atomic int64_t *) (void *) memory(ex) + half * ex->file->derived.aggregator_count;
}

static char *staging_of(const collio_exchange_t *ex, int half)
{
    const relay_t *relay = ex->plan->layer1.relay;
    int64_t limits = collio_relay_limits_bytes(ex->file);
    int64_t stride = relay->shared ? (ex->file->context->kept->relay_shared.region_bytes - limits)
                                         / 2 / 64 * 64
                                   : align(relay->staging_bytes);

    return memory(ex) + limits + half * stride;
}

static int prepare_half(collio_exchange_t *ex, half_t *half)
{
    size_t members = (size_t) ex->plan->layer1.relay->member_count;

    if (NULL == half->slot.move) {
        half->slot.move = calloc(members, sizeof(*half->slot.move));
        ex->plan->memory_bytes += (int64_t) (members * sizeof(*half->slot.move));
    }
    return NULL == half->slot.move ? -ENOMEM : 0;
}

static void place_halves(collio_exchange_t *ex)
{
    relay_t *relay = ex->plan->layer1.relay;

    for (int h = 0; h < 2; ++h) {
        relay->half[h].slot.number = h;
        relay->half[h].slot.buffer = staging_of(ex, h);
        if (!relay->shared) {
            relay->half[h].slot.staging = staging_of(ex, 2) + h * relay->message_bytes;
        }
    }
}

/* Returns the bytes of a member's largest message. */
static int64_t largest_message(const collio_part_t *part)
{
    int64_t largest = 0;

    for (size_t t = 0; t < part->turn_count; ++t) {
        largest = collio_max(largest, collio_turn_room(&part->turn[t]));
    }
    return largest;
}

static int relay_prepare(collio_exchange_t *ex)
{
    relay_t *relay = ex->plan->layer1.relay;
    bool aggregator = collio_relay_is_aggregator(ex);
    int64_t bytes = 0;

    if (!relay->active) {
        return 0;
    }
    relay->shared = collio_relay_may_share(ex)
                    && COLLIO_SHARED_READY == ex->file->context->kept->relay_shared.state;
    if (aggregator
        && (0 != prepare_half(ex, &relay->half[0]) || 0 != prepare_half(ex, &relay->half[1]))) {
        return -ENOMEM;
    }
    if (!aggregator && 0 == relay->message_bytes) {
        relay->message_bytes = largest_message(&relay->mine);
    }
    if (!relay->shared) {
        bytes = 2 * relay->message_bytes;
        bytes += aggregator ? collio_relay_limits_bytes(ex->file) + 2 * align(relay->staging_bytes)
                            : 0;
    }
    if (0 != collio_arena_reserve(ex->file, &ex->file->context->kept->relay, bytes)) {
        return -ENOMEM;
    }
    if (aggregator) {
        place_halves(ex);
    }
    return 0;
}

static void relay_reset(collio_relay_t *relay)
{
    collio_split_fini(&relay->own);
    collio_part_fini(&relay->mine);
    for (int m = 0; NULL != relay->part && m < relay->member_count; ++m) {
        collio_part_fini(&relay->part[m]);
    }
    free(relay->part);
    free(relay->round_of);
    free(relay->round);
    for (int i = 0; i < 2; ++i) {
        free(relay->half[i].slot.move);
    }
    collio_bytes_fini(&relay->making.list);
    memset(relay, 0, sizeof(*relay));
}

/* ---- handing over ---- */

bool collio_relay_copy(collio_exchange_t *ex, int half, const turn_t *turn, size_t *next)
{
    const collio_part_t *mine = &ex->plan->layer1.relay->mine;

    for (; *next < turn->window_count; ++*next) {
        const collio_window_t *window = &mine->list.window[turn->window + *next];
        collio_content_t what = collio_content(&mine->list, window);
        int64_t copied, limit = INT64_MAX;

        if (!ex->write) {
            limit = atomic_load_explicit(&limits_of(ex, half)[window->index], memory_order_acquire);
        }
        if (COLLIO_LIMIT_PENDING == limit) {
            return false;
        }
        copied = collio_copy_window(ex, &what, staging_of(ex, half), 0, limit);
        if (!collio_relay_is_aggregator(ex)) {
            collio_file_count(ex->file, COLLIO_STAT_SHM_BYTES, (uint64_t) copied);
        }
    }
    return true;
}

/* Packs the message of a read for a member in a round that has a short window: the bytes of all
 * windows, then the length of the data of each window. Returns the length of the message. */
static int64_t pack_short(collio_exchange_t *ex, int h, int member, const turn_t *turn,
                          char *message)
{
    const collio_part_t *part = &ex->plan->layer1.relay->part[member];
    const half_t *half = &ex->plan->layer1.relay->half[h];
    int64_t at = 0;

    for (size_t i = 0; i < turn->window_count; ++i) {
        const collio_window_t *window = &part->list.window[turn->window + i];
        collio_content_t what = collio_content(&part->list, window);
        int64_t valid = collio_copy_gather(ex, &what, half->slot.buffer, 0,
                                           limits_of(ex, h)[window->index], message + at);

        memcpy(message + turn->bytes + i * sizeof(valid), &valid, sizeof(valid));
        at += window->bytes;
    }
    return collio_turn_room(turn);
}

static void start_message(collio_exchange_t *ex, int h, int member, const turn_t *turn)
{
    const collio_part_t *part = &ex->plan->layer1.relay->part[member];
    half_t *half = &ex->plan->layer1.relay->half[h];
    collio_move_t *move = &half->slot.move[half->slot.next_source++];
    bool is_short = !ex->write && !half->whole;

    *move = (collio_move_t){.transport = &collio_transport_isend,
                            .what = collio_turn_content(part, turn),
                            .peer = collio_relay_rank(ex, member),
                            .tag = COLLIO_TAG_RELAY,
                            .synchronous = 0 < ex->way.synchronous_each};
    ++half->slot.pending;
    if (!turn->straight || half->slot.in_order || is_short) {
        move->staging = half->slot.staging + half->slot.staging_used;
        half->slot.staging_used += collio_turn_room(turn);
    }
    if (is_short) {
        collio_message_send(ex, move, move->staging,
                            pack_short(ex, h, member, turn, move->staging));
    } else {
        move->transport->aggregator_start(ex, &half->slot, move);
    }
}

static void grant(collio_exchange_t *ex, int h, int member)
{
    const collio_nodes_t *nodes = &ex->file->nodes;

    ++ex->plan->layer1.relay->half[h].slot.arrived;
    collio_shared_grant(&ex->file->context->kept->relay_shared,
                        collio_node_local(nodes, ex->file->rank),
                        collio_node_local(nodes, collio_relay_rank(ex, member)), h);
}

static _Atomic uint64_t *arrivals(const collio_exchange_t *ex, int h)
{
    return &collio_shared_control(&ex->file->context->kept->relay_shared,
                                  collio_node_local(&ex->file->nodes, ex->file->rank))
                ->arrived[h];
}

/* Returns the turn of a member in the round of window number `index`, or NULL, and advances to the
 * member's next turn. */
static const turn_t *turn_of(relay_t *relay, int member, int64_t index)
{
    collio_part_t *part = 0 == member ? &relay->mine : &relay->part[member];

    if (part->next == part->turn_count || part->turn[part->next].index != index) {
        return NULL;
    }
    return &part->turn[part->next++];
}

/* Begins the handing of a round: starts the messages of all members, or grants the half to them
 * (shm). */
static void begin_handing(collio_exchange_t *ex, int h)
{
    relay_t *relay = ex->plan->layer1.relay;
    half_t *half = &relay->half[h];
    int64_t index = relay->round[half->round].index;

    half->slot.batch = half->slot.next_source = half->slot.pending = 0;
    half->slot.staging_used = 0;
    half->slot.limit = INT64_MAX;
    half->slot.in_order = ex->atomic && ex->write && relay->overlapping;
    if (relay->shared) {
        half->slot.arrived = atomic_load_explicit(arrivals(ex, h), memory_order_acquire);
    }
    for (int m = 1; m < relay->member_count; ++m) {
        const turn_t *turn = turn_of(relay, m, index);

        if (NULL == turn) {
            continue;
        }
        if (relay->shared) {
            grant(ex, h, m);
        } else {
            start_message(ex, h, m, turn);
        }
    }
    half->own = turn_of(relay, 0, index);
    ++relay->handed;
}

/* Copies this rank's own pieces. In ordered writes (atomic mode) own pieces come first: messages of
 * members are applied afterwards. */
static void start_handing(collio_exchange_t *ex, int h)
{
    half_t *half = &ex->plan->layer1.relay->half[h];
    size_t first = 0;

    if (ex->write || !ex->plan->layer1.relay->shared) { /* otherwise open_round has begun it */
        begin_handing(ex, h);
    }
    half->state = COLLIO_HALF_HANDING;
    if (NULL != half->own) {
        (void) collio_relay_copy(ex, h, half->own, &first);
    }
}

static bool handing_over(collio_exchange_t *ex, int h, bool *moved)
{
    half_t *half = &ex->plan->layer1.relay->half[h];

    if (!ex->plan->layer1.relay->shared) {
        return collio_cycles_moved(ex, &half->slot, moved);
    }
    return atomic_load_explicit(arrivals(ex, h), memory_order_acquire) == half->slot.arrived;
}

/* ---- rounds ---- */

static void relay_open_round(collio_exchange_t *ex)
{
    relay_t *relay = ex->plan->layer1.relay;
    int h = (int) (relay->next_round % 2);
    half_t *half = &relay->half[h];

    half->round = relay->next_round++;
    half->windows = relay->round[half->round].windows;
    half->whole = true;
    if (ex->write) {
        start_handing(ex, h);
        return;
    }
    half->state = COLLIO_HALF_DELIVERING;
    if (relay->shared) {
        for (int aggregator = 0; aggregator < ex->file->derived.aggregator_count; ++aggregator) {
            atomic_store_explicit(&limits_of(ex, h)[aggregator], COLLIO_LIMIT_PENDING,
                                  memory_order_relaxed);
        }
        begin_handing(ex, h);
    }
}

static void step_half(collio_exchange_t *ex, int h, bool *moved)
{
    relay_t *relay = ex->plan->layer1.relay;
    half_t *half = &relay->half[h];

    if (COLLIO_HALF_DELIVERED == half->state && (relay->shared || relay->handed == half->round)) {
        start_handing(ex, h);
        *moved = true;
    } else if (COLLIO_HALF_HANDING == half->state && handing_over(ex, h, moved)) {
        half->state = ex->write ? COLLIO_HALF_DELIVERING : COLLIO_HALF_FREE;
        *moved = true;
    }
}

static bool aggregator_poll(collio_exchange_t *ex, bool *moved)
{
    relay_t *relay = ex->plan->layer1.relay;

    for (int h = 0; h < 2; ++h) {
        step_half(ex, h, moved);
    }
    while (relay->next_round < relay->round_count
           && COLLIO_HALF_FREE == relay->half[relay->next_round % 2].state) {
        relay_open_round(ex);
        *moved = true;
    }
    return relay->next_round == relay->round_count && COLLIO_HALF_FREE == relay->half[0].state
           && COLLIO_HALF_FREE == relay->half[1].state;
}

static void relay_start(collio_exchange_t *ex)
{
    relay_t *relay = ex->plan->layer1.relay;

    relay->next_round = relay->handed = relay->mine.next = relay->started_turn = 0;
    for (int m = 0; NULL != relay->part && m < relay->member_count; ++m) {
        relay->part[m].next = 0;
    }
    ex->layer1.polled_ns = collio_now();
}

/* Returns true if bytes move between members and the local aggregator. */
static bool moving(const collio_exchange_t *ex)
{
    const relay_t *relay = ex->plan->layer1.relay;

    return collio_relay_is_aggregator(ex) ? COLLIO_HALF_HANDING == relay->half[0].state
                                                || COLLIO_HALF_HANDING == relay->half[1].state
                                          : relay->mine.next < relay->mine.turn_count;
}

static bool relay_poll(collio_exchange_t *ex, bool *moved)
{
    bool was_moving, over;
    uint64_t now;

    if (!ex->plan->layer1.relay->active) {
        return true;
    }
    was_moving = moving(ex);
    over = collio_relay_is_aggregator(ex) ? aggregator_poll(ex, moved)
                                          : collio_relay_member(ex, moved);
    now = collio_now();
    if (was_moving || moving(ex)) {
        collio_file_count(ex->file, COLLIO_STAT_TIME_GATHER_MOVE, now - ex->layer1.polled_ns);
    }
    ex->layer1.polled_ns = now;
    return over;
}

/* ---- for cycles/requester.c ---- */

static bool ready(const collio_exchange_t *ex, size_t window)
{
    const relay_t *relay = ex->plan->layer1.relay;
    const half_t *half = &relay->half[relay->round_of[window] % 2];

    return COLLIO_HALF_DELIVERING == half->state && half->round == relay->round_of[window];
}

static char *message_of(const collio_exchange_t *ex, size_t window)
{
    const relay_t *relay = ex->plan->layer1.relay;

    return staging_of(ex, (int) (relay->round_of[window] % 2)) + ex->plan->layer1.place[window];
}

static void delivered(collio_exchange_t *ex, const collio_delivery_t *delivery)
{
    relay_t *relay = ex->plan->layer1.relay;
    int h = (int) (relay->round_of[delivery->window] % 2);
    half_t *half = &relay->half[h];

    if (!ex->write) {
        int64_t bytes = delivery->move.bytes;

        memset(message_of(ex, delivery->window) + bytes, 0,
               (size_t) (delivery->move.what.bytes - bytes));
        atomic_store_explicit(&limits_of(ex, h)[delivery->aggregator],
                              ex->plan->layer1.place[delivery->window] + bytes,
                              memory_order_release);
        half->whole &= delivery->move.bytes == delivery->move.what.bytes;
    }
    if (0 == --half->windows) {
        half->state = ex->write ? COLLIO_HALF_FREE : COLLIO_HALF_DELIVERED;
    }
}

const collio_layer1_t collio_relay_actions = {
    .prepare = relay_prepare,
    .start = relay_start,
    .poll = relay_poll,
    .ready = ready,
    .message = message_of,
    .delivered = delivered,
};

int collio_relay_open(collio_plan_t *plan)
{
    plan->layer1.relay = calloc(1, sizeof(*plan->layer1.relay));
    plan->layer1.reset = relay_reset;
    return NULL == plan->layer1.relay ? -ENOMEM : 0;
}
