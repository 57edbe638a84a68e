/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* MPI_File_*: reads and writes, blocking, nonblocking and split. */
#include "record/mpi.h"

void ioprof_mpi_complete(const struct ioprof_mpi *c, bool failed, uint64_t bytes)
{
    ioprof_record(&(struct ioprof_call){.id = c->id,
                                        .file = c->file,
                                        .failed = failed,
                                        .hidden_time = true,
                                        .begin = c->begin,
                                        .end = ioprof_now(),
                                        .offset = c->offset,
                                        .bytes = bytes});
}

void ioprof_mpi_end_start(const struct ioprof_mpi *c, int rc, MPI_Request *request, uint64_t bytes)
{
    ioprof_thread.in_mpi_file--;
    ioprof_record_start(c->id, c->file, c->begin, ioprof_now(), MPI_SUCCESS != rc);
    if (MPI_SUCCESS != rc) {
        return;
    }
    if (MPI_REQUEST_NULL != *request) {
        ioprof_request_add(*request, c);
    } else { /* it was complete at once */
        ioprof_mpi_complete(c, false, bytes);
    }
}

/* A call with a status; `own` is for programs that do not want one. */
#define WITH_STATUS(name, id, PARAMS, ARGS, PLACE, END)            \
    IOPROF_CALL(name, id, PARAMS, ARGS, fh, MPI_Status own; PLACE; \
                status = MPI_STATUS_IGNORE == status ? &own : status, END)

#define BLOCKING(name, id, PARAMS, ARGS, at)                          \
    WITH_STATUS(name, id, PARAMS, ARGS, ioprof_mpi_place(&c, fh, at), \
                ioprof_mpi_end_data(&c, rc, status))

#define NONBLOCKING(name, id, PARAMS, ARGS, at)                           \
    IOPROF_CALL(name, id, PARAMS, ARGS, fh, ioprof_mpi_place(&c, fh, at), \
                ioprof_mpi_end_start(&c, rc, request, ioprof_mpi_type_bytes(type, n)))

/* With an offset, and at a file pointer; int counts, and MPI-4's large ones. */
#define DATA_AT(KIND, name, BUFFER, LAST, last)                                               \
    KIND(name, name,                                                                          \
         (MPI_File fh, MPI_Offset at, BUFFER buf, int n, MPI_Datatype type, LAST last),       \
         (fh, at, buf, n, type, last), at)                                                    \
    KIND(name##_c, name,                                                                      \
         (MPI_File fh, MPI_Offset at, BUFFER buf, MPI_Count n, MPI_Datatype type, LAST last), \
         (fh, at, buf, n, type, last), at)
#define DATA(KIND, name, BUFFER, LAST, last, at)                                               \
    KIND(name, name, (MPI_File fh, BUFFER buf, int n, MPI_Datatype type, LAST last),           \
         (fh, buf, n, type, last), at)                                                         \
    KIND(name##_c, name, (MPI_File fh, BUFFER buf, MPI_Count n, MPI_Datatype type, LAST last), \
         (fh, buf, n, type, last), at)

typedef void *in_buffer;
typedef const void *out_buffer;
typedef MPI_Status *status_type;
typedef MPI_Request *request_type;

DATA_AT(BLOCKING, File_read_at, in_buffer, status_type, status)
DATA_AT(BLOCKING, File_read_at_all, in_buffer, status_type, status)
DATA_AT(BLOCKING, File_write_at, out_buffer, status_type, status)
DATA_AT(BLOCKING, File_write_at_all, out_buffer, status_type, status)
DATA(BLOCKING, File_read, in_buffer, status_type, status, IOPROF_MPI_POINTER)
DATA(BLOCKING, File_read_all, in_buffer, status_type, status, IOPROF_MPI_POINTER)
DATA(BLOCKING, File_write, out_buffer, status_type, status, IOPROF_MPI_POINTER)
DATA(BLOCKING, File_write_all, out_buffer, status_type, status, IOPROF_MPI_POINTER)
DATA(BLOCKING, File_read_shared, in_buffer, status_type, status, IOPROF_MPI_SHARED)
DATA(BLOCKING, File_read_ordered, in_buffer, status_type, status, IOPROF_MPI_SHARED)
DATA(BLOCKING, File_write_shared, out_buffer, status_type, status, IOPROF_MPI_SHARED)
DATA(BLOCKING, File_write_ordered, out_buffer, status_type, status, IOPROF_MPI_SHARED)
DATA_AT(NONBLOCKING, File_iread_at, in_buffer, request_type, request)
DATA_AT(NONBLOCKING, File_iread_at_all, in_buffer, request_type, request)
DATA_AT(NONBLOCKING, File_iwrite_at, out_buffer, request_type, request)
DATA_AT(NONBLOCKING, File_iwrite_at_all, out_buffer, request_type, request)
DATA(NONBLOCKING, File_iread, in_buffer, request_type, request, IOPROF_MPI_POINTER)
DATA(NONBLOCKING, File_iread_all, in_buffer, request_type, request, IOPROF_MPI_POINTER)
DATA(NONBLOCKING, File_iwrite, out_buffer, request_type, request, IOPROF_MPI_POINTER)
DATA(NONBLOCKING, File_iwrite_all, out_buffer, request_type, request, IOPROF_MPI_POINTER)
DATA(NONBLOCKING, File_iread_shared, in_buffer, request_type, request, IOPROF_MPI_SHARED)
DATA(NONBLOCKING, File_iwrite_shared, out_buffer, request_type, request, IOPROF_MPI_SHARED)

/* A handle has one split call at a time. */
#define SPLIT_BEGIN(name, id, PARAMS, ARGS, at)                           \
    IOPROF_CALL(name, id, PARAMS, ARGS, fh, ioprof_mpi_place(&c, fh, at), \
                ioprof_split_begin(&c, rc))
#define SPLIT_END(name, BUFFER)                                                                  \
    WITH_STATUS(name, name, (MPI_File fh, BUFFER buf, MPI_Status * status), (fh, buf, status), , \
                ioprof_split_end(&c, rc, status))
#define SPLIT_AT(name, BUFFER)                                                                  \
    SPLIT_BEGIN(name, name, (MPI_File fh, MPI_Offset at, BUFFER buf, int n, MPI_Datatype type), \
                (fh, at, buf, n, type), at)                                                     \
    SPLIT_BEGIN(name##_c, name,                                                                 \
                (MPI_File fh, MPI_Offset at, BUFFER buf, MPI_Count n, MPI_Datatype type),       \
                (fh, at, buf, n, type), at)
#define SPLIT(name, BUFFER, at)                                                            \
    SPLIT_BEGIN(name, name, (MPI_File fh, BUFFER buf, int n, MPI_Datatype type),           \
                (fh, buf, n, type), at)                                                    \
    SPLIT_BEGIN(name##_c, name, (MPI_File fh, BUFFER buf, MPI_Count n, MPI_Datatype type), \
                (fh, buf, n, type), at)

SPLIT_AT(File_read_at_all_begin, in_buffer)
SPLIT_AT(File_write_at_all_begin, out_buffer)
SPLIT(File_read_all_begin, in_buffer, IOPROF_MPI_POINTER)
SPLIT(File_write_all_begin, out_buffer, IOPROF_MPI_POINTER)
SPLIT(File_read_ordered_begin, in_buffer, IOPROF_MPI_SHARED)
SPLIT(File_write_ordered_begin, out_buffer, IOPROF_MPI_SHARED)
SPLIT_END(File_read_at_all_end, in_buffer)
SPLIT_END(File_read_all_end, in_buffer)
SPLIT_END(File_read_ordered_end, in_buffer)
SPLIT_END(File_write_at_all_end, out_buffer)
SPLIT_END(File_write_all_end, out_buffer)
SPLIT_END(File_write_ordered_end, out_buffer)
