/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* MPI_THREAD_MULTIPLE: THREADS threads a rank, each with a file of its own on MPI_COMM_SELF (CALLS
 * writes of 1000 bytes) and a POSIX file (CALLS writes of 10 bytes). With an argument: that many
 * files, opened, written (1 byte) and closed by each rank, without threads. */
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define THREADS 4
#define CALLS   50

static const char *folder;
static int rank;

static void *thread(void *argument)
{
    int me = *(int *) argument;
    char name[1200], data[1000] = {0};
    MPI_File f;
    int fd;

    snprintf(name, sizeof(name), "%s/thread.%d.%d", folder, rank, me);
    MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
    snprintf(name, sizeof(name), "%s/posix.%d.%d", folder, rank, me);
    fd = open(name, O_CREAT | O_WRONLY, 0600);
    for (int i = 0; i < CALLS; i++) {
        MPI_File_write_at(f, i * 1000, data, 1000, MPI_BYTE, MPI_STATUS_IGNORE);
        if (10 != write(fd, data, 10)) {
            perror(name);
        }
    }
    close(fd);
    MPI_File_close(&f);
    return NULL;
}

static void many_files(int n)
{
    char name[1200];

    for (int i = 0; i < n; i++) {
        int fd;

        snprintf(name, sizeof(name), "%s/many.%d.%d", folder, rank, i);
        fd = open(name, O_CREAT | O_WRONLY, 0600);
        if (1 != write(fd, "x", 1)) {
            perror(name);
        }
        close(fd);
    }
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    int numbers[THREADS], provided;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    folder = NULL == getenv("T_DIR") ? "/tmp" : getenv("T_DIR");
    if (argc > 1) {
        many_files(atoi(argv[1]));
    } else if (MPI_THREAD_MULTIPLE != provided) {
        printf("no MPI_THREAD_MULTIPLE\n");
    } else {
        for (int i = 0; i < THREADS; i++) {
            numbers[i] = i;
            pthread_create(&threads[i], NULL, thread, &numbers[i]);
        }
        for (int i = 0; i < THREADS; i++) {
            pthread_join(threads[i], NULL);
        }
    }
    MPI_Finalize();
    return 0;
}
