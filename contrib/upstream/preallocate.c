/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_File_preallocate: a rank that arrives late finds the file already as long as rank 0 made it,
 * leaves out a collective call that the others make, and the next collective call hangs.
 *
 * mpirun -np 4 --mca io ompio preallocate FILE
 */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char *argv[])
{
    MPI_File file;
    MPI_Offset size = 0;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, argv[1],
                  MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    if (1 == rank) {
        sleep(1);
    }
    MPI_File_preallocate(file, 1000000);
    printf("rank %d has left MPI_File_preallocate\n", rank);
    fflush(stdout);
    MPI_File_set_size(file, 2000000);
    MPI_File_get_size(file, &size);
    MPI_File_close(&file);
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == rank) {
        printf("all ranks are done, size %lld (expected: 2000000)\n", (long long) size);
    }
    MPI_Finalize();
    return 0;
}
