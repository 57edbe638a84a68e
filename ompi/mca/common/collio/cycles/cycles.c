/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Cycles: the aggregator's side of the shuffle, file access, and the schedule that interleaves
 * them.
 *
 *   write:  sources ==shuffle==> slot 0 ==access==> file        read: the arrows turned round
 *           sources ==shuffle==> slot 1 ==access==> file
 *
 * The schedule (core/schedule.h) decides which step may start; this file starts and finishes the
 * steps. All memory was allocated before the first cycle (prepare.c) and is owned by the plan and
 * the file, so only transfers can fail. After a failed access the remaining shuffles still run,
 * because other ranks wait for them, and no further access is made.
 */
#include "cycles/cycles.h"

#include <errno.h>
#include <stdlib.h>

#include "transport/put.h"

#include "access/lockahead.h"
#include "tuner/stopwatch.h"

#include "core/debug_assert.h"
#include "core/number.h"

collio_slot_t *collio_cycles_slot(collio_exchange_t *ex, size_t cycle)
{
    return &ex->aggregator.slot[cycle % (size_t) ex->way.schedule->buffers];
}

void collio_cycles_enter(collio_exchange_t *ex, size_t number)
{
    collio_slot_t *slot = collio_cycles_slot(ex, number);

    COLLIO_ASSERT(0 <= ex->file->derived.my_aggregator);
    COLLIO_ASSERT(number < ex->plan->collect.cycle_count && 0 == slot->pending);
    slot->cycle = &ex->plan->collect.cycle[number];
    slot->local = slot->cycle->index
                  * collio_plan_window(ex->plan, ex->file->derived.my_aggregator);
    slot->limit = INT64_MAX;
    slot->batch = slot->next_source = slot->pending = 0;
    slot->staging_used = 0;
    slot->in_order = ex->atomic && ex->write && ex->plan->collect.overlap_bytes > 0;
    if (COLLIO_SHARED_READY == ex->file->context->kept->shared.state) {
        collio_shared_control_t *control = collio_shared_control(
            &ex->file->context->kept->shared,
            ex->file->derived.aggregator_slot[ex->file->derived.my_aggregator]);

        slot->arrived = atomic_load_explicit(&control->arrived[slot->number], memory_order_acquire);
    }
}

static void start_source(collio_exchange_t *ex, collio_slot_t *slot)
{
    slot->move[slot->next_source].transport->aggregator_start(ex, slot,
                                                              &slot->move[slot->next_source]);
    ++slot->next_source;
    ++slot->pending;
}

static void describe_source(collio_exchange_t *ex, collio_slot_t *slot, size_t i)
{
    const collio_plan_t *plan = ex->plan;
    const collio_source_t *source = &plan->collect.source[slot->cycle->source + i];
    const collio_split_t *request = &plan->requests[source->requester];
    collio_move_t *move = &slot->move[i];

    memset(move, 0, sizeof(*move));
    move->peer = plan->requester[source->requester];
    move->tag = COLLIO_TAG_DATA;
    move->what = collio_content(request, &request->window[source->window]);
    move->transport = collio_transport_between(ex, ex->file->derived.my_aggregator, move->peer);
    move->synchronous = collio_cycles_synchronous(ex, source->window);
}

/* Returns the staging bytes that a move needs. A message of one piece needs none: it is received
 * into (sent from) its place in the collective buffer. */
static int64_t aggregator_staging(const collio_slot_t *slot, const collio_move_t *move)
{
    bool straight = 1 == move->what.window->count && !slot->in_order;

    return move->transport->can.aggregator_packed && !straight ? move->what.bytes : 0;
}

/* Starts as many sources as fit the staging; the other sources start when the started ones are
 * done. Returns true if a source was started. */
static bool start_sources(collio_exchange_t *ex, collio_slot_t *slot)
{
    bool started = false;

    while (slot->next_source < slot->cycle->source_count) {
        collio_move_t *move = &slot->move[slot->next_source];
        int64_t staging;

        describe_source(ex, slot, slot->next_source);
        staging = aggregator_staging(slot, move);
        if (slot->staging_used + staging > ex->staging_bytes) {
            if (slot->pending > 0) {
                break;
            }
            slot->staging_used = 0;
            slot->batch = slot->next_source;
        }
        if (staging > 0) {
            move->staging = slot->staging + slot->staging_used;
            slot->staging_used += staging;
            COLLIO_ASSERT(slot->staging_used <= ex->staging_bytes);
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
            (void) collio_copy_window(ex, &move->what, slot->buffer, slot->local, slot->limit);
        } else {
            (void) collio_copy_scatter(ex, &move->what, slot->buffer, slot->local, move->staging);
        }
    }
    slot->batch = slot->next_source;
}

bool collio_cycles_moved(collio_exchange_t *ex, collio_slot_t *slot, bool *moved)
{
    for (size_t i = 0; i < slot->next_source && slot->pending > 0; ++i) {
        collio_move_t *move = &slot->move[i];

        if (COLLIO_MOVE_COUNTED != move->state
            && move->transport->aggregator_test(ex, slot, move)) {
            move->state = COLLIO_MOVE_COUNTED;
            COLLIO_ASSERT(slot->pending <= slot->next_source);
            --slot->pending;
            *moved = true;
        }
    }
    if (0 == slot->pending && slot->in_order) {
        apply_in_order(ex, slot);
    }
    return 0 == slot->pending;
}

/* Polls the sources of the slot and starts further ones. Returns true when all have moved. */
static bool shuffle_finished(collio_exchange_t *ex, collio_slot_t *slot, bool *moved)
{
    (void) collio_cycles_moved(ex, slot, moved);
    if (slot->next_source < slot->cycle->source_count) {
        *moved |= start_sources(ex, slot);
    }
    return 0 == slot->pending && slot->next_source == slot->cycle->source_count;
}

/* Lists the file ranges of a cycle. A write accesses exactly the runs. A read accesses the whole
 * span if at least half of it is requested, because one transfer is cheaper than many. */
static void describe_access(collio_exchange_t *ex, collio_slot_t *slot)
{
    const collio_plan_t *plan = ex->plan;
    const collio_cycle_t *cycle = slot->cycle;
    collio_extent_t span = {cycle->lo, cycle->hi - cycle->lo};
    const collio_extent_t *run = &plan->collect.runs.at[cycle->run];
    size_t runs = cycle->run_count;

    slot->segment_count = 0;
    if (!ex->write && runs > 1 && span.length / 2 <= cycle->bytes) {
        run = &span;
        runs = 1;
    }
    for (size_t i = 0; i < runs; ++i) {
        int64_t local = run[i].offset, end = local + run[i].length;

        while (local < end) {
            collio_segment_t *segment = &slot->segments[slot->segment_count++];
            int64_t length;

            segment->offset = collio_domains_offset(&plan->domains, ex->file->derived.my_aggregator,
                                                    local, &length);
            segment->length = collio_min(length, end - local);
            segment->addr = slot->buffer + (local - slot->local);
            COLLIO_ASSERT(slot->local <= local && 0 < segment->length);
            COLLIO_ASSERT(local - slot->local <= ex->buffer_bytes - segment->length);
            local += segment->length;
        }
    }
    collio_file_count(ex->file, COLLIO_STAT_REQUESTS_OUT, slot->segment_count);
    collio_file_count(ex->file, COLLIO_STAT_HOLES, cycle->run_count - 1);
}

static void lock_window(collio_exchange_t *ex, size_t number)
{
    collio_lockahead_t *lockahead = collio_lockahead_of(ex->file->fh);

    if (NULL != lockahead) {
        collio_lockahead_window(lockahead, &ex->plan->domains, ex->file->derived.my_aggregator,
                                ex->plan->collect.cycle, number, ex->plan->collect.cycle_count,
                                ex->write);
    }
}

void collio_cycles_access_start(collio_exchange_t *ex, size_t number)
{
    collio_slot_t *slot = collio_cycles_slot(ex, number);
    collio_job_t *job = &slot->job;
    collio_stopwatch_t watch;

    memset(job, 0, sizeof(*job));
    job->outcome.stop_offset = INT64_MAX;
    slot->exposed_before = ex->timing.exposed_ns;
    if (ex->aggregator.access_failed || 0 != ex->file->lost) { /* lost: bytes may be missing */
        slot->limit = ex->write ? INT64_MAX : 0;
        job->done = 1;
        return;
    }
    describe_access(ex, slot);
    lock_window(ex, number);
    job->access = &ex->file->access;
    job->write = ex->write;
    job->for_others = true;
    job->segments = slot->segments;
    job->count = slot->segment_count;
    if ((ex->way.schedule->asynchronous || !ex->blocking
         || collio_access_locks(job->access, job->write))
        && 0 == collio_access_start(job)) {
        return;
    }
    collio_stopwatch_start(&watch, ex->way.probing);
    collio_access_run(job);
    job->busy_ns = collio_stopwatch_stop(&watch);
    if (ex->blocking) {
        ex->timing.hideable_ns += ex->file->context->agreement->ranks_per_core > 1 ? watch.slept_ns
                                                                                   : job->busy_ns;
    }
    job->done = 1;
}

/* Counts the time of an access. The access is hidden while a shuffle is under way: its time minus
 * the time, since its start, in which only accesses were under way. With one buffer no access is
 * hidden. */
static void count_access(collio_exchange_t *ex, const collio_slot_t *slot)
{
    uint64_t busy = slot->job.busy_ns, exposed = ex->timing.exposed_ns - slot->exposed_before;

    collio_file_count(ex->file, COLLIO_STAT_TIME_IO, busy);
    if (1 < ex->way.schedule->buffers && busy > exposed) {
        collio_file_count(ex->file, COLLIO_STAT_TIME_HIDDEN, busy - exposed);
    }
}

/* Clears the buffer past the data of a short read: messages may contain these bytes if pieces of a
 * requester overlap. */
static void clear_missing(const collio_exchange_t *ex, const collio_slot_t *slot)
{
    int64_t valid = collio_clamp(slot->limit - slot->local, 0, ex->buffer_bytes);

    memset(slot->buffer + valid, 0, (size_t) (ex->buffer_bytes - valid));
}

static void finish_access(collio_exchange_t *ex, collio_slot_t *slot)
{
    const collio_outcome_t *outcome = &slot->job.outcome;

    count_access(ex, slot);
    ex->timing.hideable_ns += ex->blocking ? 0 : slot->job.busy_ns;
    if (INT64_MAX != outcome->stop_offset) {
        slot->limit = collio_domains_locate(&ex->plan->domains, outcome->stop_offset).local;
        if (slot->limit < ex->aggregator.stop_local) {
            ex->aggregator.stop_local = slot->limit;
        }
        if (!ex->write) {
            clear_missing(ex, slot);
        }
    }
    if (0 != outcome->error) {
        ex->aggregator.access_failed = true;
        collio_exchange_fail(ex, outcome->error);
    }
}

void collio_cycles_access_end(collio_exchange_t *ex, size_t number)
{
    collio_slot_t *slot = collio_cycles_slot(ex, number);

    if (!slot->job.done) {
        collio_access_wait(&slot->job);
    }
}

void collio_cycles_access_finish(collio_exchange_t *ex, size_t number)
{
    finish_access(ex, collio_cycles_slot(ex, number));
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
static void note_stages(collio_exchange_t *ex, bool delivering)
{
    const collio_progress_t *progress = &ex->aggregator.progress;

    ex->timing.accessing = progress->accesses_started > progress->accesses_done;
    ex->timing.shuffling = progress->shuffles_started > progress->shuffles_done
                           || (delivering
                               && !(ex->timing.accessing && 1 == ex->way.schedule->buffers));
}

/* Polls the oldest shuffle, and starts the messages of the next shuffle. Only the oldest shuffle
 * makes copies: copies of the next shuffle would delay the access that follows the oldest shuffle,
 * and both accesses would then run at the same time with no shuffle to hide them. */
static void finish_shuffle(collio_exchange_t *ex, bool *moved)
{
    collio_progress_t *progress = &ex->aggregator.progress;
    collio_slot_t *slot = collio_cycles_slot(ex, progress->shuffles_done);

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
        *moved |= start_sources(ex, collio_cycles_slot(ex, progress->shuffles_done + 1));
    }
}

static void finish_accesses(collio_exchange_t *ex, bool *moved)
{
    collio_progress_t *progress = &ex->aggregator.progress;

    while (progress->accesses_done < progress->accesses_started
           && (collio_cycles_slot(ex, progress->accesses_done)->job.done
               || collio_access_test(&collio_cycles_slot(ex, progress->accesses_done)->job))) {
        finish_access(ex, collio_cycles_slot(ex, progress->accesses_done));
        ++progress->accesses_done;
        *moved = true;
    }
}

static void start_stages(collio_exchange_t *ex, bool delivering, bool *moved)
{
    collio_progress_t *progress = &ex->aggregator.progress;
    size_t number;

    if (collio_schedule_may_shuffle(ex->way.schedule, progress)) {
        if (ex->write) {
            collio_cycles_enter(ex, progress->shuffles_started);
        }
        ++progress->shuffles_started;
        *moved = true;
    }
    if (collio_schedule_may_access(ex->way.schedule, progress)) {
        if (!ex->write) {
            collio_cycles_enter(ex, progress->accesses_started);
        }
        number = progress->accesses_started++;
        collio_cycles_book_time(ex);
        note_stages(ex, delivering); /* the access may be a blocking one */
        collio_cycles_access_start(ex, number);
        *moved = true;
    }
    COLLIO_ASSERT(collio_progress_holds(progress, ex->way.schedule->buffers));
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
    const collio_layer1_t *layer1 = ex->layer1.actions;
    collio_progress_t *progress = &ex->aggregator.progress;
    bool moved, delivered, relayed = true;

    do {
        moved = false;
        if (NULL != layer1) {
            relayed = layer1->poll(ex, &moved);
        }
        delivered = collio_requester_poll(ex, &moved);
        collio_cycles_book_time(ex);
        finish_shuffle(ex, &moved);
        finish_accesses(ex, &moved);
        start_stages(ex, !delivered, &moved);
        note_stages(ex, !delivered);
    } while (moved);
    return relayed && delivered && progress->accesses_done == progress->cycles
           && progress->shuffles_done == progress->cycles;
}

const collio_driver_t collio_driver_flow = {
    .prepare = collio_requester_prepare,
    .begin = cycles_begin,
    .poll = cycles_poll,
};
