/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/**
 * The rounds of a local aggregator (see relay.h). Its members' bytes meet in a half of its staging,
 * by messages or by the members' own copies in shared memory; from there the windows go to their
 * owners as ordinary deliveries (deliver.c), without another copy. Reads run backwards.
 *
 *   half 0   [ owner 2: window 8 ][ owner 5: window 8 ]     round 8 is being delivered
 *   half 1   [ owner 2: window 9 ][ owner 5: window 9 ]     round 9 is being handed over
 *
 * All memory was taken before the first cycle. A message that fails counts as arrived: the error is
 * noted, and the others go on.
 */
#include "call/common_collio_op.h"

#include <errno.h>
#include <stdlib.h>

typedef mca_common_collio_relay_t relay_t;
typedef mca_common_collio_half_t half_t;
typedef mca_common_collio_turn_t turn_t;

static bool is_aggregator(const mca_common_collio_op_t *op)
{
    return op->plan->relay.aggregator == op->file->rank;
}

static int relay_tag(const mca_common_collio_op_t *op)
{
    return mca_common_collio_op_tag(op, MCA_COMMON_COLLIO_TAG_RELAY);
}

/* ---- memory ---- */

static int64_t limits_bytes(const mca_common_collio_file_t *file)
{
    return (2 * file->aggregator_count * (int64_t) sizeof(int64_t) + 63) / 64 * 64;
}

static char *region(const mca_common_collio_op_t *op)
{
    return mca_common_collio_shared_region(&op->file->relay_shared, op->plan->relay.slot);
}

char *mca_common_collio_relay_shared(const mca_common_collio_op_t *op, int half)
{
    int64_t limits = limits_bytes(op->file);
    int64_t stride = (op->file->relay_shared.region_bytes - limits) / 2 / 64 * 64;

    return region(op) + limits + half * stride;
}

_Atomic int64_t *mca_common_collio_relay_limits(const mca_common_collio_op_t *op, int half)
{
    return (_Atomic int64_t *) (void *) region(op) + half * op->file->aggregator_count;
}

static char *staging(const mca_common_collio_op_t *op, int half)
{
    const relay_t *relay = &op->plan->relay;

    return relay->shared ? mca_common_collio_relay_shared(op, half)
                         : op->file->relay.at + half * relay->staging_bytes;
}

static char *messages(const mca_common_collio_op_t *op, int half)
{
    const relay_t *relay = &op->plan->relay;

    return op->file->relay.at + 2 * relay->staging_bytes + half * relay->message_bytes;
}

static _Atomic int64_t *limits(const mca_common_collio_op_t *op, int half)
{
    return op->plan->relay.shared ? mca_common_collio_relay_limits(op, half)
                                  : op->plan->relay.half[half].limit;
}

static int prepare_half(mca_common_collio_op_t *op, half_t *half)
{
    size_t members = (size_t) op->plan->relay.member_count;

    if (NULL == half->turn) {
        half->turn = calloc(members, sizeof(*half->turn));
        half->request = calloc(members, sizeof(*half->request));
        half->message = calloc(members, sizeof(*half->message));
        half->limit = calloc((size_t) op->file->aggregator_count, sizeof(*half->limit));
        op->plan->memory_bytes += (int64_t) (3 * members * sizeof(void *)
                                             + (size_t) op->file->aggregator_count * 8);
    }
    return NULL == half->turn || NULL == half->request || NULL == half->message
                   || NULL == half->limit
               ? -ENOMEM
               : 0;
}

static int prepare_aggregator(mca_common_collio_op_t *op)
{
    relay_t *relay = &op->plan->relay;
    int rc = prepare_half(op, &relay->half[0]);

    if (NULL == relay->next_turn) {
        relay->next_turn = calloc((size_t) relay->member_count, sizeof(*relay->next_turn));
    }
    rc = 0 == rc ? prepare_half(op, &relay->half[1]) : rc;
    return NULL == relay->next_turn ? -ENOMEM : rc;
}

/* A member's messages; it has two in flight. */
static int64_t largest_message(const mca_common_collio_part_t *part)
{
    int64_t largest = 0;

    for (size_t t = 0; t < part->turn_count; ++t) {
        int64_t room = mca_common_collio_turn_room(&part->turn[t]);

        largest = room > largest ? room : largest;
    }
    return largest;
}

int mca_common_collio_relay_prepare(mca_common_collio_op_t *op)
{
    relay_t *relay = &op->plan->relay;
    int64_t bytes = 0, grown;

    if (!relay->active) {
        return 0;
    }
    relay->shared = mca_common_collio_relay_may_share(op)
                    && MCA_COMMON_COLLIO_SHARED_READY == op->file->relay_shared.state;
    if (is_aggregator(op)) {
        int rc = prepare_aggregator(op);

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
    grown = mca_common_collio_arena_reserve(&op->file->relay, relay->shared ? 0 : bytes);
    if (grown > 0) {
        mca_common_collio_file_memory(op->file, grown);
    }
    return grown < 0 ? (int) grown : 0;
}

void mca_common_collio_relay_fini(mca_common_collio_relay_t *relay)
{
    mca_common_collio_split_fini(&relay->own);
    mca_common_collio_part_fini(&relay->mine);
    for (int m = 0; NULL != relay->part && m < relay->member_count; ++m) {
        mca_common_collio_part_fini(&relay->part[m]);
    }
    free(relay->part);
    free(relay->place);
    free(relay->round_of);
    free(relay->round);
    free(relay->next_turn);
    for (int i = 0; i < 2; ++i) {
        free(relay->half[i].turn);
        free(relay->half[i].request);
        free(relay->half[i].message);
        free(relay->half[i].limit);
    }
    mca_common_collio_bytes_fini(&relay->making.list);
    mca_common_collio_extents_fini(&relay->making.places);
    memset(relay, 0, sizeof(*relay));
}

/* ---- handing over ---- */

/* A whole turn as one window, for the copies. */
static mca_common_collio_window_t whole(const turn_t *turn)
{
    return (mca_common_collio_window_t){.count = turn->piece_count, .bytes = turn->bytes};
}

static void count_copy(mca_common_collio_op_t *op, int64_t bytes)
{
    mca_common_collio_file_count(op->file, MCA_COMMON_COLLIO_STAT_copied_bytes, (uint64_t) bytes);
}

/* My own bytes of the round: between my memory and their places. */
static void copy_mine(mca_common_collio_op_t *op, int h, const turn_t *turn)
{
    const mca_common_collio_part_t *mine = &op->plan->relay.mine;

    for (size_t w = turn->window; w < turn->window + turn->window_count; ++w) {
        const mca_common_collio_window_t *window = &mine->window[w];
        int64_t limit = op->write ? INT64_MAX : limits(op, h)[window->index];
        int64_t copied = mca_common_collio_copy_window(op, window, &mine->piece[window->first],
                                                       staging(op, h), 0, limit);

        op->done_bytes += op->write ? 0 : copied;
        count_copy(op, copied);
    }
}

/* A member's message of a read. When a window is short, how much of each is data follows. */
static int64_t pack_message(mca_common_collio_op_t *op, int h, int member, const turn_t *turn,
                            char *message)
{
    const mca_common_collio_part_t *part = &op->plan->relay.part[member];
    mca_common_collio_window_t all = whole(turn);
    int64_t at = 0;

    if (op->plan->relay.half[h].whole) {
        at = mca_common_collio_copy_gather(&all, &part->piece[turn->piece], staging(op, h), 0,
                                           INT64_MAX, message);
        count_copy(op, at);
        return at;
    }
    for (size_t i = 0; i < turn->window_count; ++i) {
        const mca_common_collio_window_t *window = &part->window[turn->window + i];
        int64_t valid = mca_common_collio_copy_gather(window, &part->piece[window->first],
                                                      staging(op, h), 0,
                                                      limits(op, h)[window->index], message + at);

        memcpy(message + turn->bytes + i * sizeof(valid), &valid, sizeof(valid));
        at += window->bytes;
        count_copy(op, valid);
    }
    return mca_common_collio_turn_room(turn);
}

/* Do members' bytes have to go into place one member after the other? */
static bool in_order(const mca_common_collio_op_t *op)
{
    return op->atomic && op->write && op->plan->relay.overlapping;
}

static void start_message(mca_common_collio_op_t *op, int h, int member, const turn_t *turn)
{
    half_t *half = &op->plan->relay.half[h];
    const mca_common_collio_piece_t *piece = &op->plan->relay.part[member].piece[turn->piece];
    int peer = mca_common_collio_relay_rank(op, member);
    char *message = staging(op, h) + piece->offset;
    int64_t bytes = turn->bytes;
    int rc;

    half->message[member] = NULL;
    if (!turn->straight || in_order(op) || (!op->write && !half->whole)) {
        message = half->message[member] = messages(op, h) + half->used;
        half->used += mca_common_collio_turn_room(turn);
    }
    if (op->write) {
        rc = mca_common_collio_irecv(message, (size_t) bytes, peer, relay_tag(op), op->file->comm,
                                     &half->request[member]);
    } else {
        if (NULL != half->message[member]) {
            bytes = pack_message(op, h, member, turn, message);
        }
        rc = mca_common_collio_isend(message, (size_t) bytes, peer, relay_tag(op),
                                     op->synchronous_sends, op->file->comm, &half->request[member]);
        mca_common_collio_count_message(op, peer, bytes);
    }
    if (OMPI_SUCCESS != rc) {
        half->request[member] = NULL;
        half->turn[member] = NULL;
        mca_common_collio_op_lose(op);
    }
}

static void grant(mca_common_collio_op_t *op, int h, int member)
{
    mca_common_collio_shared_t *shared = &op->file->relay_shared;
    const int *local_rank = op->file->nodes.local_rank;
    int slot = local_rank[op->file->rank];
    int local = local_rank[mca_common_collio_relay_rank(op, member)];
    uint64_t k = shared->granted[local]++;

    ++op->plan->relay.half[h].arrived;
    atomic_store_explicit(mca_common_collio_shared_grant(shared, slot, local, k),
                          2 * (k + 1) + (uint64_t) h, memory_order_release);
}

static _Atomic uint64_t *arrivals(const mca_common_collio_op_t *op, int h)
{
    return &mca_common_collio_shared_control(&op->file->relay_shared,
                                             op->file->nodes.local_rank[op->file->rank])
                ->arrived[h];
}

/* What a member has in the round, if anything. */
static const turn_t *turn_of(relay_t *relay, int member, int64_t index)
{
    const mca_common_collio_part_t *part = 0 == member ? &relay->mine : &relay->part[member];
    size_t next = relay->next_turn[member];

    if (next == part->turn_count || part->turn[next].index != index) {
        return NULL;
    }
    ++relay->next_turn[member];
    return &part->turn[next];
}

/* Members begin with the round. */
static void begin_handing(mca_common_collio_op_t *op, int h)
{
    relay_t *relay = &op->plan->relay;
    half_t *half = &relay->half[h];
    int64_t index = relay->round[half->round].index;

    half->used = 0;
    half->granted = in_order(op) ? 0 : relay->member_count;
    if (relay->shared) {
        half->arrived = atomic_load_explicit(arrivals(op, h), memory_order_acquire);
    }
    for (int m = 1; m < relay->member_count; ++m) {
        half->turn[m] = turn_of(relay, m, index);
        if (NULL == half->turn[m]) {
            continue;
        }
        if (!relay->shared) {
            start_message(op, h, m, half->turn[m]);
        } else if (!in_order(op)) {
            grant(op, h, m);
        }
    }
    half->turn[0] = turn_of(relay, 0, index);
    ++relay->handed;
}

/* So do I: before them where overlapping writes have an order, which only begin when I am done. */
static void start_handing(mca_common_collio_op_t *op, int h)
{
    half_t *half = &op->plan->relay.half[h];

    if (op->write || !op->plan->relay.shared) { /* else members have begun */
        begin_handing(op, h);
    }
    half->state = MCA_COMMON_COLLIO_HALF_HANDING;
    if (NULL != half->turn[0]) {
        copy_mine(op, h, half->turn[0]);
    }
}

static void take_message(mca_common_collio_op_t *op, int h, int member)
{
    half_t *half = &op->plan->relay.half[h];
    const turn_t *turn = half->turn[member];
    mca_common_collio_window_t all = whole(turn);

    if (op->write && NULL != half->message[member]) {
        count_copy(op, mca_common_collio_copy_scatter(
                           &all, &op->plan->relay.part[member].piece[turn->piece], staging(op, h),
                           0, half->message[member]));
    }
}

/* In order: one member at a time, and one round: a member counts its grants. True: not over yet. */
static bool grant_next(mca_common_collio_op_t *op, int h)
{
    relay_t *relay = &op->plan->relay;
    half_t *half = &relay->half[h];
    const half_t *other = &relay->half[1 - h];

    if (half->granted + 1 < relay->member_count && MCA_COMMON_COLLIO_HALF_HANDING == other->state
        && other->round < half->round) {
        return true;
    }
    while (half->granted + 1 < relay->member_count) {
        if (NULL != half->turn[++half->granted]) {
            grant(op, h, half->granted);
            return true;
        }
    }
    return false;
}

static bool handing_over(mca_common_collio_op_t *op, int h)
{
    relay_t *relay = &op->plan->relay;
    half_t *half = &relay->half[h];
    bool over = true;

    if (relay->shared) {
        return atomic_load_explicit(arrivals(op, h), memory_order_acquire) == half->arrived
               && !grant_next(op, h);
    }
    for (int m = 1; m < relay->member_count; ++m) {
        if (NULL == half->turn[m]) {
            continue;
        }
        if (!mca_common_collio_request_done(op->file, &half->request[m], NULL)) {
            over = false;
            if (in_order(op)) {
                break; /* those behind it wait */
            }
            continue;
        }
        if (0 == op->file->lost) {
            take_message(op, h, m);
        }
        half->turn[m] = NULL;
    }
    return over;
}

/* ---- rounds ---- */

static void open_round(mca_common_collio_op_t *op)
{
    relay_t *relay = &op->plan->relay;
    int h = (int) (relay->next_round % 2);
    half_t *half = &relay->half[h];

    half->round = relay->next_round++;
    half->windows = relay->round[half->round].windows;
    half->whole = true;
    if (op->write) {
        start_handing(op, h);
        return;
    }
    half->state = MCA_COMMON_COLLIO_HALF_DELIVERING;
    if (relay->shared) {
        for (int owner = 0; owner < op->file->aggregator_count; ++owner) {
            atomic_store_explicit(&limits(op, h)[owner], MCA_COMMON_COLLIO_LIMIT_PENDING,
                                  memory_order_relaxed);
        }
        begin_handing(op, h);
    }
}

static bool step_half(mca_common_collio_op_t *op, int h)
{
    relay_t *relay = &op->plan->relay;
    half_t *half = &relay->half[h];

    if (MCA_COMMON_COLLIO_HALF_DELIVERED == half->state
        && (relay->shared || relay->handed == half->round)) {
        start_handing(op, h);
        return true;
    }
    if (MCA_COMMON_COLLIO_HALF_HANDING == half->state && handing_over(op, h)) {
        half->state = op->write ? MCA_COMMON_COLLIO_HALF_DELIVERING : MCA_COMMON_COLLIO_HALF_FREE;
        return true;
    }
    return false;
}

static bool aggregator_poll(mca_common_collio_op_t *op, bool *moved)
{
    relay_t *relay = &op->plan->relay;

    for (int h = 0; h < 2; ++h) {
        *moved |= step_half(op, h);
    }
    while (relay->next_round < relay->round_count
           && MCA_COMMON_COLLIO_HALF_FREE == relay->half[relay->next_round % 2].state) {
        open_round(op);
        *moved = true;
    }
    return relay->next_round == relay->round_count
           && MCA_COMMON_COLLIO_HALF_FREE == relay->half[0].state
           && MCA_COMMON_COLLIO_HALF_FREE == relay->half[1].state;
}

void mca_common_collio_relay_start(mca_common_collio_op_t *op)
{
    relay_t *relay = &op->plan->relay;

    relay->next_round = relay->handed = relay->first_turn = relay->started_turn = 0;
    for (int m = 0; NULL != relay->next_turn && m < relay->member_count; ++m) {
        relay->next_turn[m] = 0;
    }
    op->relay_ns = mca_common_collio_now();
}

/* Is layer 1 moving data? */
static bool moving(const mca_common_collio_op_t *op)
{
    const relay_t *relay = &op->plan->relay;

    return is_aggregator(op) ? MCA_COMMON_COLLIO_HALF_HANDING == relay->half[0].state
                                   || MCA_COMMON_COLLIO_HALF_HANDING == relay->half[1].state
                             : relay->first_turn < relay->mine.turn_count;
}

bool mca_common_collio_relay_poll(mca_common_collio_op_t *op, bool *moved)
{
    bool was_moving, over;
    uint64_t now;

    if (!op->plan->relay.active) {
        return true;
    }
    was_moving = moving(op);
    over = is_aggregator(op) ? aggregator_poll(op, moved)
                             : mca_common_collio_relay_member(op, moved);
    now = mca_common_collio_now();
    if (was_moving || moving(op)) {
        mca_common_collio_file_count(op->file, MCA_COMMON_COLLIO_STAT_time_gather_move,
                                     now - op->relay_ns);
    }
    op->relay_ns = now;
    return over;
}

/* ---- for deliver.c ---- */

bool mca_common_collio_relay_window(const mca_common_collio_plan_t *plan, size_t window)
{
    return NULL != plan->relay.place && plan->relay.place[window] >= 0;
}

bool mca_common_collio_relay_ready(const mca_common_collio_op_t *op, size_t window)
{
    const relay_t *relay = &op->plan->relay;
    const half_t *half = &relay->half[relay->round_of[window] % 2];

    return MCA_COMMON_COLLIO_HALF_DELIVERING == half->state
           && half->round == relay->round_of[window];
}

char *mca_common_collio_relay_message(const mca_common_collio_op_t *op, size_t window)
{
    const relay_t *relay = &op->plan->relay;

    return staging(op, (int) (relay->round_of[window] % 2)) + relay->place[window];
}

void mca_common_collio_relay_delivered(mca_common_collio_op_t *op,
                                       const mca_common_collio_delivery_t *delivery)
{
    relay_t *relay = &op->plan->relay;
    int h = (int) (relay->round_of[delivery->window] % 2);
    half_t *half = &relay->half[h];

    if (!op->write) {
        atomic_store_explicit(&limits(op, h)[delivery->owner],
                              relay->place[delivery->window] + delivery->move.bytes,
                              memory_order_release);
        half->whole &= delivery->move.bytes == delivery->move.window->bytes;
    }
    if (0 == --half->windows) {
        half->state = op->write ? MCA_COMMON_COLLIO_HALF_FREE : MCA_COMMON_COLLIO_HALF_DELIVERED;
    }
}
