/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two handles of one file have one shared file pointer; MPI gives each handle its own.
 *
 * mpirun -np 2 --mca io ompio shared_handles FILE
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char *argv[])
{
    char data[100] = {0};
    MPI_File one, two;
    MPI_Offset position = -1;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &one);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                  &two);
    MPI_File_write_ordered(one, data, sizeof(data), MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_get_position_shared(two, &position);
    if (0 == rank) {
        printf("the second handle is at %lld (expected: 0)\n", (long long) position);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_close(&one);
    MPI_File_close(&two);
    MPI_Finalize();
    return 0;
}
