/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * A path of 300 characters overruns a buffer of 256 in sharedfp/lockedfile when any file is opened;
 * no shared file pointer is used.
 *
 * mpirun -np 1 --mca io ompio long_path DIR
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char *argv[])
{
    char path[512];
    size_t length = strlen(argv[1]);
    MPI_File file;
    int rc;

    MPI_Init(&argc, &argv);
    memcpy(path, argv[1], length);
    path[length] = '/';
    memset(path + length + 1, 'd', 199 - length);
    path[200] = '\0';
    mkdir(path, 0700);
    memset(path + 200, 'f', 100);
    path[200] = '/';
    path[300] = '\0';
    rc = MPI_File_open(MPI_COMM_WORLD, path,
                       MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                       &file);
    printf("MPI_File_open returned %s\n", MPI_SUCCESS == rc ? "MPI_SUCCESS" : "an error");
    if (MPI_SUCCESS == rc) {
        MPI_File_close(&file);
    }
    path[200] = '\0';
    rmdir(path);
    MPI_Finalize();
    return 0;
}
