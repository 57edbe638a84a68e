/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/**
 * Put and fence: the cycles of a blocking call whose data moves in fence epochs. A fence is
 * collective over all ranks, so here, and only here, the ranks step through numbered rounds
 * together. Which windows are in which round is in fence_number.c.
 *
 *   round i:   fence | every requester puts (gets) what round i of each owner takes | fence
 *
 * A fence waits by nature, so overlap comes from the access being asynchronous (write, write_comm,
 * write_comm2), or from opening the next epoch before the last one is closed (comm).
 *
 * In two layers a local aggregator puts (gets) its members' bytes. Before the fence of a round each
 * member has handed over its bytes (read: taken those of the round before), so nobody is in a fence
 * while a neighbour waits for it.
 */
#include "call/common_collio_op.h"

#include <errno.h>
#include <stdlib.h>

#include "opal/runtime/opal_progress.h"

static bool by_index(const mca_common_collio_plan_t *plan)
{
    return MCA_COMMON_COLLIO_LAYERS_ONE != plan->layers;
}

static size_t rounds_of(const mca_common_collio_plan_t *plan)
{
    return by_index(plan) ? plan->index_rounds : plan->rounds;
}

static const mca_common_collio_share_t *share_at(const mca_common_collio_op_t *op, size_t i)
{
    return &op->plan->split.share[i];
}

enum { NO_WINDOW = -1 };

/* This rank's windows of a round: at most one per owner. */
typedef struct turn_t {
    int64_t *next;      /* per share: its first window that was not moved yet */
    int64_t *moving[2]; /* per buffer, per share: the window of the open round, or NO_WINDOW */
    int64_t staging_used[2];
} turn_t;

static int64_t window_of(const mca_common_collio_op_t *op, const turn_t *turn, size_t s,
                         size_t round)
{
    const mca_common_collio_share_t *share = share_at(op, s);
    int64_t window = (int64_t) share->first + turn->next[s];

    return turn->next[s] < (int64_t) share->count && op->plan->ordinal[window] == (int64_t) round
               ? window
               : NO_WINDOW;
}

/* Where a window's message is: in layer 1's staging, in user memory, or in the room of the round.
 * Of a read, how much of it is data comes to that room, too. */
typedef struct place_t {
    char *message;
    char *limit;
    bool in_room;
} place_t;

static place_t place_window(mca_common_collio_op_t *op, size_t window, int number, int64_t *used)
{
    const mca_common_collio_window_t *what = &op->plan->split.window[window];
    place_t place = {.limit = op->file->staging.at + number * op->plan->fence_bytes + *used};

    if (mca_common_collio_relay_window(op->plan, window)) {
        place.message = mca_common_collio_relay_message(op, window);
    } else if (op->write) {
        place.message = mca_common_collio_message_in_memory(op, window);
    }
    if (NULL == place.message) {
        place.in_room = true;
        place.message = place.limit;
        place.limit += what->bytes;
        *used += what->bytes;
    }
    *used += (int64_t) sizeof(int64_t);
    return place;
}

static void move_window(mca_common_collio_op_t *op, turn_t *turn, size_t window, int number)
{
    const mca_common_collio_window_t *what = &op->plan->split.window[window];
    const mca_common_collio_piece_t *piece = &op->plan->split.piece[what->first];
    place_t place = place_window(op, window, number, &turn->staging_used[number]);

    if (op->write && place.in_room) {
        (void) mca_common_collio_copy_message(op, what, piece, place.message, what->bytes);
        mca_common_collio_file_count(op->file, MCA_COMMON_COLLIO_STAT_copied_bytes,
                                     (uint64_t) what->bytes);
    }
    if (mca_common_collio_put_window(op, window, number, INT64_MAX, place.message) < 0) {
        mca_common_collio_op_lose(op);
    }
    if (!op->write) {
        int owner = op->plan->split.share[op->plan->share_of[window]].owner;

        (void) mca_common_collio_win_get(place.limit, sizeof(int64_t), op->file->aggregators[owner],
                                         op->file->put.slot_bytes, op->file->put.win[number]);
    }
}

/* ---- layer 1 ---- */

/* Has layer 1 done on this rank what must be done before the fence of this round? */
static bool layer1_ready(const mca_common_collio_op_t *op, const turn_t *turn, size_t round)
{
    const mca_common_collio_relay_t *relay = &op->plan->relay;

    for (size_t s = 0; s < op->plan->split.share_count; ++s) {
        int64_t window = window_of(op, turn, s, round);

        if (NO_WINDOW != window && mca_common_collio_relay_window(op->plan, (size_t) window)
            && !mca_common_collio_relay_ready(op, (size_t) window)) {
            return false;
        }
    }
    return relay->aggregator == op->file->rank || relay->first_turn == relay->mine.turn_count
           || relay->mine.turn[relay->first_turn].fence + (op->write ? 0 : 1) > round;
}

static void layer1_wait(mca_common_collio_op_t *op, const turn_t *turn, size_t round)
{
    while (op->plan->relay.active && !layer1_ready(op, turn, round)) {
        bool moved = false;

        (void) mca_common_collio_relay_poll(op, &moved);
        if (!moved) {
            opal_progress();
        }
    }
}

/* Opens what can be opened, for those who wait. */
static void layer1_push(mca_common_collio_op_t *op)
{
    bool moved = op->plan->relay.active;

    while (moved) {
        moved = false;
        (void) mca_common_collio_relay_poll(op, &moved);
    }
}

static void layer1_finish(mca_common_collio_op_t *op)
{
    bool moved = false;

    while (op->plan->relay.active && !mca_common_collio_relay_poll(op, &moved)) {
        opal_progress();
    }
}

static void layer1_delivered(mca_common_collio_op_t *op, size_t window, int64_t bytes)
{
    mca_common_collio_delivery_t delivery = {
        .window = window,
        .owner = op->plan->split.share[op->plan->share_of[window]].owner,
        .move = {.window = &op->plan->split.window[window], .bytes = bytes}};

    mca_common_collio_relay_delivered(op, &delivery);
}

/* ---- rounds ---- */

/* My cycle of a round, as owner; none: the number of cycles. */
static size_t cycle_of(const mca_common_collio_op_t *op, size_t round)
{
    size_t low = 0, high = op->plan->collect.cycle_count;

    if (op->file->my_owner < 0 || !by_index(op->plan)) {
        return round < high && op->file->my_owner >= 0 ? round : high;
    }
    while (low < high) {
        size_t middle = (low + high) / 2;

        if ((size_t) op->plan->told[middle] < round) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < op->plan->collect.cycle_count && (size_t) op->plan->told[low] == round
               ? low
               : op->plan->collect.cycle_count;
}

static bool mine(const mca_common_collio_op_t *op, size_t round)
{
    return cycle_of(op, round) < op->plan->collect.cycle_count;
}

/* A fence, then everything of mine in this round. */
static void open_round(mca_common_collio_op_t *op, turn_t *turn, size_t round, int number)
{
    layer1_wait(op, turn, round);
    if (mine(op, round)) {
        if (op->write) {
            mca_common_collio_cycles_enter(op, cycle_of(op, round));
        }
        memcpy(op->slot[number].buffer + op->file->put.slot_bytes, &op->slot[number].limit,
               sizeof(int64_t));
    }
    turn->staging_used[number] = 0;
    if (OMPI_SUCCESS != mca_common_collio_win_fence(0, op->file->put.win[number])) {
        mca_common_collio_op_lose(op);
    }
    for (size_t s = 0; s < op->plan->split.share_count; ++s) {
        int64_t window = window_of(op, turn, s, round);

        turn->moving[number][s] = window;
        if (NO_WINDOW != window) {
            ++turn->next[s];
            move_window(op, turn, (size_t) window, number);
        }
    }
}

/* What was got is here: it goes to the user, or on to layer 1. */
static void take_window(mca_common_collio_op_t *op, size_t window, int number, int64_t *used)
{
    const mca_common_collio_window_t *what = &op->plan->split.window[window];
    const mca_common_collio_piece_t *piece = &op->plan->split.piece[what->first];
    place_t place = place_window(op, window, number, used);
    int64_t limit, bytes;

    memcpy(&limit, place.limit, sizeof(limit));
    bytes = mca_common_collio_valid_prefix(what, piece, limit);
    if (mca_common_collio_relay_window(op->plan, window)) {
        layer1_delivered(op, window, bytes);
        return;
    }
    op->done_bytes += mca_common_collio_copy_message(op, what, piece, place.message, bytes);
    mca_common_collio_file_count(op->file, MCA_COMMON_COLLIO_STAT_copied_bytes, (uint64_t) bytes);
}

/* The closing fence. */
static void close_round(mca_common_collio_op_t *op, const turn_t *turn, int number)
{
    int64_t used = 0;

    if (OMPI_SUCCESS != mca_common_collio_win_fence(0, op->file->put.win[number])) {
        mca_common_collio_op_lose(op);
    }
    for (size_t s = 0; s < op->plan->split.share_count; ++s) {
        int64_t window = turn->moving[number][s];

        if (NO_WINDOW != window && !op->write) {
            take_window(op, (size_t) window, number, &used);
        } else if (NO_WINDOW != window
                   && mca_common_collio_relay_window(op->plan, (size_t) window)) {
            layer1_delivered(op, (size_t) window, op->plan->split.window[window].bytes);
        }
    }
    layer1_push(op);
}

static void access_wait(mca_common_collio_op_t *op, size_t round)
{
    if (mine(op, round)) {
        mca_common_collio_cycles_access_wait(op, cycle_of(op, round));
    }
}

static void access_start(mca_common_collio_op_t *op, size_t round)
{
    if (mine(op, round)) {
        if (!op->write) {
            mca_common_collio_cycles_enter(op, cycle_of(op, round));
        }
        mca_common_collio_cycles_access_start(op, cycle_of(op, round));
    }
}

/* Shuffle feeds access. With two buffers round i + 1 uses the other one, once the access of round
 * i - 1 has left it. */
static void write_rounds(mca_common_collio_op_t *op, turn_t *turn)
{
    size_t rounds = rounds_of(op->plan), buffers = (size_t) op->schedule->buffers;
    bool open_early = buffers > 1 && !op->schedule->asynchronous;

    for (size_t i = 0; i < rounds; ++i) {
        if (i >= buffers) {
            access_wait(op, i - buffers);
        }
        if (!open_early || 0 == i) {
            open_round(op, turn, i, (int) (i % buffers));
        }
        if (open_early && i + 1 < rounds) {
            open_round(op, turn, i + 1, (int) ((i + 1) % buffers));
        }
        close_round(op, turn, (int) (i % buffers));
        access_start(op, i);
    }
    for (size_t i = rounds > buffers ? rounds - buffers : 0; i < rounds; ++i) {
        access_wait(op, i);
    }
}

/* Access feeds shuffle: the next window is read while this one is got. */
static void read_rounds(mca_common_collio_op_t *op, turn_t *turn)
{
    size_t rounds = rounds_of(op->plan), buffers = (size_t) op->schedule->buffers;

    access_start(op, 0);
    for (size_t i = 0; i < rounds; ++i) {
        access_wait(op, i);
        if (buffers > 1 && i + 1 < rounds) {
            access_start(op, i + 1);
        }
        open_round(op, turn, i, (int) (i % buffers));
        close_round(op, turn, (int) (i % buffers));
        if (1 == buffers && i + 1 < rounds) {
            access_start(op, i + 1);
        }
    }
}

void mca_common_collio_fence_cycles(mca_common_collio_op_t *op)
{
    size_t shares = op->plan->split.share_count;
    turn_t turn = {.next = op->plan->turn,
                   .moving = {op->plan->turn + shares, op->plan->turn + 2 * shares}};

    memset(op->plan->turn, 0, shares * sizeof(*op->plan->turn));
    op->cycle_round = by_index(op->plan) ? op->plan->told : NULL;
    if (op->write) {
        write_rounds(op, &turn);
    } else {
        read_rounds(op, &turn);
    }
    layer1_finish(op);
}
