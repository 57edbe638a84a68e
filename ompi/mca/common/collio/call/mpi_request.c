/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * MPI requests of nonblocking collective calls, and the progress function that drives these calls.
 * The requests have their own class because OMPIO's list of pending requests has no lock, and OMPIO
 * 6.0 completes requests of unknown kinds in this list.
 */
#include "call/op.h"

#include "opal/runtime/opal_progress.h"

static int mpi_request_free(ompi_request_t **request)
{
    if (!REQUEST_COMPLETE(*request)) {
        return MPI_ERR_REQUEST; /* file requests cannot be freed while active */
    }
    OBJ_RELEASE(*request);
    *request = MPI_REQUEST_NULL;
    return OMPI_SUCCESS;
}

static int mpi_request_cancel(ompi_request_t *request, int flag)
{
    (void) request;
    (void) flag;
    return OMPI_SUCCESS; /* collective I/O cannot be cancelled; MPI_Test_cancelled returns false */
}

static void mpi_request_construct(ompi_request_t *request)
{
    OMPI_REQUEST_INIT(request, false);
    request->req_type = OMPI_REQUEST_IO;
    request->req_free = mpi_request_free;
    request->req_cancel = mpi_request_cancel;
    request->req_status._cancelled = 0;
}

static void mpi_request_destruct(ompi_request_t *request)
{
    OMPI_REQUEST_FINI(request);
}

typedef ompi_request_t collio_mpi_request_t;
static OBJ_CLASS_INSTANCE(collio_mpi_request_t, ompi_request_t, mpi_request_construct,
                          mpi_request_destruct);

static void drive(void *file, void *ended)
{
    *(int *) ended += collio_op_progress(file, false);
}

static int mpi_request_progress(void)
{
    int ended = 0;

    collio_handle_for_each(COLLIO_PLACE_FCOLL, drive, &ended);
    return ended;
}

ompi_request_t *collio_mpi_request_make(void)
{
    return OBJ_NEW(collio_mpi_request_t);
}

ompi_request_t *collio_mpi_request_new(collio_file_t *file)
{
    ompi_request_t *request = collio_mpi_request_make();
    collio_queue_t *queue = file->queue;

    OPAL_THREAD_LOCK(&queue->lock);
    if (NULL == request) {
        request = queue->spare_request;
        queue->spare_request = NULL;
    } else if (NULL == queue->spare_request) {
        queue->spare_request = collio_mpi_request_make();
    }
    OPAL_THREAD_UNLOCK(&queue->lock);
    if (NULL == request) {
        return NULL;
    }
    request->req_state = OMPI_REQUEST_ACTIVE;
    if (!atomic_exchange(&collio_background, true)) {
        opal_progress_register(mpi_request_progress);
    }
    return request;
}

void collio_mpi_request_complete(ompi_request_t *request, int error, int64_t bytes)
{
    request->req_status.MPI_ERROR = error;
    request->req_status._ucount = (size_t) bytes;
    ompi_request_complete(request, true);
}

void collio_mpi_request_finalize(void)
{
    if (atomic_exchange(&collio_background, false)) {
        opal_progress_unregister(mpi_request_progress);
    }
}
