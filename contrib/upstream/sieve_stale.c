/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Data sieving in collective writes: the gaps of the second 64 MiB window and of later ones get the
 * bytes of an earlier window.
 *
 * mpirun -np 4 --mca io ompio sieve_stale FILE
 */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 64, STRIDE = 1024, MIB = 160 };

static void fill(const char *path, char *row)
{
    int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);

    for (int i = 0; i < MIB << 10; i++) {
        memset(row, i % 251, STRIDE);
        if (STRIDE != pwrite(fd, row, STRIDE, (off_t) i * STRIDE)) {
            abort();
        }
    }
    close(fd);
}

/** Bytes between the blocks that are not what was there before. */
static long count_changed(const char *path, char *row)
{
    int fd = open(path, O_RDONLY);
    long changed = 0;

    for (int i = 0; i < MIB << 10; i++) {
        if (STRIDE != pread(fd, row, STRIDE, (off_t) i * STRIDE)) {
            abort();
        }
        for (int j = BLOCK; j < STRIDE; j++) {
            changed += (char) (i % 251) != row[j];
        }
    }
    close(fd);
    return changed;
}

int main(int argc, char *argv[])
{
    char row[STRIDE];
    int rank, ranks, count;
    char *data;
    MPI_Datatype type;
    MPI_File file;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (0 == rank) {
        fill(argv[1], row);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    count = (MIB << 10) / ranks;
    data = malloc((size_t) count * BLOCK);
    memset(data, 'x', (size_t) count * BLOCK);
    MPI_Type_vector(count, BLOCK, ranks * STRIDE, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_set_view(file, (MPI_Offset) rank * STRIDE, MPI_BYTE, type, "native", MPI_INFO_NULL);
    MPI_File_write_all(file, data, count * BLOCK, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    if (0 == rank) {
        printf("bytes between the blocks that changed: %ld (expected: 0)\n",
               count_changed(argv[1], row));
        unlink(argv[1]);
    }
    free(data);
    MPI_Type_free(&type);
    MPI_Finalize();
    return 0;
}
