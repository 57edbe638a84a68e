/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Put and fence: the cycles of a blocking call whose data move in fence epochs. A fence is
 * collective over all ranks, so the ranks step through numbered rounds together; no other transport
 * has such rounds. fence_number.c assigns windows to rounds.
 *
 *   round i:   fence | every requester puts (gets) its windows of round i | fence
 *
 * The schedule decides which fence or access is next (core/schedule.h, schedule_step).
 * O: opening fence and puts (gets), C: closing fence, W: access, w: wait for the access.
 *
 *   write, none          O1 C1 W1 w1 | O2 C2 W2 w2
 *   write, comm          O1 O2 C1 W1 w1 O3 C2 W2 ...     epoch 2 is open while access 1 blocks
 *   write, write         O1 C1 W1 O2 C2 W2 w1 O3 ...     access 1 runs while fences block
 *   write, write_comm    O1 C1 W1 O2 C2 w1 | W2 O3 ...   both run, both are waited for
 *   write, write_comm2   as write
 *
 * The order of fences must be the same on all ranks, so it depends on no rank's speed.
 *
 * In two layers a local aggregator puts (gets) its members' bytes. Before the fence of a round each
 * member has handed over its bytes of that round (read: has taken its bytes of all closed rounds),
 * so no rank is in a fence while another rank waits for its bytes.
 */
#include "cycles/cycles.h"

#include <errno.h>
#include <stdlib.h>

#include "transport/onesided/put.h"

#include "opal/runtime/opal_progress.h"

static bool by_index(const collio_plan_t *plan)
{
    return COLLIO_LAYERS_ONE != plan->layer1.kind;
}

enum { NO_WINDOW = -1 };

/* This rank's windows of the open rounds: at most one per aggregator and round. */
typedef struct turn_t {
    int64_t *next;           /* per share: first window not moved yet, counted in the share */
    int64_t *moving[2];      /* per buffer and share: window of the open round, or NO_WINDOW */
    int64_t staging_used[2]; /* per buffer: bytes of the requester's staging in use */
    size_t closed;           /* number of rounds whose closing fence is over */
} turn_t;

static int64_t window_of(const collio_exchange_t *ex, const turn_t *turn, size_t s, size_t round)
{
    const collio_share_t *share = &ex->plan->split.share[s];
    int64_t window = (int64_t) share->first + turn->next[s];

    return turn->next[s] < (int64_t) share->count
                   && ex->plan->fence.of.received[window] == (int64_t) round
               ? window
               : NO_WINDOW;
}

/* Where the bytes of a window are at the requester. */
typedef struct place_t {
    char *message; /* packed message: in layer 1's staging, user memory, or requester's staging */
    char *limit;   /* reads: the aggregator's limit, in the requester's staging */
    bool in_room;  /* `message` is in the requester's staging */
} place_t;

static place_t place_window(collio_exchange_t *ex, size_t window, int number, int64_t *used)
{
    collio_content_t what = collio_content(&ex->plan->split, &ex->plan->split.window[window]);
    place_t place = {.limit = ex->file->kept->staging.at + number * ex->plan->fence.bytes + *used};

    if (collio_plan_relayed(ex->plan, window)) {
        place.message = ex->layer1.actions->message(ex, window);
    } else if (ex->write) {
        place.message = collio_message_in_memory(ex, &what);
    }
    if (NULL == place.message) {
        place.in_room = true;
        place.message = place.limit;
        place.limit += what.bytes;
        *used += what.bytes;
    }
    *used += (int64_t) sizeof(int64_t);
    return place;
}

static void move_window(collio_exchange_t *ex, turn_t *turn, size_t window, int number)
{
    collio_content_t what = collio_content(&ex->plan->split, &ex->plan->split.window[window]);
    place_t place = place_window(ex, window, number, &turn->staging_used[number]);

    if (ex->write && place.in_room) {
        (void) collio_copy_message(ex, &what, place.message, what.bytes);
    }
    if (collio_put_window(ex, window, number, INT64_MAX, place.message) < 0) {
        collio_exchange_lose(ex);
    }
    if (!ex->write) {
        int aggregator = ex->plan->split.share[ex->plan->share_of[window]].aggregator;

        (void) collio_win_move(false, place.limit, sizeof(int64_t),
                               ex->file->derived.aggregators[aggregator],
                               ex->file->kept->put.slot_bytes, ex->file->kept->put.win[number]);
    }
}

/* ---- layer 1 ---- */

/* Returns true if layer 1 has done, on this rank, all that must precede the fence of this round. */
static bool layer1_ready(const collio_exchange_t *ex, const turn_t *turn, size_t round)
{
    for (size_t s = 0; s < ex->plan->split.share_count; ++s) {
        int64_t window = window_of(ex, turn, s, round);

        if (NO_WINDOW != window && collio_plan_relayed(ex->plan, (size_t) window)
            && !ex->layer1.actions->ready(ex, (size_t) window)) {
            return false;
        }
    }
    return ex->layer1.actions->before_fence(ex, round, turn->closed);
}

/* Has layer 1 work to do? A rank whose file handle has failed stops layer 1 but takes part in all
 * fences, because other ranks wait in them. */
static bool layer1_runs(const collio_exchange_t *ex)
{
    return NULL != ex->layer1.actions && 0 == ex->file->lost;
}

/* Waits until layer 1 is ready for the fence of this round; `turn` NULL: until layer 1 is over. */
static void layer1_wait(collio_exchange_t *ex, const turn_t *turn, size_t round)
{
    uint64_t checked_ns = collio_now();
    bool over = false;

    while (layer1_runs(ex) && !over && (NULL == turn || !layer1_ready(ex, turn, round))) {
        bool moved = false;

        over = ex->layer1.actions->poll(ex, &moved);
        if (!moved) {
            opal_progress();
            collio_agreement_check_due(ex->file, &checked_ns);
        }
    }
}

/* Advances layer 1 as far as possible without waiting, so that blocked members can proceed. */
static void layer1_push(collio_exchange_t *ex)
{
    bool moved = true;

    while (moved && layer1_runs(ex)) {
        moved = false;
        (void) ex->layer1.actions->poll(ex, &moved);
    }
}

static void layer1_delivered(collio_exchange_t *ex, size_t window, int64_t bytes)
{
    collio_delivery_t delivery = {
        .window = window,
        .aggregator = ex->plan->split.share[ex->plan->share_of[window]].aggregator,
        .move = {.what = collio_content(&ex->plan->split, &ex->plan->split.window[window]),
                 .bytes = bytes}};

    if (layer1_runs(ex)) {
        ex->layer1.actions->delivered(ex, &delivery);
    }
}

/* ---- rounds ---- */

/* Returns this aggregator's cycle of a round, or the number of cycles if it has none. */
static size_t cycle_of(const collio_exchange_t *ex, size_t round)
{
    size_t low = 0, high = ex->plan->collect.cycle_count;

    if (ex->file->derived.my_aggregator < 0 || !by_index(ex->plan)) {
        return round < high && ex->file->derived.my_aggregator >= 0 ? round : high;
    }
    while (low < high) {
        size_t middle = (low + high) / 2;

        if ((size_t) ex->plan->fence.cycle_round[middle] < round) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < ex->plan->collect.cycle_count && (size_t) ex->plan->fence.cycle_round[low] == round
               ? low
               : ex->plan->collect.cycle_count;
}

static bool mine(const collio_exchange_t *ex, size_t round)
{
    return cycle_of(ex, round) < ex->plan->collect.cycle_count;
}

/* The opening fence of a round, then the puts (gets) of this rank's windows. */
static void open_round(collio_exchange_t *ex, turn_t *turn, size_t round, int number)
{
    layer1_wait(ex, turn, round);
    if (mine(ex, round)) {
        if (ex->write) {
            collio_cycles_enter(ex, cycle_of(ex, round));
        }
        memcpy(ex->aggregator.slot[number].buffer + ex->file->kept->put.slot_bytes,
               &ex->aggregator.slot[number].limit, sizeof(int64_t));
    }
    turn->staging_used[number] = 0;
    if (OMPI_SUCCESS != collio_win_fence(ex->file->kept->put.win[number])) {
        collio_exchange_lose(ex);
    }
    for (size_t s = 0; s < ex->plan->split.share_count; ++s) {
        int64_t window = window_of(ex, turn, s, round);

        turn->moving[number][s] = window;
        if (NO_WINDOW != window) {
            ++turn->next[s];
            move_window(ex, turn, (size_t) window, number);
        }
    }
}

/* An MPI_Get has completed: unpacks into user memory, or passes the window to layer 1. */
static void take_window(collio_exchange_t *ex, size_t window, int number, int64_t *used)
{
    collio_content_t what = collio_content(&ex->plan->split, &ex->plan->split.window[window]);
    place_t place = place_window(ex, window, number, used);
    int64_t limit, bytes;

    memcpy(&limit, place.limit, sizeof(limit));
    bytes = collio_window_prefix(what.split, what.window, limit);
    if (collio_plan_relayed(ex->plan, window)) {
        layer1_delivered(ex, window, bytes);
        return;
    }
    collio_exchange_received(ex, collio_copy_message(ex, &what, place.message, bytes));
}

/* The closing fence of a round. Then takes the windows of a read and reports relayed windows to
 * layer 1. */
static void close_round(collio_exchange_t *ex, const turn_t *turn, int number)
{
    int64_t used = 0;

    if (OMPI_SUCCESS != collio_win_fence(ex->file->kept->put.win[number])) {
        collio_exchange_lose(ex);
    }
    for (size_t s = 0; s < ex->plan->split.share_count; ++s) {
        int64_t window = turn->moving[number][s];

        if (NO_WINDOW != window && !ex->write) {
            take_window(ex, (size_t) window, number, &used);
        } else if (NO_WINDOW != window && collio_plan_relayed(ex->plan, (size_t) window)) {
            layer1_delivered(ex, (size_t) window, ex->plan->split.window[window].bytes);
        }
    }
    layer1_push(ex);
}

static void access_start(collio_exchange_t *ex, size_t round)
{
    size_t cycle = cycle_of(ex, round);

    if (!mine(ex, round)) {
        return;
    }
    if (ex->write) {
        collio_put_copy_all(ex, collio_cycles_slot(ex, cycle));
    } else {
        collio_cycles_enter(ex, cycle);
    }
    collio_cycles_access_start(ex, cycle);
}

/* Waits for the access of a round. Even an access that is not asynchronous may run in the
 * background, because it waits for a lock. */
static void access_end(collio_exchange_t *ex, size_t round)
{
    size_t cycle = cycle_of(ex, round);

    if (!mine(ex, round)) {
        return;
    }
    collio_cycles_access_end(ex, cycle);
    collio_cycles_book_time(ex);
    collio_cycles_access_finish(ex, cycle);
    if (!ex->write) {
        collio_put_copy_all(ex, collio_cycles_slot(ex, cycle));
    }
}

/* Records the stages that are under way during a step, for the counters of time. */
static void note_step(collio_exchange_t *ex, const collio_progress_t *done, collio_step_t step)
{
    collio_cycles_book_time(ex);
    ex->timing.accessing = COLLIO_STEP_ACCESS == step
                           || done->accesses_started > done->accesses_done;
    ex->timing.shuffling = COLLIO_STEP_SHUFFLE == step
                           || done->shuffles_started > done->shuffles_done;
}

/* Takes all rounds in the order of the schedule, which is the same on all ranks. Every schedule
 * uses a buffer again only after its access (write) or its closing fence (read). */
static void take_steps(collio_exchange_t *ex, turn_t *turn)
{
    const collio_plan_t *plan = ex->plan;
    collio_progress_t done = {.cycles = by_index(plan) ? plan->fence.index_rounds
                                                       : plan->fence.rounds,
                              .write = ex->write};
    size_t buffers = (size_t) ex->way.schedule->buffers;
    collio_step_t step;

    while (COLLIO_STEP_NONE != (step = collio_schedule_step(ex->way.schedule, &done))) {
        note_step(ex, &done, step);
        if (COLLIO_STEP_SHUFFLE == step) {
            turn->closed = done.shuffles_done;
            open_round(ex, turn, done.shuffles_started, (int) (done.shuffles_started % buffers));
            ++done.shuffles_started;
        } else if (COLLIO_STEP_ACCESS == step) {
            access_start(ex, done.accesses_started++);
        } else if (COLLIO_STEP_END_SHUFFLE == step) {
            close_round(ex, turn, (int) (done.shuffles_done++ % buffers));
        } else {
            access_end(ex, done.accesses_done++);
        }
    }
}

static int prepare(collio_exchange_t *ex)
{
    int rc;

    ex->requester.round_bytes = ex->plan->fence.bytes;
    rc = collio_requester_reserve(ex, ex->way.schedule->buffers * ex->requester.round_bytes);
    return 0 != rc ? rc : collio_fence_prepare(ex->plan);
}

static int begin(collio_exchange_t *ex)
{
    int rc = ex->plan->fence.numbered ? OMPI_SUCCESS : collio_fence_number(ex);

    if (OMPI_SUCCESS == rc && ex->plan->packed && !ex->plan->places.complete) {
        rc = collio_put_send_places(ex);
    }
    return rc;
}

static bool poll(collio_exchange_t *ex)
{
    size_t shares = ex->plan->split.share_count;
    turn_t turn = {.next = ex->plan->fence.turn,
                   .moving = {ex->plan->fence.turn + shares, ex->plan->fence.turn + 2 * shares}};

    memset(ex->plan->fence.turn, 0, shares * sizeof(*ex->plan->fence.turn));
    ex->aggregator.cycle_round = ex->plan->fence.cycle_round;
    take_steps(ex, &turn);
    ex->timing.shuffling = true; /* layer 1 */
    layer1_wait(ex, NULL, 0);
    collio_cycles_book_time(ex);
    return true;
}

const collio_driver_t collio_driver_fence = {
    .prepare = prepare,
    .begin = begin,
    .poll = poll,
};
