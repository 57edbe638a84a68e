/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/**
 * A spare operation. A rank that finds no memory fails its collective call, but it must still take
 * part in it, or the others would wait for ever; and to take part it needs an operation. So every
 * file has one in reserve, and the next one that ends takes its place.
 */
#include "call/common_collio_op.h"

bool mca_common_collio_op_reserve(mca_common_collio_file_t *file)
{
    file->spare = OBJ_NEW(mca_common_collio_op_t);
    return NULL != file->spare;
}

mca_common_collio_op_t *mca_common_collio_op_take(mca_common_collio_file_t *file)
{
    mca_common_collio_op_t *op = OBJ_NEW(mca_common_collio_op_t);

    if (NULL == op) {
        opal_mutex_lock(&file->lock);
        op = file->spare;
        file->spare = NULL;
        opal_mutex_unlock(&file->lock);
    }
    return op;
}

void mca_common_collio_op_give(mca_common_collio_op_t *op)
{
    mca_common_collio_file_t *file = op->ex.file;
    bool keep;

    if (0 != file->lost) {
        return; /* messages for it may still arrive: see lost.c */
    }
    opal_mutex_lock(&file->lock);
    keep = NULL == file->spare;
    if (keep) {
        file->spare = op;
    }
    opal_mutex_unlock(&file->lock);
    if (!keep) {
        OBJ_RELEASE(op);
    }
}
