/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads and processes: with MPI_THREAD_MULTIPLE several threads of every rank write and read
 * through one handle and through handles of their own, blocking and nonblocking, with the pool on;
 * a child is forked in between. Every byte is checked with POSIX reads; after MPI_Finalize no
 * thread may be left, and with the pool off and blocking calls none may have been made.
 *
 * usage: t_concurrent [-q] FILE           -q: no threads wanted, none must appear
 */
#include "lib/t_file.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 12, PART = 48000 };

static MPI_File shared_handle;
static const char *path;

/* Part (writer, round) of the file. */
static t_blocks part_of(int writer, int round)
{
    return (t_blocks){((int64_t) writer * ROUNDS + round) * PART, PART, PART, 1};
}

static void once(MPI_File handle, int thread, int round)
{
    int writer = t_rank * THREADS + thread;
    t_blocks part = part_of(writer, round);
    unsigned char *data = t_blocks_data(&part, writer);
    MPI_Request request;
    MPI_Status status;

    if (0 == round % 2) {
        MPI_File_write_at(handle, part.first, data, PART, MPI_BYTE, &status);
    } else {
        MPI_File_iwrite_at(handle, part.first, data, PART, MPI_BYTE, &request);
        MPI_Wait(&request, &status);
    }
    t_status_check(&status, PART, "write");
    memset(data, 0, PART);
    if (0 == round % 3) {
        MPI_File_iread_at(handle, part.first, data, PART, MPI_BYTE, &request);
        MPI_Wait(&request, &status);
    } else {
        MPI_File_read_at(handle, part.first, data, PART, MPI_BYTE, &status);
    }
    t_blocks_check(&part, writer, data, "read");
    free(data);
}

/* Half of the rounds through the handle all threads share, half through one of its own. */
static void *work(void *arg)
{
    int thread = (int) (long) arg;
    MPI_File own;

    MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_RDWR, MPI_INFO_NULL, &own);
    for (int round = 0; round < ROUNDS; ++round) {
        once(round % 4 < 2 ? shared_handle : own, thread, round);
    }
    MPI_File_close(&own);
    return NULL;
}

static void check_file(void)
{
    t_expected all = {0};

    for (int i = 0; i < t_size * THREADS * ROUNDS; ++i) {
        t_expect(&all, part_of(i / ROUNDS, i % ROUNDS), i / ROUNDS);
    }
    t_expected_check(&all, 0 == t_rank ? path : NULL, 0);
}

static void fork_in_between(void)
{
    int status = 1;
    pid_t child = fork();

    if (0 == child) {
        _exit(0);
    }
    waitpid(child, &status, 0);
    t_fail_if(0 != status, "the child ended with %d", status);
}

static void run_quiet(void)
{
    unsigned char *data = t_alloc(PART);
    int before = t_threads();

    once(shared_handle, 0, 2); /* a round of blocking calls */
    memset(data, 1, PART);
    MPI_File_write(shared_handle, data, PART, MPI_BYTE, MPI_STATUS_IGNORE);
    t_fail_if(before != t_threads(), "threads were made");
    free(data);
}

static void run_threads(void)
{
    pthread_t threads[THREADS];

    for (long i = 0; i < THREADS; ++i) {
        pthread_create(&threads[i], NULL, work, (void *) i);
    }
    fork_in_between();
    for (int i = 0; i < THREADS; ++i) {
        pthread_join(threads[i], NULL);
    }
}

int main(int argc, char **argv)
{
    bool quiet = argc > 2;
    int rc;

    if (MPI_THREAD_MULTIPLE
            != t_init_thread(&argc, &argv, quiet ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE)
        && !quiet) {
        return t_skip_all("concurrent", "no MPI_THREAD_MULTIPLE");
    }
    path = argv[argc - 1];
    t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, NULL, &shared_handle);
    if (quiet) {
        run_quiet();
    } else {
        run_threads();
    }
    MPI_File_close(&shared_handle);
    MPI_Barrier(MPI_COMM_WORLD);
    if (!quiet) {
        check_file();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    t_remove(path);
    t_verdict("concurrent");
    rc = t_finish();
    return t_threads_left() ? EXIT_FAILURE : rc;
}
