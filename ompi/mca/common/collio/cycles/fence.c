/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Put and fence: the cycles of a blocking call whose data move in fence epochs. A fence is
 * collective over all ranks, so the ranks step through numbered rounds together; no other transport
 * has such rounds.
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
 * write_comm2 starts what follows the operation that ends first. Here one buffer is always in a
 * round while the other is accessed, and the order of the end of the two must be fixed: the closing
 * fence first, because the access runs while the fence blocks. This is the order of `write`.
 *
 * The order of fences must be the same on all ranks, so it depends on no rank's speed. A local
 * aggregator depends on its members, so put_fence has one layer.
 */
#include "cycles/cycles.h"

#include <errno.h>
#include <stdlib.h>

#include "transport/put.h"

#include "core/number.h"

enum { NO_WINDOW = -1 };

/* This rank's windows of the open epochs: at most one per aggregator and round. */
typedef struct epochs_t {
    int64_t *next;           /* per share: first window not moved yet, counted in the share */
    int64_t *moving[2];      /* per buffer and share: window of the open round, or NO_WINDOW */
    int64_t staging_used[2]; /* per buffer: bytes of the requester's staging in use */
} epochs_t;

static int64_t fence_window_of(const collio_exchange_t *ex, const epochs_t *epochs, size_t s,
                               size_t round)
{
    const collio_share_t *share = &ex->plan->split.share[s];
    int64_t window = (int64_t) share->first + epochs->next[s];

    return epochs->next[s] < (int64_t) share->count
                   && ex->plan->fence.of.received[window] == (int64_t) round
               ? window
               : NO_WINDOW;
}

/* Where the bytes of a window are at the requester. */
typedef struct place_t {
    char *message; /* packed message: in user memory or in the requester's staging */
    char *limit;   /* reads: the aggregator's limit, in the requester's staging */
    bool in_room;  /* `message` is in the requester's staging */
} place_t;

static place_t fence_place_window(collio_exchange_t *ex, size_t window, int number, int64_t *used)
{
    collio_content_t what = collio_content(&ex->plan->split, &ex->plan->split.window[window]);
    place_t place = {.limit = ex->file->context->kept->staging.at + number * ex->plan->fence.bytes
                              + *used};

    if (ex->write) {
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

static void move_window(collio_exchange_t *ex, epochs_t *epochs, size_t window, int number)
{
    collio_content_t what = collio_content(&ex->plan->split, &ex->plan->split.window[window]);
    place_t place = fence_place_window(ex, window, number, &epochs->staging_used[number]);

    if (ex->write && place.in_room) {
        (void) collio_copy_message(ex, &what, place.message, what.bytes);
    }
    if (collio_put_window(ex, window, number, INT64_MAX, place.message) < 0) {
        collio_exchange_lose(ex);
    }
    if (!ex->write) {
        int aggregator = ex->plan->split.share[ex->plan->share_of[window]].aggregator;

        (void) collio_win_move(
            false, place.limit, sizeof(int64_t), ex->file->derived.aggregators[aggregator],
            ex->file->context->kept->put.slot_bytes, ex->file->context->kept->put.win[number]);
    }
}

/* True if this aggregator has a cycle in this round: round i is the i-th cycle of each. */
static bool mine(const collio_exchange_t *ex, size_t round)
{
    return ex->file->derived.my_aggregator >= 0 && round < ex->plan->collect.cycle_count;
}

/* The opening fence of a round, then the puts (gets) of this rank's windows. A rank that has lost a
 * message takes part in the fences only: it may not know the places of its windows. */
static void fence_open_round(collio_exchange_t *ex, epochs_t *epochs, size_t round, int number)
{
    if (mine(ex, round)) {
        if (ex->write) {
            collio_cycles_enter(ex, &ex->aggregator, round);
        }
        memcpy(ex->aggregator.slot[number].buffer.at + ex->file->context->kept->put.slot_bytes,
               &ex->aggregator.slot[number].buffer.limit, sizeof(int64_t));
    }
    epochs->staging_used[number] = 0;
    if (OMPI_SUCCESS != collio_put_fence(ex, number)) {
        collio_exchange_lose(ex);
    }
    for (size_t s = 0; s < ex->plan->split.share_count; ++s) {
        int64_t window = fence_window_of(ex, epochs, s, round);

        epochs->next[s] += NO_WINDOW != window;
        epochs->moving[number][s] = 0 == ex->file->lost ? window : NO_WINDOW;
        if (NO_WINDOW != epochs->moving[number][s]) {
            move_window(ex, epochs, (size_t) window, number);
        }
    }
}

/* An MPI_Get has completed: unpacks into user memory. */
static void take_window(collio_exchange_t *ex, size_t window, int number, int64_t *used)
{
    collio_content_t what = collio_content(&ex->plan->split, &ex->plan->split.window[window]);
    place_t place = fence_place_window(ex, window, number, used);
    int64_t limit, bytes;

    memcpy(&limit, place.limit, sizeof(limit));
    bytes = collio_window_prefix(what.split, what.window, limit);
    (void) collio_copy_message(ex, &what, place.message, bytes);
}

/* The closing fence of a round. Then takes the windows of a read. */
static void close_round(collio_exchange_t *ex, const epochs_t *epochs, int number)
{
    const collio_split_t *split = &ex->plan->split;
    int64_t used = 0;
    int rc = OMPI_SUCCESS;

    for (size_t s = 0; OMPI_SUCCESS == rc && s < split->share_count; ++s) {
        if (NO_WINDOW != epochs->moving[number][s]) {
            rc = collio_put_flush(ex, ex->file->derived.aggregators[split->share[s].aggregator],
                                  number);
        }
    }
    if (OMPI_SUCCESS != collio_put_fence(ex, number) || OMPI_SUCCESS != rc) {
        collio_exchange_lose(ex); /* after the fence, for which the other ranks wait */
    }
    for (size_t s = 0; s < split->share_count; ++s) {
        int64_t window = epochs->moving[number][s];

        if (NO_WINDOW != window && !ex->write) {
            take_window(ex, (size_t) window, number, &used);
        }
    }
}

static void access_start(collio_exchange_t *ex, size_t round)
{
    if (!mine(ex, round)) {
        return;
    }
    if (ex->write) {
        collio_put_copy_all(ex, collio_cycles_slot(&ex->aggregator, round));
    } else {
        collio_cycles_enter(ex, &ex->aggregator, round);
    }
    collio_cycles_access_start(ex, collio_cycles_slot(&ex->aggregator, round));
}

/* Waits for the access of a round. Even an access that is not asynchronous may run in the
 * background, because it waits for a lock. */
static void access_end(collio_exchange_t *ex, size_t round)
{
    if (!mine(ex, round)) {
        return;
    }
    collio_cycles_access_end(ex, round);
    collio_cycles_book_time(ex);
    collio_cycles_access_finish(ex, collio_cycles_slot(&ex->aggregator, round));
    if (!ex->write) {
        collio_put_copy_all(ex, collio_cycles_slot(&ex->aggregator, round));
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
static void take_steps(collio_exchange_t *ex, epochs_t *epochs)
{
    collio_progress_t done = {.cycles = ex->plan->fence.rounds, .write = ex->write};
    size_t buffers = (size_t) ex->way.schedule->buffers;
    collio_step_t step;

    while (COLLIO_STEP_NONE != (step = collio_schedule_step(ex->way.schedule, &done))) {
        note_step(ex, &done, step);
        if (COLLIO_STEP_SHUFFLE == step) {
            fence_open_round(ex, epochs, done.shuffles_started,
                             (int) (done.shuffles_started % buffers));
            ++done.shuffles_started;
        } else if (COLLIO_STEP_ACCESS == step) {
            access_start(ex, done.accesses_started++);
        } else if (COLLIO_STEP_END_SHUFFLE == step) {
            close_round(ex, epochs, (int) (done.shuffles_done++ % buffers));
        } else {
            access_end(ex, done.accesses_done++);
        }
    }
}

/* Returns the staging bytes of one round, which has at most one window of each aggregator, and the
 * end of its data. */
static int64_t fence_round_staging(const collio_split_t *split)
{
    int64_t sum = 0;

    for (size_t s = 0; s < split->share_count; ++s) {
        int64_t largest = 0;

        for (size_t w = 0; w < split->share[s].count; ++w) {
            largest = collio_max(split->window[split->share[s].first + w].bytes, largest);
        }
        sum += largest + (int64_t) sizeof(int64_t);
    }
    return sum;
}

/* Called before the agreement READY, which distributes the error of a rank that is out of memory:
 * then no rank begins the numbering. */
static int prepare_numbers(collio_plan_t *plan)
{
    if (NULL != plan->fence.windows) {
        return 0;
    }
    plan->fence.windows = calloc(3 * plan->split.share_count + 1, sizeof(*plan->fence.windows));
    return NULL == plan->fence.windows ? -ENOMEM : collio_numbers_prepare(plan, &plan->fence.of);
}

/* Numbers the rounds, once per plan: round i is the i-th cycle of every aggregator, which sends its
 * requesters the rounds of their windows. Collective. Returns an Open MPI error code. */
static int fence_number_rounds(collio_exchange_t *ex)
{
    collio_plan_t *plan = ex->plan;
    int rc;

    for (size_t c = 0; c < plan->collect.cycle_count; ++c) {
        const collio_cycle_t *cycle = &plan->collect.cycle[c];

        for (size_t s = cycle->source; s < cycle->source + cycle->source_count; ++s) {
            *collio_numbers_of(&plan->fence.of, &plan->collect.source[s]) = (int64_t) c;
        }
    }
    rc = collio_numbers_exchange(ex, &plan->fence.of, COLLIO_TAG_GRANT);
    plan->fence.numbered = OMPI_SUCCESS == rc;
    return rc;
}

static int fence_prepare(collio_exchange_t *ex)
{
    int rc;

    ex->plan->fence.bytes = fence_round_staging(&ex->plan->split);
    rc = collio_requester_reserve(ex, ex->way.schedule->buffers * ex->plan->fence.bytes);
    return 0 != rc ? rc : prepare_numbers(ex->plan);
}

static int fence_begin(collio_exchange_t *ex)
{
    int rc = ex->plan->fence.numbered ? OMPI_SUCCESS : fence_number_rounds(ex);

    if (OMPI_SUCCESS == rc && ex->plan->packed && !ex->plan->places.complete) {
        rc = collio_put_send_places(ex);
    }
    return rc;
}

static bool fence_poll(collio_exchange_t *ex)
{
    size_t shares = ex->plan->split.share_count;
    epochs_t epochs = {
        .next = ex->plan->fence.windows,
        .moving = {ex->plan->fence.windows + shares, ex->plan->fence.windows + 2 * shares}};

    memset(ex->plan->fence.windows, 0, shares * sizeof(*ex->plan->fence.windows));
    take_steps(ex, &epochs);
    collio_cycles_book_time(ex);
    return true;
}

const collio_driver_t collio_driver_fence = {
    .prepare = fence_prepare,
    .begin = fence_begin,
    .poll = fence_poll,
};
