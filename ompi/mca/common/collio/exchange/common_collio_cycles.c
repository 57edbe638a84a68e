/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/**
 * Cycles: the owner's side of the shuffle, file access, and the schedule that interleaves them.
 *
 *   write:  sources ==shuffle==> slot 0 ==access==> file        read: the arrows turned round
 *           sources ==shuffle==> slot 1 ==access==> file
 *
 * The schedule (core/schedule.h) only says what may start; here it is started and finished. All
 * memory was taken before the first cycle (prepare.c) and stays with the plan and the file, so
 * nothing here can fail but the transfers themselves; a failed access lets the remaining shuffles
 * run, for the others' sake, and writes nothing more.
 */
#include "call/common_collio_op.h"

#include <errno.h>
#include <stdlib.h>

#include "access/common_collio_lockahead.h"
#include "compat/common_collio_error.h"
#include "tuner/common_collio_watch.h"

void mca_common_collio_cycles_start(mca_common_collio_op_t *op)
{
    mca_common_collio_file_t *file = op->file;

    op->progress.cycles = mca_common_collio_is_owner(op) ? op->plan->collect.cycle_count : 0;
    op->progress.write = op->write;
    op->cycle_ns = mca_common_collio_now();
    op->shuffling = op->accessing = false;
    op->exposed_ns = 0;
    mca_common_collio_file_count(file, MCA_COMMON_COLLIO_STAT_cycles, op->progress.cycles);
    mca_common_collio_relay_start(op);
    mca_common_collio_deliver_start(op);
}

static mca_common_collio_slot_t *slot_of(mca_common_collio_op_t *op, size_t cycle)
{
    size_t at = NULL == op->cycle_round ? cycle : (size_t) op->cycle_round[cycle];

    return &op->slot[at % (size_t) op->schedule->buffers];
}

void mca_common_collio_cycles_enter(mca_common_collio_op_t *op, size_t number)
{
    mca_common_collio_slot_t *slot = slot_of(op, number);

    slot->cycle = &op->plan->collect.cycle[number];
    slot->limit = INT64_MAX;
    slot->batch = slot->next_source = slot->pending = 0;
    slot->staging_used = slot->own_left = 0;
    slot->in_order = op->atomic && op->write && op->plan->collect.overlap_bytes > 0;
    if (MCA_COMMON_COLLIO_SHARED_READY == op->file->shared.state) {
        mca_common_collio_shared_control_t *control = mca_common_collio_shared_control(
            &op->file->shared, op->file->owner_slot[op->file->my_owner]);

        slot->arrived = atomic_load_explicit(&control->arrived[slot->number], memory_order_acquire);
    }
}

static void start_source(mca_common_collio_op_t *op, mca_common_collio_slot_t *slot)
{
    slot->move[slot->next_source].transport->owner_start(op, slot, &slot->move[slot->next_source]);
    ++slot->next_source;
    ++slot->pending;
}

static void describe_source(mca_common_collio_op_t *op, mca_common_collio_slot_t *slot, size_t i)
{
    const mca_common_collio_plan_t *plan = op->plan;
    const mca_common_collio_source_t *source = &plan->collect.source[slot->cycle->source + i];
    const mca_common_collio_split_t *request = &plan->requests[source->requester];
    mca_common_collio_move_t *move = &slot->move[i];

    memset(move, 0, sizeof(*move));
    move->peer = plan->requester[source->requester];
    move->window = &request->window[source->window];
    move->piece = &request->piece[move->window->first];
    move->transport = mca_common_collio_transport_pick(op, op->file->my_owner, move->peer);
}

/* A message that is one piece goes straight into its place. */
static int64_t owner_staging(const mca_common_collio_slot_t *slot,
                             const mca_common_collio_move_t *move)
{
    bool straight = 1 == move->window->count && !slot->in_order;

    return move->transport->owner_packed && !straight ? move->window->bytes : 0;
}

/* Starts as many sources as have room in the staging; the rest follow when these are done. */
static bool start_sources(mca_common_collio_op_t *op, mca_common_collio_slot_t *slot)
{
    bool started = false;

    while (slot->next_source < slot->cycle->source_count) {
        mca_common_collio_move_t *move = &slot->move[slot->next_source];
        int64_t staging;

        describe_source(op, slot, slot->next_source);
        staging = owner_staging(slot, move);
        if (slot->staging_used + staging > op->staging_bytes) {
            if (slot->pending > 0) {
                break;
            }
            slot->staging_used = 0;
            slot->batch = slot->next_source;
        }
        if (staging > 0) {
            move->staging = slot->staging + slot->staging_used;
            slot->staging_used += staging;
        }
        start_source(op, slot);
        started = true;
    }
    return started;
}

/* Overlapping writes in atomic mode: as if the ranks had written one after the other. */
static void apply_in_order(mca_common_collio_op_t *op, mca_common_collio_slot_t *slot)
{
    for (size_t i = slot->batch; i < slot->next_source; ++i) {
        mca_common_collio_move_t *move = &slot->move[i];

        if (&mca_common_collio_transport_self == move->transport) {
            mca_common_collio_copy_own(op, slot, move);
        } else {
            (void) mca_common_collio_copy_scatter(move->window, move->piece, slot->buffer,
                                                  slot->cycle->index * op->plan->window_bytes,
                                                  move->staging);
        }
    }
    slot->batch = slot->next_source;
}

/* True when every source of the slot is through. */
static bool shuffle_finished(mca_common_collio_op_t *op, mca_common_collio_slot_t *slot,
                             bool *moved)
{
    for (size_t i = 0; i < slot->next_source && slot->pending > 0; ++i) {
        mca_common_collio_move_t *move = &slot->move[i];

        if (2 != move->state && move->transport->owner_test(op, slot, move)) {
            move->state = 2; /* counted */
            --slot->pending;
            *moved = true;
        }
    }
    if (0 == slot->pending && slot->in_order && slot->batch < slot->next_source) {
        apply_in_order(op, slot);
    }
    if (slot->next_source < slot->cycle->source_count) {
        *moved |= start_sources(op, slot);
    }
    return 0 == slot->pending && slot->next_source == slot->cycle->source_count;
}

/* File ranges of a cycle. Writes take exactly the runs; reads take the whole span where the holes
 * are small, one transfer being cheaper than many. */
static void describe_access(mca_common_collio_op_t *op, mca_common_collio_slot_t *slot)
{
    const mca_common_collio_plan_t *plan = op->plan;
    const mca_common_collio_cycle_t *cycle = slot->cycle;
    mca_common_collio_extent_t span = {cycle->lo, cycle->hi - cycle->lo};
    const mca_common_collio_extent_t *run = &plan->collect.runs.at[cycle->run];
    size_t runs = cycle->run_count;

    slot->segment_count = 0;
    if (!op->write && runs > 1 && span.length / 2 <= cycle->bytes) {
        run = &span;
        runs = 1;
    }
    for (size_t i = 0; i < runs; ++i) {
        int64_t local = run[i].offset, end = local + run[i].length;

        while (local < end) {
            mca_common_collio_segment_t *segment = &slot->segments[slot->segment_count++];
            int64_t length;

            segment->offset = mca_common_collio_domains_offset(&plan->domains, op->file->my_owner,
                                                               local, &length);
            segment->length = length < end - local ? length : end - local;
            segment->addr = slot->buffer + (local - cycle->index * plan->window_bytes);
            local += segment->length;
        }
    }
    mca_common_collio_file_count(op->file, MCA_COMMON_COLLIO_STAT_requests_out,
                                 slot->segment_count);
    mca_common_collio_file_count(op->file, MCA_COMMON_COLLIO_STAT_holes, cycle->run_count - 1);
}

static void lock_window(mca_common_collio_op_t *op, size_t number)
{
    mca_common_collio_lockahead_t *lockahead = mca_common_collio_lockahead_of(op->file->fh);

    if (NULL != lockahead) {
        mca_common_collio_lockahead_window(lockahead, &op->plan->domains, op->file->my_owner,
                                           op->plan->collect.cycle, number,
                                           op->plan->collect.cycle_count, op->write);
    }
}

void mca_common_collio_cycles_access_start(mca_common_collio_op_t *op, size_t number)
{
    mca_common_collio_slot_t *slot = slot_of(op, number);
    mca_common_collio_job_t *job = &slot->job;
    mca_common_collio_watch_t watch;

    memset(job, 0, sizeof(*job));
    job->outcome.stop_offset = INT64_MAX;
    slot->exposed_before = op->exposed_ns;
    if (op->access_failed) {
        slot->limit = op->write ? INT64_MAX : 0;
        job->done = 1;
        return;
    }
    if (op->write && MCA_COMMON_COLLIO_TRANSPORT_PUT_FENCE == op->transport) {
        mca_common_collio_put_copy_all(op, slot);
    }
    describe_access(op, slot);
    lock_window(op, number);
    job->access = &op->file->access;
    job->write = op->write;
    job->segments = slot->segments;
    job->count = slot->segment_count;
    if ((op->schedule->asynchronous || !op->blocking) && 0 == mca_common_collio_access_start(job)) {
        return;
    }
    mca_common_collio_watch_start(&watch, op->probing);
    if (op->write) {
        mca_common_collio_access_write(job->access, job->segments, job->count, &job->outcome);
    } else {
        mca_common_collio_access_read(job->access, job->segments, job->count, &job->outcome);
    }
    job->busy_ns = mca_common_collio_watch_stop(&watch);
    if (op->blocking) {
        op->hideable_ns += op->file->meet.crowded ? watch.slept_ns : job->busy_ns;
    }
    job->done = 1;
}

/* An access is hidden for as long as a shuffle was under way: all of it but the time, between its
 * start and now, in which accesses were all there was. One that ran beside another access only is
 * not hidden, and with one buffer none is. */
static void count_access(mca_common_collio_op_t *op, const mca_common_collio_slot_t *slot)
{
    uint64_t busy = slot->job.busy_ns, exposed = op->exposed_ns - slot->exposed_before;

    mca_common_collio_file_count(op->file, MCA_COMMON_COLLIO_STAT_time_io, busy);
    if (1 < op->schedule->buffers && busy > exposed) {
        mca_common_collio_file_count(op->file, MCA_COMMON_COLLIO_STAT_time_hidden, busy - exposed);
    }
}

static void finish_access(mca_common_collio_op_t *op, mca_common_collio_slot_t *slot)
{
    const mca_common_collio_outcome_t *outcome = &slot->job.outcome;

    count_access(op, slot);
    op->hideable_ns += op->blocking ? 0 : slot->job.busy_ns;
    if (INT64_MAX != outcome->stop_offset) {
        slot->limit =
            mca_common_collio_domains_locate(&op->plan->domains, outcome->stop_offset).local;
        if (slot->limit < op->stop_local) {
            op->stop_local = slot->limit;
        }
    }
    if (0 != outcome->error) {
        op->access_failed = true;
        mca_common_collio_op_fail(op, outcome->error);
    }
}

/* For put_fence, which steps by itself. */
void mca_common_collio_cycles_access_wait(mca_common_collio_op_t *op, size_t number)
{
    mca_common_collio_slot_t *slot = slot_of(op, number);
    uint64_t start = mca_common_collio_now(), waited;

    if (!slot->job.done) {
        mca_common_collio_access_wait(&slot->job);
    }
    waited = mca_common_collio_now() - start;
    mca_common_collio_file_count(op->file, MCA_COMMON_COLLIO_STAT_time_wait, waited);
    op->exposed_ns += op->schedule->asynchronous ? waited : slot->job.busy_ns;
    finish_access(op, slot);
    if (!op->write) {
        mca_common_collio_put_copy_all(op, slot);
    }
}

/* Books the time since the last look: what was under way then was under way until now. */
static void book_time(mca_common_collio_op_t *op)
{
    uint64_t now = mca_common_collio_now(), passed = now - op->cycle_ns;

    op->cycle_ns = now;
    if (op->shuffling) {
        mca_common_collio_file_count(op->file, MCA_COMMON_COLLIO_STAT_time_exchange, passed);
    } else if (op->accessing) {
        mca_common_collio_file_count(op->file, MCA_COMMON_COLLIO_STAT_time_wait, passed);
        op->exposed_ns += passed;
    }
}

/* With one buffer a rank's own pieces merely wait while the window is accessed. */
static void note_stages(mca_common_collio_op_t *op, bool delivering)
{
    const mca_common_collio_progress_t *progress = &op->progress;

    op->accessing = progress->accesses_started > progress->accesses_done;
    op->shuffling = progress->shuffles_started > progress->shuffles_done
                    || (delivering && !(op->accessing && 1 == op->schedule->buffers));
}

static void finish_stages(mca_common_collio_op_t *op, bool *moved)
{
    mca_common_collio_progress_t *progress = &op->progress;

    /* a later shuffle must not overtake an earlier one that still has sources to start, nor does
     * its copying keep the access that follows a finished one waiting */
    for (size_t i = progress->shuffles_done; i < progress->shuffles_started; ++i) {
        mca_common_collio_slot_t *slot = slot_of(op, i);

        if (shuffle_finished(op, slot, moved) && i == progress->shuffles_done) {
            ++progress->shuffles_done;
            *moved = true;
            break;
        }
        if (slot->next_source < slot->cycle->source_count) {
            break;
        }
    }
    while (progress->accesses_done < progress->accesses_started
           && (slot_of(op, progress->accesses_done)->job.done
               || mca_common_collio_access_test(&slot_of(op, progress->accesses_done)->job))) {
        finish_access(op, slot_of(op, progress->accesses_done));
        ++progress->accesses_done;
        *moved = true;
    }
}

static void start_stages(mca_common_collio_op_t *op, bool delivering, bool *moved)
{
    mca_common_collio_progress_t *progress = &op->progress;
    size_t number;

    if (op->schedule->may_shuffle(progress)) {
        if (op->write) {
            mca_common_collio_cycles_enter(op, progress->shuffles_started);
        }
        ++progress->shuffles_started;
        *moved = true;
    }
    if (op->schedule->may_access(progress)) {
        if (!op->write) {
            mca_common_collio_cycles_enter(op, progress->accesses_started);
        }
        number = progress->accesses_started++;
        book_time(op);
        note_stages(op, delivering); /* the access may be a blocking one */
        mca_common_collio_cycles_access_start(op, number);
        *moved = true;
    }
}

/* What put_fence did not spend on access alone, it spent on epochs. */
static void count_fence_exchange(mca_common_collio_op_t *op)
{
    uint64_t passed = mca_common_collio_now() - op->cycle_ns;

    mca_common_collio_file_count(op->file, MCA_COMMON_COLLIO_STAT_time_exchange,
                                 passed > op->exposed_ns ? passed - op->exposed_ns : 0);
}

bool mca_common_collio_cycles_poll(mca_common_collio_op_t *op)
{
    mca_common_collio_progress_t *progress = &op->progress;
    bool moved, delivered, relayed;

    if (MCA_COMMON_COLLIO_TRANSPORT_PUT_FENCE == op->transport) {
        mca_common_collio_fence_cycles(op);
        count_fence_exchange(op);
        return true;
    }
    do {
        moved = false;
        relayed = mca_common_collio_relay_poll(op, &moved);
        delivered = mca_common_collio_deliver_poll(op, &moved);
        book_time(op);
        finish_stages(op, &moved);
        start_stages(op, !delivered, &moved);
        note_stages(op, !delivered);
    } while (moved);
    return relayed && delivered && progress->accesses_done == progress->cycles
           && progress->shuffles_done == progress->cycles;
}
