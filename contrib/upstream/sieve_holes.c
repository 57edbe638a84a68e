/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Data sieving in collective writes: holes behind the old end of the file get old memory of the
 * process instead of zeros.
 *
 * mpirun -np 1 --mca io ompio --mca fcoll vulcan sieve_holes FILE
 */
#include <fcntl.h>
#include <malloc.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 64, STRIDE = 1024, BLOCKS = 4096, USED = 64 << 20 };

int main(int argc, char *argv[])
{
    static char data[BLOCKS * BLOCK], row[STRIDE];
    long foreign = 0;
    char *volatile used; /* keeps the compiler from leaving the next lines out */
    int fd;
    MPI_Datatype type;
    MPI_File file;

    MPI_Init(&argc, &argv);
    /* A program that has used its heap: what malloc returns later is not zero. */
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    used = malloc(USED);
    memset(used, 'S', USED);
    free(used);
    memset(data, 'x', sizeof(data));
    MPI_Type_vector(BLOCKS, BLOCK, STRIDE, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_set_view(file, 0, MPI_BYTE, type, "native", MPI_INFO_NULL);
    MPI_File_write_all(file, data, sizeof(data), MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    fd = open(argv[1], O_RDONLY);
    for (int i = 0; i < BLOCKS - 1 && STRIDE == pread(fd, row, STRIDE, (off_t) i * STRIDE); i++) {
        for (int j = BLOCK; j < STRIDE; j++) {
            foreign += 0 != row[j];
        }
    }
    close(fd);
    printf("bytes in holes that are not 0: %ld (expected: 0)\n", foreign);
    unlink(argv[1]);
    MPI_Type_free(&type);
    MPI_Finalize();
    return 0;
}
