/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_File_{i}{read,write}{,_at}: our entries of the file's table (see hook.h).
 *
 * io/ompio would flatten the buffer anew, build one long list serially, and only then call the
 * fbtl. Here the view and the datatype come flattened from the file's cache, the file pointer is
 * moved by arithmetic, and collio builds, packs and transfers, with threads if there are any.
 *
 *   lock the file; view, buffer, position; move the pointer; unlock; transfer; status
 *
 * The lock is not held during the transfer: the file pointer moves when a call starts, as MPI has
 * it, so threads' calls on one handle overlap. Nothing goes back to io/ompio's own code.
 */
#include "fbtl_mtpwrite_internal.h"

#include <errno.h>
#include <stdlib.h>

#include "ompi/mca/common/collio/compat/error.h"
#include "ompi/mca/common/collio/hook/hook.h"
#include "ompi/mca/common/collio/ompio/entries.h"

static ompio_file_t *handle_of(ompi_file_t *file)
{
    return &((mca_common_ompio_data_t *) file->f_io_selected_data)->ompio_fh;
}

/* Everything that needs the file's lock. */
static int prepare(ompio_file_t *fh, const collio_call_t *call,
                   mca_fbtl_mtpwrite_transfer_t *transfer)
{
    mca_fbtl_mtpwrite_file_t *file = mca_fbtl_mtpwrite_file_get(fh);
    int rc;

    if (NULL == file) {
        return -ENOMEM;
    }
    rc = collio_request_init(&transfer->request, fh, call);
    if (0 == rc) {
        collio_request_job(&transfer->request, fh, call->write, &file->access, &file->covered,
                           &transfer->job);
    }
    return rc;
}

/* MPI_SUCCESS and *transfer == NULL: there is nothing to do. */
static int begin(ompi_file_t *file, const collio_call_t *call,
                 mca_fbtl_mtpwrite_transfer_t **transfer)
{
    ompio_file_t *fh = handle_of(file);
    int rc = collio_request_check_mode(fh, call->write);

    *transfer = NULL;
    if (MPI_SUCCESS != rc || 0 == call->count || 0 == call->type->super.size
        || 0 == COLLIO_FVIEW(fh).f_iov_count) {
        return rc;
    }
    *transfer = mca_fbtl_mtpwrite_transfer_new();
    if (NULL == *transfer) {
        return MPI_ERR_NO_MEM;
    }
    OPAL_THREAD_LOCK(&file->f_lock);
    rc = prepare(fh, call, *transfer);
    OPAL_THREAD_UNLOCK(&file->f_lock);
    if (0 == rc) {
        return MPI_SUCCESS;
    }
    mca_fbtl_mtpwrite_transfer_free(*transfer);
    *transfer = NULL;
    return -EINVAL == rc ? MPI_ERR_TYPE : collio_error_class(-rc);
}

static int blocking(ompi_file_t *file, const collio_call_t *call, ompi_status_public_t *status)
{
    mca_fbtl_mtpwrite_transfer_t *transfer;
    size_t bytes = 0;
    int rc = begin(file, call, &transfer);

    if (NULL != transfer) {
        collio_access_run(&transfer->job);
        rc = mca_fbtl_mtpwrite_transfer_finish(transfer, &bytes);
        mca_fbtl_mtpwrite_transfer_free(transfer);
    }
    if (MPI_STATUS_IGNORE != status) {
        status->_ucount = bytes;
    }
    return rc;
}

static int nonblocking(ompi_file_t *file, const collio_call_t *call, ompi_request_t **request)
{
    mca_fbtl_mtpwrite_transfer_t *transfer;
    int rc = begin(file, call, &transfer);

    if (MPI_SUCCESS != rc) {
        return rc;
    }
    if (NULL != transfer) {
        mca_fbtl_mtpwrite_transfer_start(transfer);
    }
    *request = mca_fbtl_mtpwrite_request_new(file, transfer);
    return NULL == *request ? MPI_ERR_NO_MEM : MPI_SUCCESS;
}

/* Two entries of the table: at the file pointer, and at an offset. */
#define ENTRIES(name, writes, buffer_type, how, result_type)                                      \
    static int file_##name(ompi_file_t *file, buffer_type buffer, collio_count_t count,           \
                           struct ompi_datatype_t *type, result_type result)                      \
    {                                                                                             \
        collio_call_t call = {                                                                    \
            .write = (writes), .buffer = (void *) buffer, .count = (size_t) count, .type = type}; \
                                                                                                  \
        return how(file, &call, result);                                                          \
    }                                                                                             \
    static int file_##name##_at(ompi_file_t *file, OMPI_MPI_OFFSET_TYPE offset,                   \
                                buffer_type buffer, collio_count_t count,                         \
                                struct ompi_datatype_t *type, result_type result)                 \
    {                                                                                             \
        collio_call_t call = {.write = (writes),                                                  \
                              .buffer = (void *) buffer,                                          \
                              .count = (size_t) count,                                            \
                              .type = type,                                                       \
                              .explicit_offset = true,                                            \
                              .offset = offset};                                                  \
                                                                                                  \
        return how(file, &call, result);                                                          \
    }

ENTRIES(write, true, const void *, blocking, ompi_status_public_t *)
ENTRIES(iwrite, true, const void *, nonblocking, ompi_request_t **)
ENTRIES(read, false, void *, blocking, ompi_status_public_t *)
ENTRIES(iread, false, void *, nonblocking, ompi_request_t **)

/* A freed request may still be under way. */
static void on_close(ompio_file_t *fh, void *file)
{
    (void) fh;
    mca_fbtl_mtpwrite_request_drain(file);
}

int mca_fbtl_mtpwrite_individual_install(ompio_file_t *fh,
                                         const mca_fbtl_mtpwrite_settings_t *settings)
{
    collio_hook_table_t *table;
    collio_hook_t *hook = collio_hook_get(fh);

    if (NULL == hook) {
        return 0; /* not an MPI file's handle: what comes, comes through the module */
    }
    table = collio_hook_table(hook);
    table->io_module_file_write = file_write;
    table->io_module_file_write_at = file_write_at;
    table->io_module_file_iwrite = file_iwrite;
    table->io_module_file_iwrite_at = file_iwrite_at;
    table->io_module_file_read = file_read;
    table->io_module_file_read_at = file_read_at;
    table->io_module_file_iread = file_iread;
    table->io_module_file_iread_at = file_iread_at;
    collio_entries_install(hook);
    mca_fbtl_mtpwrite_settings_publish(fh, settings);
    if (settings->report) { /* runs after on_close() */
        (void) collio_hook_on_close(hook, mca_fbtl_mtpwrite_report, NULL);
    }
    return collio_hook_on_close(hook, on_close, hook->file);
}
