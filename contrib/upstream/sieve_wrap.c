/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Data sieving in collective writes with two aggregators: the first aggregator has the first and
 * the last quarter of the range, reads and writes back all of it, and so overwrites what the second
 * aggregator writes meanwhile.
 *
 * mpirun -np 4 --mca io ompio --mca fcoll vulcan --mca io_ompio_num_aggregators 2 sieve_wrap FILE
 */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 64, STRIDE = 1024, MIB = 32, TIMES = 10 };

/** Blocks that do not have the byte `value`. */
static long count_wrong(const char *path, long start, char value)
{
    int fd = open(path, O_RDONLY);
    char row[BLOCK];
    long wrong = 0;

    for (long i = 0; i < MIB << 10; i++) {
        wrong += BLOCK != pread(fd, row, BLOCK, start + i * STRIDE) || value != row[0];
    }
    close(fd);
    return wrong;
}

int main(int argc, char *argv[])
{
    long start = ((long) MIB << 20) / 4; /* half of an aggregator's share */
    long wrong = 0;
    int rank, ranks, count;
    char *data;
    MPI_Datatype type;
    MPI_File file;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    count = (MIB << 10) / ranks;
    data = malloc((size_t) count * BLOCK);
    MPI_Type_vector(count, BLOCK, ranks * STRIDE, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_set_view(file, start + (MPI_Offset) rank * STRIDE, MPI_BYTE, type, "native",
                      MPI_INFO_NULL);
    for (int i = 0; i < TIMES; i++) {
        memset(data, 'a' + i, (size_t) count * BLOCK);
        MPI_File_write_at_all(file, 0, data, count * BLOCK, MPI_BYTE, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
        wrong += 0 == rank ? count_wrong(argv[1], start, (char) ('a' + i)) : 0;
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_File_close(&file);
    if (0 == rank) {
        printf("blocks that the other aggregator overwrote: %ld (expected: 0)\n", wrong);
        unlink(argv[1]);
    }
    free(data);
    MPI_Type_free(&type);
    MPI_Finalize();
    return 0;
}
