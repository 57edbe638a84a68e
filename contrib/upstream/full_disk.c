/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * A collective write to a full device returns MPI_SUCCESS and the whole count.
 *
 * mpirun -np 2 --mca io ompio --mca fcoll vulcan full_disk
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char *argv[])
{
    static char data[1 << 20];
    MPI_File file;
    MPI_Status status;
    int rank, rc, count = -1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "/dev/full", MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    rc = MPI_File_write_at_all(file, (MPI_Offset) rank * (1 << 20), data, 1 << 20, MPI_BYTE,
                               &status);
    MPI_Get_count(&status, MPI_BYTE, &count);
    printf(
        "rank %d: write_at_all of 1048576 bytes to /dev/full: %s, count %d (expected: an error)\n",
        rank, MPI_SUCCESS == rc ? "MPI_SUCCESS" : "an error", count);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
