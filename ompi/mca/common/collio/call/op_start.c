/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * The start of a collective call: what was asked for is flattened, the file pointer moves on, and
 * the call queues behind the file's others. All of it is local; op.c does the rest.
 */
#include "call/op.h"

#include <errno.h>

/* View, buffer and file pointer; done in the caller's thread, before anybody else is needed. */
static void flatten(collio_op_t *op, void *buffer, size_t count, ompi_datatype_t *type)
{
    ompio_file_t *fh = op->ex.file->fh;
    int64_t lo, hi;
    size_t type_bytes;
    int rc;

    opal_datatype_type_size(&type->super, &type_bytes);
    op->ex.request.stream = collio_view_position(fh);
    rc = collio_flat_view(fh, &op->ex.request.view);
    if (0 == rc && __builtin_mul_overflow(type_bytes, count, &op->ex.request.bytes)) {
        rc = -EOVERFLOW;
    }
    if (0 == rc) {
        rc = -op->ex.file->queue->refusal;
        op->ex.file->queue->refusal = 0;
    }
    if (0 == rc && op->ex.request.bytes > 0 && 0 == op->ex.request.view->tiling.size) {
        rc = -EINVAL; /* a view without bytes takes none */
    }
    if (0 == rc && op->ex.request.bytes > 0 && collio_view_stage_needed(fh, buffer, count, type)) {
        op->staged = true;
        rc = collio_stage_init(&op->stage, fh, op->ex.write, buffer, count, type);
        op->ex.request.bytes = (int64_t) op->stage.bytes;
        op->ex.request.base = op->stage.packed;
        if (0 == rc) {
            rc = collio_flat_type(fh, MPI_BYTE, &op->ex.request.memory);
        }
    } else if (0 == rc) {
        op->ex.request.base = buffer;
        rc = collio_flat_type(fh, type, &op->ex.request.memory);
    }
    if (0 == rc) { /* before anybody computes offsets without checks */
        rc = collio_tiling_range(&op->ex.request.view->tiling, op->ex.request.stream,
                                 op->ex.request.bytes, &lo, &hi);
    }
    if (0 == rc && op->ex.request.bytes > 0) {
        rc = collio_view_advance(fh, op->ex.request.bytes);
    }
    if (0 != rc) {
        collio_exchange_fail(&op->ex, -rc);
        op->ex.request.bytes = 0;
    }
}

/* A call that is the only one begins at once, with the time that was just read. */
static void enqueue(collio_op_t *op)
{
    collio_queue_t *queue = op->ex.file->queue;

    OPAL_THREAD_LOCK(&queue->lock);
    op->clock_ns = opal_list_is_empty(&queue->ops) ? op->phase_ns : 0;
    opal_list_append(&queue->ops, &op->super);
    ++op->ex.file->calls;
    OPAL_THREAD_UNLOCK(&queue->lock);
}

collio_op_t *collio_op_start(collio_file_t *file, bool write, struct collio_request_t *mpi_request,
                             void *buffer, size_t count, ompi_datatype_t *type)
{
    collio_op_t *op = collio_op_take(file);

    if (NULL == op) {
        return NULL;
    }
    op->started_ns = collio_now();
    op->ex.write = write;
    op->ex.blocking = NULL == mpi_request;
    op->ex.atomic = 0 != file->fh->f_atomicity;
    op->ex.aggregator.stop_local = INT64_MAX;
    op->mpi_request = mpi_request;
    flatten(op, buffer, count, type);
    op->phase_ns = collio_now();
    op->flatten_ns = op->phase_ns - op->started_ns;
    enqueue(op);
    return op;
}
