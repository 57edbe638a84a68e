/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * MPI requests of nonblocking collective calls, and the progress function that drives these calls.
 */
#include "call/mpi_request.h"

#include "call/op.h"

#include "opal/runtime/opal_progress.h"

static int request_free(ompi_request_t **request)
{
    if (!REQUEST_COMPLETE(*request)) {
        return MPI_ERR_REQUEST; /* file requests cannot be freed while active */
    }
    OBJ_RELEASE(*request);
    *request = MPI_REQUEST_NULL;
    return OMPI_SUCCESS;
}

static int request_cancel(ompi_request_t *request, int flag)
{
    (void) request;
    (void) flag;
    return OMPI_SUCCESS; /* collective I/O cannot be cancelled; MPI_Test_cancelled returns false */
}

static void construct(collio_mpi_request_t *request)
{
    OMPI_REQUEST_INIT(&request->super, false);
    request->super.req_type = OMPI_REQUEST_IO;
    request->super.req_free = request_free;
    request->super.req_cancel = request_cancel;
    request->super.req_status._cancelled = 0;
}

static void destruct(collio_mpi_request_t *request)
{
    OMPI_REQUEST_FINI(&request->super);
}

OBJ_CLASS_INSTANCE(collio_mpi_request_t, ompi_request_t, construct, destruct);

static int progress(void)
{
    int ended = 0;

    collio_file_for_each(collio_op_background, &ended);
    return ended;
}

collio_mpi_request_t *collio_mpi_request_new(collio_file_t *file)
{
    collio_mpi_request_t *request = OBJ_NEW(collio_mpi_request_t);

    if (NULL == request) {
        OPAL_THREAD_LOCK(&file->queue->lock);
        request = file->queue->spare_request;
        file->queue->spare_request = NULL;
        OPAL_THREAD_UNLOCK(&file->queue->lock);
    }
    if (NULL == request) {
        return NULL;
    }
    request->super.req_state = OMPI_REQUEST_ACTIVE;
    if (!collio_file_set_background(true)) {
        opal_progress_register(progress);
    }
    return request;
}

void collio_mpi_request_complete(collio_mpi_request_t *request, int error, int64_t bytes)
{
    request->super.req_status.MPI_ERROR = error;
    request->super.req_status._ucount = (size_t) bytes;
    ompi_request_complete(&request->super, true);
}

void collio_mpi_request_finalize(void)
{
    if (collio_file_set_background(false)) {
        opal_progress_unregister(progress);
    }
}
