/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* Every MPI_File function, a known number of times with known sizes: `run` has the table. With an
 * argument, without nonblocking collective calls, which not every MPI-IO has. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 1000

static int rank, ranks, failures;
static char buffer[16 * N];

#define CHECK(call)                                            \
    do {                                                       \
        if (MPI_SUCCESS != (call)) {                           \
            fprintf(stderr, "line %d: %s\n", __LINE__, #call); \
            failures++;                                        \
        }                                                      \
    } while (0)

static MPI_Offset at(int step)
{
    return ((MPI_Offset) step * ranks + rank) * N;
}

static void blocking(MPI_File f)
{
    MPI_Status s;

    CHECK(MPI_File_write_at(f, at(0), buffer, N, MPI_BYTE, &s));
    CHECK(MPI_File_write_at_all(f, at(1), buffer, N / 4, MPI_INT, MPI_STATUS_IGNORE));
    CHECK(MPI_File_seek(f, at(2), MPI_SEEK_SET));
    CHECK(MPI_File_write(f, buffer, N, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK(MPI_File_seek(f, at(3), MPI_SEEK_SET));
    CHECK(MPI_File_write_all(f, buffer, N, MPI_BYTE, &s));
    CHECK(MPI_File_sync(f));
    CHECK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK(MPI_File_read_at(f, at(0), buffer, N, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK(MPI_File_read_at_all(f, at(1), buffer, N, MPI_BYTE, &s));
    CHECK(MPI_File_seek(f, at(2), MPI_SEEK_SET));
    CHECK(MPI_File_read(f, buffer, N, MPI_BYTE, &s));
    CHECK(MPI_File_seek(f, at(3), MPI_SEEK_SET));
    CHECK(MPI_File_read_all(f, buffer, N, MPI_BYTE, MPI_STATUS_IGNORE));
    /* past the end: nothing comes */
    CHECK(MPI_File_read_at(f, 1 << 24, buffer, N, MPI_BYTE, MPI_STATUS_IGNORE));
}

static void shared(MPI_File f)
{
    CHECK(MPI_File_seek_shared(f, 0, MPI_SEEK_SET));
    CHECK(MPI_File_write_shared(f, buffer, N, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK(MPI_File_write_ordered(f, buffer, N, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK(MPI_File_seek_shared(f, 0, MPI_SEEK_SET));
    CHECK(MPI_File_read_shared(f, buffer, N, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK(MPI_File_read_ordered(f, buffer, N, MPI_BYTE, MPI_STATUS_IGNORE));
}

/** Each way to complete a request, once. */
static void nonblocking(MPI_File f)
{
    MPI_Request r[3], message[2];
    MPI_Status s[3];
    int flag, index, count, indices[3], in = 0;

    CHECK(MPI_File_iwrite_at(f, at(0), buffer, N, MPI_BYTE, &r[0]));
    CHECK(MPI_Wait(&r[0], MPI_STATUS_IGNORE));
    CHECK(MPI_File_iwrite_at_all(f, at(1), buffer, N, MPI_BYTE, &r[0]));
    for (flag = 0; !flag;) {
        CHECK(MPI_Test(&r[0], &flag, &s[0]));
    }
    CHECK(MPI_File_seek(f, at(2), MPI_SEEK_SET));
    CHECK(MPI_File_iwrite(f, buffer, N, MPI_BYTE, &r[0]));
    CHECK(MPI_File_iwrite_at(f, at(3), buffer, N, MPI_BYTE, &r[1]));
    r[2] = MPI_REQUEST_NULL;
    CHECK(MPI_Waitall(3, r, MPI_STATUSES_IGNORE));
    CHECK(MPI_File_seek(f, at(3), MPI_SEEK_SET));
    CHECK(MPI_File_iwrite_all(f, buffer, N, MPI_BYTE, &r[0]));
    CHECK(MPI_Waitany(1, r, &index, MPI_STATUS_IGNORE));
    CHECK(MPI_File_sync(f));
    CHECK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK(MPI_File_iread_at(f, at(0), buffer, N, MPI_BYTE, &r[0]));
    CHECK(MPI_Waitsome(1, r, &count, indices, MPI_STATUSES_IGNORE));
    CHECK(MPI_File_iread_at_all(f, at(1), buffer, N, MPI_BYTE, &r[0]));
    for (flag = 0; !flag;) {
        CHECK(MPI_Testall(1, r, &flag, MPI_STATUSES_IGNORE));
    }
    CHECK(MPI_File_seek(f, at(2), MPI_SEEK_SET));
    CHECK(MPI_File_iread(f, buffer, N, MPI_BYTE, &r[0]));
    for (flag = 0; !flag;) {
        CHECK(MPI_Testany(1, r, &index, &flag, &s[0]));
    }
    CHECK(MPI_File_seek(f, at(3), MPI_SEEK_SET));
    CHECK(MPI_File_iread_all(f, buffer, N, MPI_BYTE, &r[0]));
    for (count = 0; 0 == count || MPI_UNDEFINED == count;) {
        CHECK(MPI_Testsome(1, r, &count, indices, s));
    }
    /* waits for messages only are not I/O */
    CHECK(MPI_Irecv(&in, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &message[0]));
    CHECK(MPI_Isend(&rank, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &message[1]));
    CHECK(MPI_Waitall(2, message, MPI_STATUSES_IGNORE));
}

static void split(MPI_File f)
{
    CHECK(MPI_File_write_at_all_begin(f, at(0), buffer, N, MPI_BYTE));
    CHECK(MPI_File_write_at_all_end(f, buffer, MPI_STATUS_IGNORE));
    CHECK(MPI_File_seek(f, at(1), MPI_SEEK_SET));
    CHECK(MPI_File_write_all_begin(f, buffer, N, MPI_BYTE));
    CHECK(MPI_File_write_all_end(f, buffer, MPI_STATUS_IGNORE));
    CHECK(MPI_File_read_at_all_begin(f, at(0), buffer, N, MPI_BYTE));
    CHECK(MPI_File_read_at_all_end(f, buffer, MPI_STATUS_IGNORE));
    CHECK(MPI_File_seek(f, at(1), MPI_SEEK_SET));
    CHECK(MPI_File_read_all_begin(f, buffer, N, MPI_BYTE));
    CHECK(MPI_File_read_all_end(f, buffer, MPI_STATUS_IGNORE));
}

static void others(MPI_File f)
{
    MPI_Offset offset;
    MPI_Group group;
    MPI_Info info;
    MPI_Datatype etype, type;
    MPI_Aint extent;
    char rep[MPI_MAX_DATAREP_STRING];
    int value;

    CHECK(MPI_File_get_size(f, &offset));
    CHECK(MPI_File_get_group(f, &group));
    MPI_Group_free(&group);
    CHECK(MPI_File_get_amode(f, &value));
    CHECK(MPI_File_get_info(f, &info));
    CHECK(MPI_File_set_info(f, info));
    MPI_Info_free(&info);
    CHECK(MPI_File_get_view(f, &offset, &etype, &type, rep));
    CHECK(MPI_File_set_view(f, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    CHECK(MPI_File_get_type_extent(f, MPI_INT, &extent));
    CHECK(MPI_File_get_atomicity(f, &value));
    CHECK(MPI_File_get_position(f, &offset));
    CHECK(MPI_File_get_byte_offset(f, 10, &offset));
    CHECK(MPI_File_get_position_shared(f, &offset));
    CHECK(MPI_File_set_size(f, 100000));
    CHECK(MPI_File_preallocate(f, 110000));
}

int main(int argc, char **argv)
{
    char name[1200];
    MPI_File f;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    snprintf(name, sizeof(name), "%s/mpi.dat", NULL == getenv("T_DIR") ? "/tmp" : getenv("T_DIR"));
    CHECK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f));
    blocking(f);
    if (1 == argc) {
        nonblocking(f);
    }
    split(f);
    shared(f);
    others(f);
    CHECK(MPI_File_close(&f));
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == rank) {
        CHECK(MPI_File_delete(name, MPI_INFO_NULL));
    }
    MPI_Finalize();
    return 0 != failures;
}
