/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plans in shared memory for which ranks send no pieces: reads have the bounding ranges of
 * windows only, writes take the runs of their windows from marks. Small pieces of irregular
 * owners: dense, with holes, with bytes that two ranks write, with ranks that have nothing. One
 * handle reads half a file, writes it, writes and reads it again, all of one shape, or begins
 * with the writes: the plan of a read must not serve a write, which would put old buffer content
 * over the holes. Holes keep what POSIX put there. Atomic mode uses messages, and an order of the
 * ranks explains all bytes. Counters show where lists were sent, and that the plan was used
 * again.
 */
#include "lib/t_file.h"
#include "lib/t_pattern.h"
#include "lib/t_pvar.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 13, PLACES = 4000, HALF = PIECE * PLACES / 2 /* bytes before the first write */ };

static char path[512];

typedef enum lists { NONE, SOME, MANY, ANY } lists;

typedef struct layout {
    const char *name;
    int hole;    /* one place in `hole` is not written; 0: all are */
    int data;    /* only one place in `data` is written; 0: all are */
    int from;    /* first place that two ranks may write */
    int to;      /* place after the last that two ranks may write */
    int every;   /* of the places from `from` to `to`, two ranks write one in `every` */
    int idle;    /* ranks without data: the last ones */
    lists lists; /* expected */
} layout;

/* One of the two ranks that may write a place, or -1: a hole. */
static int owner(const layout *layout, int place, int which)
{
    int ranks = t_size > layout->idle ? t_size - layout->idle : 1;
    int first = (int) (t_mix((uint64_t) place) % (uint64_t) ranks);

    if ((0 < layout->hole && 0 == place % layout->hole)
        || (0 < layout->data && 0 != place % layout->data)) {
        return -1;
    }
    if (0 == which) {
        return first;
    }
    return place >= layout->from && place < layout->to && 0 == place % layout->every && ranks > 1
               ? (first + 1) % ranks
               : -1;
}

static int64_t place_offset(int place)
{
    return (int64_t) place * PIECE;
}

static void pieces_of(const layout *layout, int rank, t_list *list)
{
    for (int place = 0; place < PLACES; place++) {
        if (rank == owner(layout, place, 0) || rank == owner(layout, place, 1)) {
            t_list_add(list, place_offset(place), PIECE);
        }
    }
}

static void set_view(MPI_File file, const t_list *list)
{
    t_shape shape = {.list = *list, .etype = 1, .unit = 1};
    t_view view = {0};

    t_list_view(&shape, false, &view);
    t_ok(MPI_File_set_view(file, 0, view.etype, view.filetype, "native", MPI_INFO_NULL),
         "set_view");
    t_view_free(&view);
}

static double received(MPI_File file)
{
    return t_pvar_sum("requests_received", file);
}

/* All ranks' bytes of one generation, as the file must be; t_image_check_atomic needs the lists. */
static void check_file(const layout *layout, int generation, bool atomic)
{
    t_list *all = t_alloc(sizeof(*all) * (size_t) t_size), whole = {0};
    t_image image;

    t_list_add(&whole, 0, place_offset(PLACES));
    t_image_make(&image, &whole, 0);
    t_image_prefill(&image, HALF);
    for (int r = 0; r < t_size; r++) {
        all[r] = (t_list){0};
        pieces_of(layout, r, &all[r]);
        t_image_write(&image, &all[r], atomic ? r : generation);
    }
    if (atomic) {
        t_image_check_atomic(&image, path, all, t_size);
    } else {
        t_image_check(&image, path);
    }
    for (int r = 0; r < t_size; r++) {
        t_list_free(&all[r]);
    }
    free(all);
    t_list_free(&whole);
    t_image_free(&image);
}

/* Where two ranks write the same bytes outside of atomic mode, they write the same values. */
static void write_and_check(MPI_File file, const layout *layout, const t_list *mine, int generation,
                            bool atomic)
{
    unsigned char *data = t_list_data(mine, atomic ? t_rank : generation);
    MPI_Status status;

    t_ok(MPI_File_write_at_all(file, 0, data, (int) t_list_bytes(mine), MPI_BYTE, &status),
         "write");
    t_status_check(&status, t_list_bytes(mine), "write");
    t_ok(MPI_File_sync(file), "sync");
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == t_rank) {
        check_file(layout, generation, atomic);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    free(data);
}

/* Reads the bytes of a writer, of which the file has those before `end`. */
static void read_and_check(MPI_File file, const t_list *mine, int writer, int64_t end)
{
    int bytes = (int) t_list_bytes(mine), there = 0;
    unsigned char *data = calloc(1, (size_t) bytes + 1), *wanted = t_list_data(mine, writer);
    MPI_Status status;

    for (size_t i = 0; i < mine->n; i++) { /* joined pieces may cross the end */
        int64_t left = end - mine->v[i].off;

        there += (int) (left < 0 ? 0 : left < mine->v[i].len ? left : mine->v[i].len);
    }
    t_ok(MPI_File_read_at_all(file, 0, data, bytes, MPI_BYTE, &status), "read");
    t_status_check(&status, there, "read");
    t_fail_if(0 != memcmp(data, wanted, (size_t) there), "wrong bytes were read");
    free(data);
    free(wanted);
}

static void check_lists(const layout *layout, lists wanted, const char *what, double lists)
{
    double pieces = 0;

    for (int place = 0; place < PLACES; place++) {
        pieces += 0 <= owner(layout, place, 0);
    }
    pieces = pieces * (t_size - 1) / t_size / (1 + layout->idle / 2);
    if (1 == t_size) {
        return;
    }
    t_fail_if(SOME >= wanted && lists > pieces / (SOME == wanted ? 2 : 4),
              "%s, %s: %.0f extents were sent where none are needed", layout->name, what, lists);
    t_fail_if(MANY == wanted && lists < pieces / 4, "%s, %s: only %.0f extents were sent",
              layout->name, what, lists);
}

typedef enum order { READ_FIRST, WRITE_FIRST, ATOMIC } order;

static void run(const layout *layout, order order, bool shared, const char *hints,
                const char *label)
{
    static const char *const names[] = {"read_first", "write_first", "atomic"};
    t_list mine = {0};
    bool atomic = ATOMIC == order;
    double lists;
    MPI_File file;

    pieces_of(layout, t_rank, &mine);
    if (0 == t_rank) {
        unlink(path);
        t_prefill(path, HALF);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (t_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, hints, &file)) {
        t_ok(MPI_File_set_atomicity(file, atomic), "set_atomicity");
        set_view(file, &mine);
        lists = received(file);
        if (READ_FIRST == order) {
            read_and_check(file, &mine, -1, HALF);
            check_lists(layout, shared && 0 == layout->data ? NONE : MANY, "read",
                        received(file) - lists);
        }
        lists = received(file);
        write_and_check(file, layout, &mine, 100, atomic);
        check_lists(layout,
                    shared && !atomic     ? layout->lists
                    : READ_FIRST == order ? ANY /* the plan of the read has the pieces */
                                          : MANY,
                    "write", received(file) - lists);
        lists = received(file);
        write_and_check(file, layout, &mine, 101, atomic);
        if (!atomic) {
            read_and_check(file, &mine, 101, INT64_MAX);
        }
        t_fail_if(received(file) > lists, "%s, %s: the plan was not used again", layout->name,
                  label);
        t_ok(MPI_File_close(&file), "close");
    }
    t_list_free(&mine);
    t_verdict("%s_%s_%s", layout->name, label, names[order]);
}

int main(int argc, char *argv[])
{
    static const layout layouts[] = {
        {.name = "dense", .lists = NONE},
        {.name = "dense_idle", .idle = 2, .lists = NONE},
        {.name = "holes", .hole = 7, .lists = NONE},
        {.name = "one_overlap", .hole = 7, .from = 2000, .to = 2010, .every = 1, .lists = SOME},
        {.name = "overlaps", .hole = 3, .to = PLACES, .every = 4, .lists = MANY},
        {.name = "more_than_span", .to = PLACES, .every = 1, .lists = MANY},
        {.name = "mostly_holes", .data = 40, .lists = ANY},
    };

    t_init(&argc, &argv);
    t_path(path, sizeof(path), "marks");
    t_first_open(path);
    if (!t_pvar_exists("requests_received")) {
        return t_skip_all("marks", "the component has no counter for it");
    }
    for (size_t i = 0; i < 3 * sizeof(layouts) / sizeof(layouts[0]); i++) {
        const layout *layout = &layouts[i / 3];
        order order = (enum order)(i % 3);

        run(layout, order, true, "exchange=on,transport=shm,buffer_bytes=8192", "shm");
        run(layout, order, true, "exchange=on,transport=shm,schedule=write_comm2,buffer_bytes=8192",
            "overlapped");
        run(layout, order, true,
            "exchange=on,transport=shm,partition=static_cyclic,aggregators=2,buffer_bytes=16384",
            "cyclic");
        run(layout, order, false, "exchange=on,transport=isend", "isend");
    }
    t_remove(path);
    return t_finish();
}
