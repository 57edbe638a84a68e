/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * The queue of collective calls on a file: the threads that drive it, and the end of a call.
 * steps.c has the steps of a call.
 */
#include "call/op.h"

#include <errno.h>
#include <stdlib.h>

#include "call/mpi_request.h"
#include "compat/verbose.h"

#include "opal/runtime/opal_progress.h"

#include "core/debug_assert.h"

static void release_request(collio_op_t *op)
{
    if (0 != op->ex.file->lost) {
        return; /* messages may still use the memory of the request */
    }
    if (!op->ex.write) {
        (void) collio_request_unpack(&op->ex.request, op->ex.done_bytes);
    }
    collio_request_fini(&op->ex.request);
}

/* Ends a call: counts it, releases the lock, frees a plan that is not kept and the request. */
static void finish(collio_op_t *op)
{
    collio_file_t *file = op->ex.file;

    COLLIO_ASSERT(0 <= op->ex.done_bytes && op->ex.done_bytes <= op->ex.request.bytes);
    COLLIO_ASSERT(!op->locked || op->ex.atomic);
    if (COLLIO_VERBOSE(fcoll, CALL)) {
        collio_op_show_call(op);
    }
    collio_op_unlock(op);
    file->access.locked = file->access.atomic = false;
    if (NULL != op->ex.plan && !op->ex.plan->valid && 0 == file->lost) {
        collio_file_memory(file, -op->ex.plan->memory_bytes);
        collio_plan_fini(op->ex.plan);
    }
    collio_file_count(file, op->ex.write ? COLLIO_STAT_CALLS_WRITE : COLLIO_STAT_CALLS_READ, 1);
    collio_file_count(file, op->ex.write ? COLLIO_STAT_BYTES_WRITTEN : COLLIO_STAT_BYTES_READ,
                      (uint64_t) op->ex.request.bytes);
    if (0 != op->ex.error) {
        collio_file_count(file, COLLIO_STAT_ERRORS, 1);
    }
    collio_file_count(file, COLLIO_STAT_TIME_FLATTEN, op->flatten_ns);
    collio_file_memory(file, 0);
    collio_file_count(file, COLLIO_STAT_TIME_TOTAL, op->phase_ns - op->started_ns);
    release_request(op);
}

static void complete_caller(collio_op_t *op)
{
    if (NULL != op->mpi_request) {
        collio_mpi_request_complete(op->mpi_request, op->ex.error, op->ex.done_bytes);
        collio_op_give(op);
    } else {
        op->finished = true;
    }
}

static int drive(collio_file_t *file, bool blocking_too)
{
    collio_queue_t *queue = file->queue;
    collio_op_t *op;
    int ended = 0;

    if (0 == file->calls
        || atomic_flag_test_and_set_explicit(&queue->progressing, memory_order_acquire)) {
        return 0;
    }
    for (;;) {
        OPAL_THREAD_LOCK(&queue->lock);
        op = collio_queue_first(queue);
        OPAL_THREAD_UNLOCK(&queue->lock);
        if (NULL == op || (op->ex.blocking && !blocking_too)) {
            break;
        }
        file->writing = op->ex.write;
        while (collio_op_advance(op)) {
        }
        if (COLLIO_PHASE_DONE != op->phase) {
            if (!collio_op_lost(op)) {
                break;
            }
            collio_op_abandon(op);
        }
        finish(op);
        OPAL_THREAD_LOCK(&queue->lock);
        COLLIO_ASSERT(&op->super == opal_list_get_first(&queue->ops));
        opal_list_remove_item(&queue->ops, &op->super);
        --file->calls;
        OPAL_THREAD_UNLOCK(&queue->lock);
        ++ended;
        complete_caller(op);
    }
    atomic_flag_clear_explicit(&queue->progressing, memory_order_release);
    return ended;
}

/* Yields the core, unless another thread drives the file: only one thread may poll its agreement.
 * Returns the result of collio_agreement_rest. */
static bool rest(collio_file_t *file)
{
    bool rested = false;

    if (!atomic_flag_test_and_set_explicit(&file->queue->progressing, memory_order_acquire)) {
        rested = collio_agreement_rest(file);
        atomic_flag_clear_explicit(&file->queue->progressing, memory_order_release);
    }
    return rested;
}

int collio_op_progress(collio_file_t *file)
{
    return drive(file, true);
}

int collio_op_background(collio_file_t *file)
{
    return drive(file, false);
}

int collio_op_wait(collio_op_t *op, int64_t *bytes)
{
    collio_file_t *file = op->ex.file;
    int error;

    while (!op->finished) {
        if (0 == collio_op_progress(file) && !op->finished && !rest(file)) {
            opal_progress();
        }
    }
    *bytes = op->ex.done_bytes;
    error = op->ex.error;
    collio_op_give(op);
    return error;
}

void collio_op_wait_all(collio_file_t *file)
{
    while (0 < file->calls) {
        if (0 == collio_op_progress(file) && !rest(file)) {
            opal_progress();
        }
    }
}
