/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_File_seek_shared moves the pointer before all ranks have called it: a rank that has not yet
 * called it writes at the new place.
 *
 * mpirun -np 2 --mca io ompio shared_early FILE
 */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char *argv[])
{
    char data[10] = {0};
    MPI_File file;
    MPI_Offset position = -1;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, argv[1],
                  MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_Barrier(MPI_COMM_WORLD);
    if (1 == rank) {
        sleep(1);
        MPI_File_get_position_shared(file, &position);
        printf("before rank 1 calls MPI_File_seek_shared the pointer is at %lld (expected: 0)\n",
               (long long) position);
        MPI_File_write_shared(file, data, sizeof(data), MPI_BYTE, MPI_STATUS_IGNORE);
    }
    MPI_File_seek_shared(file, 1000, MPI_SEEK_SET);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
