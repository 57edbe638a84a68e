/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Known calls, for the report: in each of T_FILES files (default 1) every rank makes 3 collective
 * writes and 2 collective reads of 64 KiB, blocks of ranks interleaved. With T_OWN=N the first N
 * files are each rank's own (MPI_COMM_SELF). The calls are exchanged, unless T_HINTS has hints.
 */
#include "lib/t_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 64 << 10, WRITES = 3, READS = 2 };

static int number(const char *name, int otherwise)
{
    return NULL == getenv(name) ? otherwise : atoi(getenv(name));
}

static void one_file(int n, bool own)
{
    int rank = own ? 0 : t_rank, ranks = own ? 1 : t_size;
    char name[64], path[512];
    unsigned char *data = malloc(BLOCK);
    MPI_File file;

    snprintf(name, sizeof(name), own ? "own%d.%d.dat" : "all%d.dat", n, t_rank);
    t_path(path, sizeof(path), name);
    if (t_open(own ? MPI_COMM_SELF : MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR,
               NULL == getenv("T_HINTS") ? "exchange=on" : NULL, &file)) {
        for (int i = 0; i < WRITES; i++) {
            memset(data, 1 + i + t_rank, BLOCK);
            t_ok(MPI_File_write_at_all(file, (MPI_Offset) (i * ranks + rank) * BLOCK, data, BLOCK,
                                       MPI_BYTE, MPI_STATUS_IGNORE),
                 "write");
        }
        for (int i = 0; i < READS; i++) {
            t_ok(MPI_File_read_at_all(file, (MPI_Offset) (i * ranks + rank) * BLOCK, data, BLOCK,
                                      MPI_BYTE, MPI_STATUS_IGNORE),
                 "read");
            t_fail_if(1 + i + t_rank != data[BLOCK / 2], "byte %d of block %d is %d", BLOCK / 2, i,
                      data[BLOCK / 2]);
        }
        t_ok(MPI_File_close(&file), "close");
    }
    free(data);
    if (0 == rank) {
        unlink(path);
    }
}

int main(int argc, char *argv[])
{
    t_init(&argc, &argv);
    for (int i = 0; i < number("T_FILES", 1); i++) {
        one_file(i, i < number("T_OWN", 0));
    }
    t_verdict("known_calls");
    return t_finish();
}
