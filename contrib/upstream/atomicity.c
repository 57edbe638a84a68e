/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_File_set_atomicity with values that differ between ranks, which MPI calls erroneous: some
 * ranks return an error, the others do not, and the ranks are left in different modes.
 *
 * mpirun -np 2 --mca io ompio atomicity FILE
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char *argv[])
{
    MPI_File file;
    int rank, rc, mode = -1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, argv[1],
                  MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    rc = MPI_File_set_atomicity(file, 0 == rank);
    MPI_File_get_atomicity(file, &mode);
    printf("rank %d: %s, mode %d (expected: the same on all ranks)\n", rank,
           MPI_SUCCESS == rc ? "MPI_SUCCESS" : "an error", mode);
    fflush(stdout);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
