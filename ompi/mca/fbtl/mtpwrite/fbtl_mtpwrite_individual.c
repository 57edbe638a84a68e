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

#include "ompi/mca/common/collio/access/engine.h"
#include "ompi/mca/common/collio/compat/error.h"
#include "ompi/mca/common/collio/hook/hook.h"
#include "ompi/mca/common/collio/ompio/entries.h"

/* A call, whichever of the eight it is. */
struct call {
    ompi_file_t *file;
    bool write;
    bool at; /* explicit offset */
    OMPI_MPI_OFFSET_TYPE offset;
    void *buf;
    size_t count;
    ompi_datatype_t *type;
};

static ompio_file_t *handle_of(ompi_file_t *file)
{
    return &((mca_common_ompio_data_t *) file->f_io_selected_data)->ompio_fh;
}

/* The buffer as it is, or packed by the convertor. */
static int prepare_memory(struct call *call, ompio_file_t *fh,
                          mca_fbtl_mtpwrite_transfer_t *transfer)
{
    collio_job_t *job = &transfer->job;
    collio_extent_t all = {.offset = 0};
    size_t type_bytes;
    int rc;

    if (!collio_view_stage_needed(fh, call->buf, call->count, call->type)) {
        rc = collio_flat_type(fh, call->type, &transfer->type);
        if (0 == rc) {
            job->memory = &transfer->type->tiling;
            job->base = call->buf;
            opal_datatype_type_size(&call->type->super, &type_bytes);
            rc = __builtin_mul_overflow(call->count, type_bytes, &job->bytes) ? -EOVERFLOW : 0;
        }
        return rc;
    }
    transfer->staged = true;
    rc = collio_stage_init(&transfer->stage, fh, call->write, call->buf, call->count, call->type);
    if (0 == rc) {
        all.length = (int64_t) transfer->stage.bytes;
        rc = collio_tiling_init(&transfer->packed, 0, all.length, &all, 1);
        job->memory = &transfer->packed;
        job->base = transfer->stage.packed;
        job->bytes = all.length;
    }
    return rc;
}

/* Everything that needs the file's lock. */
static int prepare(struct call *call, mca_fbtl_mtpwrite_transfer_t *transfer)
{
    ompio_file_t *fh = handle_of(call->file);
    mca_fbtl_mtpwrite_file_t *file = mca_fbtl_mtpwrite_file_get(fh);
    collio_job_t *job = &transfer->job;
    int64_t lo, hi;
    int rc;

    if (NULL == file) {
        return -ENOMEM;
    }
    job->access = &file->access;
    job->write = call->write;
    rc = collio_flat_view(fh, &transfer->view);
    if (0 == rc) {
        rc = prepare_memory(call, fh, transfer);
    }
    if (0 != rc) {
        return rc;
    }
    job->file = &transfer->view->tiling;
    job->first = collio_view_position(fh);
    if (call->at
        && __builtin_mul_overflow(call->offset, COLLIO_FVIEW(fh).f_etype_size, &job->first)) {
        return -EOVERFLOW;
    }
    rc = collio_tiling_range(job->file, job->first, job->bytes, &lo, &hi);
    if (0 == rc && !call->at) {
        rc = collio_view_advance(fh, job->bytes);
    }
    if (0 == rc) {
        collio_lockahead_pieces(fh, job->file, job->first, job->bytes, job->write, &file->covered);
    }
    return rc;
}

/* MPI_SUCCESS and *transfer == NULL: there is nothing to do. */
static int begin(struct call *call, mca_fbtl_mtpwrite_transfer_t **transfer)
{
    ompio_file_t *fh = handle_of(call->file);
    int rc;

    *transfer = NULL;
    if (call->write && (fh->f_amode & MPI_MODE_RDONLY)) {
        return MPI_ERR_READ_ONLY;
    }
    if (!call->write && (fh->f_amode & MPI_MODE_WRONLY)) {
        return MPI_ERR_ACCESS;
    }
    if (0 == call->count || 0 == call->type->super.size || 0 == COLLIO_FVIEW(fh).f_iov_count) {
        return MPI_SUCCESS;
    }
    *transfer = mca_fbtl_mtpwrite_transfer_new();
    if (NULL == *transfer) {
        return MPI_ERR_NO_MEM;
    }
    OPAL_THREAD_LOCK(&call->file->f_lock);
    rc = prepare(call, *transfer);
    OPAL_THREAD_UNLOCK(&call->file->f_lock);
    if (0 != rc) {
        mca_fbtl_mtpwrite_transfer_free(*transfer);
        *transfer = NULL;
        return -EINVAL == rc ? MPI_ERR_TYPE : collio_error_class(-rc);
    }
    return MPI_SUCCESS;
}

static int blocking(struct call *call, ompi_status_public_t *status)
{
    mca_fbtl_mtpwrite_transfer_t *transfer;
    size_t bytes = 0;
    int rc = begin(call, &transfer);

    if (NULL != transfer) {
        collio_engine_perform(&transfer->job);
        rc = mca_fbtl_mtpwrite_transfer_finish(transfer, &bytes);
        mca_fbtl_mtpwrite_transfer_free(transfer);
    }
    if (MPI_STATUS_IGNORE != status) {
        status->_ucount = bytes;
    }
    return rc;
}

static int nonblocking(struct call *call, ompi_request_t **request)
{
    mca_fbtl_mtpwrite_transfer_t *transfer;
    int rc = begin(call, &transfer);

    if (MPI_SUCCESS != rc) {
        return rc;
    }
    if (NULL != transfer) {
        mca_fbtl_mtpwrite_transfer_start(transfer);
    }
    *request = mca_fbtl_mtpwrite_request_new(call->file, transfer);
    return NULL == *request ? MPI_ERR_NO_MEM : MPI_SUCCESS;
}

/* Two entries of the table: at the file pointer, and at an offset. */
#define ENTRIES(name, writes, buffer_type, how, result_type)                                     \
    static int file_##name(ompi_file_t *file, buffer_type buf, collio_count_t count,             \
                           struct ompi_datatype_t *type, result_type result)                     \
    {                                                                                            \
        struct call call = {.file = file,                                                        \
                            .write = (writes),                                                   \
                            .buf = (void *) buf,                                                 \
                            .count = (size_t) count,                                             \
                            .type = type};                                                       \
                                                                                                 \
        return how(&call, result);                                                               \
    }                                                                                            \
    static int file_##name##_at(ompi_file_t *file, OMPI_MPI_OFFSET_TYPE offset, buffer_type buf, \
                                collio_count_t count, struct ompi_datatype_t *type,              \
                                result_type result)                                              \
    {                                                                                            \
        struct call call = {.file = file,                                                        \
                            .write = (writes),                                                   \
                            .at = true,                                                          \
                            .offset = offset,                                                    \
                            .buf = (void *) buf,                                                 \
                            .count = (size_t) count,                                             \
                            .type = type};                                                       \
                                                                                                 \
        return how(&call, result);                                                               \
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
