/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * A nonblocking read that begins at the end of the file never completes.
 *
 * mpirun -np 1 --mca io ompio --mca fbtl posix iread_end FILE
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char *argv[])
{
    char data[1000];
    MPI_File file;
    MPI_Request request;
    MPI_Status status;
    int count = -1;

    MPI_Init(&argc, &argv);
    MPI_File_open(MPI_COMM_WORLD, argv[1],
                  MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_set_size(file, 300);
    MPI_File_iread_at(file, 300, data, sizeof(data), MPI_BYTE, &request);
    printf("MPI_File_iread_at has returned, waiting\n");
    fflush(stdout);
    MPI_Wait(&request, &status);
    MPI_Get_count(&status, MPI_BYTE, &count);
    printf("count %d (expected: 0)\n", count);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
