/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_THREAD_MULTIPLE: threads open, write and close files of their own all the time, while others
 * complete nonblocking calls. The tables of open files, ours and Open MPI's, are walked by some
 * threads while others take files out. Reads of a file that has ended show under the address
 * sanitizer; without it they mostly go unnoticed.
 */
#include "lib/t_file.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS = 4, TIMES = 60, BLOCK = 512, COUNT = 4 };

typedef struct worker {
    pthread_t thread;
    int id;
    MPI_Comm comm;
} worker;

static void write_and_check(const worker *w, int time)
{
    t_blocks mine = {time * 7, BLOCK, 2 * BLOCK, COUNT};
    int writer = 1000 * w->id + time;
    unsigned char *data = t_blocks_data(&mine, writer);
    t_expected expected = {0};
    char path[512], name[64];
    MPI_Request request;
    MPI_Status status;
    MPI_File file;
    int rc;

    snprintf(name, sizeof(name), "table.%d.%d", t_rank, w->id);
    t_path(path, sizeof(path), name);
    unlink(path);
    if (!t_open(w->comm, path, MPI_MODE_CREATE | MPI_MODE_RDWR, NULL, &file)) {
        free(data);
        return;
    }
    t_blocks_view(file, &mine);
    if (0 == (time + w->id) % 2) {
        rc = MPI_File_write_all(file, data, BLOCK * COUNT, MPI_BYTE, &status);
    } else {
        rc = MPI_File_iwrite_all(file, data, BLOCK * COUNT, MPI_BYTE, &request);
        rc = MPI_SUCCESS == rc ? MPI_Wait(&request, &status) : rc;
    }
    if (t_ok(rc, "write in a thread")) {
        t_status_check(&status, BLOCK * COUNT, "write in a thread");
    }
    t_ok(MPI_File_close(&file), "close in a thread");
    t_expect(&expected, mine, writer);
    t_expected_check(&expected, path, 0);
    unlink(path);
    free(data);
}

static void *work(void *context)
{
    for (int time = 0; time < TIMES; time++) {
        write_and_check(context, time);
    }
    return NULL;
}

int main(int argc, char *argv[])
{
    worker workers[THREADS];

    if (MPI_THREAD_MULTIPLE != t_init_thread(&argc, &argv, MPI_THREAD_MULTIPLE)) {
        return t_skip_all("table", "this MPI has no MPI_THREAD_MULTIPLE");
    }
    for (int i = 0; i < THREADS; i++) {
        workers[i].id = i;
        MPI_Comm_dup(MPI_COMM_SELF, &workers[i].comm);
    }
    write_and_check(&workers[0], 0); /* io/ompio's own set-up is not made for several at once */
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&workers[i].thread, NULL, work, &workers[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        MPI_Comm_free(&workers[i].comm);
    }
    t_verdict("threads_open_and_close");
    return t_finish();
}
