/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * The rounds of a local aggregator (see relay.h). Its members' bytes are collected in a half of its
 * staging, by messages or by the members' own copies in shared memory; from there the windows go to
 * their aggregators as ordinary deliveries (cycles/requester.c), without another copy. Reads take
 * the same way back.
 *
 *   half 0   [ aggregator 2: window 8 ][ aggregator 5: window 8 ]     round 8 is being delivered
 *   half 1   [ aggregator 2: window 9 ][ aggregator 5: window 9 ]     round 9 is being handed over
 *
 * All memory was taken before the first cycle. A message that fails counts as arrived: the error is
 * noted, and the others go on.
 */
#include "twolayer/relay.h"

#include "cycles/cycles.h"

#include <errno.h>
#include <stdlib.h>

typedef collio_relay_t relay_t;
typedef collio_half_t half_t;
typedef collio_turn_t turn_t;

static bool is_aggregator(const collio_exchange_t *ex)
{
    return ex->plan->layer1.relay->aggregator == ex->file->rank;
}

static int relay_tag(const collio_exchange_t *ex)
{
    return collio_exchange_tag(ex, COLLIO_TAG_RELAY);
}

/* ---- memory ---- */

static int64_t limits_bytes(const collio_file_t *file)
{
    return (2 * file->derived.aggregator_count * (int64_t) sizeof(int64_t) + 63) / 64 * 64;
}

static char *region(const collio_exchange_t *ex)
{
    return collio_shared_region(&ex->file->kept->relay_shared, ex->plan->layer1.relay->slot);
}

char *collio_relay_shared(const collio_exchange_t *ex, int half)
{
    int64_t limits = limits_bytes(ex->file);
    int64_t stride = (ex->file->kept->relay_shared.region_bytes - limits) / 2 / 64 * 64;

    return region(ex) + limits + half * stride;
}

_Atomic int64_t *collio_relay_limits(const collio_exchange_t *ex, int half)
{
    return (_Atomic int64_t *) (void *) region(ex) + half * ex->file->derived.aggregator_count;
}

static char *staging(const collio_exchange_t *ex, int half)
{
    const relay_t *relay = ex->plan->layer1.relay;

    return relay->shared ? collio_relay_shared(ex, half)
                         : ex->file->kept->relay.at + half * relay->staging_bytes;
}

static char *messages(const collio_exchange_t *ex, int half)
{
    const relay_t *relay = ex->plan->layer1.relay;

    return ex->file->kept->relay.at + 2 * relay->staging_bytes + half * relay->message_bytes;
}

static _Atomic int64_t *limits(const collio_exchange_t *ex, int half)
{
    return ex->plan->layer1.relay->shared ? collio_relay_limits(ex, half)
                                          : ex->plan->layer1.relay->half[half].limit;
}

static int prepare_half(collio_exchange_t *ex, half_t *half)
{
    size_t members = (size_t) ex->plan->layer1.relay->member_count;

    if (NULL == half->turn) {
        half->turn = calloc(members, sizeof(*half->turn));
        half->request = calloc(members, sizeof(*half->request));
        half->message = calloc(members, sizeof(*half->message));
        half->limit = calloc((size_t) ex->file->derived.aggregator_count, sizeof(*half->limit));
        ex->plan->memory_bytes += (int64_t) (3 * members * sizeof(void *)
                                             + (size_t) ex->file->derived.aggregator_count * 8);
    }
    return NULL == half->turn || NULL == half->request || NULL == half->message
                   || NULL == half->limit
               ? -ENOMEM
               : 0;
}

static int prepare_aggregator(collio_exchange_t *ex)
{
    relay_t *relay = ex->plan->layer1.relay;
    int rc = prepare_half(ex, &relay->half[0]);

    if (NULL == relay->next_turn) {
        relay->next_turn = calloc((size_t) relay->member_count, sizeof(*relay->next_turn));
    }
    rc = 0 == rc ? prepare_half(ex, &relay->half[1]) : rc;
    return NULL == relay->next_turn ? -ENOMEM : rc;
}

/* A member's messages; it has two in flight. */
static int64_t largest_message(const collio_part_t *part)
{
    int64_t largest = 0;

    for (size_t t = 0; t < part->turn_count; ++t) {
        int64_t room = collio_turn_room(&part->turn[t]);

        largest = room > largest ? room : largest;
    }
    return largest;
}

static int relay_prepare(collio_exchange_t *ex)
{
    relay_t *relay = ex->plan->layer1.relay;
    int64_t bytes = 0, grown;

    if (!relay->active) {
        return 0;
    }
    relay->shared = collio_relay_may_share(ex)
                    && COLLIO_SHARED_READY == ex->file->kept->relay_shared.state;
    if (is_aggregator(ex)) {
        int rc = prepare_aggregator(ex);

        if (0 != rc) {
            return rc;
        }
        bytes = 2 * (relay->staging_bytes + relay->message_bytes);
    } else {
        if (0 == relay->message_bytes) {
            relay->message_bytes = largest_message(&relay->mine);
        }
        bytes = 2 * relay->message_bytes;
    }
    grown = collio_arena_reserve(&ex->file->kept->relay, relay->shared ? 0 : bytes);
    if (grown > 0) {
        collio_file_memory(ex->file, grown);
    }
    return grown < 0 ? (int) grown : 0;
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
    free(relay->next_turn);
    for (int i = 0; i < 2; ++i) {
        free(relay->half[i].turn);
        free(relay->half[i].request);
        free(relay->half[i].message);
        free(relay->half[i].limit);
    }
    collio_bytes_fini(&relay->making.list);
    collio_extents_fini(&relay->making.places);
    memset(relay, 0, sizeof(*relay));
}

/* ---- handing over ---- */

/* A whole turn as one window, for the copies. */
static collio_window_t whole(const turn_t *turn)
{
    return (collio_window_t){.count = turn->piece_count, .bytes = turn->bytes};
}

static void count_copy(collio_exchange_t *ex, int64_t bytes)
{
    collio_file_count(ex->file, COLLIO_STAT_COPIED_BYTES, (uint64_t) bytes);
}

/* Copies this rank's own bytes of the round between its memory and their places. */
static void copy_mine(collio_exchange_t *ex, int h, const turn_t *turn)
{
    const collio_part_t *mine = &ex->plan->layer1.relay->mine;

    for (size_t w = turn->window; w < turn->window + turn->window_count; ++w) {
        const collio_window_t *window = &mine->window[w];
        int64_t limit = ex->write ? INT64_MAX : limits(ex, h)[window->index];
        int64_t copied = collio_copy_window(ex, window, &mine->piece[window->first], staging(ex, h),
                                            0, limit);

        collio_exchange_received(ex, copied);
        count_copy(ex, copied);
    }
}

/* A member's message of a read. If a window is short, the lengths of the data follow. */
static int64_t pack_message(collio_exchange_t *ex, int h, int member, const turn_t *turn,
                            char *message)
{
    const collio_part_t *part = &ex->plan->layer1.relay->part[member];
    collio_window_t all = whole(turn);
    int64_t at = 0;

    if (ex->plan->layer1.relay->half[h].whole) {
        at = collio_copy_gather(&all, &part->piece[turn->piece], staging(ex, h), 0, INT64_MAX,
                                message);
        count_copy(ex, at);
        return at;
    }
    for (size_t i = 0; i < turn->window_count; ++i) {
        const collio_window_t *window = &part->window[turn->window + i];
        int64_t valid = collio_copy_gather(window, &part->piece[window->first], staging(ex, h), 0,
                                           limits(ex, h)[window->index], message + at);

        memcpy(message + turn->bytes + i * sizeof(valid), &valid, sizeof(valid));
        at += window->bytes;
        count_copy(ex, valid);
    }
    return collio_turn_room(turn);
}

/* Must members' bytes be applied one member after the other? */
static bool in_order(const collio_exchange_t *ex)
{
    return ex->atomic && ex->write && ex->plan->layer1.relay->overlapping;
}

static void start_message(collio_exchange_t *ex, int h, int member, const turn_t *turn)
{
    half_t *half = &ex->plan->layer1.relay->half[h];
    const collio_piece_t *piece = &ex->plan->layer1.relay->part[member].piece[turn->piece];
    int peer = collio_relay_rank(ex, member);
    char *message = staging(ex, h) + piece->offset;
    int64_t bytes = turn->bytes;
    int rc;

    half->message[member] = NULL;
    if (!turn->straight || in_order(ex) || (!ex->write && !half->whole)) {
        message = half->message[member] = messages(ex, h) + half->used;
        half->used += collio_turn_room(turn);
    }
    if (ex->write) {
        rc = collio_irecv(message, (size_t) bytes, peer, relay_tag(ex), ex->file->comm,
                          &half->request[member]);
    } else {
        if (NULL != half->message[member]) {
            bytes = pack_message(ex, h, member, turn, message);
        }
        rc = collio_isend(message, (size_t) bytes, peer, relay_tag(ex), ex->way.synchronous_sends,
                          ex->file->comm, &half->request[member]);
        collio_count_message(ex, peer, bytes);
    }
    if (OMPI_SUCCESS != rc) {
        half->request[member] = NULL;
        half->turn[member] = NULL;
        collio_exchange_lose(ex);
    }
}

static void grant(collio_exchange_t *ex, int h, int member)
{
    collio_shared_t *shared = &ex->file->kept->relay_shared;
    const int *local_rank = ex->file->nodes.local_rank;
    int slot = local_rank[ex->file->rank];
    int local = local_rank[collio_relay_rank(ex, member)];
    uint64_t k = shared->granted[local]++;

    ++ex->plan->layer1.relay->half[h].arrived;
    atomic_store_explicit(collio_shared_grant(shared, slot, local, k), 2 * (k + 1) + (uint64_t) h,
                          memory_order_release);
}

static _Atomic uint64_t *arrivals(const collio_exchange_t *ex, int h)
{
    return &collio_shared_control(&ex->file->kept->relay_shared,
                                  ex->file->nodes.local_rank[ex->file->rank])
                ->arrived[h];
}

/* What a member has in the round, if anything. */
static const turn_t *turn_of(relay_t *relay, int member, int64_t index)
{
    const collio_part_t *part = 0 == member ? &relay->mine : &relay->part[member];
    size_t next = relay->next_turn[member];

    if (next == part->turn_count || part->turn[next].index != index) {
        return NULL;
    }
    ++relay->next_turn[member];
    return &part->turn[next];
}

/* Members begin with the round. */
static void begin_handing(collio_exchange_t *ex, int h)
{
    relay_t *relay = ex->plan->layer1.relay;
    half_t *half = &relay->half[h];
    int64_t index = relay->round[half->round].index;

    half->used = 0;
    half->granted = in_order(ex) ? 0 : relay->member_count;
    if (relay->shared) {
        half->arrived = atomic_load_explicit(arrivals(ex, h), memory_order_acquire);
    }
    for (int m = 1; m < relay->member_count; ++m) {
        half->turn[m] = turn_of(relay, m, index);
        if (NULL == half->turn[m]) {
            continue;
        }
        if (!relay->shared) {
            start_message(ex, h, m, half->turn[m]);
        } else if (!in_order(ex)) {
            grant(ex, h, m);
        }
    }
    half->turn[0] = turn_of(relay, 0, index);
    ++relay->handed;
}

/* Copies this rank's own pieces. In ordered writes (atomic mode) they come first: members are
 * granted the half only afterwards. */
static void start_handing(collio_exchange_t *ex, int h)
{
    half_t *half = &ex->plan->layer1.relay->half[h];

    if (ex->write || !ex->plan->layer1.relay->shared) { /* else members have begun */
        begin_handing(ex, h);
    }
    half->state = COLLIO_HALF_HANDING;
    if (NULL != half->turn[0]) {
        copy_mine(ex, h, half->turn[0]);
    }
}

static void take_message(collio_exchange_t *ex, int h, int member)
{
    half_t *half = &ex->plan->layer1.relay->half[h];
    const turn_t *turn = half->turn[member];
    collio_window_t all = whole(turn);

    if (ex->write && NULL != half->message[member]) {
        count_copy(ex, collio_copy_scatter(&all,
                                           &ex->plan->layer1.relay->part[member].piece[turn->piece],
                                           staging(ex, h), 0, half->message[member]));
    }
}

/* Ordered writes: one member at a time and one round at a time, because a member counts its grants.
 * True while members remain. */
static bool grant_next(collio_exchange_t *ex, int h)
{
    relay_t *relay = ex->plan->layer1.relay;
    half_t *half = &relay->half[h];
    const half_t *other = &relay->half[1 - h];

    if (half->granted + 1 < relay->member_count && COLLIO_HALF_HANDING == other->state
        && other->round < half->round) {
        return true;
    }
    while (half->granted + 1 < relay->member_count) {
        if (NULL != half->turn[++half->granted]) {
            grant(ex, h, half->granted);
            return true;
        }
    }
    return false;
}

static bool handing_over(collio_exchange_t *ex, int h)
{
    relay_t *relay = ex->plan->layer1.relay;
    half_t *half = &relay->half[h];
    bool over = true;

    if (relay->shared) {
        return atomic_load_explicit(arrivals(ex, h), memory_order_acquire) == half->arrived
               && !grant_next(ex, h);
    }
    for (int m = 1; m < relay->member_count; ++m) {
        if (NULL == half->turn[m]) {
            continue;
        }
        if (!collio_request_done(ex->file, &half->request[m], NULL)) {
            over = false;
            if (in_order(ex)) {
                break; /* those behind it wait */
            }
            continue;
        }
        if (0 == ex->file->lost) {
            take_message(ex, h, m);
        }
        half->turn[m] = NULL;
    }
    return over;
}

/* ---- rounds ---- */

static void open_round(collio_exchange_t *ex)
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
            atomic_store_explicit(&limits(ex, h)[aggregator], COLLIO_LIMIT_PENDING,
                                  memory_order_relaxed);
        }
        begin_handing(ex, h);
    }
}

static bool step_half(collio_exchange_t *ex, int h)
{
    relay_t *relay = ex->plan->layer1.relay;
    half_t *half = &relay->half[h];

    if (COLLIO_HALF_DELIVERED == half->state && (relay->shared || relay->handed == half->round)) {
        start_handing(ex, h);
        return true;
    }
    if (COLLIO_HALF_HANDING == half->state && handing_over(ex, h)) {
        half->state = ex->write ? COLLIO_HALF_DELIVERING : COLLIO_HALF_FREE;
        return true;
    }
    return false;
}

static bool aggregator_poll(collio_exchange_t *ex, bool *moved)
{
    relay_t *relay = ex->plan->layer1.relay;

    for (int h = 0; h < 2; ++h) {
        *moved |= step_half(ex, h);
    }
    while (relay->next_round < relay->round_count
           && COLLIO_HALF_FREE == relay->half[relay->next_round % 2].state) {
        open_round(ex);
        *moved = true;
    }
    return relay->next_round == relay->round_count && COLLIO_HALF_FREE == relay->half[0].state
           && COLLIO_HALF_FREE == relay->half[1].state;
}

static void relay_start(collio_exchange_t *ex)
{
    relay_t *relay = ex->plan->layer1.relay;

    relay->next_round = relay->handed = relay->first_turn = relay->started_turn = 0;
    for (int m = 0; NULL != relay->next_turn && m < relay->member_count; ++m) {
        relay->next_turn[m] = 0;
    }
    ex->layer1.looked_ns = collio_now();
}

/* Is layer 1 moving data? */
static bool moving(const collio_exchange_t *ex)
{
    const relay_t *relay = ex->plan->layer1.relay;

    return is_aggregator(ex) ? COLLIO_HALF_HANDING == relay->half[0].state
                                   || COLLIO_HALF_HANDING == relay->half[1].state
                             : relay->first_turn < relay->mine.turn_count;
}

static bool relay_poll(collio_exchange_t *ex, bool *moved)
{
    bool was_moving, over;
    uint64_t now;

    if (!ex->plan->layer1.relay->active) {
        return true;
    }
    was_moving = moving(ex);
    over = is_aggregator(ex) ? aggregator_poll(ex, moved) : collio_relay_member(ex, moved);
    now = collio_now();
    if (was_moving || moving(ex)) {
        collio_file_count(ex->file, COLLIO_STAT_TIME_GATHER_MOVE, now - ex->layer1.looked_ns);
    }
    ex->layer1.looked_ns = now;
    return over;
}

/* ---- for deliver.c ---- */

static bool ready(const collio_exchange_t *ex, size_t window)
{
    const relay_t *relay = ex->plan->layer1.relay;
    const half_t *half = &relay->half[relay->round_of[window] % 2];

    return COLLIO_HALF_DELIVERING == half->state && half->round == relay->round_of[window];
}

static char *message_of(const collio_exchange_t *ex, size_t window)
{
    const relay_t *relay = ex->plan->layer1.relay;

    return staging(ex, (int) (relay->round_of[window] % 2)) + ex->plan->layer1.place[window];
}

static void delivered(collio_exchange_t *ex, const collio_delivery_t *delivery)
{
    relay_t *relay = ex->plan->layer1.relay;
    int h = (int) (relay->round_of[delivery->window] % 2);
    half_t *half = &relay->half[h];

    if (!ex->write) {
        atomic_store_explicit(&limits(ex, h)[delivery->aggregator],
                              ex->plan->layer1.place[delivery->window] + delivery->move.bytes,
                              memory_order_release);
        half->whole &= delivery->move.bytes == delivery->move.window->bytes;
    }
    if (0 == --half->windows) {
        half->state = ex->write ? COLLIO_HALF_FREE : COLLIO_HALF_DELIVERED;
    }
}

/* put_fence: this rank's turns of the rounds up to this one (write), or of those that are closed
 * (read), are over, so nobody is in a fence while a neighbor waits for it. */
static bool before_fence(const collio_exchange_t *ex, size_t round, size_t closed)
{
    const relay_t *relay = ex->plan->layer1.relay;

    return !relay->active || is_aggregator(ex) || relay->first_turn == relay->mine.turn_count
           || relay->mine.turn[relay->first_turn].fence >= (ex->write ? round + 1 : closed);
}

static void number_rounds(collio_exchange_t *ex, const int64_t *bits)
{
    collio_part_t *mine = &ex->plan->layer1.relay->mine;
    collio_fence_counter_t counter = {.bits = bits};

    for (size_t t = 0; t < mine->turn_count; ++t) {
        mine->turn[t].fence = collio_fence_round(&counter, mine->turn[t].index);
    }
}

const collio_layer1_t collio_relay_actions = {
    .prepare = relay_prepare,
    .start = relay_start,
    .poll = relay_poll,
    .ready = ready,
    .message = message_of,
    .delivered = delivered,
    .leader = collio_layers_leader,
    .before_fence = before_fence,
    .number_rounds = number_rounds,
};

int collio_relay_open(collio_plan_t *plan)
{
    plan->layer1.relay = calloc(1, sizeof(*plan->layer1.relay));
    plan->layer1.reset = relay_reset;
    return NULL == plan->layer1.relay ? -ENOMEM : 0;
}
