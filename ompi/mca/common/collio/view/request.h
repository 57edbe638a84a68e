/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_VIEW_REQUEST_H
#define COLLIO_VIEW_REQUEST_H

#include "access/access.h"
#include "access/lockahead.h"
#include "view/view.h"

/**
 * The request of one rank: the bytes of the file that a call accesses, and where they are in
 * memory. Collective and individual calls make it in the same way: view and buffer are flattened, a
 * buffer that only the convertor can access is packed, all offsets are checked, and the file
 * pointer moves. All functions are local.
 */

/** The arguments of a read or write call. */
typedef struct collio_call_t {
    bool write;                  /* direction: to the file */
    void *buffer;                /* the user buffer */
    size_t count;                /* number of elements in the buffer */
    ompi_datatype_t *type;       /* datatype of an element */
    bool explicit_offset;        /* access at `offset`; false: at the individual file pointer */
    OMPI_MPI_OFFSET_TYPE offset; /* explicit offset in etypes from the start of the view */
} collio_call_t;

/** Defines an entry point with the arguments of MPI_File_read or MPI_File_write, which passes them
 *  to `how` as a collio_call_t. */
#define COLLIO_ENTRY(function, handle_type, writes, buffer_type, how, result_type)      \
    int function(handle_type *handle, buffer_type buffer, collio_count_t count,         \
                 ompi_datatype_t *type, result_type result)                             \
    {                                                                                   \
        collio_call_t call = {writes, (void *) buffer, (size_t) count, type, false, 0}; \
                                                                                        \
        return how(handle, &call, result);                                              \
    }

/** The request of one rank. All-zero: a request without bytes. */
typedef struct collio_request_t {
    collio_tiling_t view;  /* the file view; its lists belong to `shape` */
    collio_flat_t *shape;  /* the view at displacement 0; equal views share one object */
    int64_t stream;        /* position of the first byte in the data of the view */
    int64_t bytes;         /* bytes to access */
    int64_t lo;            /* lowest byte in the file; 0 without bytes */
    int64_t hi;            /* first byte past the highest one; 0 without bytes */
    collio_flat_t *memory; /* an element of the buffer, flattened */
    char *base;            /* address that offsets of `memory` count from */
    collio_stage_t *stage; /* packed copy of the buffer; NULL if the buffer is used as it is */
} collio_request_t;

/** Returns MPI_SUCCESS if the access mode of the file allows the direction, else an error class,
 *  the same on every rank. */
int collio_request_check_mode(const ompio_file_t *fh, bool write);

/** Makes the request of a call, and moves the file pointer. The caller holds the file's lock.
 *  Returns 0 or -errno: -EINVAL for a datatype that cannot be flattened or a view without bytes,
 *  -EOVERFLOW for offsets that no file has, -ENOMEM. Call request_fini() in any case. */
int collio_request_init(collio_request_t *request, collio_handle_t *handle,
                        const collio_call_t *call);

/** After a read: moves the first `bytes` bytes from a packed copy to the user buffer. Returns 0 or
 *  -EINVAL. */
int collio_request_unpack(collio_request_t *request, int64_t bytes);

void collio_request_fini(collio_request_t *request);

/** Fills a job that accesses all of the request, and requests Lustre locks for it (`covered`: see
 *  lockahead_pieces). The request must outlive the job. */
void collio_request_job(const collio_request_t *request, ompio_file_t *fh, bool write,
                        collio_access_t *access, collio_lockahead_covered_t *covered,
                        collio_job_t *job);

#endif /* COLLIO_VIEW_REQUEST_H */
