/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * The requester's side of the shuffle. Windows move in the order of their numbers; all windows of
 * one number are a round, and two rounds may be in flight. Owners work in the same order, so the
 * lowest unfinished window never waits for a later one: there is no deadlock.
 *
 * A rank has three requesters, which do not wait for each other: its direct windows, and with two
 * layers what it sends to its local aggregator as a member, or forwards as a local aggregator
 * (sink_forward.c). A pair of ranks has windows of one of them only, so its messages keep their
 * order.
 */
#include "cycles/cycles.h"

#include "core/debug_assert.h"
#include "core/number.h"

void collio_requester_start(collio_exchange_t *ex)
{
    for (int which = 0; which < COLLIO_REQUESTERS; ++which) {
        ex->requester[which].first = ex->requester[which].next = 0;
        ex->requester[which].round_index = -1;
    }
}

bool collio_requester_round(collio_requester_t *requester, int64_t index)
{
    if (index != requester->round_index) {
        int next = (requester->round + 1) % 2;

        if (requester->round_pending[next] > 0) {
            return false;
        }
        requester->round = next;
        requester->round_used[next] = 0;
        requester->round_index = index;
    }
    return true;
}

/* ---- direct windows ---- */

static bool direct_open(collio_exchange_t *ex, collio_requester_t *requester, size_t i)
{
    return collio_requester_round(requester, ex->plan->split.window[ex->plan->order[i]].index);
}

void collio_requester_window(const collio_exchange_t *ex, size_t i, collio_move_t *move)
{
    const collio_plan_t *plan = ex->plan;
    const collio_share_t *share = &plan->split.share[plan->share_of[plan->order[i]]];

    move->window = plan->order[i];
    move->aggregator = share->aggregator;
    move->what = collio_content(&plan->split, &plan->split.window[move->window]);
    move->tag = COLLIO_TAG_DATA;
    move->peer = ex->file->derived.aggregators[move->aggregator];
    move->transport = collio_transport_between(ex, move->aggregator, ex->file->rank);
    move->synchronous = collio_cycles_synchronous(ex, move->window - share->first);
}

static const collio_deliver_t deliver_direct = {
    .open = direct_open,
    .describe = collio_requester_window,
};

/* In the order of COLLIO_DIRECT... */
static const collio_deliver_t *const deliver[COLLIO_REQUESTERS] = {
    &deliver_direct,
    &collio_deliver_forwarded,
    &collio_deliver_member,
};

/* ---- all moves ---- */

/* Gives a move staging for its message, unless the message can stay in user memory. */
static void stage(const collio_exchange_t *ex, collio_requester_t *requester, collio_move_t *move)
{
    int64_t *used = &requester->round_used[requester->round];

    if (NULL != move->staging || !move->transport->can.requester_packed
        || (0 == move->extra && NULL != collio_message_in_memory(ex, &move->what))) {
        return;
    }
    move->staging = requester->staging + requester->round * requester->round_bytes + *used;
    *used += move->what.bytes + move->extra;
    COLLIO_ASSERT(*used <= requester->round_bytes);
}

static void start_move(collio_exchange_t *ex, int which, size_t i)
{
    collio_requester_t *requester = &ex->requester[which];
    collio_move_t *move = &requester->move[i];

    memset(move, 0, sizeof(*move));
    move->round = requester->round;
    deliver[which]->describe(ex, i, move);
    stage(ex, requester, move);
    ++requester->round_pending[requester->round];
    move->transport->requester_start(ex, move);
}

static void poll_move(collio_exchange_t *ex, int which, size_t i, bool *moved)
{
    collio_requester_t *requester = &ex->requester[which];
    collio_move_t *move = &requester->move[i];

    if (COLLIO_MOVE_COUNTED == move->state || !move->transport->requester_test(ex, move)) {
        return;
    }
    move->state = COLLIO_MOVE_COUNTED;
    COLLIO_ASSERT(0 < requester->round_pending[move->round]);
    --requester->round_pending[move->round];
    if (NULL != deliver[which]->done) {
        deliver[which]->done(ex, move);
    }
    *moved = true;
}

bool collio_requester_poll(collio_exchange_t *ex, int which, bool *moved)
{
    collio_requester_t *requester = &ex->requester[which];

    for (size_t i = requester->first; i < requester->next; ++i) {
        poll_move(ex, which, i, moved);
    }
    while (requester->first < requester->next
           && COLLIO_MOVE_COUNTED == requester->move[requester->first].state) {
        ++requester->first;
    }
    while (requester->next < requester->count
           && deliver[which]->open(ex, requester, requester->next)) {
        start_move(ex, which, requester->next++);
        *moved = true;
    }
    COLLIO_ASSERT(requester->first < requester->count
                  || 0 == requester->round_pending[0] + requester->round_pending[1]);
    return requester->first == requester->count;
}

/* Returns the maximum number of staging bytes of a round: its direct windows whose transport packs.
 * The user buffer may make packing unnecessary, but the plan does not depend on it. */
static int64_t requester_round_staging(const collio_exchange_t *ex)
{
    const collio_plan_t *plan = ex->plan;
    const collio_split_t *split = &plan->split;
    int64_t largest = 0, bytes = 0, index = -1;

    for (size_t i = 0; i < ex->requester[COLLIO_DIRECT].count; ++i) {
        const collio_window_t *window = &split->window[plan->order[i]];
        int aggregator = split->share[plan->share_of[plan->order[i]]].aggregator;

        if (window->index != index) {
            index = window->index;
            bytes = 0;
        }
        if (collio_transport_between(ex, aggregator, ex->file->rank)->can.requester_packed) {
            bytes += window->bytes;
        }
        largest = collio_max(bytes, largest);
    }
    return largest;
}

int collio_requester_reserve(collio_exchange_t *ex, int64_t bytes)
{
    collio_plan_t *plan = ex->plan;
    size_t direct = collio_relay_direct(plan), windows = plan->split.window_count;
    size_t count = windows + collio_relay_messages(ex) + 1;
    int rc = collio_arena_reserve(ex->file, &ex->file->context->kept->staging, bytes);

    if (NULL == plan->prepared.deliveries) {
        plan->prepared.deliveries = calloc(count, sizeof(*plan->prepared.deliveries));
        plan->memory_bytes += (int64_t) (count * sizeof(*plan->prepared.deliveries));
    }
    if (NULL == plan->prepared.deliveries) {
        return -ENOMEM;
    }
    ex->requester[COLLIO_DIRECT].staging = ex->file->context->kept->staging.at;
    ex->requester[COLLIO_DIRECT].move = plan->prepared.deliveries;
    ex->requester[COLLIO_DIRECT].count = direct;
    ex->requester[COLLIO_FORWARDED].move = plan->prepared.deliveries + direct;
    ex->requester[COLLIO_FORWARDED].count = windows - direct;
    ex->requester[COLLIO_MEMBER].move = plan->prepared.deliveries + windows;
    ex->requester[COLLIO_MEMBER].count = collio_relay_messages(ex);
    return rc;
}

int collio_requester_prepare(collio_exchange_t *ex)
{
    ex->requester[COLLIO_DIRECT].count = collio_relay_direct(ex->plan);
    ex->requester[COLLIO_DIRECT].round_bytes = requester_round_staging(ex);
    return collio_requester_reserve(ex, 2 * ex->requester[COLLIO_DIRECT].round_bytes);
}
