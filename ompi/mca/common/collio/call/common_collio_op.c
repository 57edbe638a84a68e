/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/**
 * The state machine of a collective call. `steps` is its table of contents.
 */
#include "call/common_collio_op.h"

#include <errno.h>
#include <stdlib.h>

#include "access/common_collio_lockahead.h"
#include "compat/common_collio_error.h"
#include "ompio/common_collio_request.h"
#include "tuner/common_collio_tuner.h"

#include "opal/runtime/opal_progress.h"

void mca_common_collio_op_fail(mca_common_collio_op_t *op, int error)
{
    if (0 == op->error) {
        op->error = ENOMEM == error ? MPI_ERR_NO_MEM : mca_common_collio_error_class(error);
    }
}

/* A phase: where its time is booked (0: nowhere, or elsewhere), what ends it, and what follows. */
typedef struct step_t {
    int stat;
    bool (*over)(mca_common_collio_op_t *op);
    void (*next)(mca_common_collio_op_t *op);
} step_t;

static const step_t steps[MCA_COMMON_COLLIO_PHASE_DONE + 1]; /* the table of contents, below */

/* Books the time of the phase that ends now, and begins the next. */
static void enter(mca_common_collio_op_t *op, mca_common_collio_phase_t phase)
{
    uint64_t now = mca_common_collio_now();

    if (0 != steps[op->phase].stat) {
        mca_common_collio_file_count(op->file, steps[op->phase].stat, now - op->phase_ns);
    }
    op->phase = phase;
    op->phase_ns = now;
}

static bool collective_over(mca_common_collio_op_t *op)
{
    if (!mca_common_collio_meet_poll(op->file)) {
        return false;
    }
    if (NULL == op->request || MPI_REQUEST_NULL == op->request) {
        return true;
    }
    if (!mca_common_collio_request_done(&op->request, NULL, NULL)) {
        return false;
    }
    op->request = NULL;
    return true;
}

static void lock_ahead(mca_common_collio_op_t *op)
{
    mca_common_collio_lockahead_t *lockahead = mca_common_collio_lockahead_of(op->file->fh);
    int owner = op->file->my_owner;

    if (NULL != lockahead && owner >= 0) {
        mca_common_collio_lockahead_domain(lockahead, &op->plan->domains, owner,
                                           &op->plan->collect.runs, op->plan->collect.cycle,
                                           op->plan->collect.cycle_count, op->write);
    }
}

static void begin_cycles(mca_common_collio_op_t *op)
{
    if (MCA_COMMON_COLLIO_TRANSPORT_PUT_FENCE == op->transport && !op->plan->numbered
        && OMPI_SUCCESS != mca_common_collio_fence_number(op)) {
        mca_common_collio_op_fail(op, EIO);
    }
    if (mca_common_collio_op_puts(op) && op->plan->packed && !op->plan->places_told
        && OMPI_SUCCESS != mca_common_collio_put_tell_places(op)) {
        mca_common_collio_op_fail(op, EIO);
    }
    op->plan->used = op->sequence;
    lock_ahead(op);
    enter(op, MCA_COMMON_COLLIO_PHASE_CYCLES);
    mca_common_collio_cycles_start(op);
}

/* A new plan: my shape, the domains, my split. */
static void begin_plan(mca_common_collio_op_t *op)
{
    mca_common_collio_shape_t shape = mca_common_collio_layout_shape(op);
    uint64_t start = mca_common_collio_now();
    int64_t pieces = 0;
    int rc;

    op->plan = mca_common_collio_plans_evict(op->file);
    op->plan->slot_bytes = mca_common_collio_layout_slot(op); /* also when the rest fails */
    op->plan->packed = op->packed;
    mca_common_collio_plan_begin(op->plan, &shape);
    rc = mca_common_collio_layout_domains(op, &op->plan->domains);
    if (0 == rc && op->bytes > 0) {
        rc = mca_common_collio_plan_split(op->plan, &shape, &pieces);
    }
    if (0 != rc) {
        mca_common_collio_op_fail(op, -rc);
    }
    mca_common_collio_file_count(op->file, MCA_COMMON_COLLIO_STAT_requests_in, (uint64_t) pieces);
    mca_common_collio_file_count(op->file, MCA_COMMON_COLLIO_STAT_time_split,
                                 mca_common_collio_now() - start);
}

/* Everybody tells whether it could plan and has its memory; then the cycles can begin. */
static void begin_ready(mca_common_collio_op_t *op)
{
    enter(op, MCA_COMMON_COLLIO_PHASE_READY);
    op->result[0] = op->error;
    op->result[1] = (int64_t) op->plan->collect.cycle_count;
    if (OMPI_SUCCESS
        != mca_common_collio_meet_start(op->file, op->result, op->result_all, 2, false)) {
        mca_common_collio_op_fail(op, EIO);
    }
}

/* Atomic mode: rank 0 holds the lock on the whole range until the call is settled; READY is what
 * keeps the others from starting before that. */
static bool lock_poll(mca_common_collio_op_t *op)
{
    int64_t lo = -op->all[MCA_COMMON_COLLIO_AGREE_LO];
    int rc;

    if (!op->atomic || 0 != op->file->rank) {
        return true;
    }
    rc = mca_common_collio_access_try_lock(&op->file->access, op->write, lo,
                                           op->all[MCA_COMMON_COLLIO_AGREE_HI] - lo);
    op->locked = 0 == rc;
    if (0 != rc && -EAGAIN != rc) {
        mca_common_collio_op_fail(op, -rc);
    }
    return -EAGAIN != rc;
}

static void unlock(mca_common_collio_op_t *op)
{
    int64_t lo = -op->all[MCA_COMMON_COLLIO_AGREE_LO];

    if (op->locked) {
        (void) mca_common_collio_access_unlock(&op->file->access, lo,
                                               op->all[MCA_COMMON_COLLIO_AGREE_HI] - lo);
        op->locked = false;
    }
}

static void begin_route(mca_common_collio_op_t *op)
{
    enter(op, MCA_COMMON_COLLIO_PHASE_ROUTE);
    op->plan->outlined = mca_common_collio_layout_may_outline(op);
    if (0 == op->error) {
        mca_common_collio_route_start(op);
    }
}

/* A plan that needs shared memory, which could not be made larger for this call: another one. */
static void renew_plan(mca_common_collio_op_t *op)
{
    op->plan_new = true;
    begin_plan(op);
    op->slot_bytes = op->plan->slot_bytes;
}

/* The node's memory is there: layer 1's lists and layer 2's, or the plan that has them. */
static void begin_lists(mca_common_collio_op_t *op)
{
    if (op->plan->outlined && !mca_common_collio_layout_all_shared(op)) {
        renew_plan(op);
    }
    if (op->plan_new && MCA_COMMON_COLLIO_LAYERS_ONE != op->layers) {
        enter(op, MCA_COMMON_COLLIO_PHASE_GATHER);
        mca_common_collio_gather_start(op);
        return;
    }
    if (op->plan_new) {
        begin_route(op);
        return;
    }
    if (op->atomic || !mca_common_collio_cycles_prepared(op)) {
        mca_common_collio_cycles_prepare(op);
        enter(op, MCA_COMMON_COLLIO_PHASE_LOCK);
    } else {
        mca_common_collio_cycles_prepare(op);
        begin_cycles(op);
    }
}

/* The shared segment must hold the collective buffers of this node's aggregators. */
static void begin_share(mca_common_collio_op_t *op)
{
    mca_common_collio_file_t *file = op->file;
    int64_t region;

    if (op->plan_new) {
        begin_plan(op);
    }
    op->slot_bytes = op->plan->slot_bytes;
    if (mca_common_collio_op_puts(op)
        && !mca_common_collio_put_open(file, op->slot_bytes * (op->packed ? 2 : 1),
                                       op->schedule->buffers)) {
        op->transport = MCA_COMMON_COLLIO_TRANSPORT_ISEND; /* said by put_open */
    }
    region = op->slot_bytes * op->schedule->buffers;
    if (MCA_COMMON_COLLIO_TRANSPORT_SHM == op->transport
        && MCA_COMMON_COLLIO_SHARED_FAILED != file->shared.state
        && (MCA_COMMON_COLLIO_SHARED_READY != file->shared.state
            || file->shared.region_bytes < region)) {
        enter(op, MCA_COMMON_COLLIO_PHASE_SHARE);
        mca_common_collio_shared_start(file, region);
        return;
    }
    begin_lists(op);
}

static void after_route(mca_common_collio_op_t *op)
{
    uint64_t start = mca_common_collio_now();
    int rc = mca_common_collio_plan_merge(op->plan);

    if (0 != rc) {
        mca_common_collio_op_fail(op, -rc);
    }
    mca_common_collio_file_count(op->file, MCA_COMMON_COLLIO_STAT_time_merge,
                                 mca_common_collio_now() - start);
    mca_common_collio_file_memory(op->file, op->plan->memory_bytes);
    if (0 == op->error) {
        mca_common_collio_cycles_prepare(op);
    }
    enter(op, MCA_COMMON_COLLIO_PHASE_LOCK);
}

static void begin_agree(mca_common_collio_op_t *op)
{
    enter(op, MCA_COMMON_COLLIO_PHASE_AGREE);
    mca_common_collio_agree_start(op);
}

static void begin_direct(mca_common_collio_op_t *op, mca_common_collio_phase_t phase)
{
    enter(op, phase);
    op->file->access.atomic = op->atomic; /* each rank's request by itself */
    mca_common_collio_direct_start(op);
}

static void begin_settle(mca_common_collio_op_t *op)
{
    enter(op, MCA_COMMON_COLLIO_PHASE_SETTLE);
    mca_common_collio_settle_start(op);
}

/* After the agreement: everybody knows the same, and goes the same way. */
static void after_agree(mca_common_collio_op_t *op)
{
    const int64_t *all = op->all;

    if (all[MCA_COMMON_COLLIO_AGREE_ERROR] > 0
        || all[MCA_COMMON_COLLIO_AGREE_HASH] != -all[MCA_COMMON_COLLIO_AGREE_NOT_HASH]) {
        op->error = all[MCA_COMMON_COLLIO_AGREE_ERROR] > 0
                        ? (int) all[MCA_COMMON_COLLIO_AGREE_ERROR]
                        : MPI_ERR_NOT_SAME;
        enter(op, MCA_COMMON_COLLIO_PHASE_DONE);
        return;
    }
    if (1 == all[MCA_COMMON_COLLIO_AGREE_EARLY]) {
        mca_common_collio_tuner_served(op);
    }
    if (0 == all[MCA_COMMON_COLLIO_AGREE_BYTES]
        || (1 == all[MCA_COMMON_COLLIO_AGREE_EARLY] && all[MCA_COMMON_COLLIO_AGREE_LATE] < 1)) {
        enter(op, MCA_COMMON_COLLIO_PHASE_DONE);
        return;
    }
    if (op->early) { /* some ranks are still to do theirs */
        begin_settle(op);
        return;
    }
    op->work_ns = mca_common_collio_now();
    if (1 == all[MCA_COMMON_COLLIO_AGREE_EARLY]) {
        op->exchange = false; /* others have gone ahead */
    } else {
        mca_common_collio_layout_decide(op);
    }
    if (!op->exchange) {
        begin_direct(op, MCA_COMMON_COLLIO_PHASE_DIRECT);
    } else if (op->plan_new && mca_common_collio_layout_sparse(op)) {
        enter(op, MCA_COMMON_COLLIO_PHASE_HISTOGRAM);
        mca_common_collio_layout_histogram(op);
    } else {
        begin_share(op);
    }
}

static void after_ready(mca_common_collio_op_t *op)
{
    if (0 != op->result_all[0]) {
        op->error = (int) op->result_all[0];
        op->plan->valid = false; /* finish() frees it */
        enter(op, MCA_COMMON_COLLIO_PHASE_DONE);
        return;
    }
    op->plan->valid = op->file->settings.plan_reuse;
    op->plan->rounds = (size_t) op->result_all[1];
    op->file->access.locked = op->atomic;
    begin_cycles(op);
}

static void after_settle(mca_common_collio_op_t *op)
{
    op->error = (int) op->result_all[0];
    if (0 != op->error && NULL != op->plan) {
        op->plan->valid = false; /* whatever failed may have left it half told */
    }
    if (1 != op->all[MCA_COMMON_COLLIO_AGREE_EARLY]) {
        mca_common_collio_tuner_learn(op, op->result_all[2], op->result_all[3]);
    }
    if (0 != op->result_all[1]) {
        enter(op, MCA_COMMON_COLLIO_PHASE_STOPS);
        mca_common_collio_settle_stops(op);
        return;
    }
    if (op->write && op->exchange) {
        op->done_bytes = 0 == op->error ? op->bytes : 0;
    }
    enter(op, MCA_COMMON_COLLIO_PHASE_DONE);
}

static void after_stops(mca_common_collio_op_t *op)
{
    mca_common_collio_settle_count(op);
    enter(op, MCA_COMMON_COLLIO_PHASE_DONE);
}

static bool at_once(mca_common_collio_op_t *op)
{
    (void) op;
    return true;
}

static bool segment_made(mca_common_collio_op_t *op)
{
    return mca_common_collio_shared_poll(op->file);
}

static void begin(mca_common_collio_op_t *op)
{
    op->early = 0 == op->error && op->bytes > 0 && mca_common_collio_tuner_expects_direct(op);
    if (op->early) {
        begin_direct(op, MCA_COMMON_COLLIO_PHASE_EARLY);
    } else {
        begin_agree(op);
    }
}

#define AGREE  MCA_COMMON_COLLIO_STAT_time_agree
#define GATHER MCA_COMMON_COLLIO_STAT_time_gather
#define ROUTE  MCA_COMMON_COLLIO_STAT_time_route
#define SETTLE MCA_COMMON_COLLIO_STAT_time_settle

static const step_t steps[MCA_COMMON_COLLIO_PHASE_DONE + 1] = {
    [MCA_COMMON_COLLIO_PHASE_QUEUED] = {0, at_once, begin},
    [MCA_COMMON_COLLIO_PHASE_EARLY] = {0, mca_common_collio_direct_poll, begin_agree},
    [MCA_COMMON_COLLIO_PHASE_AGREE] = {AGREE, collective_over, after_agree},
    [MCA_COMMON_COLLIO_PHASE_HISTOGRAM] = {AGREE, collective_over, begin_share},
    [MCA_COMMON_COLLIO_PHASE_SHARE] = {AGREE, segment_made, begin_lists},
    [MCA_COMMON_COLLIO_PHASE_GATHER] = {GATHER, mca_common_collio_gather_poll, begin_route},
    [MCA_COMMON_COLLIO_PHASE_ROUTE] = {ROUTE, mca_common_collio_route_poll, after_route},
    [MCA_COMMON_COLLIO_PHASE_LOCK] = {AGREE, lock_poll, begin_ready},
    [MCA_COMMON_COLLIO_PHASE_READY] = {AGREE, collective_over, after_ready},
    [MCA_COMMON_COLLIO_PHASE_CYCLES] = {0, mca_common_collio_cycles_poll, begin_settle},
    [MCA_COMMON_COLLIO_PHASE_DIRECT] = {0, mca_common_collio_direct_poll, begin_settle},
    [MCA_COMMON_COLLIO_PHASE_SETTLE] = {SETTLE, collective_over, after_settle},
    [MCA_COMMON_COLLIO_PHASE_STOPS] = {SETTLE, collective_over, after_stops},
    [MCA_COMMON_COLLIO_PHASE_DONE] = {0, NULL, NULL},
};

/* One step, if it can be made. False: nothing to do until something arrives. */
static bool advance(mca_common_collio_op_t *op)
{
    const step_t *step = &steps[op->phase];

    if (NULL == step->over || !step->over(op)) {
        return false;
    }
    step->next(op);
    return true;
}

static void release_request(mca_common_collio_op_t *op)
{
    if (op->staged) {
        if (!op->write) {
            (void) mca_common_collio_stage_unpack(&op->stage, (size_t) op->done_bytes);
        }
        mca_common_collio_stage_fini(&op->stage);
    }
    if (NULL != op->view) {
        mca_common_collio_flat_release(op->view);
    }
    if (NULL != op->memory) {
        mca_common_collio_flat_release(op->memory);
    }
}

/* The end of an operation: figures, the plan if it is not kept, the request's pieces. */
static void finish(mca_common_collio_op_t *op)
{
    mca_common_collio_file_t *file = op->file;

    unlock(op);
    file->access.locked = file->access.atomic = false;
    if (NULL != op->plan && !op->plan->valid) {
        mca_common_collio_file_memory(file, -op->plan->memory_bytes);
        mca_common_collio_plan_fini(op->plan);
    }
    mca_common_collio_file_count(
        file, op->write ? MCA_COMMON_COLLIO_STAT_calls_write : MCA_COMMON_COLLIO_STAT_calls_read,
        1);
    mca_common_collio_file_count(
        file, op->write ? MCA_COMMON_COLLIO_STAT_bytes_written : MCA_COMMON_COLLIO_STAT_bytes_read,
        (uint64_t) op->bytes);
    mca_common_collio_file_count(file, MCA_COMMON_COLLIO_STAT_errors, 0 != op->error);
    mca_common_collio_file_count(file, MCA_COMMON_COLLIO_STAT_time_total,
                                 mca_common_collio_now() - op->started_ns);
    release_request(op);
}

OBJ_CLASS_INSTANCE(mca_common_collio_op_t, opal_list_item_t, NULL, NULL);

static int drive(mca_common_collio_file_t *file, bool blocking_too)
{
    mca_common_collio_op_t *op;
    int ended = 0;

    if (atomic_flag_test_and_set_explicit(&file->progressing, memory_order_acquire)) {
        return 0;
    }
    for (;;) {
        opal_mutex_lock(&file->lock);
        op = opal_list_is_empty(&file->ops)
                 ? NULL
                 : (mca_common_collio_op_t *) opal_list_get_first(&file->ops);
        opal_mutex_unlock(&file->lock);
        if (NULL == op || (op->blocking && !blocking_too)) {
            break;
        }
        while (advance(op)) {
        }
        if (MCA_COMMON_COLLIO_PHASE_DONE != op->phase) {
            break;
        }
        finish(op);
        opal_mutex_lock(&file->lock);
        opal_list_remove_item(&file->ops, &op->super);
        opal_mutex_unlock(&file->lock);
        ++ended;
        if (NULL != op->mpi_request) {
            mca_common_collio_request_complete(op->mpi_request, op->error, op->done_bytes);
            mca_common_collio_op_give(op);
        } else {
            op->finished = true;
        }
    }
    atomic_flag_clear_explicit(&file->progressing, memory_order_release);
    return ended;
}

/* Only the thread that drives the file may look at its meeting. */
static bool rest(mca_common_collio_file_t *file)
{
    bool rested = false;

    if (!atomic_flag_test_and_set_explicit(&file->progressing, memory_order_acquire)) {
        rested = mca_common_collio_meet_rest(file);
        atomic_flag_clear_explicit(&file->progressing, memory_order_release);
    }
    return rested;
}

int mca_common_collio_op_progress(mca_common_collio_file_t *file)
{
    return drive(file, true);
}

int mca_common_collio_op_background(mca_common_collio_file_t *file)
{
    return drive(file, false);
}

int mca_common_collio_op_wait(mca_common_collio_op_t *op, int64_t *bytes)
{
    mca_common_collio_file_t *file = op->file;
    int error;

    while (!op->finished) {
        if (0 == mca_common_collio_op_progress(file) && !op->finished && !rest(file)) {
            opal_progress();
        }
    }
    *bytes = op->done_bytes;
    error = op->error;
    mca_common_collio_op_give(op);
    return error;
}
