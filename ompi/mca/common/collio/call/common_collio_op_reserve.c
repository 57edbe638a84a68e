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
 * Another one is kept for speed. Small calls without a meeting (late.c) use little of it, so only
 * that is cleared again.
 */
#include "call/common_collio_op.h"

bool mca_common_collio_op_reserve(mca_common_collio_file_t *file)
{
    file->spare = OBJ_NEW(mca_common_collio_op_t);
    return NULL != file->spare;
}

/* What a brief call has used. */
static void clear_brief(mca_common_collio_op_t *op)
{
    op->phase = MCA_COMMON_COLLIO_PHASE_QUEUED;
    op->mpi_request = NULL;
    op->ex.write = false;
    op->ex.error = 0;
    op->ex.done_bytes = 0;
    op->ex.request = (mca_common_collio_ask_t){0};
    op->staged = op->ahead = op->brief = false;
    op->finished = false;
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
    bool kept;

    OPAL_THREAD_LOCK(&file->lock);
    op = (mca_common_collio_op_t *) file->idle;
    file->idle = NULL;
    sequence = file->sequence++;
    OPAL_THREAD_UNLOCK(&file->lock);
    kept = NULL != op;
    op = kept ? op : OBJ_NEW(mca_common_collio_op_t);
    op = NULL == op ? take_spare(file) : op;
    if (NULL == op) {
        return NULL;
    }
    if (kept && op->brief) {
        clear_brief(op);
    } else {
        memset((char *) op + sizeof(op->super), 0, sizeof(*op) - sizeof(op->super));
    }
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
