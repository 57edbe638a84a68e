/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/**
 * Deliver: the requester's side of the shuffle. Windows go out in the order of their number; all
 * windows of one number are a round, and two rounds may be in flight. Owners work in the same
 * order, so the lowest unfinished window always has all it needs: nothing can deadlock.
 *
 * Relayed windows (relay.h) have rounds of their own, and wait for layer 1. Direct ones do not wait
 * for them: a pair of ranks has windows of one kind only, so its messages keep their order.
 */
#include "call/common_collio_op.h"

#include <errno.h>
#include <stdlib.h>

static const mca_common_collio_window_t *window_at(const mca_common_collio_op_t *op, size_t i)
{
    return &op->plan->split.window[op->plan->order[i]];
}

void mca_common_collio_deliver_start(mca_common_collio_op_t *op)
{
    op->delivery_first = op->delivery_next = op->relay_next = op->delivery_end = 0;
    for (size_t i = 0; i < op->plan->split.window_count; ++i) {
        op->deliveries[i].started = false;
    }
    op->round = 0;
    op->round_index = op->plan->split.window_count > 0 ? window_at(op, 0)->index : 0;
    op->round_used[0] = op->round_used[1] = 0;
    op->round_pending[0] = op->round_pending[1] = 0;
}

/* May window i start now? The first of a new round needs the round before the last to be over. */
static bool round_open(mca_common_collio_op_t *op, size_t i)
{
    if (window_at(op, i)->index != op->round_index) {
        int next = (op->round + 1) % 2;

        if (op->round_pending[next] > 0) {
            return false;
        }
        op->round = next;
        op->round_used[next] = 0;
        op->round_index = window_at(op, i)->index;
    }
    return true;
}

static bool is_relayed(const mca_common_collio_op_t *op, size_t i)
{
    return mca_common_collio_relay_window(op->plan, op->plan->order[i]);
}

static void start_delivery(mca_common_collio_op_t *op, size_t i)
{
    const mca_common_collio_plan_t *plan = op->plan;
    mca_common_collio_delivery_t *delivery = &op->deliveries[i];
    mca_common_collio_move_t *move = &delivery->move;

    memset(delivery, 0, sizeof(*delivery));
    delivery->started = true;
    op->delivery_end = i + 1 > op->delivery_end ? i + 1 : op->delivery_end;
    delivery->window = plan->order[i];
    delivery->owner = plan->split.share[plan->share_of[delivery->window]].owner;
    delivery->round = op->round;
    move->window = &plan->split.window[delivery->window];
    move->piece = &plan->split.piece[move->window->first];
    move->peer = op->file->aggregators[delivery->owner];
    move->transport = mca_common_collio_transport_pick(op, delivery->owner, op->file->rank);
    if (mca_common_collio_relay_window(plan, delivery->window)) {
        move->relayed = true;
        move->staging = mca_common_collio_relay_message(op, delivery->window);
    } else if (move->transport->requester_packed
               && NULL == mca_common_collio_message_in_memory(op, delivery->window)) {
        move->staging = op->file->staging.at + op->round * op->round_bytes
                        + op->round_used[op->round];
        op->round_used[op->round] += move->window->bytes;
    }
    op->round_pending[op->round] += !move->relayed;
    move->transport->requester_start(op, delivery);
}

/* Moves on to the next window of this kind, if it may start. */
static bool next_of_kind(mca_common_collio_op_t *op, size_t *next, bool relayed)
{
    while (*next < op->plan->split.window_count && is_relayed(op, *next) != relayed) {
        ++*next;
    }
    if (*next == op->plan->split.window_count) {
        return false;
    }
    return relayed ? mca_common_collio_relay_ready(op, op->plan->order[*next])
                   : round_open(op, *next);
}

static bool finished(const mca_common_collio_delivery_t *delivery)
{
    return delivery->started && 2 == delivery->move.state;
}

bool mca_common_collio_deliver_poll(mca_common_collio_op_t *op, bool *moved)
{
    size_t windows = op->plan->split.window_count;

    for (size_t i = op->delivery_first; i < op->delivery_end; ++i) {
        mca_common_collio_delivery_t *delivery = &op->deliveries[i];

        if (!delivery->started || finished(delivery)
            || !delivery->move.transport->requester_test(op, delivery)) {
            continue;
        }
        delivery->move.state = 2; /* counted */
        if (delivery->move.relayed) {
            mca_common_collio_relay_delivered(op, delivery);
        } else {
            --op->round_pending[delivery->round];
        }
        *moved = true;
    }
    while (op->delivery_first < op->delivery_end && finished(&op->deliveries[op->delivery_first])) {
        ++op->delivery_first;
    }
    while (next_of_kind(op, &op->delivery_next, false)) {
        start_delivery(op, op->delivery_next++);
        *moved = true;
    }
    while (next_of_kind(op, &op->relay_next, true)) {
        start_delivery(op, op->relay_next++);
        *moved = true;
    }
    return op->delivery_first == windows;
}
