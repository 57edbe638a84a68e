/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plan reuse: calls that look like an earlier one, and calls that only nearly do. Every step is
 * written with other bytes into one file, whose image is kept; a stale plan puts bytes in the
 * wrong place. Where the component has counters, they must show that a plan was reused when it
 * could be, and not when it could not.
 */
#include "lib/t_file.h"
#include "lib/t_pvar.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** A view of one rank: pieces[] of a row, rows of a frame, the frame repeated every `frame` bytes.
 */
typedef struct shape {
    int64_t disp;
    int n;
    int length[4];
    int64_t at[4];
    int64_t frame;
    int rows;
    int64_t stride; /* bytes from row to row */
} shape;

typedef struct step {
    const char *name;
    shape (*make)(int rank);
    int64_t shift; /* added to the displacement */
    int frames;    /* frames to write, from view offset 0 */
    int strided;   /* memory: 1 = a gap after every byte */
    int reuse;     /* 1 must reuse a plan, 0 must not, -1 may do as it likes */
} step;

static shape even(int rank)
{
    return (shape){64 + rank * 100, 1, {100}, {0}, t_size * 100, 1, 0};
}

static shape two_pieces(int rank)
{
    return (shape){rank * 200, 2, {30, 50}, {0, 100}, t_size * 200, 1, 0};
}

/* The same bytes per frame, number of pieces, first and last offset; only the border moved. */
static shape two_pieces_changed(int rank)
{
    return (shape){rank * 200, 2, {50, 30}, {0, 120}, t_size * 200, 1, 0};
}

/* Only the gap has another length. */
static shape two_pieces_apart(int rank)
{
    return (shape){rank * 200, 2, {30, 50}, {0, 110}, t_size * 200, 1, 0};
}

/* One rank only has another view. */
static shape one_rank_changed(int rank)
{
    return 1 == rank ? two_pieces_changed(rank) : two_pieces(rank);
}

/* Regular views, which have short descriptions. Descriptions and sizes of a frame differ in one
 * number only: the distance of rows. */
static shape rows(int rank)
{
    return (shape){rank * 10, 1, {10}, {0}, t_size * 600, 40, t_size * 10};
}

static shape rows_farther(int rank)
{
    return (shape){rank * 10, 1, {10}, {0}, t_size * 600, 40, t_size * 10 + 8};
}

static const step steps[] = {
    {"first", even, 0, 8, 0, 0},
    {"again", even, 0, 8, 0, 1},
    {"equal_view_set_anew_shifted", even, 65536, 8, 0, 1},
    {"shift_overlaps_old_data", even, 65536 + 400, 8, 0, -1},
    {"odd_shift", even, 33, 8, 0, -1},
    {"more_frames", even, 0, 11, 0, 0},
    {"fewer_frames", even, 0, 3, 0, 0},
    {"other_memory", even, 0, 8, 1, -1},
    {"other_view", two_pieces, 0, 8, 0, 0},
    {"border_moved", two_pieces_changed, 0, 8, 0, 0},
    {"border_back", two_pieces, 0, 8, 0, -1},
    {"gap_changed", two_pieces_apart, 0, 8, 0, 0},
    {"one_rank_changed", one_rank_changed, 0, 8, 0, -1},
    {"one_rank_back", two_pieces, 0, 8, 0, -1},
    {"rows", rows, 0, 3, 0, 0},
    {"rows_farther", rows_farther, 0, 3, 0, 0},
    {"rows_shifted", rows, 4096, 3, 0, 1},
    {"rows_farther_again", rows_farther, 0, 3, 0, 1},
    {"first_view_again", even, 0, 8, 0, -1},
};
enum { STEPS = sizeof(steps) / sizeof(steps[0]) };

static void list_of(const step *s, int rank, t_list *list)
{
    shape v = s->make(rank);

    for (int f = 0; f < s->frames; f++) {
        for (int i = 0; i < v.n * v.rows; i++) {
            t_list_add(list, v.disp + s->shift + f * v.frame + i / v.n * v.stride + v.at[i % v.n],
                       v.length[i % v.n]);
        }
    }
}

static void set_view(MPI_File file, const step *s)
{
    shape v = s->make(t_rank);
    MPI_Aint at[4];
    MPI_Datatype pieces, rows, type;

    for (int i = 0; i < v.n; i++) {
        at[i] = (MPI_Aint) v.at[i];
    }
    MPI_Type_create_hindexed(v.n, v.length, at, MPI_BYTE, &pieces);
    MPI_Type_create_hvector(v.rows, 1, (MPI_Aint) v.stride, pieces, &rows);
    MPI_Type_create_resized(rows, 0, (MPI_Aint) v.frame, &type);
    MPI_Type_commit(&type);
    t_ok(MPI_File_set_view(file, v.disp + s->shift, MPI_BYTE, type, "native", MPI_INFO_NULL),
         "set_view");
    MPI_Type_free(&pieces);
    MPI_Type_free(&rows);
    MPI_Type_free(&type);
}

/** Writes a step, then reads it back with the same view: a plan of a write serves a read. */
static void transfer(MPI_File file, const step *s, int writer)
{
    t_list list = {0};
    int stride = 1 + s->strided;
    int bytes, right = 0;
    unsigned char *data, *want;
    MPI_Datatype byte;
    MPI_Status status;

    list_of(s, t_rank, &list);
    bytes = (int) t_list_bytes(&list);
    want = t_list_data(&list, writer);
    data = t_alloc((size_t) (bytes * stride));
    for (int i = 0; i < bytes; i++) {
        data[stride * i] = want[i];
    }
    MPI_Type_create_resized(MPI_BYTE, 0, stride, &byte);
    MPI_Type_commit(&byte);
    t_ok(MPI_File_write_at_all(file, 0, data, bytes, byte, &status), s->name);
    t_status_check(&status, bytes, s->name);
    memset(data, 0, (size_t) (bytes * stride));
    t_ok(MPI_File_read_at_all(file, 0, data, bytes, byte, &status), s->name);
    t_status_check(&status, bytes, s->name);
    while (right < bytes && data[stride * right] == want[right]) {
        right++;
    }
    t_fail_if(right < bytes, "%s: byte %d was read back wrong", s->name, right);
    free(want);
    MPI_Type_free(&byte);
    free(data);
    t_list_free(&list);
}

static void check_counter(const step *s, MPI_File file, double before)
{
    double hits = t_pvar_read("plan_hits", file) - before;

    t_fail_if(1 == s->reuse && 0.5 > hits, "%s: the plan was not reused", s->name);
    if (0 == s->reuse && 1.5 < hits) { /* the read may reuse the plan of its own write */
        t_fail("%s: an old plan served a new shape", s->name);
    }
}

static void run_steps(const char *path, const char *hints, bool counters, const char *prefix)
{
    t_list touched = {0};
    t_image image;
    MPI_File file;

    for (int i = 0; i < STEPS; i++) {
        for (int r = 0; r < t_size; r++) {
            list_of(&steps[i], r, &touched);
        }
    }
    t_image_make(&image, &touched, 0);
    if (!t_create(path, hints, &file)) {
        t_verdict("%s", prefix);
        return;
    }
    for (int i = 0; i < STEPS; i++) {
        double before = counters ? t_pvar_read("plan_hits", file) : 0;

        set_view(file, &steps[i]);
        transfer(file, &steps[i], 100 * i + t_rank);
        if (counters) {
            check_counter(&steps[i], file, before);
        }
        t_ok(MPI_File_sync(file), "sync");
        MPI_Barrier(MPI_COMM_WORLD);
        for (int r = 0; r < t_size; r++) {
            t_list one = {0};

            list_of(&steps[i], r, &one);
            t_image_write(&image, &one, 100 * i + r);
            t_list_free(&one);
        }
        if (0 == t_rank) {
            t_image_check(&image, path);
        }
        t_verdict("%s_%s", prefix, steps[i].name);
    }
    t_ok(MPI_File_close(&file), "close");
    t_image_free(&image);
    t_list_free(&touched);
}

/* Cyclic domains keep their stripes: a plan may move by whole turns of the aggregators only. The
 * stripe here is the window, 4,096 bytes: half of the buffer under `none` with messages. */
static void run_aligned(const char *path)
{
    static const struct {
        MPI_Offset at;
        double hits;
    } moves[] = {
        {0, 0},           {8192, 1},  {8192 + 100, 0},  {16384, 1},
        {16384 + 100, 1}, /* the first plan of this shape cannot go there, the second can */
        {24576 + 100, 1}, {24576, 1}, {24576 + 200, 0}, {8192 + 100, 1}};
    enum { BYTES = 3000 };
    unsigned char mine[BYTES], back[BYTES];
    MPI_File file;

    if (t_size < 2
        || !t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR,
                   "exchange=on,partition=static_cyclic,aggregators=2,schedule=none,"
                   "transport=isend,buffer_bytes=8192",
                   &file)) {
        return;
    }
    for (size_t i = 0; i < sizeof(moves) / sizeof(moves[0]); i++) {
        MPI_Offset at = moves[i].at + (MPI_Offset) t_rank * BYTES;
        double before = t_pvar_read("plan_hits", file), hits;
        int fd;

        memset(mine, (int) (16 * i + (size_t) t_rank + 1), sizeof(mine));
        t_ok(MPI_File_write_at_all(file, at, mine, BYTES, MPI_BYTE, MPI_STATUS_IGNORE), "write");
        hits = t_pvar_read("plan_hits", file) - before;
        t_fail_if(hits != moves[i].hits, "move %zu: %.0f plans reused, expected %.0f", i, hits,
                  moves[i].hits);
        MPI_Barrier(MPI_COMM_WORLD);
        fd = open(path, O_RDONLY);
        t_fail_if(BYTES != pread(fd, back, BYTES, at) || 0 != memcmp(mine, back, BYTES),
                  "move %zu: other bytes in the file", i);
        close(fd);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_File_close(&file);
    t_verdict("a_move_that_breaks_alignment_is_planned_anew_unless_another_plan_fits");
}

/* Schedule auto without messages: calls with and without overlap have windows of half of the
 * buffer, so one plan serves all of them. */
static void run_auto(const char *path)
{
    enum { BYTES = 65536, CALLS = 16 };
    unsigned char *mine = t_alloc(BYTES), *back = t_alloc(BYTES);
    double misses, cycles, copied, all = 0;
    MPI_File file;

    if (!t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR,
                "exchange=on,aggregators=1,buffer_bytes=65536", &file)) {
        return;
    }
    misses = t_pvar_read("plan_misses", file);
    cycles = t_pvar_read("cycles", file);
    copied = t_pvar_read("shm_bytes", file);
    for (int i = 0; i < CALLS; i++) {
        MPI_Offset at = (MPI_Offset) (i * t_size + t_rank) * BYTES;

        memset(mine, 16 * i + t_rank + 1, BYTES);
        t_ok(MPI_File_write_at_all(file, at, mine, BYTES, MPI_BYTE, MPI_STATUS_IGNORE), "write");
        if (0 == i) {
            cycles = t_pvar_read("cycles", file) - cycles;
            MPI_Allreduce(&cycles, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        }
        t_ok(MPI_File_read_at_all(file, at, back, BYTES, MPI_BYTE, MPI_STATUS_IGNORE), "read");
        if (0 != memcmp(mine, back, BYTES)) {
            t_fail("call %d: read other bytes than were written", i);
        }
    }
    misses = t_pvar_read("plan_misses", file) - misses;
    if (t_pvar_read("shm_bytes", file) > copied) { /* else staging has a part of the buffer */
        t_fail_if(all != 2 * t_size, "the first call had %.0f cycles, expected %d", all,
                  2 * t_size);
        t_fail_if(misses != 1, "%.0f plans were made for one size of windows", misses);
    }
    MPI_File_close(&file);
    free(mine);
    free(back);
    t_verdict("auto_has_one_plan_without_messages");
}

int main(int argc, char *argv[])
{
    char path[512];
    bool counters;

    t_init(&argc, &argv);
    t_path(path, sizeof(path), "plan");
    t_first_open(path);
    counters = t_pvar_exists("plan_hits");
    run_steps(path, "exchange=on,plan_reuse=true", counters, "reuse");
    run_steps(path, "exchange=on,plan_reuse=true,aggregators=1,buffer_bytes=4096", counters,
              "reuse_many_cycles");
    run_steps(path, "exchange=on,plan_reuse=false", false, "no_reuse");
    if (counters) {
        run_aligned(path);
        run_auto(path);
    }
    t_remove(path);
    return t_finish();
}
