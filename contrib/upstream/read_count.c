/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * A collective read past the end of the file counts what was asked for.
 *
 * mpirun -np 2 --mca io ompio --mca fcoll vulcan read_count FILE
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char *argv[])
{
    char data[1000] = {0};
    MPI_File file;
    MPI_Status status;
    int rank, count = -1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, argv[1],
                  MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_set_size(file, 300);
    MPI_File_read_at_all(file, 0, data, sizeof(data), MPI_BYTE, &status);
    MPI_Get_count(&status, MPI_BYTE, &count);
    printf("rank %d: count %d of a file of 300 bytes (expected: 300)\n", rank, count);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
