/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* The size of a file that another node has made longer or shorter. */
#include <stdlib.h>

#include "t_clients.h"

enum { RECORD_BYTES = 997, ROUNDS = 8 };

static void check_size(void)
{
    MPI_Offset size = -1;

    t_ok(MPI_File_get_size(file, &size), "MPI_File_get_size");
    t_fail_if(size != end, "MPI_File_get_size: %lld instead of %lld", (long long) size,
              (long long) end);
}

/* A read that begins in a hole, of a file that had no bytes when this node looked last. */
CASE(sparse_read, WHOLE)
{
    enum { END = 4 << 20, DATA = 64 << 10 };

    check_size();
    get(false, 0, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == t_rank) {
        put(false, END - DATA, DATA, 1);
    }
    expect(END - DATA, DATA, 1);
    sync_barrier_sync();
    get(false, 0, END);
    get(true, 0, END);
}

CASE(size_after_sync, WHOLE)
{
    for (int round = 0; round < ROUNDS; round++) {
        int64_t offset = (int64_t) round * 5 * RECORD_BYTES;
        check_size();
        MPI_Barrier(MPI_COMM_WORLD);
        if (round % t_size == t_rank) {
            put(false, offset, RECORD_BYTES, 1 + round);
        }
        expect(offset, RECORD_BYTES, 1 + round);
        sync_barrier_sync();
        check_size();
    }
}

/* The rank whose turn it is writes past the end of the file. */
static void append(int round, bool seek)
{
    unsigned char buffer[RECORD_BYTES];
    MPI_Status status;

    if (round % t_size == t_rank) {
        t_fill(buffer, end, RECORD_BYTES, 1 + round);
        t_ok(seek ? MPI_File_seek(file, 0, MPI_SEEK_END) : MPI_SUCCESS, "MPI_File_seek");
        t_ok(MPI_File_write(file, buffer, RECORD_BYTES, MPI_BYTE, &status), "MPI_File_write");
    }
    expect(end, RECORD_BYTES, 1 + round);
}

CASE(append_by_seek, WHOLE)
{
    for (int round = 0; round < ROUNDS; round++) {
        append(round, true);
        sync_barrier_sync();
    }
}

/* The file is opened to append in each round. */
CASE(append_by_mode, BARE)
{
    for (int round = 0; round < ROUNDS; round++) {
        open_file(MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_APPEND);
        append(round, false);
        close_file();
    }
    check_stored();
}

/* Preallocation keeps what other nodes wrote, and changes the size only if it grows. */
CASE(preallocated, WHOLE)
{
    enum { LONG = 100000, SHORT = 5000 };

    if (t_size - 1 == t_rank) {
        put(false, 0, 3 * RECORD_BYTES, 1);
    }
    expect(0, 3 * RECORD_BYTES, 1);
    sync_barrier_sync();
    t_ok(MPI_File_preallocate(file, LONG), "MPI_File_preallocate");
    end = LONG;
    sync_barrier_sync();
    check_size();
    get(false, 0, 3 * RECORD_BYTES);
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == t_rank) { /* the new bytes have no defined content */
        put(false, 3 * RECORD_BYTES, LONG - 2 * RECORD_BYTES, 2);
    }
    expect(3 * RECORD_BYTES, LONG - 2 * RECORD_BYTES, 2);
    sync_barrier_sync();
    t_ok(MPI_File_preallocate(file, SHORT), "MPI_File_preallocate");
    sync_barrier_sync();
    check_size();
}

static void set_size(int64_t bytes)
{
    MPI_Barrier(MPI_COMM_WORLD);
    t_ok(MPI_File_set_size(file, bytes), "MPI_File_set_size");
    end = bytes;
    sync_barrier_sync();
    check_size();
}

/* The file gets shorter and longer; bytes in front of the shortest end stay. */
CASE(shorter_and_longer, WHOLE)
{
    enum { LONG = 50000, SHORT = 5003 };

    for (int round = 0; round < 3; round++) {
        if (round % t_size == t_rank) {
            put(false, 0, LONG, 1 + round);
        }
        expect(0, LONG, 1 + round);
        sync_barrier_sync();
        get(false, 0, LONG);
        set_size(SHORT);
        get(false, 0, SHORT);
        set_size(LONG + round);
        get(false, 0, SHORT);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    set_size(SHORT);
}

/* The server has no room: all ranks learn it from the call that writes, and the file can be used
 * when there is room again. The runner counts requests. */
CASE(full_server, LONG)
{
    enum { EACH = 4 << 20 };
    unsigned char *data = t_alloc(EACH);
    int class;

    t_fill(data, (int64_t) t_rank * EACH, EACH, 1);
    class = t_class(MPI_File_write_at_all(file, (MPI_Offset) t_rank * EACH, data, EACH, MPI_BYTE,
                                          MPI_STATUS_IGNORE));
    t_fail_if(MPI_ERR_NO_SPACE != class, "a full server: %s", t_class_name(class));
    free(data);
    t_ok(MPI_File_set_size(file, 0), "MPI_File_set_size");
    (void) MPI_File_sync(file); /* Linux reports the failed writes once to each descriptor */
    MPI_Barrier(MPI_COMM_WORLD);
    put(true, t_rank * 1000, 1000, 1);
    expect(0, t_size * 1000, 1);
}
