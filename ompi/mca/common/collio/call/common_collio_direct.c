/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/**
 * Direct: the exchange is skipped, every rank accesses its own pieces, with the packing and the
 * sieving of individual access. Chosen where an exchange gains nothing: a page cache needs no
 * aggregation.
 */
#include "call/common_collio_op.h"

#include <errno.h>

void mca_common_collio_direct_start(mca_common_collio_op_t *op)
{
    mca_common_collio_job_t *job = &op->job;
    uint64_t start;

    mca_common_collio_exchange_count(&op->ex, MCA_COMMON_COLLIO_STAT_calls_skipped, 1);
    memset(job, 0, sizeof(*job));
    job->outcome.stop_offset = INT64_MAX;
    if (0 == op->ex.request.bytes) {
        job->done = 1;
        return;
    }
    job->access = &op->ex.file->access;
    job->write = op->ex.write;
    job->file = &op->ex.request.view->tiling;
    job->first = op->ex.request.stream;
    job->bytes = op->ex.request.bytes;
    job->memory = &op->ex.request.memory->tiling;
    job->base = op->ex.request.base;
    mca_common_collio_lockahead_pieces(op->ex.file->fh, job->file, job->first, job->bytes,
                                       job->write, &op->ex.file->covered);
    if ((!op->ex.blocking || mca_common_collio_access_locks(job->access, job->write))
        && 0 == mca_common_collio_access_start(job)) {
        return;
    }
    start = mca_common_collio_now();
    mca_common_collio_access_request(job->access, job->write, job->file, job->first, job->bytes,
                                     job->memory, job->base, &job->outcome);
    job->busy_ns = mca_common_collio_now() - start;
    job->done = 1;
}

bool mca_common_collio_direct_poll(mca_common_collio_op_t *op)
{
    if (!op->job.done && !mca_common_collio_access_test(&op->job)) {
        return false;
    }
    mca_common_collio_exchange_count(&op->ex, MCA_COMMON_COLLIO_STAT_time_io, op->job.busy_ns);
    op->ex.done_bytes = op->job.outcome.bytes;
    if (0 != op->job.outcome.error) {
        mca_common_collio_exchange_fail(&op->ex, op->job.outcome.error);
    }
    return true;
}
