/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_File_seek multiplies the offset by the size of the etype without a check: a position that no
 * file has becomes one near the beginning, and the call returns MPI_SUCCESS.
 *
 * mpirun -np 1 --mca io ompio seek_wrap FILE
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char *argv[])
{
    MPI_File file;
    MPI_Offset far = ((MPI_Offset) 1 << 61) + 3, position = -1;
    int rc;

    MPI_Init(&argc, &argv);
    MPI_File_open(MPI_COMM_WORLD, argv[1],
                  MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_set_view(file, 0, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL);
    rc = MPI_File_seek(file, far, MPI_SEEK_SET);
    MPI_File_get_position(file, &position);
    printf("seek to %lld: %s, the position is %lld (expected: an error)\n", (long long) far,
           MPI_SUCCESS == rc ? "MPI_SUCCESS" : "an error", (long long) position);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
