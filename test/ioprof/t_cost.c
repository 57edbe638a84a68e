/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* A program for measuring ioprof's own cost: WRITES (or as many as the argument says, a multiple of
 * 10) collective writes of 256 KiB a rank, and POSIX writes of 64 KiB. Prints the CPU time of the
 * fastest tenth of them, in seconds (on a busy machine the time of day tells about other programs),
 * and "wall" with the time of day of all of them. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define WRITES 200

static double time_of(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

int main(int argc, char **argv)
{
    const char *folder = NULL == getenv("T_DIR") ? "/tmp" : getenv("T_DIR");
    char name[1200], *data = calloc(1, 256 << 10);
    double begin = 0, best = 1e9, start;
    int writes = argc > 1 ? atoi(argv[1]) : WRITES;
    MPI_File f;
    int rank, ranks, fd;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    snprintf(name, sizeof(name), "%s/cost.%d", folder, rank);
    fd = open(name, O_CREAT | O_WRONLY, 0600);
    snprintf(name, sizeof(name), "%s/cost.dat", folder);
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
    MPI_Barrier(MPI_COMM_WORLD);
    start = time_of(CLOCK_MONOTONIC);
    for (int i = 0; i < writes; i++) {
        begin = 0 == i % (writes / 10) ? time_of(CLOCK_THREAD_CPUTIME_ID) : begin;
        MPI_File_write_at_all(f, ((MPI_Offset) (i % 8) * ranks + rank) * (256 << 10), data,
                              256 << 10, MPI_BYTE, MPI_STATUS_IGNORE);
        if (65536 != pwrite(fd, data, 65536, (i % 8) * 65536)) {
            perror(name);
        }
        if (writes / 10 - 1 == i % (writes / 10)
            && time_of(CLOCK_THREAD_CPUTIME_ID) - begin < best) {
            best = time_of(CLOCK_THREAD_CPUTIME_ID) - begin;
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == rank) {
        printf("%.9f\nwall %.9f\n", best, time_of(CLOCK_MONOTONIC) - start);
    }
    MPI_File_close(&f);
    close(fd);
    MPI_Finalize();
    free(data);
    return 0;
}
