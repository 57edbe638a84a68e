/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * The cycles of an aggregator: its sources are the requesters of its domain, and each cycle has one
 * file access. After a failed access the remaining shuffles still run, because other ranks wait for
 * them, and no further access is made.
 */
#include "cycles/cycles.h"

#include "access/lockahead.h"
#include "tuner/stopwatch.h"

#include "core/debug_assert.h"
#include "core/number.h"

static void file_enter(collio_exchange_t *ex, collio_slot_t *slot)
{
    COLLIO_ASSERT(0 <= ex->file->derived.my_aggregator);
    slot->buffer.local = slot->cycle->index
                         * collio_plan_window(ex->plan, ex->file->derived.my_aggregator);
}

/* Returns this rank's own window of that index, which must exist. It is a window of plan->split,
 * whose pieces have streams (positions in user memory); streams of merged lists have no meaning. */
static const collio_window_t *own_window(const collio_exchange_t *ex, int64_t index)
{
    const collio_split_t *split = &ex->plan->split;
    const collio_share_t *share = split->share;
    size_t low, high;

    for (; share->aggregator != ex->file->derived.my_aggregator; ++share) {
        COLLIO_ASSERT(share + 1 < split->share + split->share_count);
    }
    for (low = share->first, high = low + share->count; low < high;) {
        size_t middle = (low + high) / 2;

        if (split->window[middle].index < index) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    COLLIO_ASSERT(low < share->first + share->count && index == split->window[low].index);
    return &split->window[low];
}

static void file_describe(const collio_exchange_t *ex, const collio_slot_t *slot,
                          const collio_source_t *source, collio_move_t *move)
{
    const collio_split_t *request = &ex->plan->requests[source->requester];

    move->peer = ex->plan->requester[source->requester];
    move->tag = COLLIO_TAG_DATA;
    move->what = ex->file->rank == move->peer
                     ? collio_content(&ex->plan->split, own_window(ex, slot->cycle->index))
                     : collio_content(request, &request->window[source->window]);
    move->transport = collio_transport_between(ex, ex->file->derived.my_aggregator, move->peer);
    move->synchronous = collio_cycles_synchronous(ex, source->window);
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
            segment->addr = slot->buffer.at + (local - slot->buffer.local);
            COLLIO_ASSERT(slot->buffer.local <= local && 0 < segment->length);
            COLLIO_ASSERT(local - slot->buffer.local <= ex->buffer_bytes - segment->length);
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

void collio_cycles_access_start(collio_exchange_t *ex, collio_slot_t *slot)
{
    collio_job_t *job = &slot->job;
    collio_stopwatch_t watch;

    memset(job, 0, sizeof(*job));
    job->outcome.stop_offset = INT64_MAX;
    slot->exposed_before = ex->timing.exposed_ns;
    if (ex->access_failed || 0 != ex->file->lost) { /* lost: bytes may be missing */
        slot->buffer.limit = ex->write ? INT64_MAX : 0;
        job->done = 1;
        return;
    }
    describe_access(ex, slot);
    lock_window(ex, (size_t) (slot->cycle - ex->plan->collect.cycle));
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
    int64_t valid = collio_clamp(slot->buffer.limit - slot->buffer.local, 0, ex->buffer_bytes);

    memset(slot->buffer.at + valid, 0, (size_t) (ex->buffer_bytes - valid));
}

void collio_cycles_access_finish(collio_exchange_t *ex, collio_slot_t *slot)
{
    const collio_outcome_t *outcome = &slot->job.outcome;

    count_access(ex, slot);
    ex->timing.hideable_ns += ex->blocking ? 0 : slot->job.busy_ns;
    if (INT64_MAX != outcome->stop_offset) {
        slot->buffer.limit = collio_domains_locate(&ex->plan->domains, outcome->stop_offset).local;
        ex->stop_local = collio_min(slot->buffer.limit, ex->stop_local);
        if (!ex->write) {
            clear_missing(ex, slot);
        }
    }
    if (0 != outcome->error) {
        ex->access_failed = true;
        collio_exchange_fail(ex, outcome->error);
    }
}

void collio_cycles_access_end(collio_exchange_t *ex, size_t number)
{
    collio_slot_t *slot = collio_cycles_slot(&ex->aggregator, number);

    if (!slot->job.done) {
        collio_access_wait(&slot->job);
    }
}

static void file_start(collio_exchange_t *ex, collio_slot_t *slot)
{
    collio_cycles_book_time(ex);
    collio_cycles_note_stages(ex); /* the access may be a blocking one */
    collio_cycles_access_start(ex, slot);
}

static bool file_over(collio_exchange_t *ex, collio_slot_t *slot)
{
    if (!slot->job.done && !collio_access_test(&slot->job)) {
        return false;
    }
    collio_cycles_access_finish(ex, slot);
    return true;
}

const collio_sink_t collio_sink_file = {
    .enter = file_enter,
    .describe = file_describe,
    .start = file_start,
    .over = file_over,
};
