/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * The requester's side of the shuffle. Windows move in the order of their numbers; all windows of
 * one number are a round, and two rounds may be in flight. Aggregators work in the same order, so
 * the lowest unfinished window never waits for a later one: there is no deadlock.
 *
 * Relayed windows (relay.h) have separate rounds and wait for layer 1. Direct windows do not wait
 * for relayed windows: a pair of ranks has windows of one kind only, so its messages keep their
 * order.
 */
#include "cycles/cycles.h"

#include <errno.h>
#include <stdlib.h>

#include "core/debug_assert.h"

static const collio_window_t *window_at(const collio_exchange_t *ex, size_t i)
{
    return &ex->plan->split.window[ex->plan->order[i]];
}

void collio_requester_start(collio_exchange_t *ex)
{
    ex->requester.first = ex->requester.next = ex->requester.relay_next = ex->requester.end = 0;
    for (size_t i = 0; i < ex->plan->split.window_count; ++i) {
        ex->requester.deliveries[i].started = false;
    }
    ex->requester.round = 0;
    ex->requester.round_index = ex->plan->split.window_count > 0 ? window_at(ex, 0)->index : 0;
    ex->requester.round_used[0] = ex->requester.round_used[1] = 0;
    ex->requester.round_pending[0] = ex->requester.round_pending[1] = 0;
}

/* Returns true if direct window i may start. The first window of a new round starts the round,
 * which requires that the round before the current one is over. */
static bool round_open(collio_exchange_t *ex, size_t i)
{
    if (window_at(ex, i)->index != ex->requester.round_index) {
        int next = (ex->requester.round + 1) % 2;

        if (ex->requester.round_pending[next] > 0) {
            return false;
        }
        ex->requester.round = next;
        ex->requester.round_used[next] = 0;
        ex->requester.round_index = window_at(ex, i)->index;
    }
    return true;
}

static bool is_relayed(const collio_exchange_t *ex, size_t i)
{
    return collio_plan_relayed(ex->plan, ex->plan->order[i]);
}

static void start_delivery(collio_exchange_t *ex, size_t i)
{
    const collio_plan_t *plan = ex->plan;
    collio_delivery_t *delivery = &ex->requester.deliveries[i];
    collio_move_t *move = &delivery->move;
    const collio_share_t *share = &plan->split.share[plan->share_of[plan->order[i]]];

    COLLIO_ASSERT(i < plan->split.window_count && !delivery->started);
    memset(delivery, 0, sizeof(*delivery));
    delivery->started = true;
    ex->requester.end = i + 1 > ex->requester.end ? i + 1 : ex->requester.end;
    delivery->window = plan->order[i];
    delivery->aggregator = share->aggregator;
    delivery->round = ex->requester.round;
    move->what = collio_content(&plan->split, &plan->split.window[delivery->window]);
    move->tag = COLLIO_TAG_DATA;
    move->peer = ex->file->derived.aggregators[delivery->aggregator];
    move->transport = collio_transport_between(ex, delivery->aggregator, ex->file->rank);
    move->synchronous = collio_cycles_synchronous(ex, delivery->window - share->first);
    if (collio_plan_relayed(plan, delivery->window)) {
        move->relayed = true;
        move->staging = ex->layer1.actions->message(ex, delivery->window);
    } else if (move->transport->can.requester_packed
               && NULL == collio_message_in_memory(ex, &move->what)) {
        move->staging = ex->file->context->kept->staging.at
                        + ex->requester.round * ex->requester.round_bytes
                        + ex->requester.round_used[ex->requester.round];
        ex->requester.round_used[ex->requester.round] += move->what.bytes;
        COLLIO_ASSERT(ex->requester.round_used[ex->requester.round] <= ex->requester.round_bytes);
    }
    ex->requester.round_pending[ex->requester.round] += !move->relayed;
    move->transport->requester_start(ex, delivery);
}

/* Advances *next to the next direct or relayed window. Returns true if that window may start. */
static bool next_of_kind(collio_exchange_t *ex, size_t *next, bool relayed)
{
    while (*next < ex->plan->split.window_count && is_relayed(ex, *next) != relayed) {
        ++*next;
    }
    if (*next == ex->plan->split.window_count) {
        return false;
    }
    return relayed ? ex->layer1.actions->ready(ex, ex->plan->order[*next]) : round_open(ex, *next);
}

static bool finished(const collio_delivery_t *delivery)
{
    return delivery->started && COLLIO_MOVE_COUNTED == delivery->move.state;
}

bool collio_requester_poll(collio_exchange_t *ex, bool *moved)
{
    size_t windows = ex->plan->split.window_count;

    for (size_t i = ex->requester.first; i < ex->requester.end; ++i) {
        collio_delivery_t *delivery = &ex->requester.deliveries[i];

        if (!delivery->started || finished(delivery)
            || !delivery->move.transport->requester_test(ex, delivery)) {
            continue;
        }
        delivery->move.state = COLLIO_MOVE_COUNTED;
        if (delivery->move.relayed) {
            ex->layer1.actions->delivered(ex, delivery);
        } else {
            COLLIO_ASSERT(0 < ex->requester.round_pending[delivery->round]);
            --ex->requester.round_pending[delivery->round];
        }
        *moved = true;
    }
    while (ex->requester.first < ex->requester.end
           && finished(&ex->requester.deliveries[ex->requester.first])) {
        ++ex->requester.first;
    }
    while (next_of_kind(ex, &ex->requester.next, false)) {
        start_delivery(ex, ex->requester.next++);
        *moved = true;
    }
    while (next_of_kind(ex, &ex->requester.relay_next, true)) {
        start_delivery(ex, ex->requester.relay_next++);
        *moved = true;
    }
    COLLIO_ASSERT(ex->requester.first <= ex->requester.end && ex->requester.end <= windows);
    COLLIO_ASSERT(ex->requester.first < windows
                  || 0 == ex->requester.round_pending[0] + ex->requester.round_pending[1]);
    return ex->requester.first == windows;
}

/* Returns the maximum number of staging bytes of a round: its direct windows whose transport packs.
 * The user buffer may make packing unnecessary, but the plan does not depend on it. */
static int64_t requester_round_staging(const collio_exchange_t *ex)
{
    const collio_plan_t *plan = ex->plan;
    const collio_split_t *split = &plan->split;
    int64_t largest = 0, bytes = 0, index = -1;

    for (size_t i = 0; i < split->window_count; ++i) {
        const collio_window_t *window = &split->window[plan->order[i]];
        int aggregator = split->share[plan->share_of[plan->order[i]]].aggregator;

        if (window->index != index) {
            index = window->index;
            bytes = 0;
        }
        if (!collio_plan_relayed(plan, plan->order[i])
            && collio_transport_between(ex, aggregator, ex->file->rank)->can.requester_packed) {
            bytes += window->bytes;
        }
        largest = collio_max(bytes, largest);
    }
    return largest;
}

int collio_requester_prepare(collio_exchange_t *ex)
{
    ex->requester.round_bytes = requester_round_staging(ex);
    return collio_requester_reserve(ex, 2 * ex->requester.round_bytes);
}
