/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * The start of a collective call: makes the request, moves the file pointer and appends the call to
 * the queue of the file. All of this is local; op.c drives the queue.
 */
#include "call/op.h"

/* Flattens view and buffer. An error is recorded, and the call continues with an empty request. */
static void make_request(collio_op_t *op, const collio_call_t *call)
{
    collio_file_t *file = op->ex.file;
    int error = file->queue->refusal;

    file->queue->refusal = 0;
    if (0 == error) {
        error = -collio_request_init(&op->ex.request, file->handle, call);
    }
    if (0 != error) {
        collio_exchange_fail(&op->ex, error);
        op->ex.request.bytes = 0;
    }
}

/* The only call of a queue begins at once, so it reuses the time that was just read. */
static void enqueue(collio_op_t *op)
{
    collio_queue_t *queue = op->ex.file->queue;

    OPAL_THREAD_LOCK(&queue->lock);
    op->clock_ns = opal_list_is_empty(&queue->ops) ? op->phase_ns : 0;
    opal_list_append(&queue->ops, &op->super);
    ++op->ex.file->calls;
    OPAL_THREAD_UNLOCK(&queue->lock);
}

collio_op_t *collio_op_start(collio_file_t *file, const collio_call_t *call,
                             struct collio_mpi_request_t *mpi_request)
{
    collio_op_t *op = collio_op_take(file);

    if (NULL == op) {
        return NULL;
    }
    op->started_ns = collio_now();
    op->ex.write = call->write;
    op->ex.blocking = NULL == mpi_request;
    op->ex.atomic = 0 != file->fh->f_atomicity;
    op->ex.aggregator.stop_local = INT64_MAX;
    op->mpi_request = mpi_request;
    make_request(op, call);
    op->phase_ns = collio_now();
    op->flatten_ns = op->phase_ns - op->started_ns;
    enqueue(op);
    return op;
}
