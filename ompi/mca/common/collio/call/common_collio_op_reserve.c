/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/**
 * A spare operation. A rank that finds no memory fails its collective call, but it must still take
 * part in it, or the others would wait for ever; and to take part it needs an operation. So every
 * file has one in reserve, and the next one that ends takes its place.
 *
 * One idle operation is cached for the next call.
 */
#include "call/common_collio_op.h"

static void construct(mca_common_collio_op_t *op)
{
    op->exchanged = true; /* nothing of it is clear */
}

OBJ_CLASS_INSTANCE(mca_common_collio_op_t, opal_list_item_t, construct, NULL);

bool mca_common_collio_op_reserve(mca_common_collio_file_t *file)
{
    file->spare = OBJ_NEW(mca_common_collio_op_t);
    return NULL != file->spare;
}

/* Most of an operation is used by calls with an exchange only, and need not be cleared after one
 * without. */
static void clear(mca_common_collio_op_t *op)
{
    const size_t rest = offsetof(mca_common_collio_op_t, phase);

    if (op->exchanged) {
        memset((char *) op + sizeof(op->super), 0, sizeof(*op) - sizeof(op->super));
    } else {
        memset(&op->ex, 0, offsetof(mca_common_collio_exchange_t, plan));
        memset((char *) op + rest, 0, sizeof(*op) - rest);
    }
}

static mca_common_collio_op_t *take_spare(mca_common_collio_file_t *file)
{
    mca_common_collio_op_t *op;

    OPAL_THREAD_LOCK(&file->lock);
    op = file->spare;
    file->spare = NULL;
    OPAL_THREAD_UNLOCK(&file->lock);
    return op;
}

mca_common_collio_op_t *mca_common_collio_op_take(mca_common_collio_file_t *file)
{
    mca_common_collio_op_t *op;
    uint32_t sequence;

    OPAL_THREAD_LOCK(&file->lock);
    op = (mca_common_collio_op_t *) file->idle;
    file->idle = NULL;
    sequence = file->sequence++;
    OPAL_THREAD_UNLOCK(&file->lock);
    op = NULL == op ? OBJ_NEW(mca_common_collio_op_t) : op;
    op = NULL == op ? take_spare(file) : op;
    if (NULL == op) {
        return NULL;
    }
    clear(op);
    op->ex.file = file;
    op->ex.sequence = sequence;
    return op;
}

void mca_common_collio_op_give(mca_common_collio_op_t *op)
{
    mca_common_collio_file_t *file = op->ex.file;
    bool keep = true;

    if (0 != file->lost) {
        return; /* messages for it may still arrive: see lost.c */
    }
    op->exchanged = op->ex.way.exchange;
    OPAL_THREAD_LOCK(&file->lock);
    if (NULL == file->spare) {
        file->spare = op;
    } else if (NULL == file->idle) {
        file->idle = &op->super;
    } else {
        keep = false;
    }
    OPAL_THREAD_UNLOCK(&file->lock);
    if (!keep) {
        OBJ_RELEASE(op);
    }
}
