/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Much of everything: thousands of collective calls on one file, hundreds of files open at once,
 * several communicators at once, threads on different files and on the same one. Bytes are
 * compared, and neither memory nor descriptors may grow.
 *
 *     t_load calls N | files N | comms N | threads N      one part, so much of it
 *     t_load soak SECONDS                                 all parts in turn, with figures
 */
#include "lib/t_call.h"
#include "lib/t_file.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 512, COUNT = 8, SHAPES = 12, THREADS = 3, PATH = 512 };

static long calls_made;
static int provided;

/** The rank's blocks in one of several shapes, that other ranks fit into. */
static t_blocks shape_of(int shape, int rank, int size)
{
    int64_t block = BLOCK + 8 * (shape % 4);

    return (t_blocks){shape * 100 + rank * block, block, size * block + 64 * (shape % 3), COUNT};
}

/** Writes and reads back by one shape. `how`: blocking or not. */
static void round_trip(MPI_File file, int shape, int rank, int size, bool nonblocking, int salt)
{
    t_blocks mine = shape_of(shape, rank, size);
    int bytes = (int) t_blocks_bytes(&mine);
    unsigned char *data = t_blocks_data(&mine, salt), *back = t_alloc((size_t) bytes);
    t_call call = {true, true, true, nonblocking ? T_START : T_BLOCK};
    MPI_Status status;

    t_blocks_view(file, &mine);
    t_ok(t_call_make(file, &call, 0, data, bytes, MPI_BYTE, &status), "write");
    t_status_check(&status, bytes, "write");
    t_ok(MPI_File_read_at_all(file, 0, back, bytes, MPI_BYTE, &status), "read_at_all");
    t_status_check(&status, bytes, "read");
    t_fail_if(0 != memcmp(data, back, (size_t) bytes),
              "shape %d: other bytes were read than written", shape);
    __atomic_fetch_add(&calls_made, 2, __ATOMIC_RELAXED);
    free(data);
    free(back);
}

static void load_path(char *path, const char *name, int number)
{
    char text[64];

    snprintf(text, sizeof(text), "load.%s.%d", name, number);
    t_path(path, PATH, text);
}

/** Bytes in use that each of the second n new views leaves behind, without calls or with a write
 *  and a read each. */
static double growth(MPI_File file, int n, bool calls)
{
    enum { PLACES = 50 * SHAPES };
    double before = 0;

    for (int i = 0; i < 2 * n; i++) {
        t_blocks mine = shape_of(i % PLACES, t_rank, t_size);

        before = n == i ? t_memory_used() : before;
        if (calls) {
            round_trip(file, i % PLACES, t_rank, t_size, 0 == i % 5, t_rank + i % 7);
        } else {
            t_blocks_view(file, &mine);
        }
    }
    return (t_memory_used() - before) / n;
}

/** Thousands of calls on one file, each with a new view, as HDF5 does it. What Open MPI itself
 *  loses in MPI_File_set_view is measured first, and taken off. */
static void many_calls(int n)
{
    enum { ENOUGH = 1000, LIMIT_BYTES_PER_CALL = 24 };
    double view, call;
    char path[PATH];
    MPI_File file;

    load_path(path, "calls", 0);
    if (!t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, NULL, &file)) {
        return;
    }
    view = growth(file, n / 4, false);
    call = growth(file, n / 4, true);
    t_fail_if(ENOUGH < n && call - view > LIMIT_BYTES_PER_CALL,
              "a write and a read leave %.1f bytes behind", call - view);
    t_ok(MPI_File_close(&file), "close");
    t_remove(path);
}

/** Many files at once, written in turn, closed in another order. */
static void many_files(int n)
{
    MPI_File *file = t_alloc((size_t) n * sizeof(*file));
    int before = t_descriptors();
    char path[PATH];

    for (int i = 0; i < n; i++) {
        load_path(path, "files", i);
        t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
               NULL, &file[i]);
    }
    for (int i = 0; i < n; i++) {
        round_trip(file[(i * 7) % n], i % SHAPES, t_rank, t_size, 0 == i % 3, t_rank + i);
    }
    for (int i = 0; i < n; i++) {
        t_ok(MPI_File_close(&file[0 == i % 2 ? i / 2 : n - 1 - i / 2]), "close");
    }
    t_fail_if(t_descriptors() > before + 2,
              "%d descriptors are open after %d files, %d were before", t_descriptors(), n, before);
    free(file);
}

/** Communicators of all ranks, of halves and of one rank, with calls in flight on each. */
static void many_comms(int n)
{
    enum { COMMS = 3 };
    MPI_Comm comm[COMMS];
    MPI_File file[COMMS];
    char path[PATH];
    int rank[COMMS], size[COMMS];

    MPI_Comm_dup(MPI_COMM_WORLD, &comm[0]);
    MPI_Comm_split(MPI_COMM_WORLD, t_rank % 2, -t_rank, &comm[1]);
    MPI_Comm_dup(MPI_COMM_SELF, &comm[2]);
    for (int c = 0; c < COMMS; c++) {
        load_path(path,
                  0 == c   ? "world"
                  : 1 == c ? "half"
                           : "self",
                  0 == c   ? 0
                  : 1 == c ? t_rank % 2
                           : t_rank);
        MPI_Comm_rank(comm[c], &rank[c]);
        MPI_Comm_size(comm[c], &size[c]);
        t_open(comm[c], path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, NULL,
               &file[c]);
    }
    for (int i = 0; i < n; i++) {
        MPI_Request request[COMMS];
        unsigned char *data[COMMS];

        for (int c = 0; c < COMMS; c++) {
            t_blocks mine = shape_of(i % SHAPES, rank[c], size[c]);

            data[c] = t_blocks_data(&mine, t_rank + c);
            t_blocks_view(file[c], &mine);
            t_ok(MPI_File_iwrite_at_all(file[c], 0, data[c], (int) t_blocks_bytes(&mine), MPI_BYTE,
                                        &request[c]),
                 "iwrite_at_all");
        }
        t_ok(MPI_Waitall(COMMS, request, MPI_STATUSES_IGNORE), "waitall");
        for (int c = COMMS - 1; 0 <= c; c--) {
            free(data[c]);
            round_trip(file[c], (i + c) % SHAPES, rank[c], size[c], false, t_rank + i);
        }
    }
    for (int c = 0; c < COMMS; c++) {
        t_ok(MPI_File_close(&file[c]), "close");
        MPI_Comm_free(&comm[c]);
    }
}

typedef struct work {
    int number, times;
    MPI_File own, shared;
} work;

/** A file of its own by collective calls, and its part of one file by calls that are not. */
static void *thread_work(void *argument)
{
    work *w = argument;
    unsigned char data[BLOCK], back[BLOCK];
    MPI_Status status;

    for (int i = 0; i < w->times; i++) {
        MPI_Offset at = (MPI_Offset) BLOCK * ((i * THREADS + w->number) * t_size + t_rank);

        round_trip(w->own, i % SHAPES, t_rank, t_size, false, t_rank + w->number);
        memset(data, 1 + (i + w->number + t_rank) % 250, sizeof(data));
        t_ok(MPI_File_write_at(w->shared, at, data, BLOCK, MPI_BYTE, &status), "write_at");
        t_ok(MPI_File_read_at(w->shared, at, back, BLOCK, MPI_BYTE, &status), "read_at");
        t_fail_if(0 != memcmp(data, back, sizeof(data)),
                  "thread %d: other bytes were read than written", w->number);
    }
    return NULL;
}

static void many_threads(int n)
{
    enum { MODE = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE };
    MPI_Comm comm[THREADS];
    pthread_t thread[THREADS];
    work w[THREADS];
    char path[PATH];
    MPI_File shared;

    if (MPI_THREAD_MULTIPLE != provided) {
        return;
    }
    load_path(path, "shared", 0);
    t_open(MPI_COMM_WORLD, path, MODE, NULL, &shared);
    for (int i = 0; i < THREADS; i++) {
        load_path(path, "thread", i);
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
        w[i] = (work){.number = i, .times = n, .shared = shared};
        t_open(comm[i], path, MODE, NULL, &w[i].own);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&thread[i], NULL, thread_work, &w[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
    }
    for (int i = 0; i < THREADS; i++) {
        t_ok(MPI_File_close(&w[i].own), "close");
        MPI_Comm_free(&comm[i]);
    }
    t_ok(MPI_File_close(&shared), "close");
}

static void figures(double seconds, long rounds, double memory, int fds)
{
    double mine[2] = {memory, fds}, most[2];

    MPI_Reduce(mine, most, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (0 == t_rank) {
        printf("# soak %.0f s: %ld rounds, %ld calls, %.0f KiB and %.0f descriptors at most\n",
               seconds, rounds, calls_made, most[0] / 1024, most[1]);
    }
}

/** What malloc has in use grows for some rounds while its caches fill: then it must be flat. */
static void judge(long rounds_before, double grown, int more_fds)
{
    enum { WARM = 20, NOISE_BYTES = 65536 };

    if (rounds_before < WARM) {
        printf("# soak: %ld rounds before half time are too few to judge memory\n", rounds_before);
    } else if (grown > NOISE_BYTES) {
        t_fail("%.0f bytes more than at half time", grown);
    }
    t_fail_if(more_fds > 2, "%d descriptors more than at half time", more_fds);
}

/** All parts in turn until the time is over. The second half must leave nothing behind. */
static void soak(double seconds)
{
    enum { LEAST = 5 };
    double begin = MPI_Wtime(), last = begin, now = begin, memory = 0;
    int go_on = 1, fds = 0;
    long rounds, half = 0;

    for (rounds = 0; 0 != go_on; rounds++) {
        many_calls(60);
        many_files(12);
        many_comms(6);
        many_threads(6);
        now = MPI_Wtime();
        go_on = rounds < LEAST || now - begin < seconds ? 1 : 0;
        go_on = 0 != go_on && now - last > 10 ? 2 : go_on;
        MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
        if (0 == half && now - begin > seconds / 2) {
            half = rounds + 1;
            memory = t_memory_used();
            fds = t_descriptors();
        }
        if (1 != go_on) {
            figures(now - begin, rounds + 1, t_memory_used(), t_descriptors());
            last = now;
        }
    }
    judge(half, t_memory_used() - memory, t_descriptors() - fds);
}

int main(int argc, char *argv[])
{
    static const struct {
        const char *name;
        void (*function)(int n);
    } parts[] = {{"calls", many_calls},
                 {"files", many_files},
                 {"comms", many_comms},
                 {"threads", many_threads}};
    bool found = false;

    provided = t_init_thread(&argc, &argv, MPI_THREAD_MULTIPLE);
    if (argc != 3) {
        return t_skip_all("load", "started by run, with arguments");
    }
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (0 == strcmp(parts[i].name, argv[1])) {
            parts[i].function(atoi(argv[2]));
            found = true;
        }
    }
    if (!found) {
        soak(atof(argv[2]));
    }
    t_verdict("%s %s", argv[1], argv[2]);
    return t_finish();
}
