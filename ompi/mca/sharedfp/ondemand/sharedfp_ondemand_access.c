/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Reading and writing at the shared file pointer: take a place, then access it as with an explicit
 * offset.
 */
#include "sharedfp_ondemand_internal.h"

typedef collio_count_t count_t;

/* An entry of the module: takes a place, then accesses it by an entry of OMPIO. */
#define ENTRY(name, take, access, buffer_type, result_type)                                     \
    static int name(ompio_file_t *fh, buffer_type buffer, count_t count, ompi_datatype_t *type, \
                    result_type result)                                                         \
    {                                                                                           \
        OMPI_MPI_OFFSET_TYPE offset;                                                            \
        int rc = mca_sharedfp_ondemand_##take(fh, count, type, &offset);                        \
                                                                                                \
        return OMPI_SUCCESS != rc                                                               \
                   ? rc                                                                         \
                   : mca_common_ompio_file_##access(fh, offset, buffer, count, type, result);   \
    }

ENTRY(read_shared, take, read_at, void *, ompi_status_public_t *)
ENTRY(write_shared, take, write_at, const void *, ompi_status_public_t *)
ENTRY(iread_shared, take, iread_at, void *, ompi_request_t **)
ENTRY(iwrite_shared, take, iwrite_at, const void *, ompi_request_t **)
ENTRY(read_ordered, take_ordered, read_at_all, void *, ompi_status_public_t *)
ENTRY(write_ordered, take_ordered, write_at_all, const void *, ompi_status_public_t *)
ENTRY(iread_ordered, take_ordered, iread_at_all, void *, ompi_request_t **)
ENTRY(iwrite_ordered, take_ordered, iwrite_at_all, const void *, ompi_request_t **)

/* One split collective call at a time; OMPIO keeps its request in the handle. */

static int read_ordered_begin(ompio_file_t *fh, void *buffer, count_t count, ompi_datatype_t *type)
{
    int rc = fh->f_split_coll_in_use
                 ? MPI_ERR_REQUEST
                 : iread_ordered(fh, buffer, count, type, &fh->f_split_coll_req);

    fh->f_split_coll_in_use = fh->f_split_coll_in_use || OMPI_SUCCESS == rc;
    return rc;
}

static int write_ordered_begin(ompio_file_t *fh, const void *buffer, count_t count,
                               ompi_datatype_t *type)
{
    int rc = fh->f_split_coll_in_use
                 ? MPI_ERR_REQUEST
                 : iwrite_ordered(fh, buffer, count, type, &fh->f_split_coll_req);

    fh->f_split_coll_in_use = fh->f_split_coll_in_use || OMPI_SUCCESS == rc;
    return rc;
}

static int split_end(ompio_file_t *fh, ompi_status_public_t *status)
{
    int rc = ompi_request_wait(&fh->f_split_coll_req, status);

    fh->f_split_coll_in_use = false;
    return rc;
}

static int read_ordered_end(ompio_file_t *fh, void *buffer, ompi_status_public_t *status)
{
    (void) buffer;
    return split_end(fh, status);
}

static int write_ordered_end(ompio_file_t *fh, const void *buffer, ompi_status_public_t *status)
{
    (void) buffer;
    return split_end(fh, status);
}

mca_sharedfp_base_module_t mca_sharedfp_ondemand_module = {
    .sharedfp_module_init = mca_sharedfp_ondemand_module_init,
    .sharedfp_module_finalize = mca_sharedfp_ondemand_module_finalize,
    .sharedfp_seek = mca_sharedfp_ondemand_seek,
    .sharedfp_get_position = mca_sharedfp_ondemand_get_position,
    .sharedfp_read = read_shared,
    .sharedfp_read_ordered = read_ordered,
    .sharedfp_read_ordered_begin = read_ordered_begin,
    .sharedfp_read_ordered_end = read_ordered_end,
    .sharedfp_iread = iread_shared,
    .sharedfp_write = write_shared,
    .sharedfp_write_ordered = write_ordered,
    .sharedfp_write_ordered_begin = write_ordered_begin,
    .sharedfp_write_ordered_end = write_ordered_end,
    .sharedfp_iwrite = iwrite_shared,
    .sharedfp_file_open = mca_sharedfp_ondemand_file_open,
    .sharedfp_file_close = mca_sharedfp_ondemand_file_close,
};
