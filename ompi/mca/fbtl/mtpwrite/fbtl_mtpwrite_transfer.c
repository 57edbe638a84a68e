/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * A transfer under way: the job, and what must live as long as it does (lists, flattened types,
 * the packed copy of a buffer that only the convertor may touch).
 */
#include "fbtl_mtpwrite_internal.h"

#include <stdlib.h>

#include "ompi/mca/common/collio/compat/error.h"

mca_fbtl_mtpwrite_transfer_t *mca_fbtl_mtpwrite_transfer_new(void)
{
    mca_fbtl_mtpwrite_transfer_t *transfer = calloc(1, sizeof(*transfer));

    if (NULL != transfer) {
        transfer->job.done = 1; /* nothing is under way */
        transfer->job.driver = COLLIO_ENGINE_THREADS;
    }
    return transfer;
}

void mca_fbtl_mtpwrite_transfer_free(mca_fbtl_mtpwrite_transfer_t *transfer)
{
    if (NULL == transfer) {
        return;
    }
    collio_access_wait(&transfer->job);
    free(transfer->segments);
    collio_request_fini(&transfer->request);
    free(transfer);
}

void mca_fbtl_mtpwrite_transfer_start(mca_fbtl_mtpwrite_transfer_t *transfer)
{
    if (0 != collio_access_start(&transfer->job)) {
        collio_access_run(&transfer->job);
        transfer->job.done = 1;
    }
}

int mca_fbtl_mtpwrite_transfer_finish(mca_fbtl_mtpwrite_transfer_t *transfer, size_t *bytes)
{
    const collio_outcome_t *outcome = &transfer->job.outcome;

    *bytes = (size_t) outcome->bytes;
    if (!transfer->job.write && 0 != collio_request_unpack(&transfer->request, outcome->bytes)) {
        return MPI_ERR_CONVERSION;
    }
    return collio_error_class(outcome->error);
}
