/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/**
 * Reading and writing at the shared file pointer: take a place, then access it as with an explicit
 * offset.
 */
#include "sharedfp_ondemand_internal.h"

typedef mca_common_collio_count_t count_t;

static int read_shared(ompio_file_t *fh, void *buffer, count_t count, ompi_datatype_t *type,
                       ompi_status_public_t *status)
{
    OMPI_MPI_OFFSET_TYPE offset;
    int rc = mca_sharedfp_ondemand_take(fh, count, type, &offset);

    return OMPI_SUCCESS != rc
               ? rc
               : mca_common_ompio_file_read_at(fh, offset, buffer, count, type, status);
}

static int write_shared(ompio_file_t *fh, const void *buffer, count_t count, ompi_datatype_t *type,
                        ompi_status_public_t *status)
{
    OMPI_MPI_OFFSET_TYPE offset;
    int rc = mca_sharedfp_ondemand_take(fh, count, type, &offset);

    return OMPI_SUCCESS != rc
               ? rc
               : mca_common_ompio_file_write_at(fh, offset, buffer, count, type, status);
}

static int iread_shared(ompio_file_t *fh, void *buffer, count_t count, ompi_datatype_t *type,
                        ompi_request_t **request)
{
    OMPI_MPI_OFFSET_TYPE offset;
    int rc = mca_sharedfp_ondemand_take(fh, count, type, &offset);

    return OMPI_SUCCESS != rc
               ? rc
               : mca_common_ompio_file_iread_at(fh, offset, buffer, count, type, request);
}

static int iwrite_shared(ompio_file_t *fh, const void *buffer, count_t count, ompi_datatype_t *type,
                         ompi_request_t **request)
{
    OMPI_MPI_OFFSET_TYPE offset;
    int rc = mca_sharedfp_ondemand_take(fh, count, type, &offset);

    return OMPI_SUCCESS != rc
               ? rc
               : mca_common_ompio_file_iwrite_at(fh, offset, buffer, count, type, request);
}

static int read_ordered(ompio_file_t *fh, void *buffer, count_t count, ompi_datatype_t *type,
                        ompi_status_public_t *status)
{
    OMPI_MPI_OFFSET_TYPE offset;
    int rc = mca_sharedfp_ondemand_take_ordered(fh, count, type, &offset);

    return OMPI_SUCCESS != rc
               ? rc
               : mca_common_ompio_file_read_at_all(fh, offset, buffer, count, type, status);
}

static int write_ordered(ompio_file_t *fh, const void *buffer, count_t count, ompi_datatype_t *type,
                         ompi_status_public_t *status)
{
    OMPI_MPI_OFFSET_TYPE offset;
    int rc = mca_sharedfp_ondemand_take_ordered(fh, count, type, &offset);

    return OMPI_SUCCESS != rc
               ? rc
               : mca_common_ompio_file_write_at_all(fh, offset, buffer, count, type, status);
}

/* One split collective call at a time; OMPIO keeps its request in the handle. */

static int read_ordered_begin(ompio_file_t *fh, void *buffer, count_t count, ompi_datatype_t *type)
{
    OMPI_MPI_OFFSET_TYPE offset;
    int rc = fh->f_split_coll_in_use ? MPI_ERR_REQUEST
                                     : mca_sharedfp_ondemand_take_ordered(fh, count, type, &offset);

    if (OMPI_SUCCESS == rc) {
        rc = mca_common_ompio_file_iread_at_all(fh, offset, buffer, count, type,
                                                &fh->f_split_coll_req);
        fh->f_split_coll_in_use = OMPI_SUCCESS == rc;
    }
    return rc;
}

static int write_ordered_begin(ompio_file_t *fh, const void *buffer, count_t count,
                               ompi_datatype_t *type)
{
    OMPI_MPI_OFFSET_TYPE offset;
    int rc = fh->f_split_coll_in_use ? MPI_ERR_REQUEST
                                     : mca_sharedfp_ondemand_take_ordered(fh, count, type, &offset);

    if (OMPI_SUCCESS == rc) {
        rc = mca_common_ompio_file_iwrite_at_all(fh, offset, buffer, count, type,
                                                 &fh->f_split_coll_req);
        fh->f_split_coll_in_use = OMPI_SUCCESS == rc;
    }
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
