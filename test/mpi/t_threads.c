/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_THREAD_MULTIPLE: every rank has several threads.
 *
 *   own files        each has its own file and communicator of all ranks; they write, read, start
 *                    and complete nonblocking collective calls at the same time
 *   open and close   each opens, writes and closes a file of its own all the time, while others
 *                    complete nonblocking calls: the tables of open files, ours and Open MPI's, are
 *                    walked by some threads while others take files out. Reads of a file that has
 *                    ended show under the address sanitizer; without it they mostly go unnoticed
 */
#include "lib/t_call.h"
#include "lib/t_file.h"
#include "lib/t_pvar.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS = 4, TIMES = 8, OPENS = 60, BLOCK = 333, COUNT = 20 };

typedef struct worker {
    pthread_t thread;
    int id;
    MPI_Comm comm;
    MPI_File file;
    char path[512];
} worker;

static t_blocks blocks_of(const worker *w, int rank, int time)
{
    int64_t step = (int64_t) t_size * BLOCK * COUNT;

    return (t_blocks){w->id * 13 + time * step + rank * BLOCK, BLOCK, t_size * BLOCK, COUNT};
}

static int writer_of(const worker *w, int rank)
{
    return 1000 * w->id + rank;
}

/* One call of a thread, checked. */
static void move(MPI_File file, bool write, bool nonblocking, t_blocks blocks, int writer)
{
    t_call call = {write, true, false, nonblocking ? T_START : T_BLOCK};
    unsigned char *data = write ? t_blocks_data(&blocks, writer) : t_alloc(BLOCK * COUNT);
    MPI_Request request;
    MPI_Status status;
    int done = !nonblocking, rc;

    t_blocks_view(file, &blocks);
    rc = t_call_start(file, &call, 0, data, BLOCK * COUNT, MPI_BYTE, &status, &request);
    while (MPI_SUCCESS == rc && !done) {
        rc = MPI_Test(&request, &done, &status);
    }
    if (t_ok(rc, "a call in a thread")) {
        t_status_check(&status, BLOCK * COUNT, "a call in a thread");
        t_blocks_check(&blocks, writer, data, "a call in a thread");
    }
    free(data);
}

static void *use_own_file(void *context)
{
    worker *w = context;

    for (int time = 0; time < TIMES; time++) {
        move(w->file, true, 1 == time % 2, blocks_of(w, t_rank, time), writer_of(w, t_rank));
        move(w->file, false, 1 == time % 2, blocks_of(w, t_rank, time), writer_of(w, t_rank));
    }
    return NULL;
}

static void open_and_close(worker *w, int time)
{
    t_blocks mine = {time * 7, BLOCK, 2 * BLOCK, COUNT};
    t_expected expected = {0};

    unlink(w->path);
    if (t_open(w->comm, w->path, MPI_MODE_CREATE | MPI_MODE_RDWR, NULL, &w->file)) {
        move(w->file, true, 1 == (time + w->id) % 2, mine, 1000 * w->id + time);
        t_ok(MPI_File_close(&w->file), "close in a thread");
        t_expect(&expected, mine, 1000 * w->id + time);
        t_expected_check(&expected, w->path, 0);
    }
    unlink(w->path);
}

static void *open_often(void *context)
{
    for (int time = 0; time < OPENS; time++) {
        open_and_close(context, time);
    }
    return NULL;
}

static void make_workers(worker workers[THREADS], MPI_Comm comm)
{
    for (int i = 0; i < THREADS; i++) {
        char name[64];

        snprintf(name, sizeof(name), "thread.%d.%d", MPI_COMM_SELF == comm ? t_rank : -1, i);
        t_path(workers[i].path, sizeof(workers[i].path), name);
        workers[i].id = i;
        MPI_Comm_dup(comm, &workers[i].comm);
    }
}

static void run_workers(worker workers[THREADS], void *(*work)(void *) )
{
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&workers[i].thread, NULL, work, &workers[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
    }
}

static void own_files(void)
{
    worker workers[THREADS];

    make_workers(workers, MPI_COMM_WORLD);
    for (int i = 0; i < THREADS; i++) {
        t_open(workers[i].comm, workers[i].path, MPI_MODE_CREATE | MPI_MODE_RDWR, NULL,
               &workers[i].file);
    }
    run_workers(workers, use_own_file);
    for (int i = 0; i < THREADS; i++) {
        t_expected all = {0};

        t_ok(MPI_File_close(&workers[i].file), "close");
        MPI_Barrier(MPI_COMM_WORLD);
        for (int k = 0; k < TIMES * t_size; k++) {
            t_expect(&all, blocks_of(&workers[i], k % t_size, k / t_size),
                     writer_of(&workers[i], k % t_size));
        }
        t_expected_check(&all, 0 == t_rank ? workers[i].path : NULL, 0);
        t_remove(workers[i].path);
        MPI_Comm_free(&workers[i].comm);
    }
    t_verdict("threads_with_their_own_files");
}

/* Calls of all threads are counted, those of closed files too. MPI_T_init_thread, which the first
 * t_pvar_read calls, overwrites the level of threads in Open MPI 4.1. */
static void often_opened_files(void)
{
    worker workers[THREADS];
    double before = t_pvar_read("calls_write", MPI_FILE_NULL), counted;

    make_workers(workers, MPI_COMM_SELF);
    run_workers(workers, open_often);
    for (int i = 0; i < THREADS; i++) {
        MPI_Comm_free(&workers[i].comm);
    }
    counted = t_pvar_read("calls_write", MPI_FILE_NULL) - before;
    t_fail_if(t_pvar_exists("calls_write") && THREADS * OPENS != counted,
              "%.0f of %d calls were counted", counted, THREADS * OPENS);
    t_verdict("threads_open_and_close");
}

int main(int argc, char *argv[])
{
    if (MPI_THREAD_MULTIPLE != t_init_thread(&argc, &argv, MPI_THREAD_MULTIPLE)) {
        return t_skip_all("threads", "this MPI has no MPI_THREAD_MULTIPLE");
    }
    own_files(); /* io/ompio's own set-up is not made for several opens at once */
    often_opened_files();
    return t_finish();
}
