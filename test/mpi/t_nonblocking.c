/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Nonblocking collective calls: several in flight on several files, completed in any order by
 * Test and Waitany, with other communication and blocking collective I/O in between;
 * a call that returns before another rank has made it.
 */
#include "lib/t_file.h"

#include <stdlib.h>
#include <unistd.h>

enum { BLOCK = 260, COUNT = 15, FILES = 3 };

typedef struct target {
    char path[512];
    MPI_File file;
} target;

/** Part `step` of the file: every step is a region of its own. */
static t_blocks blocks_of(int rank, int step)
{
    int64_t region = (int64_t) t_size * BLOCK * COUNT + 100;

    return (t_blocks){step * region + rank * BLOCK, BLOCK, t_size * BLOCK, COUNT};
}

static void open_target(target *t, const char *name)
{
    t_path(t->path, sizeof(t->path), name);
    t_create(t->path, NULL, &t->file);
}

/** The view holds the steps one after the other, so a step is an offset in the view. */
static void view_target(target *t, int rank)
{
    t_blocks first = blocks_of(rank, 0);
    int64_t region = blocks_of(rank, 1).first - first.first;
    MPI_Datatype vector, type;

    MPI_Type_create_hvector(COUNT, BLOCK, (MPI_Aint) first.stride, MPI_BYTE, &vector);
    MPI_Type_create_resized(vector, 0, (MPI_Aint) region, &type);
    MPI_Type_commit(&type);
    t_ok(MPI_File_set_view(t->file, first.first, MPI_BYTE, type, "native", MPI_INFO_NULL),
         "set_view");
    MPI_Type_free(&vector);
    MPI_Type_free(&type);
}

static void close_target(target *t, int steps, int writer_base)
{
    t_expected all = {0};

    t_ok(MPI_File_close(&t->file), "close");
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < t_size * steps; i++) {
        t_expect(&all, blocks_of(i % t_size, i / t_size), writer_base + i % t_size);
    }
    t_expected_check(&all, 0 == t_rank ? t->path : NULL, 0);
    t_remove(t->path);
}

typedef struct flight {
    t_blocks blocks;
    unsigned char *data;
    MPI_Request request;
    MPI_Status status;
} flight;

static void start(flight *f, target *t, int step, int writer, bool writing)
{
    MPI_Offset at = (MPI_Offset) step * BLOCK * COUNT;
    int rc;

    f->blocks = blocks_of(t_rank, step);
    f->data = writing ? t_blocks_data(&f->blocks, writer) : t_alloc(BLOCK * COUNT);
    rc = writing
             ? MPI_File_iwrite_at_all(t->file, at, f->data, BLOCK * COUNT, MPI_BYTE, &f->request)
             : MPI_File_iread_at_all(t->file, at, f->data, BLOCK * COUNT, MPI_BYTE, &f->request);
    t_ok(rc, writing ? "iwrite_at_all" : "iread_at_all");
}

static void landed(flight *f, int writer, bool writing)
{
    t_status_check(&f->status, BLOCK * COUNT, writing ? "iwrite_at_all" : "iread_at_all");
    t_blocks_check(&f->blocks, writer, f->data, writing ? "buffer of a write" : "iread_at_all");
    free(f->data);
}

static void wait_by_test(flight f[], int n)
{
    int done = 0, left = n;

    while (0 < left) {
        left = 0;
        for (int i = n - 1; i >= 0; i--) { /* the last started is asked first */
            if (MPI_REQUEST_NULL != f[i].request) {
                t_ok(MPI_Test(&f[i].request, &done, &f[i].status), "MPI_Test");
                left += !done;
            }
        }
    }
}

static void wait_by_waitany(flight f[], int n)
{
    MPI_Request requests[2 * FILES];
    MPI_Status status;
    int which;

    for (int i = 0; i < n; i++) {
        requests[i] = f[i].request;
    }
    for (int i = 0; i < n; i++) {
        t_ok(MPI_Waitany(n, requests, &which, &status), "MPI_Waitany");
        if (0 <= which && which < n) {
            f[which].status = status;
        }
    }
}

/** Starts and completes two calls on each file: ranks complete them in different ways. A blocking
 *  call and a barrier come in between. */
static void two_each(target t[FILES], target *extra, bool writing, int way)
{
    flight f[FILES * 2];
    t_blocks mine = blocks_of(t_rank, 0);

    for (int i = 0; i < 2 * FILES; i++) {
        start(&f[i], &t[i % FILES], i / FILES, 100 * (i % FILES) + t_rank, writing);
        if (FILES == i) {
            t_blocks_write(extra->file, &mine, 900 + t_rank);
            MPI_Barrier(MPI_COMM_WORLD);
        }
    }
    (0 == (t_rank + way) % 2 ? wait_by_test : wait_by_waitany)(f, 2 * FILES);
    for (int i = 0; i < 2 * FILES; i++) {
        landed(&f[i], 100 * (i % FILES) + t_rank, writing);
    }
}

static void several_files(void)
{
    target t[FILES], extra;
    t_blocks mine = blocks_of(t_rank, 0);
    const char *const names[FILES] = {"several.0", "several.1", "several.2"};

    for (int i = 0; i < FILES; i++) {
        open_target(&t[i], names[i]);
        view_target(&t[i], t_rank);
    }
    open_target(&extra, "extra");
    t_blocks_view(extra.file, &mine);
    for (int round = 0; round < 4; round++) {
        two_each(t, &extra, true, round);
        two_each(t, &extra, false, round);
    }
    for (int i = 0; i < FILES; i++) {
        close_target(&t[i], 2, 100 * i);
    }
    close_target(&extra, 1, 900);
    t_verdict("several_files_in_flight");
}

/** Rank 0 starts and tells the others by a message; only then do they start. */
static void early_return(bool writing, const char *name)
{
    target t;
    flight f;
    int token = 1;

    open_target(&t, "early");
    view_target(&t, t_rank);
    if (!writing) {
        start(&f, &t, 0, t_rank, true);
        wait_by_test(&f, 1);
        landed(&f, t_rank, true);
    }
    if (0 == t_rank) {
        start(&f, &t, 0, t_rank, writing);
        for (int r = 1; r < t_size; r++) {
            MPI_Send(&token, 1, MPI_INT, r, 7, MPI_COMM_WORLD);
        }
    } else {
        MPI_Recv(&token, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        start(&f, &t, 0, t_rank, writing);
    }
    wait_by_test(&f, 1);
    landed(&f, t_rank, writing);
    close_target(&t, 1, 0);
    t_verdict("%s", name);
}

int main(int argc, char *argv[])
{
    t_init(&argc, &argv);
    several_files();
    early_return(true, "iwrite_all_returns_before_the_others_call");
    early_return(false, "iread_all_returns_before_the_others_call");
    return t_finish();
}
