/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Cycles: the owner's side of the shuffle, and the schedule that interleaves shuffles and accesses.
 *
 *   write:  sources ==shuffle==> slot 0 ==access==> sink        read: the arrows turned round
 *           sources ==shuffle==> slot 1 ==access==> sink
 *
 * The sink of an aggregator is the file (sink_file.c), that of a local aggregator are the
 * aggregators that it forwards its windows to (sink_forward.c). The schedule (core/schedule.h)
 * decides which step may start; this file starts and finishes the steps. All memory was allocated
 * before the first cycle (prepare.c) and is owned by the plan and the file, so only transfers can
 * fail.
 */
#include "cycles/cycles.h"

#include "transport/put.h"

#include "core/debug_assert.h"

collio_slot_t *collio_cycles_slot(collio_owner_t *owner, size_t number)
{
    return &owner->slot[number % (size_t) owner->schedule->buffers];
}

void collio_cycles_enter(collio_exchange_t *ex, collio_owner_t *owner, size_t number)
{
    collio_slot_t *slot = collio_cycles_slot(owner, number);

    COLLIO_ASSERT(number < owner->collect->cycle_count && 0 == slot->pending);
    slot->cycle = &owner->collect->cycle[number];
    slot->buffer.limit = INT64_MAX;
    slot->batch = slot->next_source = slot->pending = 0;
    slot->staging_used = 0;
    slot->in_order = ex->atomic && ex->write && 0 < owner->collect->overlap_bytes;
    if (NULL != owner->shared) {
        collio_shared_control_t *control = collio_shared_control(owner->shared, owner->number);

        slot->arrived = atomic_load_explicit(&control->arrived[slot->number], memory_order_acquire);
    }
    owner->sink->enter(ex, slot);
}

static void describe_source(collio_exchange_t *ex, collio_slot_t *slot, size_t i)
{
    memset(&slot->move[i], 0, sizeof(slot->move[i]));
    slot->owner->sink->describe(ex, slot, &slot->owner->collect->source[slot->cycle->source + i],
                                &slot->move[i]);
}

static void start_source(collio_exchange_t *ex, collio_slot_t *slot)
{
    slot->move[slot->next_source].transport->owner_start(ex, slot, &slot->move[slot->next_source]);
    ++slot->next_source;
    ++slot->pending;
}

/* True if the bytes are contiguous in the buffer. */
static bool is_straight(const collio_content_t *what)
{
    const collio_window_t *window = what->window;
    bool straight = 1 == window->count;

    for (size_t i = 1; i < what->windows; ++i) {
        straight &= 1 == window[i].count && window[i - 1].hi == window[i].lo;
    }
    return straight;
}

/* Returns the staging bytes that a move needs. A message that is contiguous in the buffer needs
 * none: it is received into (sent from) its place, unless it has the lengths of windows. */
static int64_t owner_staging(const collio_slot_t *slot, const collio_move_t *move)
{
    bool straight = !slot->in_order && !slot->cut && is_straight(&move->what);

    return move->transport->can.owner_packed && !straight ? move->what.bytes + move->extra : 0;
}

/* Starts as many sources as fit the staging; the other sources start when the started ones are
 * done. Returns true if a source was started. */
bool collio_cycles_start_sources(collio_exchange_t *ex, collio_slot_t *slot)
{
    bool started = false;

    while (slot->next_source < slot->cycle->source_count) {
        collio_move_t *move = &slot->move[slot->next_source];
        int64_t staging;

        describe_source(ex, slot, slot->next_source);
        staging = owner_staging(slot, move);
        if (slot->staging_used + staging > slot->owner->staging_bytes) {
            if (slot->pending > 0) {
                break;
            }
            slot->staging_used = 0;
            slot->batch = slot->next_source;
        }
        if (staging > 0) {
            move->staging = slot->staging + slot->staging_used;
            slot->staging_used += staging;
            COLLIO_ASSERT(slot->staging_used <= slot->owner->staging_bytes);
        }
        start_source(ex, slot);
        started = true;
    }
    return started;
}

/* Overlapping writes in atomic mode: applies the sources in order, as if the ranks had written one
 * after the other. */
static void apply_in_order(collio_exchange_t *ex, collio_slot_t *slot)
{
    for (size_t i = slot->batch; i < slot->next_source; ++i) {
        collio_move_t *move = &slot->move[i];

        if (NULL == move->staging) { /* this rank's own bytes */
            (void) collio_copy_window(ex, &move->what, &slot->buffer);
        } else {
            (void) collio_copy_scatter(ex, &move->what, &slot->buffer, move->staging);
        }
    }
    slot->batch = slot->next_source;
}

/* Polls the sources of the slot that were started, and applies them if the slot is in order. */
static void poll_sources(collio_exchange_t *ex, collio_slot_t *slot, bool *moved)
{
    for (size_t i = 0; i < slot->next_source && slot->pending > 0; ++i) {
        collio_move_t *move = &slot->move[i];

        if (COLLIO_MOVE_COUNTED != move->state && move->transport->owner_test(ex, slot, move)) {
            move->state = COLLIO_MOVE_COUNTED;
            COLLIO_ASSERT(slot->pending <= slot->next_source);
            --slot->pending;
            *moved = true;
        }
    }
    if (0 == slot->pending && slot->in_order) {
        apply_in_order(ex, slot);
    }
}

/* Polls the sources of the slot and starts further ones. Returns true when all have moved. */
static bool shuffle_finished(collio_exchange_t *ex, collio_slot_t *slot, bool *moved)
{
    poll_sources(ex, slot, moved);
    if (slot->next_source < slot->cycle->source_count) {
        *moved |= collio_cycles_start_sources(ex, slot);
    }
    return 0 == slot->pending && slot->next_source == slot->cycle->source_count;
}

void collio_cycles_book_time(collio_exchange_t *ex)
{
    uint64_t now = collio_now(), passed = now - ex->timing.polled_ns;

    ex->timing.polled_ns = now;
    if (ex->timing.shuffling) {
        collio_file_count(ex->file, COLLIO_STAT_TIME_EXCHANGE, passed);
    } else if (ex->timing.accessing) {
        collio_file_count(ex->file, COLLIO_STAT_TIME_WAIT, passed);
        ex->timing.exposed_ns += passed;
    }
}

/* Records which stages are under way. With one buffer, deliveries of this rank that are under way
 * during an access wait for it and do not count as a shuffle. */
void collio_cycles_note_stages(collio_exchange_t *ex)
{
    const collio_progress_t *progress = &ex->aggregator.progress;

    ex->timing.accessing = progress->accesses_started > progress->accesses_done;
    ex->timing.shuffling = progress->shuffles_started > progress->shuffles_done
                           || (ex->timing.delivering
                               && !(ex->timing.accessing && 1 == ex->way.schedule->buffers));
}

/* Polls the oldest shuffle, and starts the messages of the next shuffle. Only the oldest shuffle
 * makes copies: copies of the next shuffle would delay the access that follows the oldest shuffle,
 * and both accesses would then run at the same time with no shuffle to hide them. */
static void finish_shuffle(collio_exchange_t *ex, collio_owner_t *owner, bool *moved)
{
    collio_progress_t *progress = &owner->progress;
    collio_slot_t *slot = collio_cycles_slot(owner, progress->shuffles_done);

    if (progress->shuffles_done == progress->shuffles_started) {
        return;
    }
    if (shuffle_finished(ex, slot, moved)) {
        ++progress->shuffles_done;
        *moved = true;
        return;
    }
    if (slot->next_source == slot->cycle->source_count
        && progress->shuffles_done + 1 < progress->shuffles_started) {
        *moved |= collio_cycles_start_sources(
            ex, collio_cycles_slot(owner, progress->shuffles_done + 1));
    }
}

static void finish_accesses(collio_exchange_t *ex, collio_owner_t *owner, bool *moved)
{
    collio_progress_t *progress = &owner->progress;

    while (progress->accesses_done < progress->accesses_started
           && owner->sink->over(ex, collio_cycles_slot(owner, progress->accesses_done))) {
        ++progress->accesses_done;
        *moved = true;
    }
}

static void start_stages(collio_exchange_t *ex, collio_owner_t *owner, bool *moved)
{
    collio_progress_t *progress = &owner->progress;
    size_t number;

    if (collio_schedule_may_shuffle(owner->schedule, progress)) {
        if (ex->write) {
            collio_cycles_enter(ex, owner, progress->shuffles_started);
        }
        ++progress->shuffles_started;
        *moved = true;
    }
    if (collio_schedule_may_access(owner->schedule, progress)) {
        if (!ex->write) {
            collio_cycles_enter(ex, owner, progress->accesses_started);
        }
        number = progress->accesses_started++;
        owner->sink->start(ex, collio_cycles_slot(owner, number));
        *moved = true;
    }
    COLLIO_ASSERT(collio_progress_holds(progress, owner->schedule->buffers));
}

/* Advances the cycles of an owner. Returns true when all are over. */
static bool advance(collio_exchange_t *ex, collio_owner_t *owner, bool *moved)
{
    finish_shuffle(ex, owner, moved);
    finish_accesses(ex, owner, moved);
    start_stages(ex, owner, moved);
    return owner->progress.accesses_done == owner->progress.cycles
           && owner->progress.shuffles_done == owner->progress.cycles;
}

/* True if bytes move between members and the local aggregator. */
static bool gathers(const collio_exchange_t *ex)
{
    const collio_requester_t *member = &ex->requester[COLLIO_MEMBER];

    return ex->local.progress.shuffles_started > ex->local.progress.shuffles_done
           || member->first < member->count;
}

/* Advances layer 1. Returns true when it is over, or if this rank has none. */
static bool advance_local(collio_exchange_t *ex, bool *moved)
{
    bool gathered, over;
    uint64_t now;

    if (NULL == ex->local.sink) {
        return true;
    }
    gathered = gathers(ex);
    over = collio_requester_poll(ex, COLLIO_MEMBER, moved);
    over &= advance(ex, &ex->local, moved);
    now = collio_now();
    if (gathered || gathers(ex)) {
        collio_file_count(ex->file, COLLIO_STAT_TIME_GATHER_MOVE, now - ex->layer1.polled_ns);
    }
    ex->layer1.polled_ns = now;
    return over;
}

static int cycles_begin(collio_exchange_t *ex)
{
    int rc = 0;

    if (collio_exchange_puts(ex) && ex->plan->packed && !ex->plan->places.complete) {
        rc = collio_put_send_places(ex);
    }
    collio_requester_start(ex);
    return rc;
}

static bool cycles_poll(collio_exchange_t *ex)
{
    bool moved, over;

    do {
        moved = false;
        over = advance_local(ex, &moved);
        ex->timing.delivering = !collio_requester_poll(ex, COLLIO_DIRECT, &moved);
        ex->timing.delivering |= !collio_requester_poll(ex, COLLIO_FORWARDED, &moved);
        collio_cycles_book_time(ex);
        over &= advance(ex, &ex->aggregator, &moved);
        collio_cycles_note_stages(ex);
    } while (moved);
    return over && !ex->timing.delivering;
}

const collio_driver_t collio_driver_flow = {
    .prepare = collio_requester_prepare,
    .begin = cycles_begin,
    .poll = cycles_poll,
};
