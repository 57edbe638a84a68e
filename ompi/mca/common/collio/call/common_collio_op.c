/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/**
 * The queue of collective calls on a file: who drives it, how a call ends. What a call does is in
 * steps.c.
 */
#include "call/common_collio_op.h"

#include <errno.h>
#include <stdlib.h>

#include "call/common_collio_request.h"
#include "compat/common_collio_verbose.h"

#include "opal/runtime/opal_progress.h"

static void release_request(mca_common_collio_op_t *op)
{
    if (op->staged && 0 == op->ex.file->lost) {
        if (!op->ex.write) {
            (void) mca_common_collio_stage_unpack(&op->stage, (size_t) op->ex.done_bytes);
        }
        mca_common_collio_stage_fini(&op->stage);
    }
    if (NULL != op->ex.request.view) {
        mca_common_collio_flat_release(op->ex.request.view);
    }
    if (NULL != op->ex.request.memory) {
        mca_common_collio_flat_release(op->ex.request.memory);
    }
}

/* Figures, the plan if it is not kept, the request's pieces. */
static void finish(mca_common_collio_op_t *op)
{
    mca_common_collio_file_t *file = op->ex.file;

    if (MCA_COMMON_COLLIO_VERBOSE(fcoll, CALL)) {
        mca_common_collio_op_show_call(op);
    }
    mca_common_collio_op_unlock(op);
    file->access.locked = file->access.atomic = false;
    if (NULL != op->ex.plan && !op->ex.plan->valid && 0 == file->lost) {
        mca_common_collio_file_memory(file, -op->ex.plan->memory_bytes);
        mca_common_collio_plan_fini(op->ex.plan);
    }
    mca_common_collio_file_count(
        file, op->ex.write ? MCA_COMMON_COLLIO_STAT_calls_write : MCA_COMMON_COLLIO_STAT_calls_read,
        1);
    mca_common_collio_file_count(file,
                                 op->ex.write ? MCA_COMMON_COLLIO_STAT_bytes_written
                                              : MCA_COMMON_COLLIO_STAT_bytes_read,
                                 (uint64_t) op->ex.request.bytes);
    if (0 != op->ex.error) {
        mca_common_collio_file_count(file, MCA_COMMON_COLLIO_STAT_errors, 1);
    }
    mca_common_collio_file_count(file, MCA_COMMON_COLLIO_STAT_time_flatten, op->flatten_ns);
    mca_common_collio_file_count(file, MCA_COMMON_COLLIO_STAT_time_total,
                                 op->phase_ns - op->started_ns);
    release_request(op);
}

static void tell_caller(mca_common_collio_op_t *op)
{
    if (NULL != op->mpi_request) {
        mca_common_collio_request_complete(op->mpi_request, op->ex.error, op->ex.done_bytes);
        mca_common_collio_op_give(op);
    } else {
        op->finished = true;
    }
}

static int drive(mca_common_collio_file_t *file, bool blocking_too)
{
    mca_common_collio_queue_t *queue = file->queue;
    mca_common_collio_op_t *op;
    int ended = 0;

    if (0 == file->calls
        || atomic_flag_test_and_set_explicit(&queue->progressing, memory_order_acquire)) {
        return 0;
    }
    for (;;) {
        OPAL_THREAD_LOCK(&queue->lock);
        op = opal_list_is_empty(&queue->ops)
                 ? NULL
                 : (mca_common_collio_op_t *) opal_list_get_first(&queue->ops);
        OPAL_THREAD_UNLOCK(&queue->lock);
        if (NULL == op || (op->ex.blocking && !blocking_too)) {
            break;
        }
        file->writing = op->ex.write;
        while (mca_common_collio_op_advance(op)) {
        }
        if (mca_common_collio_op_lost(op)) {
            mca_common_collio_op_abandon(op);
        }
        if (MCA_COMMON_COLLIO_PHASE_DONE != op->phase) {
            break;
        }
        finish(op);
        OPAL_THREAD_LOCK(&queue->lock);
        opal_list_remove_item(&queue->ops, &op->super);
        --file->calls;
        OPAL_THREAD_UNLOCK(&queue->lock);
        ++ended;
        tell_caller(op);
    }
    atomic_flag_clear_explicit(&queue->progressing, memory_order_release);
    return ended;
}

/* Only the thread that drives the file may look at its reduction. */
static bool rest(mca_common_collio_file_t *file)
{
    bool rested = false;

    if (!atomic_flag_test_and_set_explicit(&file->queue->progressing, memory_order_acquire)) {
        rested = mca_common_collio_reduction_rest(file);
        atomic_flag_clear_explicit(&file->queue->progressing, memory_order_release);
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
    mca_common_collio_file_t *file = op->ex.file;
    int error;

    while (!op->finished) {
        if (0 == mca_common_collio_op_progress(file) && !op->finished && !rest(file)) {
            opal_progress();
        }
    }
    *bytes = op->ex.done_bytes;
    error = op->ex.error;
    mca_common_collio_op_give(op);
    return error;
}

void mca_common_collio_op_wait_all(mca_common_collio_file_t *file)
{
    while (0 < file->calls) {
        if (0 == mca_common_collio_op_progress(file) && !rest(file)) {
            opal_progress();
        }
    }
}
