/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * The queue of collective calls on a file: the start of a call, the threads that drive the queue,
 * and the end of a call. steps.c has the steps of a call.
 *
 * A rank that runs out of memory fails its collective call but must take part in it, or the other
 * ranks would wait forever. This requires an operation, so every queue has one in reserve. When the
 * reserve is in use, the next operation that ends becomes the reserve; a second one is kept for
 * speed.
 */
#include "call/op.h"

#include <stdlib.h>

#include "compat/verbose.h"

#include "opal/runtime/opal_progress.h"

#include "core/debug_assert.h"

static void op_construct(collio_op_t *op)
{
    op->exchanged = true; /* makes clear() clear all fields */
}

OBJ_CLASS_INSTANCE(collio_op_t, opal_list_item_t, op_construct, NULL);

int collio_queue_open(collio_file_t *file)
{
    collio_queue_t *queue = file->queue = calloc(1, sizeof(*queue));

    if (NULL == queue) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    OBJ_CONSTRUCT(&queue->lock, opal_mutex_t);
    OBJ_CONSTRUCT(&queue->ops, opal_list_t);
    atomic_flag_clear(&queue->progressing);
    queue->kept[0] = OBJ_NEW(collio_op_t);
    queue->kept_count = NULL != queue->kept[0];
    queue->spare_request = collio_mpi_request_make();
    return NULL == queue->kept[0] || NULL == queue->spare_request ? OMPI_ERR_OUT_OF_RESOURCE
                                                                  : OMPI_SUCCESS;
}

void collio_queue_close(collio_file_t *file)
{
    collio_queue_t *queue = file->queue;

    if (NULL == queue) {
        return;
    }
    for (int i = 0; i < queue->kept_count; ++i) {
        OBJ_RELEASE(queue->kept[i]);
    }
    if (NULL != queue->spare_request) {
        OBJ_RELEASE(queue->spare_request);
    }
    OBJ_DESTRUCT(&queue->ops);
    OBJ_DESTRUCT(&queue->lock);
    free(queue);
}

/* Most fields of an operation are used only by calls with an exchange. They are not cleared after a
 * call without one. */
static void clear(collio_op_t *op)
{
    const size_t rest = offsetof(collio_op_t, phase);

    if (op->exchanged) {
        memset((char *) op + sizeof(op->super), 0, sizeof(*op) - sizeof(op->super));
    } else {
        memset(&op->ex, 0, offsetof(collio_exchange_t, plan));
        memset((char *) op + rest, 0, sizeof(*op) - rest);
    }
}

/* Returns a kept operation if there are more than `least`, else NULL. */
static collio_op_t *take_kept(collio_queue_t *queue, int least)
{
    collio_op_t *op = NULL;

    OPAL_THREAD_LOCK(&queue->lock);
    if (least < queue->kept_count) {
        op = queue->kept[--queue->kept_count];
    }
    OPAL_THREAD_UNLOCK(&queue->lock);
    return op;
}

/* Returns a cleared operation, or NULL. */
static collio_op_t *op_take(collio_file_t *file)
{
    collio_op_t *op = take_kept(file->queue, 1);

    if (NULL == op) {
        op = OBJ_NEW(collio_op_t);
    }
    if (NULL == op) {
        op = take_kept(file->queue, 0);
    }
    if (NULL != op) {
        clear(op);
        op->ex.file = file;
    }
    return op;
}

static void op_give(collio_op_t *op)
{
    collio_queue_t *queue = op->ex.file->queue;

    if (0 != op->ex.file->lost) {
        return; /* messages for the operation may still arrive: see lost.c */
    }
    op->exchanged = op->ex.way.exchange;
    OPAL_THREAD_LOCK(&queue->lock);
    if (queue->kept_count < (int) (sizeof(queue->kept) / sizeof(queue->kept[0]))) {
        queue->kept[queue->kept_count++] = op;
        op = NULL;
    }
    OPAL_THREAD_UNLOCK(&queue->lock);
    if (NULL != op) {
        OBJ_RELEASE(op);
    }
}

/* Flattens view and buffer. An error is recorded, and the call continues with an empty request. */
static void make_request(collio_op_t *op, const collio_call_t *call)
{
    int rc = collio_request_init(&op->ex.request, op->ex.file->handle, call);

    if (0 != rc) {
        collio_exchange_fail(&op->ex, -rc);
        op->ex.request.bytes = 0;
    }
}

/* Appends the call. The only call of a queue begins at once, so it reuses the time that was just
 * read. */
static void op_enqueue(collio_op_t *op)
{
    collio_queue_t *queue = op->ex.file->queue;

    OPAL_THREAD_LOCK(&queue->lock);
    op->ex.sequence = op->ex.file->context->sequence++;
    op->clock_ns = opal_list_is_empty(&queue->ops) ? op->phase_ns : 0;
    opal_list_append(&queue->ops, &op->super);
    ++op->ex.file->calls;
    OPAL_THREAD_UNLOCK(&queue->lock);
}

collio_op_t *collio_op_start(collio_file_t *file, const collio_call_t *call,
                             ompi_request_t *mpi_request)
{
    collio_op_t *op = op_take(file);

    if (NULL == op) {
        return NULL;
    }
    op->started_ns = collio_now();
    op->ex.write = call->write;
    op->ex.blocking = NULL == mpi_request;
    op->ex.atomic = 0 != file->fh->f_atomicity;
    op->ex.stop_local = INT64_MAX;
    op->mpi_request = mpi_request;
    make_request(op, call);
    op->phase_ns = collio_now();
    op->flatten_ns = op->phase_ns - op->started_ns;
    op_enqueue(op);
    return op;
}

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
static void op_finish(collio_op_t *op)
{
    collio_file_t *file = op->ex.file;

    COLLIO_ASSERT(0 <= op->ex.done_bytes && op->ex.done_bytes <= op->ex.request.bytes);
    COLLIO_ASSERT(!op->locked || op->ex.atomic);
    if (COLLIO_VERBOSE(fcoll, FILE)) {
        collio_op_show_call(op);
    }
    collio_op_unlock(op);
    file->stale |= op->ex.write;
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
        op_give(op);
    } else {
        op->finished = true;
    }
}

int collio_op_progress(collio_file_t *file, bool blocking_too)
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
        op_finish(op);
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

int collio_op_wait(collio_op_t *op, int64_t *bytes)
{
    collio_file_t *file = op->ex.file;
    int error;

    while (!op->finished) {
        if (0 == collio_op_progress(file, true) && !op->finished && !rest(file)) {
            opal_progress();
        }
    }
    *bytes = op->ex.done_bytes;
    error = op->ex.error;
    op_give(op);
    return error;
}

void collio_op_wait_all(collio_file_t *file)
{
    while (0 < file->calls) {
        if (0 == collio_op_progress(file, true) && !rest(file)) {
            opal_progress();
        }
    }
}
