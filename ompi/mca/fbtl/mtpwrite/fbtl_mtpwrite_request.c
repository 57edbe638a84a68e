/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests of nonblocking individual calls. They are of our own class, in a list with its own lock:
 * OMPIO's list of pending requests has none in 4.1, and threads may start requests on different
 * files at once. The progress function looks at what is in flight, and takes out what is done:
 * a request that is complete costs nothing any more, even if the application frees it late.
 *
 * A request has two owners, each with a reference (the object's own count):
 *
 *   application   from the call to MPI_Wait, MPI_Test or MPI_Request_free
 *   operation     from the call until it was completed by progress()
 *
 * So MPI_Request_free only drops a reference. The transfer goes on, its data reach the user's
 * buffer, and progress() frees what is left. MPI_File_close waits for the operations of its file.
 */
#include "fbtl_mtpwrite_internal.h"

#include "ompi/request/request.h"
#include "opal/class/opal_list.h"
#include "opal/runtime/opal_progress.h"

#include <pthread.h>
#include <sched.h>

typedef struct mca_fbtl_mtpwrite_request_t {
    ompi_request_t super;
    struct mca_fbtl_mtpwrite_request_t *next; /* in the list of those in flight */
    mca_fbtl_mtpwrite_transfer_t *transfer;
} mca_fbtl_mtpwrite_request_t;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static mca_fbtl_mtpwrite_request_t *in_flight;
static int completing; /* taken out of the list, not completed yet */
static bool registered;

static void unlink_request(mca_fbtl_mtpwrite_request_t *request)
{
    mca_fbtl_mtpwrite_request_t **at = &in_flight;

    while (NULL != *at && request != *at) {
        at = &(*at)->next;
    }
    if (NULL != *at) {
        *at = request->next;
    }
}

static void complete(mca_fbtl_mtpwrite_request_t *request, bool signal)
{
    size_t bytes = 0;
    int error = MPI_SUCCESS;

    if (NULL != request->transfer) {
        error = mca_fbtl_mtpwrite_transfer_finish(request->transfer, &bytes);
        mca_fbtl_mtpwrite_transfer_free(request->transfer);
        request->transfer = NULL;
    }
    request->super.req_status.MPI_ERROR = error;
    request->super.req_status._ucount = bytes;
    request->super.req_status._cancelled = 0;
    ompi_request_complete(&request->super, signal);
}

/* A request is completed outside of the lock: that may run anybody's callback, and the application
 * may free it the moment it is complete. The operation's reference keeps it until the end. */
static int progress(void)
{
    int completed = 0;

    for (;;) {
        mca_fbtl_mtpwrite_request_t *request;

        if (0 != pthread_mutex_trylock(&mutex)) {
            break; /* another thread is looking */
        }
        request = in_flight;
        while (NULL != request && !collio_access_test(&request->transfer->job)) {
            request = request->next;
        }
        if (NULL != request) {
            unlink_request(request);
            completing += 1;
        }
        pthread_mutex_unlock(&mutex);
        if (NULL == request) {
            break;
        }
        complete(request, true);
        OBJ_RELEASE(request);
        pthread_mutex_lock(&mutex);
        completing -= 1;
        pthread_mutex_unlock(&mutex);
        ++completed;
    }
    return completed;
}

static int request_free(ompi_request_t **at)
{
    mca_fbtl_mtpwrite_request_t *request = (mca_fbtl_mtpwrite_request_t *) *at;

    OBJ_RELEASE(request);
    *at = MPI_REQUEST_NULL;
    return OMPI_SUCCESS;
}

/* Has a file operations in flight, or may have one that another thread completes just now? */
static bool busy(ompi_file_t *file)
{
    const mca_fbtl_mtpwrite_request_t *request;
    bool found;

    pthread_mutex_lock(&mutex);
    request = in_flight;
    while (NULL != request && file != request->super.req_mpi_object.file) {
        request = request->next;
    }
    found = NULL != request || 0 < completing;
    pthread_mutex_unlock(&mutex);
    return found;
}

void mca_fbtl_mtpwrite_request_drain(ompi_file_t *file)
{
    while (busy(file)) {
        opal_progress();
        sched_yield(); /* the transfers may need the core */
    }
}

static int request_cancel(ompi_request_t *request, int flag)
{
    (void) request;
    (void) flag;
    return OMPI_SUCCESS; /* MPI allows no cancelling of file access */
}

static void construct(mca_fbtl_mtpwrite_request_t *request)
{
    OMPI_REQUEST_INIT(&request->super, false);
    request->super.req_type = OMPI_REQUEST_IO;
    request->super.req_free = request_free;
    request->super.req_cancel = request_cancel;
    request->transfer = NULL;
    request->next = NULL;
}

static void destruct(mca_fbtl_mtpwrite_request_t *request)
{
    OMPI_REQUEST_FINI(&request->super);
}

static OBJ_CLASS_INSTANCE(mca_fbtl_mtpwrite_request_t, ompi_request_t, construct, destruct);

ompi_request_t *mca_fbtl_mtpwrite_request_new(ompi_file_t *file,
                                              mca_fbtl_mtpwrite_transfer_t *transfer)
{
    mca_fbtl_mtpwrite_request_t *request = OBJ_NEW(mca_fbtl_mtpwrite_request_t);
    bool first = false;

    if (NULL == request) {
        mca_fbtl_mtpwrite_transfer_free(transfer);
        return NULL;
    }
    request->super.req_state = OMPI_REQUEST_ACTIVE;
    request->super.req_mpi_object.file = file;
    request->transfer = transfer;
    if (NULL == transfer) {
        complete(request, false);
        return &request->super;
    }
    OBJ_RETAIN(request); /* the operation's reference */
    pthread_mutex_lock(&mutex);
    first = !registered;
    registered = true;
    request->next = in_flight;
    in_flight = request;
    pthread_mutex_unlock(&mutex);
    if (first) {
        opal_progress_register(progress);
    }
    return &request->super;
}

void mca_fbtl_mtpwrite_request_close(void)
{
    if (registered) {
        opal_progress_unregister(progress);
        registered = false;
    }
}
