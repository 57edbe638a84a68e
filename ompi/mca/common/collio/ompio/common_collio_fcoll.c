/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/**
 * The face of the engine towards OMPIO: module functions, and the per-file entries that make the
 * counts true.
 */
#include "ompio/common_collio_fcoll.h"

#include <errno.h>

#include "access/common_collio_access.h"
#include "call/common_collio_op.h"
#include "call/common_collio_request.h"
#include "compat/common_collio_verbose.h"
#include "ompio/common_collio_entries.h"
#include "ompio/common_collio_named.h"
#include "open/common_collio_attach.h"

#include "ompi/mca/fcoll/base/base.h"

int mca_common_collio_fcoll_register(mca_common_collio_component_t *component,
                                     const mca_base_component_t *mca)
{
    bool alone;

    component->named = mca_common_collio_named(&ompi_fcoll_base_framework, component->name, &alone);
    mca_common_collio_stats_register(&component->stats, component->two_layers, mca);
    return mca_common_collio_settings_register(component, mca);
}

int mca_common_collio_fcoll_open(void)
{
    mca_common_collio_open();
    mca_common_collio_sharedfp_select();
    return OMPI_SUCCESS;
}

int mca_common_collio_fcoll_close(void)
{
    mca_common_collio_sharedfp_release();
    mca_common_collio_close();
    return OMPI_SUCCESS;
}

int mca_common_collio_fcoll_init_query(bool enable_progress_threads, bool enable_mpi_threads)
{
    (void) enable_progress_threads;
    (void) enable_mpi_threads;
    return OMPI_SUCCESS;
}

mca_fcoll_base_module_t *
mca_common_collio_fcoll_file_query(const mca_common_collio_component_t *component,
                                   mca_fcoll_base_module_t *module, ompio_file_t *fh, int *priority)
{
    *priority = component->parameters.priority;
    if (NULL != fh) { /* NULL: a question that is not about a file */
        MCA_COMMON_COLLIO_SHOW_ROOT(fcoll, SELECT, fh, "fcoll/%s: %s: %s, priority %d",
                                    component->name, fh->f_filename,
                                    *priority > 0 ? "available" : "not available", *priority);
    }
    return *priority > 0 ? module : NULL;
}

int mca_common_collio_fcoll_file_unquery(ompio_file_t *fh)
{
    (void) fh;
    return OMPI_SUCCESS;
}

int mca_common_collio_fcoll_finalize(ompio_file_t *fh)
{
    mca_common_collio_file_detach(fh);
    return OMPI_SUCCESS;
}

/* The access mode is the same on every rank, so all of them stop here or none. */
static int check_mode(const ompio_file_t *fh, bool write)
{
    if (write && 0 != (fh->f_amode & MPI_MODE_RDONLY)) {
        return MPI_ERR_READ_ONLY;
    }
    return !write && 0 != (fh->f_amode & MPI_MODE_WRONLY) ? MPI_ERR_ACCESS : OMPI_SUCCESS;
}

static int blocking(ompio_file_t *fh, bool write, void *buffer, size_t count, ompi_datatype_t *type,
                    ompi_status_public_t *status)
{
    mca_common_collio_file_t *file = mca_common_collio_file_find(fh);
    mca_common_collio_op_t *op;
    int64_t bytes = 0;
    int rc = check_mode(fh, write);

    if (NULL == file || OMPI_SUCCESS != file->refused) {
        return NULL == file ? MPI_ERR_ARG : file->refused;
    }
    if (OMPI_SUCCESS != rc) {
        file->queue->last_bytes = 0;
        return rc;
    }
    op = mca_common_collio_op_start(file, write, NULL, buffer, count, type);
    if (NULL == op) {
        return MPI_ERR_NO_MEM;
    }
    rc = mca_common_collio_op_wait(op, &bytes);
    file->queue->last_bytes = bytes;
    if (MPI_STATUS_IGNORE != status) {
        status->_ucount = (size_t) bytes;
    }
    return rc;
}

static int nonblocking(ompio_file_t *fh, bool write, void *buffer, size_t count,
                       ompi_datatype_t *type, ompi_request_t **request)
{
    mca_common_collio_file_t *file = mca_common_collio_file_find(fh);
    mca_common_collio_request_t *mine;
    int rc = check_mode(fh, write);

    if (NULL == file || OMPI_SUCCESS != file->refused) {
        return NULL == file ? MPI_ERR_ARG : file->refused;
    }
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    mine = mca_common_collio_request_new(file);
    if (NULL == mine) {
        return MPI_ERR_NO_MEM;
    }
    *request = &mine->super;
    mine->super.req_mpi_object.file = fh->f_fh; /* whose error handler MPI_Wait asks */
    if (NULL == mca_common_collio_op_start(file, write, mine, buffer, count, type)) {
        OBJ_RELEASE(mine);
        return MPI_ERR_NO_MEM;
    }
    (void) mca_common_collio_op_progress(file);
    return OMPI_SUCCESS;
}

int mca_common_collio_fcoll_write_all(ompio_file_t *fh, const void *buffer,
                                      mca_common_collio_count_t count, ompi_datatype_t *type,
                                      ompi_status_public_t *status)
{
    return blocking(fh, true, (void *) buffer, (size_t) count, type, status);
}

int mca_common_collio_fcoll_read_all(ompio_file_t *fh, void *buffer,
                                     mca_common_collio_count_t count, ompi_datatype_t *type,
                                     ompi_status_public_t *status)
{
    return blocking(fh, false, buffer, (size_t) count, type, status);
}

int mca_common_collio_fcoll_iwrite_all(ompio_file_t *fh, const void *buffer,
                                       mca_common_collio_count_t count, ompi_datatype_t *type,
                                       ompi_request_t **request)
{
    return nonblocking(fh, true, (void *) buffer, (size_t) count, type, request);
}

int mca_common_collio_fcoll_iread_all(ompio_file_t *fh, void *buffer,
                                      mca_common_collio_count_t count, ompi_datatype_t *type,
                                      ompi_request_t **request)
{
    return nonblocking(fh, false, buffer, (size_t) count, type, request);
}

static bool ours(const mca_common_collio_hook_t *hook)
{
    return mca_common_collio_fcoll_write_all == hook->fh->f_fcoll->fcoll_file_write_all;
}

/* The error of the next call on this file; 0 when io/ompio has returned, which may not have called
 * the fcoll. */
static void set_refusal(const mca_common_collio_hook_t *hook, int error)
{
    mca_common_collio_file_t *file = mca_common_collio_file_find(hook->fh);

    if (NULL != file && NULL != file->queue) {
        file->queue->refusal = error;
    }
}

/* io/ompio computes the position of an explicit offset without overflow checks. An offset that
 * would wrap is replaced, and the engine is told: this rank takes part, and the call fails on all
 * ranks. */
static MPI_Offset check_offset(mca_common_collio_hook_t *hook, MPI_Offset offset)
{
    if (!ours(hook) || mca_common_collio_view_reaches(hook->fh, offset)) {
        return offset;
    }
    set_refusal(hook, EOVERFLOW);
    return 0;
}

/* The status of a blocking collective, after io/ompio's entry has written what it likes. A file
 * whose current fcoll is not ours keeps io/ompio's. */
static void correct(mca_common_collio_hook_t *hook, int rc, ompi_status_public_t *status)
{
    mca_common_collio_file_t *file = mca_common_collio_file_find(hook->fh);

    set_refusal(hook, 0);
    if (NULL != file && MPI_STATUS_IGNORE != status && ours(hook)) {
        status->_ucount = NULL == file->queue ? 0 : (size_t) file->queue->last_bytes;
        status->MPI_ERROR = rc;
    }
}

static int file_write_all(ompi_file_t *fh, const void *buffer, mca_common_collio_count_t count,
                          ompi_datatype_t *type, ompi_status_public_t *status)
{
    mca_common_collio_hook_t *hook = mca_common_collio_hook_find(fh);
    int rc = hook->original.io_module_file_write_all(fh, buffer, count, type, status);

    correct(hook, rc, status);
    return rc;
}

static int file_read_all(ompi_file_t *fh, void *buffer, mca_common_collio_count_t count,
                         ompi_datatype_t *type, ompi_status_public_t *status)
{
    mca_common_collio_hook_t *hook = mca_common_collio_hook_find(fh);
    int rc = hook->original.io_module_file_read_all(fh, buffer, count, type, status);

    correct(hook, rc, status);
    return rc;
}

static int file_write_at_all(ompi_file_t *fh, MPI_Offset offset, const void *buffer,
                             mca_common_collio_count_t count, ompi_datatype_t *type,
                             ompi_status_public_t *status)
{
    mca_common_collio_hook_t *hook = mca_common_collio_hook_find(fh);
    int rc = hook->original.io_module_file_write_at_all(fh, check_offset(hook, offset), buffer,
                                                        count, type, status);

    correct(hook, rc, status);
    return rc;
}

static int file_read_at_all(ompi_file_t *fh, MPI_Offset offset, void *buffer,
                            mca_common_collio_count_t count, ompi_datatype_t *type,
                            ompi_status_public_t *status)
{
    mca_common_collio_hook_t *hook = mca_common_collio_hook_find(fh);
    int rc = hook->original.io_module_file_read_at_all(fh, check_offset(hook, offset), buffer,
                                                       count, type, status);

    correct(hook, rc, status);
    return rc;
}

static int file_iwrite_at_all(ompi_file_t *fh, MPI_Offset offset, const void *buffer,
                              mca_common_collio_count_t count, ompi_datatype_t *type,
                              ompi_request_t **request)
{
    mca_common_collio_hook_t *hook = mca_common_collio_hook_find(fh);
    int rc = hook->original.io_module_file_iwrite_at_all(fh, check_offset(hook, offset), buffer,
                                                         count, type, request);

    set_refusal(hook, 0);
    return rc;
}

static int file_write_at_all_begin(ompi_file_t *fh, MPI_Offset offset, const void *buffer,
                                   mca_common_collio_count_t count, ompi_datatype_t *type)
{
    mca_common_collio_hook_t *hook = mca_common_collio_hook_find(fh);
    int rc = hook->original.io_module_file_write_at_all_begin(fh, check_offset(hook, offset),
                                                              buffer, count, type);

    set_refusal(hook, 0);
    return rc;
}

static int file_iread_at_all(ompi_file_t *fh, MPI_Offset offset, void *buffer,
                             mca_common_collio_count_t count, ompi_datatype_t *type,
                             ompi_request_t **request)
{
    mca_common_collio_hook_t *hook = mca_common_collio_hook_find(fh);
    int rc = hook->original.io_module_file_iread_at_all(fh, check_offset(hook, offset), buffer,
                                                        count, type, request);

    set_refusal(hook, 0);
    return rc;
}

static int file_read_at_all_begin(ompi_file_t *fh, MPI_Offset offset, void *buffer,
                                  mca_common_collio_count_t count, ompi_datatype_t *type)
{
    mca_common_collio_hook_t *hook = mca_common_collio_hook_find(fh);
    int rc = hook->original.io_module_file_read_at_all_begin(fh, check_offset(hook, offset), buffer,
                                                             count, type);

    set_refusal(hook, 0);
    return rc;
}

static void patch_table(mca_common_collio_hook_t *hook)
{
    mca_common_collio_hook_table_t *table = mca_common_collio_hook_table(hook);

    table->io_module_file_write_all = file_write_all;
    table->io_module_file_read_all = file_read_all;
    table->io_module_file_write_at_all = file_write_at_all;
    table->io_module_file_read_at_all = file_read_at_all;
    table->io_module_file_iwrite_at_all = file_iwrite_at_all;
    table->io_module_file_iread_at_all = file_iread_at_all;
    table->io_module_file_write_at_all_begin = file_write_at_all_begin;
    table->io_module_file_read_at_all_begin = file_read_at_all_begin;
    mca_common_collio_entries_install(hook);
}

int mca_common_collio_fcoll_init(ompio_file_t *fh, mca_common_collio_component_t *component)
{
    mca_common_collio_file_t *file = mca_common_collio_file_attach(fh, component);
    mca_common_collio_hook_t *hook = NULL == file ? NULL : mca_common_collio_hook_get(fh);

    if (NULL != hook) {
        patch_table(hook);
    }
    return NULL == file ? MPI_ERR_ARG : file->refused;
}
