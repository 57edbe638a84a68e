/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads and processes: with MPI_THREAD_MULTIPLE several threads of every rank write and read
 * through one handle and through handles of their own, blocking and nonblocking, with the pool on;
 * a child is forked in between. Every byte is checked with POSIX reads; after MPI_Finalize no
 * thread may be left, and with the pool off and blocking calls none may have been made.
 *
 * usage: t_concurrent [-q] FILE           -q: no threads wanted, none must appear
 */
#include <dirent.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 12, BLOCK = 96, BLOCKS = 500, PART = BLOCK * BLOCKS };

static MPI_File shared_handle;
static const char *path;
static int rank, ranks;
static _Atomic int failures;

static int tasks(void)
{
    DIR *dir = opendir("/proc/self/task");
    int count = -2;

    while (NULL != readdir(dir)) {
        ++count;
    }
    closedir(dir);
    return count;
}

static unsigned char content(int writer, int round, int i)
{
    return (unsigned char) (writer * 37 + round * 11 + i);
}

/* Part (rank, thread, round) of the file. */
static MPI_Offset place(int thread, int round)
{
    return ((MPI_Offset) (rank * THREADS + thread) * ROUNDS + round) * PART;
}

static void once(MPI_File handle, int thread, int round, char *data)
{
    MPI_Offset offset = place(thread, round);
    MPI_Request request;
    MPI_Status status;
    int count;

    for (int i = 0; i < PART; ++i) {
        data[i] = (char) content(rank * THREADS + thread, round, i);
    }
    if (0 == round % 2) {
        MPI_File_write_at(handle, offset, data, PART, MPI_BYTE, &status);
    } else {
        MPI_File_iwrite_at(handle, offset, data, PART, MPI_BYTE, &request);
        MPI_Wait(&request, &status);
    }
    MPI_Get_count(&status, MPI_BYTE, &count);
    failures += PART != count;
    memset(data, 0, PART);
    if (0 == round % 3) {
        MPI_File_iread_at(handle, offset, data, PART, MPI_BYTE, &request);
        MPI_Wait(&request, &status);
    } else {
        MPI_File_read_at(handle, offset, data, PART, MPI_BYTE, &status);
    }
    for (int i = 0; i < PART; ++i) {
        if (data[i] != (char) content(rank * THREADS + thread, round, i)) {
            failures += 1;
            return;
        }
    }
}

/* Half of the rounds through the handle all threads share, half through one of its own. */
static void *work(void *arg)
{
    int thread = (int) (long) arg;
    char *data = malloc(PART);
    MPI_File own;

    MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_RDWR, MPI_INFO_NULL, &own);
    for (int round = 0; round < ROUNDS; ++round) {
        once(round % 4 < 2 ? shared_handle : own, thread, round, data);
    }
    MPI_File_close(&own);
    free(data);
    return NULL;
}

static void check_file(void)
{
    unsigned char *got = malloc(PART);
    int fd = open(path, O_RDONLY);

    for (int writer = 0; writer < ranks * THREADS; ++writer) {
        for (int round = 0; round < ROUNDS; ++round) {
            off_t offset = ((off_t) writer * ROUNDS + round) * PART;

            if (PART != pread(fd, got, PART, offset)) {
                failures += 1;
                continue;
            }
            for (int i = 0; i < PART; ++i) {
                if (got[i] != content(writer, round, i)) {
                    fprintf(stderr, "t_concurrent: writer %d round %d byte %d\n", writer, round, i);
                    failures += 1;
                    break;
                }
            }
        }
    }
    close(fd);
    free(got);
}

static void fork_in_between(void)
{
    int status = 1;
    pid_t child = fork();

    if (0 == child) {
        _exit(0);
    }
    waitpid(child, &status, 0);
    failures += 0 != status;
}

static int run_quiet(void)
{
    char *data = malloc(PART);
    int before = tasks(), after;

    once(shared_handle, 0, 2, data); /* a round of blocking calls */
    memset(data, 1, PART);
    MPI_File_write(shared_handle, data, PART, MPI_BYTE, MPI_STATUS_IGNORE);
    after = tasks();
    free(data);
    return before != after;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    int provided, quiet = argc > 2, left;

    MPI_Init_thread(&argc, &argv, quiet ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE, &provided);
    if (!quiet && MPI_THREAD_MULTIPLE != provided) {
        MPI_Finalize();
        return 77;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    path = argv[argc - 1];
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                  &shared_handle);
    if (quiet) {
        left = run_quiet();
        if (left) {
            fprintf(stderr, "t_concurrent: threads were made\n");
            failures += 1;
        }
    } else {
        for (long i = 0; i < THREADS; ++i) {
            pthread_create(&threads[i], NULL, work, (void *) i);
        }
        fork_in_between();
        for (int i = 0; i < THREADS; ++i) {
            pthread_join(threads[i], NULL);
        }
    }
    MPI_File_close(&shared_handle);
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == rank && !quiet) {
        check_file();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == rank) {
        unlink(path);
    }
    MPI_Finalize();
    for (int i = 0; i < 50 && 1 < tasks(); ++i) {
        usleep(100000);
    }
    if (1 < tasks()) {
        fprintf(stderr, "t_concurrent: %d threads after MPI_Finalize\n", tasks());
        failures += 1;
    }
    return 0 == failures ? 0 : 1;
}
