/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/**
 * A meeting outside of calls: the end of a run of calls without a meeting (late.c), for
 * MPI_File_sync, set_size, preallocate, set_atomicity and close.
 *
 * Nonblocking calls that were started before are completed first: whether a run is under way, and
 * has calls, is the same on all ranks only when all of them have made the same calls.
 */
#include "call/common_collio_op.h"

#include "node/common_collio_run.h"

int mca_common_collio_late_meet(mca_common_collio_file_t *file, bool leave)
{
    mca_common_collio_op_t *op;
    int64_t bytes;
    int error = MPI_SUCCESS;

    if (MCA_COMMON_COLLIO_ERRORS_CALL == file->settings.errors) {
        return MPI_SUCCESS;
    }
    mca_common_collio_op_wait_all(file);
    if (!mca_common_collio_run_on(file)) {
        return MPI_SUCCESS;
    }
    if (mca_common_collio_run_calls(file) > 0) {
        op = mca_common_collio_op_start_meeting(file);
        error = NULL == op ? MPI_ERR_NO_MEM : mca_common_collio_op_wait(op, &bytes);
    }
    if (leave) {
        mca_common_collio_run_leave(file);
    }
    return error;
}
