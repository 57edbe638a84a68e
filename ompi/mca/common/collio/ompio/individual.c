/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_File_{i}{read,write}{,_at}: collio's entries of the file's table (see hook.h), and the
 * requests of nonblocking calls.
 *
 * Problem: io/ompio flattens the buffer in every call, builds one long list serially, and only then
 * calls the fbtl.
 * Method: the file's cache has the flattened view and datatype, arithmetic moves the file pointer,
 * and collio builds, packs and transfers, with threads if there are any.
 *
 *   lock the file; view, buffer, position; move the pointer; unlock; transfer; status
 *
 * The lock is not held during the transfer: the file pointer moves when a call starts, as MPI
 * requires, so calls of several threads on one handle overlap.
 *
 * Requests have a class of their own, in a list with its own lock: OMPIO's list of pending requests
 * has none in 4.1, and threads may start requests on different files at once. A request has two
 * owners, each with a reference (the object's own count):
 *
 *   application   from the call to MPI_Wait, MPI_Test or MPI_Request_free
 *   operation     from the call until individual_progress() has completed it
 *
 * So MPI_Request_free only drops a reference: the transfer continues, its data reach the user
 * buffer, and individual_progress() frees the request. MPI_File_close waits for the operations of
 * its file.
 */
#include "ompio/individual.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "hook/handle.h"

#include "ompi/request/request.h"
#include "opal/runtime/opal_progress.h"

/** A transfer: a job and its request. All-zero: a transfer without bytes. */
typedef struct transfer_t {
    collio_job_t job;         /* the access to the file */
    collio_request_t request; /* the bytes to access */
} transfer_t;

typedef struct request_t {
    ompi_request_t super;   /* Open MPI's part of the request */
    struct request_t *next; /* next request in flight */
    transfer_t transfer;    /* the operation */
} request_t;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* protects the three below */
static request_t *in_flight; /* requests whose end individual_progress() has not found */
static int completing;       /* requests that left `in_flight` and are not complete yet */
static bool registered;      /* individual_progress() is registered with Open MPI */

/* Makes the job of a call. */
static int individual_begin(ompi_file_t *file, const collio_call_t *call, transfer_t *transfer)
{
    ompio_file_t *fh = &((mca_common_ompio_data_t *) file->f_io_selected_data)->ompio_fh;
    collio_individual_t *own;
    int rc = collio_request_check_mode(fh, call->write);

    if (MPI_SUCCESS != rc || 0 == call->count || 0 == call->type->super.size
        || 0 == COLLIO_FVIEW(fh).f_iov_count) {
        return rc;
    }
    OPAL_THREAD_LOCK(&file->f_lock);
    own = collio_individual_get(fh);
    rc = NULL == own ? -ENOMEM
                     : collio_request_init(&transfer->request, collio_handle_of(file), call);
    if (0 == rc) {
        collio_request_job(&transfer->request, fh, call->write, &own->access, &own->covered,
                           &transfer->job);
    }
    OPAL_THREAD_UNLOCK(&file->f_lock);
    if (0 == rc) {
        return MPI_SUCCESS;
    }
    collio_request_fini(&transfer->request);
    return -EINVAL == rc ? MPI_ERR_TYPE : collio_error_class(-rc);
}

/* After the job: unpacks a staged read. Returns an MPI error class. */
static int individual_finish(transfer_t *transfer, size_t *bytes)
{
    const collio_outcome_t *outcome = &transfer->job.outcome;
    int rc = collio_error_class(outcome->error);

    *bytes = (size_t) outcome->bytes;
    if (!transfer->job.write && 0 != collio_request_unpack(&transfer->request, outcome->bytes)) {
        rc = MPI_ERR_CONVERSION;
    }
    collio_request_fini(&transfer->request);
    return rc;
}

int collio_individual_run(ompi_file_t *file, const collio_call_t *call,
                          ompi_status_public_t *status)
{
    transfer_t transfer = {.request = {.bytes = 0}};
    size_t bytes = 0;
    int rc = individual_begin(file, call, &transfer);

    if (MPI_SUCCESS == rc && 0 < transfer.request.bytes) {
        collio_access_run(&transfer.job);
        rc = individual_finish(&transfer, &bytes);
    }
    if (MPI_STATUS_IGNORE != status) {
        status->_ucount = bytes;
    }
    return rc;
}

static void individual_complete(request_t *request, bool signal)
{
    size_t bytes = 0;
    int error = MPI_SUCCESS;

    if (0 < request->transfer.request.bytes) {
        error = individual_finish(&request->transfer, &bytes);
    }
    request->super.req_status.MPI_ERROR = error;
    request->super.req_status._ucount = bytes;
    request->super.req_status._cancelled = 0;
    ompi_request_complete(&request->super, signal);
}

/* Removes a request whose transfer has ended from the list. Returns NULL if there is none, or if
 * another thread holds the lock. */
static request_t *take_ended(void)
{
    request_t **at = &in_flight, *request;

    if (0 != pthread_mutex_trylock(&mutex)) {
        return NULL;
    }
    while (NULL != *at && !collio_access_test(&(*at)->transfer.job)) {
        at = &(*at)->next;
    }
    request = *at;
    if (NULL != request) {
        *at = request->next;
        completing += 1;
    }
    pthread_mutex_unlock(&mutex);
    return request;
}

/* Completes requests without the lock: completion may run a callback of another module, and the
 * application may free a request as soon as it is complete. The operation's reference keeps the
 * request until individual_complete() returns. Returns the number of completed requests. */
static int individual_progress(void)
{
    int completed = 0;

    for (request_t *request = take_ended(); NULL != request; request = take_ended()) {
        individual_complete(request, true);
        OBJ_RELEASE(request);
        pthread_mutex_lock(&mutex);
        completing -= 1;
        pthread_mutex_unlock(&mutex);
        ++completed;
    }
    return completed;
}

void collio_individual_finalize(void)
{
    if (registered) {
        opal_progress_unregister(individual_progress);
        registered = false;
    }
}

/* True if an operation of the file is in flight, or another thread may be completing one. */
static bool is_busy(const ompi_file_t *file)
{
    const request_t *request;
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

static int individual_request_free(ompi_request_t **at)
{
    OBJ_RELEASE(*at);
    *at = MPI_REQUEST_NULL;
    return OMPI_SUCCESS;
}

static int individual_request_cancel(ompi_request_t *request, int flag)
{
    (void) request;
    (void) flag;
    return OMPI_SUCCESS; /* MPI does not allow to cancel file access */
}

static void individual_construct(request_t *request)
{
    OMPI_REQUEST_INIT(&request->super, false);
    request->super.req_type = OMPI_REQUEST_IO;
    request->super.req_free = individual_request_free;
    request->super.req_cancel = individual_request_cancel;
    memset(&request->transfer, 0, sizeof(request->transfer));
}

static void individual_destruct(request_t *request)
{
    OMPI_REQUEST_FINI(&request->super);
}

static OBJ_CLASS_INSTANCE(request_t, ompi_request_t, individual_construct, individual_destruct);

static void individual_start(request_t *request)
{
    bool first;

    if (0 != collio_access_start(&request->transfer.job)) { /* no thread available */
        collio_access_run(&request->transfer.job);
        request->transfer.job.done = 1;
    }
    OBJ_RETAIN(request); /* the operation's reference */
    pthread_mutex_lock(&mutex);
    first = !registered;
    registered = true;
    request->next = in_flight;
    in_flight = request;
    pthread_mutex_unlock(&mutex);
    if (first) {
        opal_progress_register(individual_progress);
    }
}

int collio_individual_start(ompi_file_t *file, const collio_call_t *call, ompi_request_t **result)
{
    request_t *request = OBJ_NEW(request_t);
    int rc;

    if (NULL == request) {
        return MPI_ERR_NO_MEM;
    }
    rc = individual_begin(file, call, &request->transfer);
    if (MPI_SUCCESS != rc) {
        OBJ_RELEASE(request);
        return rc;
    }
    request->super.req_state = OMPI_REQUEST_ACTIVE;
    request->super.req_mpi_object.file = file;
    *result = &request->super;
    if (0 < request->transfer.request.bytes) {
        individual_start(request);
    } else {
        individual_complete(request, false);
    }
    return MPI_SUCCESS;
}

/* Defines two entries of the table: at the file pointer, and at an offset. */
#define ENTRIES(name, writes, buffer_type, how, result_type)                                     \
    static COLLIO_ENTRY(                                                                         \
        file_##name, ompi_file_t, writes, buffer_type, how,                                      \
        result_type) static int file_##name##_at(ompi_file_t *file, OMPI_MPI_OFFSET_TYPE offset, \
                                                 buffer_type buffer, collio_count_t count,       \
                                                 ompi_datatype_t *type, result_type result)      \
    {                                                                                            \
        collio_call_t call = {writes, (void *) buffer, (size_t) count, type, true, offset};      \
                                                                                                 \
        return how(file, &call, result);                                                         \
    }

ENTRIES(write, true, const void *, collio_individual_run, ompi_status_public_t *)
ENTRIES(iwrite, true, const void *, collio_individual_start, ompi_request_t **)
ENTRIES(read, false, void *, collio_individual_run, ompi_status_public_t *)
ENTRIES(iread, false, void *, collio_individual_start, ompi_request_t **)

static void wait_for_calls(ompio_file_t *fh)
{
    while (is_busy(fh->f_fh)) {
        opal_progress();
        sched_yield(); /* the transfers may need the core */
    }
}

/* For a handle whose fbtl does not free the record. */
static void wait_and_end(ompio_file_t *fh)
{
    wait_for_calls(fh);
    collio_individual_end(fh);
}

/* True if fbtl/mtpwrite serves the file. */
static bool is_served(const collio_hook_t *hook)
{
    return NULL != collio_handle_get(hook->fh, COLLIO_PLACE_GUARD);
}

void collio_individual_watch(collio_hook_t *hook)
{
    collio_hook_on_close(hook, is_served(hook) ? wait_for_calls : wait_and_end);
}

void collio_individual_view(ompi_file_t *file)
{
    collio_handle_t *handle = collio_handle_of(file);
    ompio_file_t *fh = NULL == handle ? NULL : handle->fh;
    collio_individual_t *own;
    collio_flat_t *shape;

    if (NULL == fh || NULL == handle->place[COLLIO_PLACE_GUARD] || !collio_lockahead_at_view(fh)) {
        return;
    }
    OPAL_THREAD_LOCK(&file->f_lock);
    own = collio_individual_get(fh);
    if (NULL != own && 0 < COLLIO_FVIEW(fh).f_iov_count
        && 0 == collio_flat_view(fh, collio_flat_cache(handle), &shape)) {
        collio_tiling_t view = shape->tiling;
        collio_job_t job = {.access = &own->access,
                            .write = 0 == (fh->f_amode & MPI_MODE_RDONLY),
                            .file = &view,
                            .bytes = view.dense ? 0 : view.size};

        view.base = (int64_t) COLLIO_FVIEW(fh).f_disp;
        collio_lockahead_pieces(fh, &job, &own->covered);
        collio_flat_release(shape);
    }
    OPAL_THREAD_UNLOCK(&file->f_lock);
}

/* Copies the entries of individual reads and writes. */
static void set_entries(const collio_io_table_t *from, collio_io_table_t *to)
{
    to->io_module_file_write = from->io_module_file_write;
    to->io_module_file_write_at = from->io_module_file_write_at;
    to->io_module_file_iwrite = from->io_module_file_iwrite;
    to->io_module_file_iwrite_at = from->io_module_file_iwrite_at;
    to->io_module_file_read = from->io_module_file_read;
    to->io_module_file_read_at = from->io_module_file_read_at;
    to->io_module_file_iread = from->io_module_file_iread;
    to->io_module_file_iread_at = from->io_module_file_iread_at;
}

void collio_individual_install(collio_hook_t *hook)
{
    static const collio_io_table_t own = {.io_module_file_write = file_write,
                                          .io_module_file_write_at = file_write_at,
                                          .io_module_file_iwrite = file_iwrite,
                                          .io_module_file_iwrite_at = file_iwrite_at,
                                          .io_module_file_read = file_read,
                                          .io_module_file_read_at = file_read_at,
                                          .io_module_file_iread = file_iread,
                                          .io_module_file_iread_at = file_iread_at};

    set_entries(&own, &COLLIO_IO_TABLE(hook->file));
}

void collio_individual_set_atomic(collio_hook_t *hook, bool atomic)
{
    if (is_served(hook)) {
        return;
    }
    if (atomic) {
        collio_individual_install(hook);
        collio_individual_watch(hook);
    } else {
        set_entries(&hook->original, &COLLIO_IO_TABLE(hook->file));
    }
}
