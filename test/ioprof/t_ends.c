/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/* Ends of a program, after each rank has written 1000 bytes with MPI-IO and 77 with POSIX:
 *   t_ends finalize|exit|_exit|abort|segv|term */
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void work(int rank)
{
    const char *folder = NULL == getenv("T_DIR") ? "/tmp" : getenv("T_DIR");
    char name[1200], data[1000] = {0};
    MPI_File f;
    int fd;

    snprintf(name, sizeof(name), "%s/ends.dat", folder);
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
    MPI_File_write_at(f, rank * 1000, data, 1000, MPI_BYTE, MPI_STATUS_IGNORE);
    snprintf(name, sizeof(name), "%s/own.%d", folder, rank);
    fd = open(name, O_CREAT | O_WRONLY, 0600);
    if (77 != write(fd, data, 77)) {
        perror(name);
    }
    close(fd);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "finalize";
    volatile int *volatile memory = NULL;
    int rank, ranks;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    work(rank);
    if (0 == strcmp(how, "exit")) {
        exit(5);
    } else if (0 == strcmp(how, "_exit")) {
        _exit(6);
    } else if (0 == strcmp(how, "abort") && ranks - 1 == rank) {
        MPI_Abort(MPI_COMM_WORLD, 7);
    } else if (0 == strcmp(how, "segv") && ranks - 1 == rank) {
        memory[rank] = 1;
    } else if (0 == strcmp(how, "term")) {
        raise(SIGTERM);
    } else if (0 != strcmp(how, "finalize")) {
        sleep(60); /* until mpirun ends this rank */
    }
    MPI_Finalize();
    return 0;
}
