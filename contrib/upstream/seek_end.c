/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_SEEK_END is right only in the first repetition of the filetype: bytes of the file are taken
 * for bytes of the view.
 *
 * mpirun -np 1 --mca io ompio seek_end FILE
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char *argv[])
{
    char data[40] = {0};
    MPI_File file;
    MPI_Datatype block, type;
    MPI_Offset position = -1;

    MPI_Init(&argc, &argv);
    MPI_Type_contiguous(4, MPI_BYTE, &block);
    MPI_Type_create_resized(block, 0, 16, &type); /* 4 bytes of every 16 */
    MPI_Type_commit(&type);
    MPI_File_open(MPI_COMM_WORLD, argv[1],
                  MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_set_view(file, 0, MPI_BYTE, type, "native", MPI_INFO_NULL);
    MPI_File_write(file, data, sizeof(data), MPI_BYTE, MPI_STATUS_IGNORE); /* 10 repetitions */
    MPI_File_seek(file, 0, MPI_SEEK_END);
    MPI_File_get_position(file, &position);
    printf("the end is at %lld etypes of the view (expected: 40)\n", (long long) position);
    MPI_File_close(&file);
    MPI_Type_free(&block);
    MPI_Type_free(&type);
    MPI_Finalize();
    return 0;
}
