/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * The fcoll module for OMPIO: module functions, and the per-file entries that return true counts.
 */
#include "ompio/fcoll.h"

#include <errno.h>

#include "access/access.h"
#include "call/op.h"
#include "compat/verbose.h"
#include "cycles/cycles.h"
#include "ompio/entries.h"
#include "ompio/named.h"
#include "open/attach.h"

#include "ompi/mca/fcoll/base/base.h"

int collio_fcoll_register(collio_component_t *component, const mca_base_component_t *mca)
{
    component->named = collio_named(&ompi_fcoll_base_framework, component->name);
    collio_stats_register(&component->stats, component->two_layers, mca);
    component->transports = collio_transports;
    return collio_settings_register(component, mca);
}

int collio_fcoll_open(void)
{
    int rc = collio_open();

    collio_sharedfp_select();
    return rc;
}

int collio_fcoll_close(void)
{
    collio_sharedfp_release();
    return collio_close();
}

mca_fcoll_base_module_t *collio_fcoll_file_query(const collio_component_t *component,
                                                 mca_fcoll_base_module_t *module, ompio_file_t *fh,
                                                 int *priority)
{
    *priority = component->parameters.priority;
    if (NULL != fh) { /* NULL: a query without a file */
        COLLIO_SHOW_ROOT(fcoll, SELECT, fh, "fcoll/%s: %s: %s, priority %d", component->name,
                         fh->f_filename, *priority > 0 ? "available" : "not available", *priority);
    }
    return *priority > 0 ? module : NULL;
}

int collio_fcoll_finalize(ompio_file_t *fh)
{
    collio_file_detach(fh);
    return OMPI_SUCCESS;
}

static int blocking(ompio_file_t *fh, const collio_call_t *call, ompi_status_public_t *status)
{
    collio_file_t *file = collio_file_find(fh);
    collio_op_t *op;
    int64_t bytes = 0;
    int rc = collio_request_check_mode(fh, call->write);

    if (NULL == file || OMPI_SUCCESS != file->refused) {
        return NULL == file ? MPI_ERR_ARG : file->refused;
    }
    if (OMPI_SUCCESS != rc) {
        file->queue->last_bytes = 0;
        return rc;
    }
    op = collio_op_start(file, call, NULL);
    if (NULL == op) {
        return MPI_ERR_NO_MEM;
    }
    rc = collio_op_wait(op, &bytes);
    file->queue->last_bytes = bytes;
    if (MPI_STATUS_IGNORE != status) {
        status->_ucount = (size_t) bytes;
    }
    return rc;
}

static int nonblocking(ompio_file_t *fh, const collio_call_t *call, ompi_request_t **request)
{
    collio_file_t *file = collio_file_find(fh);
    ompi_request_t *mine;
    int rc = collio_request_check_mode(fh, call->write);

    if (NULL == file || OMPI_SUCCESS != file->refused) {
        return NULL == file ? MPI_ERR_ARG : file->refused;
    }
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    mine = collio_mpi_request_new(file);
    if (NULL == mine) {
        return MPI_ERR_NO_MEM;
    }
    *request = mine;
    mine->req_mpi_object.file = fh->f_fh; /* MPI_Wait uses the error handler of this file */
    if (NULL == collio_op_start(file, call, mine)) {
        OBJ_RELEASE(mine);
        return MPI_ERR_NO_MEM;
    }
    (void) collio_op_progress(file);
    return OMPI_SUCCESS;
}

COLLIO_ENTRY(collio_fcoll_write_all, ompio_file_t, true, const void *, blocking,
             ompi_status_public_t *)
COLLIO_ENTRY(collio_fcoll_read_all, ompio_file_t, false, void *, blocking, ompi_status_public_t *)
COLLIO_ENTRY(collio_fcoll_iwrite_all, ompio_file_t, true, const void *, nonblocking,
             ompi_request_t **)
COLLIO_ENTRY(collio_fcoll_iread_all, ompio_file_t, false, void *, nonblocking, ompi_request_t **)

static bool ours(const collio_handle_t *handle)
{
    return collio_fcoll_write_all == handle->fh->f_fcoll->fcoll_file_write_all;
}

/* io/ompio computes the position of an explicit offset without overflow checks. This function
 * replaces an offset that would wrap by 0, and stores an error for the next call on the file: this
 * rank takes part in the call, which then fails on all ranks. */
static MPI_Offset check_offset(const collio_handle_t *handle, MPI_Offset offset)
{
    collio_file_t *file = handle->place[COLLIO_PLACE_FCOLL];

    if (!ours(handle) || collio_view_reaches(handle->fh, offset)) {
        return offset;
    }
    if (NULL != file && NULL != file->queue) {
        file->queue->refusal = EOVERFLOW;
    }
    return 0;
}

/* Clears the error that check_offset stored, because io/ompio may have returned without calling the
 * fcoll. Returns the queue of the file, or NULL. */
static collio_queue_t *end_call(const collio_handle_t *handle)
{
    const collio_file_t *file = handle->place[COLLIO_PLACE_FCOLL];

    if (NULL == file || NULL == file->queue) {
        return NULL;
    }
    file->queue->refusal = 0;
    return file->queue;
}

/* After a blocking collective call: replaces the status that io/ompio's entry has written, unless
 * the current fcoll of the file is a stock component. */
static void end_blocking(const collio_handle_t *handle, int rc, ompi_status_public_t *status)
{
    const collio_queue_t *queue = end_call(handle);

    if (MPI_STATUS_IGNORE != status && ours(handle)) {
        status->_ucount = NULL == queue ? 0 : (size_t) queue->last_bytes;
        status->MPI_ERROR = rc;
    }
}

static void end_nonblocking(const collio_handle_t *handle, int rc, ompi_request_t **request)
{
    (void) rc;
    (void) request;
    (void) end_call(handle);
}

#define ENTRY_ALL(name, buffer_type)                                                           \
    static int file_##name(ompi_file_t *fh, buffer_type buffer, collio_count_t count,          \
                           ompi_datatype_t *type, ompi_status_public_t *status)                \
    {                                                                                          \
        collio_handle_t *handle = collio_handle_of(fh);                                        \
        int rc = handle->hook.original.io_module_file_##name(fh, buffer, count, type, status); \
                                                                                               \
        end_blocking(handle, rc, status);                                                      \
        return rc;                                                                             \
    }

#define ENTRY_AT_ALL(name, buffer_type, result_type, end)                                      \
    static int file_##name(ompi_file_t *fh, MPI_Offset offset, buffer_type buffer,             \
                           collio_count_t count, ompi_datatype_t *type, result_type result)    \
    {                                                                                          \
        collio_handle_t *handle = collio_handle_of(fh);                                        \
        int rc = handle->hook.original.io_module_file_##name(fh, check_offset(handle, offset), \
                                                             buffer, count, type, result);     \
                                                                                               \
        end(handle, rc, result);                                                               \
        return rc;                                                                             \
    }

#define ENTRY_BEGIN(name, buffer_type)                                                         \
    static int file_##name(ompi_file_t *fh, MPI_Offset offset, buffer_type buffer,             \
                           collio_count_t count, ompi_datatype_t *type)                        \
    {                                                                                          \
        collio_handle_t *handle = collio_handle_of(fh);                                        \
        int rc = handle->hook.original.io_module_file_##name(fh, check_offset(handle, offset), \
                                                             buffer, count, type);             \
                                                                                               \
        (void) end_call(handle);                                                               \
        return rc;                                                                             \
    }

ENTRY_ALL(write_all, const void *)
ENTRY_ALL(read_all, void *)
ENTRY_AT_ALL(write_at_all, const void *, ompi_status_public_t *, end_blocking)
ENTRY_AT_ALL(read_at_all, void *, ompi_status_public_t *, end_blocking)
ENTRY_AT_ALL(iwrite_at_all, const void *, ompi_request_t **, end_nonblocking)
ENTRY_AT_ALL(iread_at_all, void *, ompi_request_t **, end_nonblocking)
ENTRY_BEGIN(write_at_all_begin, const void *)
ENTRY_BEGIN(read_at_all_begin, void *)

static void patch_table(collio_hook_t *hook)
{
    collio_io_table_t *table = &COLLIO_IO_TABLE(hook->file);

    table->io_module_file_write_all = file_write_all;
    table->io_module_file_read_all = file_read_all;
    table->io_module_file_write_at_all = file_write_at_all;
    table->io_module_file_read_at_all = file_read_at_all;
    table->io_module_file_iwrite_at_all = file_iwrite_at_all;
    table->io_module_file_iread_at_all = file_iread_at_all;
    table->io_module_file_write_at_all_begin = file_write_at_all_begin;
    table->io_module_file_read_at_all_begin = file_read_at_all_begin;
    collio_entries_install(hook);
}

int collio_fcoll_init(ompio_file_t *fh, collio_component_t *component)
{
    collio_file_t *file = collio_file_attach(fh, component);
    collio_hook_t *hook = NULL == file ? NULL : collio_hook_get(fh);

    if (NULL != hook) {
        patch_table(hook);
    }
    return NULL == file ? MPI_ERR_ARG : file->refused;
}
