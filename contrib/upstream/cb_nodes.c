/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * The hint cb_nodes=0 ends the program in MPI_File_open: OMPIO divides by it.
 *
 * mpirun -np 1 --mca io ompio cb_nodes FILE
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char *argv[])
{
    MPI_File file;
    MPI_Info info;
    int rc;

    MPI_Init(&argc, &argv);
    MPI_Info_create(&info);
    MPI_Info_set(info, "cb_nodes", "0");
    rc = MPI_File_open(MPI_COMM_WORLD, argv[1],
                       MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info, &file);
    printf("MPI_File_open returned %s\n", MPI_SUCCESS == rc ? "MPI_SUCCESS" : "an error");
    MPI_File_close(&file);
    MPI_Info_free(&info);
    MPI_Finalize();
    return 0;
}
