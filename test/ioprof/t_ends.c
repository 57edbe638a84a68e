/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* Ends of a program, after each rank has written 1000 bytes with MPI-IO and 77 with POSIX:
 *   t_ends finalize|exit|_exit|abort|segv|term|wait
 * `wait` writes its process id to T_DIR/pid, and has a second thread that handles signals. */
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
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

static void *idle(void *unused)
{
    sleep(60);
    return unused;
}

static void wait_for_signals(void)
{
    char name[1200], text[16];
    pthread_t thread;
    int fd, length = snprintf(text, sizeof(text), "%d", (int) getpid());

    if (0 != pthread_create(&thread, NULL, idle, NULL)) {
        exit(8);
    }
    snprintf(name, sizeof(name), "%s/pid", getenv("T_DIR"));
    fd = open(name, O_CREAT | O_WRONLY, 0600);
    if (length != write(fd, text, (size_t) length)) {
        perror(name);
    }
    close(fd);
    pthread_join(thread, NULL);
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
    } else if (0 == strcmp(how, "wait")) {
        wait_for_signals();
    } else if (0 != strcmp(how, "finalize")) {
        sleep(60); /* until mpirun ends this rank */
    }
    MPI_Finalize();
    return 0;
}
