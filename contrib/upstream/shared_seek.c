/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_File_seek_shared to a place before the beginning of the file. sharedfp/sm: an error on rank
 * 0, MPI_SUCCESS elsewhere, and the pointer has moved; sharedfp/lockedfile: the other ranks hang.
 *
 * mpirun -np 2 --mca io ompio --mca sharedfp sm shared_seek FILE
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char *argv[])
{
    MPI_File file;
    MPI_Offset position = -1;
    int rank, rc;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, argv[1],
                  MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_seek_shared(file, 10, MPI_SEEK_SET);
    rc = MPI_File_seek_shared(file, -20, MPI_SEEK_CUR);
    MPI_File_get_position_shared(file, &position);
    printf("rank %d: %s, the shared pointer is at %lld (expected: an error on all ranks, 10)\n",
           rank, MPI_SUCCESS == rc ? "MPI_SUCCESS" : "an error", (long long) position);
    fflush(stdout);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
