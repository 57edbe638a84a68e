/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * The fcoll module for OMPIO: module functions, and the per-file entries that return true counts.
 */
#include "ompio/fcoll.h"

#include "access/access.h"
#include "call/op.h"
#include "compat/verbose.h"
#include "cycles/cycles.h"
#include "ompio/named.h"
#include "open/attach.h"
#include "settings/hint_file.h"

#include "ompi/mca/fcoll/base/base.h"

static collio_candidate_t candidate_of(const collio_component_t *component)
{
    return (collio_candidate_t){.framework = &ompi_fcoll_base_framework,
                                .name = component->name,
                                .priority = &component->parameters.priority};
}

int collio_fcoll_register(collio_component_t *component, const mca_base_component_t *mca)
{
    collio_candidate_t candidate = candidate_of(component);
    int rc;

    collio_stats_init(&component->counters, component->title);
    collio_counters_register(&component->counters, mca, component->two_layers);
    rc = collio_settings_register(component, mca, collio_transport_value);
    collio_candidate_why(&candidate, component->why, sizeof(component->why));
    return rc;
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

/* True in the first selection of a file, which has no fcoll yet. OMPIO selects again in every
 * MPI_File_set_view, and only the first time is a line printed. */
static _Thread_local bool first_selection;

mca_fcoll_base_module_t *collio_fcoll_file_query(const collio_component_t *component,
                                                 mca_fcoll_base_module_t *module, ompio_file_t *fh,
                                                 int *priority)
{
    collio_candidate_t candidate = candidate_of(component);

    *priority = collio_candidate_priority(&candidate);
    first_selection = NULL != fh && NULL == fh->f_fcoll;
    if (first_selection) {
        collio_hint_file_read(component, fh);
    }
    if (0 >= *priority && first_selection) {
        collio_candidate_declined(&candidate, fh, NULL);
    }
    return *priority > 0 ? module : NULL;
}

int collio_fcoll_file_unquery(const collio_component_t *component, ompio_file_t *fh)
{
    collio_candidate_t candidate = candidate_of(component);

    if (first_selection) {
        collio_candidate_outranked(&candidate, fh);
    }
    return OMPI_SUCCESS;
}

int collio_fcoll_finalize(ompio_file_t *fh)
{
    collio_file_detach(fh);
    return OMPI_SUCCESS;
}

/* Finds the record of a file that can serve the call. Returns MPI_SUCCESS or an error class. */
static int find_record(ompio_file_t *fh, const collio_call_t *call, collio_file_t **file)
{
    *file = collio_file_find(fh);
    if (NULL == *file) {
        return MPI_ERR_ARG;
    }
    return OMPI_SUCCESS != (*file)->refused ? (*file)->refused
                                            : collio_request_check_mode(fh, call->write);
}

/* This rank has no memory to take part in a call: the other ranks get a notice. */
static int lose_file(collio_file_t *file)
{
    collio_file_lose(file, MPI_ERR_NO_MEM);
    return MPI_ERR_NO_MEM;
}

static int blocking(ompio_file_t *fh, const collio_call_t *call, ompi_status_public_t *status)
{
    collio_file_t *file;
    int64_t bytes = 0;
    int rc = find_record(fh, call, &file);

    if (MPI_SUCCESS == rc) {
        collio_op_t *op = collio_op_start(file, call, NULL);

        rc = NULL == op ? lose_file(file) : collio_op_wait(op, &bytes);
    }
    if (MPI_STATUS_IGNORE != status) {
        status->_ucount = (size_t) bytes;
        status->MPI_ERROR = rc;
    }
    return rc;
}

static int nonblocking(ompio_file_t *fh, const collio_call_t *call, ompi_request_t **request)
{
    collio_file_t *file;
    ompi_request_t *mine;
    int rc = find_record(fh, call, &file);

    if (MPI_SUCCESS != rc) {
        return rc;
    }
    mine = collio_mpi_request_new(file);
    if (NULL == mine) {
        return lose_file(file);
    }
    mine->req_mpi_object.file = fh->f_fh; /* MPI_Wait uses the error handler of this file */
    if (NULL == collio_op_start(file, call, mine)) {
        OBJ_RELEASE(mine);
        return lose_file(file);
    }
    *request = mine;
    (void) collio_op_progress(file, true);
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

/* Entries of the per-file table. io/ompio's own entries compute the position of an explicit offset
 * without overflow checks, and replace the status of blocking calls by the requested count. They
 * serve a file whose current fcoll is a stock component. */
#define ENTRY_ALL(name, writes, buffer_type)                                                       \
    static int file_##name(ompi_file_t *file, buffer_type buffer, collio_count_t count,            \
                           ompi_datatype_t *type, ompi_status_public_t *status)                    \
    {                                                                                              \
        const collio_handle_t *handle = collio_handle_of(file);                                    \
        collio_call_t call = {writes, (void *) buffer, (size_t) count, type, false, 0};            \
        int rc;                                                                                    \
                                                                                                   \
        if (!ours(handle)) {                                                                       \
            return handle->hook.original.io_module_file_##name(file, buffer, count, type, status); \
        }                                                                                          \
        OPAL_THREAD_LOCK(&file->f_lock);                                                           \
        rc = blocking(handle->fh, &call, status);                                                  \
        OPAL_THREAD_UNLOCK(&file->f_lock);                                                         \
        return rc;                                                                                 \
    }

#define ENTRY_AT_ALL(name, writes, buffer_type, how, result_type)                                 \
    static int file_##name(ompi_file_t *file, MPI_Offset offset, buffer_type buffer,              \
                           collio_count_t count, ompi_datatype_t *type, result_type result)       \
    {                                                                                             \
        const collio_handle_t *handle = collio_handle_of(file);                                   \
        collio_call_t call = {writes, (void *) buffer, (size_t) count, type, true, offset};       \
        int rc;                                                                                   \
                                                                                                  \
        if (!ours(handle)) {                                                                      \
            return handle->hook.original.io_module_file_##name(file, offset, buffer, count, type, \
                                                               result);                           \
        }                                                                                         \
        OPAL_THREAD_LOCK(&file->f_lock);                                                          \
        rc = how(handle->fh, &call, result);                                                      \
        OPAL_THREAD_UNLOCK(&file->f_lock);                                                        \
        return rc;                                                                                \
    }

#define ENTRY_BEGIN(name, which, buffer_type)                                                   \
    static int file_##name(ompi_file_t *file, MPI_Offset offset, buffer_type buffer,            \
                           collio_count_t count, ompi_datatype_t *type)                         \
    {                                                                                           \
        ompio_file_t *fh = collio_handle_of(file)->fh;                                          \
        int rc;                                                                                 \
                                                                                                \
        if (fh->f_split_coll_in_use) { /* prints why this is an error */                        \
            return collio_hook_find(file)->original.io_module_file_##name(file, offset, buffer, \
                                                                          count, type);         \
        }                                                                                       \
        rc = file_##which(file, offset, buffer, count, type, &fh->f_split_coll_req);            \
        fh->f_split_coll_in_use = OMPI_SUCCESS == rc;                                           \
        return rc;                                                                              \
    }

/* io/ompio's own entries count a call as begun that has failed, and wait for its request. */
#define ENTRY_ALL_BEGIN(name, buffer_type)                                               \
    static int file_##name(ompi_file_t *file, buffer_type buffer, collio_count_t count,  \
                           ompi_datatype_t *type)                                        \
    {                                                                                    \
        const collio_handle_t *handle = collio_handle_of(file);                          \
        bool in_use = handle->fh->f_split_coll_in_use;                                   \
        int rc = handle->hook.original.io_module_file_##name(file, buffer, count, type); \
                                                                                         \
        handle->fh->f_split_coll_in_use = in_use || OMPI_SUCCESS == rc;                  \
        return rc;                                                                       \
    }

#define ENTRY_END(name, buffer_type)                                                            \
    static int file_##name(ompi_file_t *file, buffer_type buffer, ompi_status_public_t *status) \
    {                                                                                           \
        const collio_handle_t *handle = collio_handle_of(file);                                 \
                                                                                                \
        if (!handle->fh->f_split_coll_in_use) {                                                 \
            return MPI_ERR_REQUEST;                                                             \
        }                                                                                       \
        return handle->hook.original.io_module_file_##name(file, buffer, status);               \
    }

ENTRY_ALL(write_all, true, const void *)
ENTRY_ALL(read_all, false, void *)
ENTRY_AT_ALL(write_at_all, true, const void *, blocking, ompi_status_public_t *)
ENTRY_AT_ALL(read_at_all, false, void *, blocking, ompi_status_public_t *)
ENTRY_AT_ALL(iwrite_at_all, true, const void *, nonblocking, ompi_request_t **)
ENTRY_AT_ALL(iread_at_all, false, void *, nonblocking, ompi_request_t **)
ENTRY_BEGIN(write_at_all_begin, iwrite_at_all, const void *)
ENTRY_BEGIN(read_at_all_begin, iread_at_all, void *)
ENTRY_ALL_BEGIN(write_all_begin, const void *)
ENTRY_ALL_BEGIN(read_all_begin, void *)
ENTRY_END(write_all_end, const void *)
ENTRY_END(read_all_end, void *)
ENTRY_END(write_at_all_end, const void *)
ENTRY_END(read_at_all_end, void *)

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
    table->io_module_file_write_all_begin = file_write_all_begin;
    table->io_module_file_read_all_begin = file_read_all_begin;
    table->io_module_file_write_all_end = file_write_all_end;
    table->io_module_file_read_all_end = file_read_all_end;
    table->io_module_file_write_at_all_end = file_write_at_all_end;
    table->io_module_file_read_at_all_end = file_read_at_all_end;
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
