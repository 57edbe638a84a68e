/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is kept after all files are closed has one bound for the node, however many communicators
 * have opened files: eight of them, each with buffers that reach the bound alone or nearly so.
 */
#include "lib/t_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MIB = 1 << 20, FILE_MIB = 72, COMMUNICATORS = 8, BOUND_MIB = 64, SLACK_MIB = 5 };

static unsigned char *data; /* written by all calls; the same memory before and after */

/* Proportional set size: what processes share is divided among them. */
static double proportional_mib(void)
{
    return t_proc("/proc/self/smaps_rollup", "Pss") / 1024;
}

/* Ranks take turns with a MiB each; the byte of a MiB is its number in the file. */
static void one_file(MPI_Comm comm, const char *hints, int mebibytes)
{
    int rank, size, count;
    t_blocks mine;
    char path[512];
    MPI_File file;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    count = mebibytes / size;
    mine = (t_blocks){(int64_t) rank * MIB, MIB, (int64_t) size * MIB, count};
    for (int i = 0; i < count; ++i) {
        memset(data + (size_t) i * MIB, 1 + rank + i * size, MIB);
    }
    t_path(path, sizeof(path), "bound");
    if (!t_open(comm, path, MPI_MODE_CREATE | MPI_MODE_RDWR, hints, &file)) {
        return;
    }
    t_blocks_view(file, &mine);
    t_ok(MPI_File_write_all(file, data, count * MIB, MPI_BYTE, MPI_STATUS_IGNORE), "write_all");
    t_ok(MPI_File_close(&file), "close");
    if (0 == rank) {
        FILE *posix = fopen(path, "rb");

        for (int i = 0; NULL != posix && i < count * size; ++i) {
            fseek(posix, (long) i * MIB + i, SEEK_SET);
            t_fail_if(1 + i != fgetc(posix), "MiB %d is not what was written", i);
        }
        if (NULL != posix) {
            fclose(posix);
        }
        unlink(path);
    }
    MPI_Barrier(comm);
}

int main(int argc, char **argv)
{
    const char *hints = "exchange=on,cb_buffer_size=33554432,cb_nodes=2";
    double before, mine, all = 0;
    MPI_Comm comm;

    t_init(&argc, &argv);
    data = t_alloc((size_t) FILE_MIB * MIB);
    memset(data, 1, (size_t) FILE_MIB * MIB);
    one_file(MPI_COMM_WORLD, "exchange=on,buffer_bytes=65536", t_size);
    before = proportional_mib();
    for (int i = 0; i < COMMUNICATORS; ++i) {
        bool in = i < 4 || t_rank != i % t_size;

        MPI_Comm_split(MPI_COMM_WORLD, in ? 0 : MPI_UNDEFINED, (t_rank + i) % t_size, &comm);
        if (in) {
            one_file(comm, hints, FILE_MIB);
            MPI_Comm_free(&comm);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    mine = proportional_mib() - before;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    t_fail_if(before > 0 && all > BOUND_MIB + SLACK_MIB * t_size,
              "%d communicators leave %.0f MiB on the node, %.0f MiB of them here", COMMUNICATORS,
              all, mine);
    one_file(MPI_COMM_WORLD, hints, FILE_MIB); /* finds what some rank has dropped */
    free(data);
    t_verdict("many communicators keep no more than one bound");
    return t_finish();
}
