/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * A spare operation. A rank that runs out of memory fails its collective call but must take part in
 * it, or the other ranks would wait forever. This requires an operation, so every file has a spare
 * one. When it is in use, the next operation that ends becomes the spare.
 *
 * One idle operation is cached for the next call.
 */
#include "call/op.h"

#include <stdlib.h>

#include "call/mpi_request.h"

static void construct(collio_op_t *op)
{
    op->exchanged = true; /* makes clear() clear all fields */
}

OBJ_CLASS_INSTANCE(collio_op_t, opal_list_item_t, construct, NULL);

int collio_queue_open(collio_file_t *file)
{
    collio_queue_t *queue = calloc(1, sizeof(*queue));

    if (NULL == queue) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    OBJ_CONSTRUCT(&queue->lock, opal_mutex_t);
    OBJ_CONSTRUCT(&queue->ops, opal_list_t);
    atomic_flag_clear(&queue->progressing);
    queue->spare = OBJ_NEW(collio_op_t);
    queue->spare_request = OBJ_NEW(collio_mpi_request_t);
    file->queue = queue;
    if (NULL == queue->spare || NULL == queue->spare_request) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    return OMPI_SUCCESS;
}

void collio_queue_close(collio_file_t *file)
{
    collio_queue_t *queue = file->queue;

    if (NULL == queue) {
        return;
    }
    if (NULL != queue->spare) {
        OBJ_RELEASE(queue->spare);
    }
    if (NULL != queue->idle) {
        OBJ_RELEASE(queue->idle);
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

static collio_op_t *take_spare(collio_queue_t *queue)
{
    collio_op_t *op;

    OPAL_THREAD_LOCK(&queue->lock);
    op = queue->spare;
    queue->spare = NULL;
    OPAL_THREAD_UNLOCK(&queue->lock);
    return op;
}

collio_op_t *collio_op_take(collio_file_t *file)
{
    collio_queue_t *queue = file->queue;
    collio_op_t *op;
    uint32_t sequence;

    OPAL_THREAD_LOCK(&queue->lock);
    op = queue->idle;
    queue->idle = NULL;
    sequence = queue->sequence++;
    OPAL_THREAD_UNLOCK(&queue->lock);
    if (NULL == op) {
        op = OBJ_NEW(collio_op_t);
    }
    if (NULL == op) {
        op = take_spare(queue);
    }
    if (NULL == op) {
        return NULL;
    }
    clear(op);
    op->ex.file = file;
    op->ex.sequence = sequence;
    return op;
}

void collio_op_give(collio_op_t *op)
{
    collio_queue_t *queue = op->ex.file->queue;
    bool keep = true;

    if (0 != op->ex.file->lost) {
        return; /* messages for the operation may still arrive: see lost.c */
    }
    op->exchanged = op->ex.way.exchange;
    OPAL_THREAD_LOCK(&queue->lock);
    if (NULL == queue->spare) {
        queue->spare = op;
    } else if (NULL == queue->idle) {
        queue->idle = op;
    } else {
        keep = false;
    }
    OPAL_THREAD_UNLOCK(&queue->lock);
    if (!keep) {
        OBJ_RELEASE(op);
    }
}
