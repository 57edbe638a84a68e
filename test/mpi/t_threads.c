/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_THREAD_MULTIPLE: every rank has several threads, each with its own file and communicator,
 * which write, read, and start and complete nonblocking collective calls at the same time.
 */
#include "lib/t_file.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS = 3, TIMES = 8, BLOCK = 333, COUNT = 20 };

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

static void write_step(worker *w, int time)
{
    t_blocks mine = blocks_of(w, t_rank, time);
    unsigned char *data = t_blocks_data(&mine, writer_of(w, t_rank));
    MPI_Request request;
    MPI_Status status;
    int rc, done = 0;

    t_blocks_view(w->file, &mine);
    if (0 == time % 2) {
        rc = MPI_File_write_all(w->file, data, BLOCK * COUNT, MPI_BYTE, &status);
    } else {
        rc = MPI_File_iwrite_all(w->file, data, BLOCK * COUNT, MPI_BYTE, &request);
        while (MPI_SUCCESS == rc && !done) {
            rc = MPI_Test(&request, &done, &status);
        }
    }
    if (t_ok(rc, "write in a thread")) {
        t_status_check(&status, BLOCK * COUNT, "write in a thread");
    }
    free(data);
}

static void read_step(worker *w, int time)
{
    t_blocks mine = blocks_of(w, t_rank, time);
    unsigned char *data = t_alloc(BLOCK * COUNT);
    MPI_Request request;
    MPI_Status status;
    int rc;

    t_blocks_view(w->file, &mine);
    if (0 == time % 2) {
        rc = MPI_File_read_all(w->file, data, BLOCK * COUNT, MPI_BYTE, &status);
    } else {
        rc = MPI_File_iread_all(w->file, data, BLOCK * COUNT, MPI_BYTE, &request);
        rc = MPI_SUCCESS == rc ? MPI_Wait(&request, &status) : rc;
    }
    if (t_ok(rc, "read in a thread")) {
        t_status_check(&status, BLOCK * COUNT, "read in a thread");
        t_blocks_check(&mine, writer_of(w, t_rank), data, "read in a thread");
    }
    free(data);
}

static void *work(void *context)
{
    worker *w = context;

    for (int time = 0; time < TIMES; time++) {
        write_step(w, time);
        read_step(w, time);
    }
    return NULL;
}

static void check(const worker *w)
{
    t_expected all = {0};

    for (int time = 0; time < TIMES; time++) {
        for (int r = 0; r < t_size; r++) {
            t_expect(&all, blocks_of(w, r, time), writer_of(w, r));
        }
    }
    t_expected_check(&all, w->path, 0);
    unlink(w->path);
}

int main(int argc, char *argv[])
{
    worker workers[THREADS];
    char name[64];

    if (MPI_THREAD_MULTIPLE != t_init_thread(&argc, &argv, MPI_THREAD_MULTIPLE)) {
        return t_skip_all("threads", "this MPI has no MPI_THREAD_MULTIPLE");
    }
    for (int i = 0; i < THREADS; i++) {
        worker *w = &workers[i];

        w->id = i;
        MPI_Comm_dup(MPI_COMM_WORLD, &w->comm);
        snprintf(name, sizeof(name), "thread.%d", i);
        t_path(w->path, sizeof(w->path), name);
        t_remove(w->path);
        MPI_Barrier(MPI_COMM_WORLD);
        t_open(w->comm, w->path, MPI_MODE_CREATE | MPI_MODE_RDWR, NULL, &w->file);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&workers[i].thread, NULL, work, &workers[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
    }
    for (int i = 0; i < THREADS; i++) {
        t_ok(MPI_File_close(&workers[i].file), "close");
        MPI_Comm_free(&workers[i].comm);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; 0 == t_rank && i < THREADS; i++) {
        check(&workers[i]);
    }
    t_verdict("threads_with_their_own_files");
    return t_finish();
}
