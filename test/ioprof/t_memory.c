/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* Touches 64 MiB on rank 0, 128 MiB on rank 1, ..., and writes a little for a while. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MIB (1 << 20)

int main(int argc, char **argv)
{
    const char *folder = NULL == getenv("T_DIR") ? "/tmp" : getenv("T_DIR");
    char name[1200], *memory;
    size_t bytes;
    MPI_File f;
    int rank, fd, failed = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, sizeof(name), "%s/memory.dat", folder);
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &f);
    snprintf(name, sizeof(name), "%s/memory.%d", folder, rank);
    fd = open(name, O_CREAT | O_WRONLY, 0600);
    bytes = (size_t) (64 + 64 * rank) * MIB;
    memory = malloc(bytes);
    if (NULL == memory || fd < 0) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (size_t i = 0; i < bytes; i += MIB) {
        memset(memory + i, 1 + rank, MIB);
        failed |= 100 != pwrite(fd, memory + i, 100, (off_t) i);
    }
    for (int i = 0; i < 40; i++) {
        MPI_File_write_at_all(f, (MPI_Offset) rank * MIB, memory, MIB, MPI_BYTE, MPI_STATUS_IGNORE);
        usleep(10000);
    }
    close(fd);
    MPI_File_close(&f);
    MPI_Finalize();
    free(memory);
    return failed;
}
