/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads whose aggregators know only the outlines of the windows. In shared memory, where most bytes
 * of the file are wanted, a rank does not tell its pieces; so such a plan must never serve a write,
 * which would put old buffer content over the holes. One handle: read, write, read, all of one
 * shape, with and without holes, past the end of the file, and with too many holes for outlines.
 * Bytes are compared by POSIX, what was told by the counters.
 */
#include "lib/t_file.h"
#include "lib/t_pvar.h"

#include <stdlib.h>
#include <unistd.h>

enum { PIECE = 13, PIECES = 3000 };

static char path[512];

typedef struct layout {
    const char *name;
    int holes;     /* ranks' places between two turns that are nobody's */
    bool outlined; /* expected */
} layout;

static t_blocks blocks_of(const layout *layout, int rank)
{
    return (t_blocks){(int64_t) rank * PIECE, PIECE, (int64_t) (t_size + layout->holes) * PIECE,
                      PIECES};
}

static double told(MPI_File file)
{
    return t_pvar_sum("requests_received", file);
}

/* Reads the blocks of `writer` (-1: prefilled), of which the file has the first `present` bytes. */
static void read_back(MPI_File file, const t_blocks *blocks, int writer, int64_t present,
                      const char *what)
{
    int bytes = (int) t_blocks_bytes(blocks);
    unsigned char *data = calloc(1, (size_t) bytes);
    t_blocks there = *blocks;
    MPI_Status status;

    t_ok(MPI_File_read_at_all(file, 0, data, bytes, MPI_BYTE, &status), what);
    while (there.count > 0
           && there.first + (there.count - 1) * there.stride + there.block > present) {
        there.count--; /* `present` is a border of all ranks' pieces */
    }
    t_status_check(&status, t_blocks_bytes(&there), what);
    t_blocks_check(&there, writer, data, what);
    free(data);
}

static void check_told(const layout *layout, double lists, const char *hints)
{
    double pieces = (double) (t_size - 1) * PIECES;

    t_fail_if(layout->outlined && t_size > 1 && lists > pieces / 4,
              "%s, %s: %.0f extents were sent where outlines would do", layout->name, hints, lists);
    t_fail_if(!layout->outlined && t_size > 1 && lists < pieces / 2,
              "%s, %s: only %.0f extents were sent", layout->name, hints, lists);
}

static void check_file(const layout *layout, int64_t prefilled)
{
    t_expected all = {0};

    for (int r = 0; r < t_size; r++) {
        t_expect(&all, blocks_of(layout, r), 10 + r);
    }
    t_expected_check(&all, path, prefilled);
}

static void read_write_read(const layout *layout, const char *hints, const char *label)
{
    t_blocks mine = blocks_of(layout, t_rank);
    int64_t end = (int64_t) PIECES * mine.stride, half = (int64_t) PIECES / 2 * mine.stride;
    double lists;
    MPI_File file;

    if (0 == t_rank) {
        unlink(path);
        t_prefill(path, half);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (t_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, hints, &file)) {
        t_blocks_view(file, &mine);
        lists = told(file);
        read_back(file, &mine, -1, half, "read of half a file");
        check_told(layout, told(file) - lists, label);
        MPI_Barrier(MPI_COMM_WORLD);
        t_blocks_write(file, &mine, 10 + t_rank);
        t_ok(MPI_File_sync(file), "sync");
        MPI_Barrier(MPI_COMM_WORLD);
        if (0 == t_rank) {
            check_file(layout, half);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        lists = told(file);
        read_back(file, &mine, 10 + t_rank, end, "read of the whole file");
        read_back(file, &mine, 10 + t_rank, end, "read of the whole file again");
        t_fail_if(told(file) > lists, "%s, %s: the second read was planned anew", layout->name,
                  label);
        t_ok(MPI_File_close(&file), "close");
    }
    t_verdict("%s_%s", layout->name, label);
}

int main(int argc, char *argv[])
{
    static const layout layouts[] = {
        {"dense", 0, true}, {"some_holes", 1, true}, {"mostly_holes", 40, false}};

    t_init(&argc, &argv);
    t_path(path, sizeof(path), "outline");
    t_first_open(path);
    if (!t_pvar_exists("requests_received")) {
        return t_skip_all("outline", "the component has no counter for it");
    }
    for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
        layout messages = layouts[i];

        messages.outlined = false;
        read_write_read(&layouts[i], "exchange=on,transport=shm,buffer_bytes=8192", "shm");
        read_write_read(&layouts[i],
                        "exchange=on,transport=shm,schedule=write_comm2,buffer_bytes=8192",
                        "overlapped");
        read_write_read(&layouts[i],
                        "exchange=on,transport=shm,partition=static_cyclic,aggregators=2,"
                        "buffer_bytes=8192",
                        "cyclic");
        read_write_read(&messages, "exchange=on,transport=isend", "isend");
    }
    t_remove(path);
    return t_finish();
}
