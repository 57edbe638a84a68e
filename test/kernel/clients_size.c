/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* The size of a file that another node has made longer or shorter. */
#include <stdlib.h>
#include <string.h>

#include "t_clients.h"

enum { RECORD_BYTES = 997, ROUNDS = 8 };

static void check_size(shared_file *file)
{
    MPI_Offset size = -1;

    check_call(file, "MPI_File_get_size", MPI_File_get_size(file->fh, &size));
    if (size != file->end) {
        found_wrong(file, 1, "MPI_File_get_size: %lld instead of %lld", (long long) size,
                    file->end);
    }
}

/* A read that begins in a hole, of a file that had no bytes when this node looked last. */
CASE(sparse_read, WHOLE)
{
    enum { END = 4 << 20, DATA = 64 << 10 };

    check_size(file);
    read_own(file, 0, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == file->rank) {
        write_own(file, END - DATA, DATA, 1);
    }
    expect(file, END - DATA, DATA, 1);
    sync_barrier_sync(file);
    read_own(file, 0, END);
    read_together(file, 0, END);
}

CASE(size_after_sync, WHOLE)
{
    for (int round = 0; round < ROUNDS; round++) {
        long long offset = (long long) round * 5 * RECORD_BYTES;
        check_size(file);
        MPI_Barrier(MPI_COMM_WORLD);
        if (round % file->size == file->rank) {
            write_own(file, offset, RECORD_BYTES, 1 + round);
        }
        expect(file, offset, RECORD_BYTES, 1 + round);
        sync_barrier_sync(file);
        check_size(file);
    }
}

/* The rank whose turn it is seeks to the end and writes there. */
CASE(append_by_seek, WHOLE)
{
    unsigned char buffer[RECORD_BYTES];
    MPI_Status status;

    for (int round = 0; round < ROUNDS; round++) {
        if (round % file->size == file->rank) {
            fill(buffer, file->end, RECORD_BYTES, 1 + round);
            check_call(file, "MPI_File_seek", MPI_File_seek(file->fh, 0, MPI_SEEK_END));
            check_call(file, "MPI_File_write",
                       MPI_File_write(file->fh, buffer, RECORD_BYTES, MPI_BYTE, &status));
        }
        expect(file, file->end, RECORD_BYTES, 1 + round);
        sync_barrier_sync(file);
    }
}

/* The file is opened to append in each round, and one rank writes. */
CASE(append_by_mode, BARE)
{
    unsigned char buffer[RECORD_BYTES];
    MPI_Status status;

    for (int round = 0; round < ROUNDS; round++) {
        open_file(file, MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_APPEND);
        if (round % file->size == file->rank) {
            fill(buffer, file->end, RECORD_BYTES, 1 + round);
            check_call(file, "MPI_File_write",
                       MPI_File_write(file->fh, buffer, RECORD_BYTES, MPI_BYTE, &status));
        }
        expect(file, file->end, RECORD_BYTES, 1 + round);
        close_file(file);
    }
    check_stored(file);
}

/* Preallocation keeps what other nodes wrote, and changes the size only if it grows. */
CASE(preallocated, WHOLE)
{
    enum { LONG = 100000, SHORT = 5000 };

    if (file->size - 1 == file->rank) {
        write_own(file, 0, 3 * RECORD_BYTES, 1);
    }
    expect(file, 0, 3 * RECORD_BYTES, 1);
    sync_barrier_sync(file);
    check_call(file, "MPI_File_preallocate", MPI_File_preallocate(file->fh, LONG));
    file->end = LONG;
    sync_barrier_sync(file);
    check_size(file);
    read_own(file, 0, 3 * RECORD_BYTES);
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == file->rank) { /* the new bytes have no defined content */
        write_own(file, 3 * RECORD_BYTES, LONG - 2 * RECORD_BYTES, 2);
    }
    expect(file, 3 * RECORD_BYTES, LONG - 2 * RECORD_BYTES, 2);
    sync_barrier_sync(file);
    check_call(file, "MPI_File_preallocate", MPI_File_preallocate(file->fh, SHORT));
    sync_barrier_sync(file);
    check_size(file);
}

static void set_size(shared_file *file, long long bytes)
{
    MPI_Barrier(MPI_COMM_WORLD);
    check_call(file, "MPI_File_set_size", MPI_File_set_size(file->fh, bytes));
    file->end = bytes;
    sync_barrier_sync(file);
    check_size(file);
}

/* The file gets shorter and longer; bytes in front of the shortest end stay. */
CASE(shorter_and_longer, WHOLE)
{
    enum { LONG = 50000, SHORT = 5003 };

    for (int round = 0; round < 3; round++) {
        if (round % file->size == file->rank) {
            write_own(file, 0, LONG, 1 + round);
        }
        expect(file, 0, LONG, 1 + round);
        sync_barrier_sync(file);
        read_own(file, 0, LONG);
        set_size(file, SHORT);
        read_own(file, 0, SHORT);
        set_size(file, LONG + round);
        read_own(file, 0, SHORT);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    set_size(file, SHORT);
}
