/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sequences of different views on one open file. Whatever is kept between calls (plans, flattened
 * views and datatypes, early access, outlines) must not serve a call that means other bytes: the
 * same shape at another place, the same place in another shape, lanes swapped between the ranks, a
 * rank without bytes, shorter, longer, past the end of the file, and datatypes that are freed and
 * made anew, so that their addresses are used again.
 *
 * A step is derived from the one before it by a pseudo-random generator that all ranks share. The
 * oracle is a copy of the file in memory, filled by arithmetic; after each write rank 0 compares
 * the file with it by POSIX, and a read is compared with it by every rank.
 */
#include "lib/t_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LIMIT = 128 * 1024, PIECES = 4, STEPS = 24, FILES = 28 };

/* The views of all ranks in one step. Lane l begins at place + l * lane. */
typedef struct form {
    bool dense; /* a type without gaps, which repeats to one endless block; else lanes in frames */
    int64_t place; /* in the file, of lane 0 */
    int in_type;   /* of a rank's first offset: 0 none, 1 a part, 2 all is in the filetype, the rest
                      is displacement */
    int bound;     /* lower bound of the filetype: 0 natural or zero, 1 first offset, 2 negative */
    int etype;     /* bytes */
    int pieces;    /* of a filetype, from the lane's beginning: */
    int64_t at[PIECES], length[PIECES];
    int64_t lane, gap; /* bytes of a lane; between frames */
    int rotate;        /* rank r has lane (r + rotate) % ranks */
    int idle, brief;   /* ranks with no bytes, with half of them; -1: nobody */
    int64_t start;     /* position in the view, in etypes */
    int64_t bytes;     /* of each rank */
} form;

typedef struct state {
    uint64_t random;
    unsigned char model[LIMIT];
    int64_t size; /* of the file */
    int step;
    const char *hints;
    form form;
} state;

static char path[512];

static int pick(state *s, int below)
{
    return (int) (t_random(&s->random) % (uint64_t) below);
}

/* ------------------------------------------------------------------ arithmetic on forms */

static int64_t bytes_of(const form *f, int rank)
{
    int64_t bytes = rank == f->idle ? 0 : f->bytes;

    return rank == f->brief ? bytes / 2 / f->etype * f->etype : bytes;
}

static int64_t type_size(const form *f)
{
    int64_t size = 0;

    for (int i = 0; i < f->pieces; i++) {
        size += f->length[i];
    }
    return size;
}

static int64_t first_of(const form *f, int rank)
{
    return f->place + (rank + f->rotate) % t_size * f->lane;
}

static int64_t frame_of(const form *f)
{
    return t_size * f->lane + f->gap;
}

/* File offset of byte `stream` of a rank's view. */
static int64_t offset_of(const form *f, int rank, int64_t stream)
{
    int64_t size = type_size(f), within = stream % size, at = first_of(f, rank);

    if (f->dense) {
        return at + stream;
    }
    at += stream / size * frame_of(f);
    for (int i = 0; i < f->pieces; i++) {
        if (within < f->length[i]) {
            return at + f->at[i] + within;
        }
        within -= f->length[i];
    }
    return -1;
}

static int64_t end_of(const form *f)
{
    int64_t end = 0;

    for (int r = 0; r < t_size; r++) {
        int64_t last = offset_of(f, r, f->start * f->etype + f->bytes) + 1;

        end = last > end ? last : end;
    }
    return end;
}

/* ------------------------------------------------------------------ making forms */

static void new_shape(state *s, form *f)
{
    static const int etypes[] = {1, 1, 4, 3};
    int64_t at = 0;

    f->dense = 0 == pick(s, 3);
    f->etype = etypes[pick(s, 4)];
    f->pieces = f->dense ? 1 : 1 + pick(s, PIECES);
    for (int i = 0; i < f->pieces; i++) {
        f->at[i] = at;
        f->length[i] = f->etype * (1 + pick(s, 20));
        at += f->length[i] + 1 + pick(s, 9);
    }
    f->lane = at + pick(s, 5);
    f->gap = 0 == pick(s, 2) ? 0 : pick(s, 30);
}

/* Keeps lanes apart and everything inside the model. */
static void fit(state *s, form *f)
{
    if (f->dense) {
        int64_t least = f->start * f->etype + f->bytes;

        f->lane = f->lane > least ? f->lane : least;
    }
    while (end_of(f) > LIMIT) {
        f->place = pick(s, 4096);
        f->start /= 2;
        f->bytes = f->bytes / 2 / f->etype * f->etype;
        f->lane = f->dense ? f->start * f->etype + f->bytes + f->etype : f->lane;
    }
}

static void new_form(state *s, form *f)
{
    new_shape(s, f);
    f->place = pick(s, 20000);
    f->in_type = pick(s, 3);
    f->bound = pick(s, 3);
    f->rotate = 0;
    f->idle = f->brief = -1;
    f->start = 0 == pick(s, 2) ? 0 : pick(s, 40);
    f->bytes = (int64_t) f->etype * (1 + pick(s, 400));
}

/* Returns whether the views must be set again. */
static bool next_form(state *s, form *f)
{
    switch (pick(s, 11)) {
    case 0:
        f->place = pick(s, 40000);
        return true;
    case 1: /* the same bytes and another place, told another way */
        f->in_type = pick(s, 3);
        f->bound = pick(s, 3);
        f->place += pick(s, 2) * 64;
        return true;
    case 2:
        new_shape(s, f);
        f->bytes = f->bytes / f->etype * f->etype + f->etype;
        return true;
    case 3:
        f->rotate = pick(s, t_size);
        return true;
    case 4:
        f->idle = 0 == pick(s, 2) ? -1 : pick(s, t_size);
        return false;
    case 5:
        f->brief = 0 == pick(s, 2) ? -1 : pick(s, t_size);
        return false;
    case 6:
        f->bytes = (f->bytes / 2 / f->etype + 1) * f->etype;
        return false;
    case 7:
        f->bytes = f->bytes * 2;
        return f->dense; /* its lanes grow */
    case 8:
        f->place = s->size + pick(s, 300);
        return true;
    case 9:
        f->start = pick(s, 60);
        return f->dense;
    default:
        new_form(s, f);
        return true;
    }
}

/* ------------------------------------------------------------------ the same in MPI */

static void set_view(MPI_File file, const form *f)
{
    int64_t first = first_of(f, t_rank), inside = f->in_type * first / 2;
    MPI_Datatype etype, pieces, type;
    MPI_Aint at[PIECES];
    int length[PIECES];

    for (int i = 0; i < f->pieces; i++) {
        at[i] = (MPI_Aint) (inside + f->at[i]);
        length[i] = (int) (f->length[i] / f->etype);
    }
    MPI_Type_contiguous(f->etype, MPI_BYTE, &etype);
    MPI_Type_commit(&etype);
    MPI_Type_create_hindexed(f->pieces, length, at, etype, &pieces);
    if (f->dense && 0 == f->bound) {
        MPI_Type_dup(pieces, &type); /* its extent is its length, wherever it begins */
    } else {
        MPI_Aint bound = 0 == f->bound ? 0 : 1 == f->bound ? at[0] : -16;

        MPI_Type_create_resized(pieces, bound, (MPI_Aint) (f->dense ? f->length[0] : frame_of(f)),
                                &type);
    }
    MPI_Type_commit(&type);
    t_ok(MPI_File_set_view(file, first - inside, etype, type, "native", MPI_INFO_NULL), "set_view");
    MPI_Type_free(&type);
    MPI_Type_free(&pieces);
    MPI_Type_free(&etype);
}

enum { AT_ALL, ALL_TWICE, IAT_ALL, AT_ALL_SPLIT, AT, CALLS };

static int64_t moved(const MPI_Status *status)
{
    int bytes = 0;

    MPI_Get_count(status, MPI_BYTE, &bytes);
    return bytes;
}

/* `count` etypes by one of the calls. Returns the bytes that the status tells. */
static int64_t transfer(MPI_File file, bool write, int call, const form *f, unsigned char *data,
                        MPI_Datatype type)
{
    int count = (int) bytes_of(f, t_rank), half = count / 2 / f->etype * f->etype;
    MPI_Aint lb, step;
    MPI_Status status;
    MPI_Request request;
    int64_t done = 0;
    int rc;

    MPI_Type_get_extent(type, &lb, &step);
    switch (call) {
    case AT_ALL:
        rc = write ? MPI_File_write_at_all(file, f->start, data, count, type, &status)
                   : MPI_File_read_at_all(file, f->start, data, count, type, &status);
        break;
    case ALL_TWICE:
        MPI_File_seek(file, f->start, MPI_SEEK_SET);
        rc = write ? MPI_File_write_all(file, data, half, type, &status)
                   : MPI_File_read_all(file, data, half, type, &status);
        t_ok(rc, "first half");
        done = moved(&status);
        data += half * step;
        rc = write ? MPI_File_write_all(file, data, count - half, type, &status)
                   : MPI_File_read_all(file, data, count - half, type, &status);
        break;
    case IAT_ALL:
        rc = write ? MPI_File_iwrite_at_all(file, f->start, data, count, type, &request)
                   : MPI_File_iread_at_all(file, f->start, data, count, type, &request);
        t_ok(rc, "start");
        rc = MPI_Wait(&request, &status);
        break;
    case AT_ALL_SPLIT:
        rc = write ? MPI_File_write_at_all_begin(file, f->start, data, count, type)
                   : MPI_File_read_at_all_begin(file, f->start, data, count, type);
        t_ok(rc, "begin");
        rc = write ? MPI_File_write_at_all_end(file, data, &status)
                   : MPI_File_read_at_all_end(file, data, &status);
        break;
    default:
        rc = write ? MPI_File_write_at(file, f->start, data, count, type, &status)
                   : MPI_File_read_at(file, f->start, data, count, type, &status);
        break;
    }
    t_ok(rc, write ? "write" : "read");
    return done + moved(&status);
}

/* ------------------------------------------------------------------ steps */

static void complain(const state *s, const char *what, int64_t at)
{
    const form *f = &s->form;

    t_fail("%s at %lld in step %d with %s: %s, place %lld, in_type %d, bound %d, etype %d, "
           "%d pieces, lane %lld, gap %lld, rotate %d, idle %d, brief %d, start %lld, bytes %lld",
           what, (long long) at, s->step, s->hints, f->dense ? "dense" : "frames",
           (long long) f->place, f->in_type, f->bound, f->etype, f->pieces, (long long) f->lane,
           (long long) f->gap, f->rotate, f->idle, f->brief, (long long) f->start,
           (long long) f->bytes);
}

static void check_file(const state *s)
{
    static unsigned char found[LIMIT + 1];
    int fd = open(path, O_RDONLY);
    ssize_t bytes = pread(fd, found, sizeof(found), 0);

    close(fd);
    if (bytes != s->size) {
        complain(s, "the file ends", bytes);
    }
    for (int64_t i = 0; i < bytes && i < s->size; i++) {
        if (found[i] != s->model[i]) {
            complain(s, "another byte in the file", i);
            return;
        }
    }
}

static void do_write(state *s, MPI_File file, int call, unsigned char *data, MPI_Datatype type,
                     int step_bytes)
{
    const form *f = &s->form;
    int64_t first = f->start * f->etype;

    for (int r = 0; r < t_size; r++) {
        for (int64_t i = 0; i < bytes_of(f, r); i++) {
            int64_t at = offset_of(f, r, first + i);

            s->model[at] = t_val(at, 64 * s->step + r);
            s->size = at >= s->size ? at + 1 : s->size;
            if (r == t_rank) {
                data[i * step_bytes] = s->model[at];
            }
        }
    }
    if (transfer(file, true, call, f, data, type) != bytes_of(f, t_rank)) {
        complain(s, "another count of a write", call);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == t_rank) {
        check_file(s);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void do_read(state *s, MPI_File file, int call, unsigned char *data, MPI_Datatype type,
                    int step_bytes)
{
    const form *f = &s->form;
    int64_t first = f->start * f->etype, expected = 0, got;

    while (expected < bytes_of(f, t_rank) && offset_of(f, t_rank, first + expected) < s->size) {
        expected++;
    }
    got = transfer(file, false, call, f, data, type);
    if (got != expected) {
        complain(s, "another count of a read", got);
    }
    for (int64_t i = 0; i < expected; i++) {
        int64_t at = offset_of(f, t_rank, first + i);

        if (data[i * step_bytes] != s->model[at]) {
            complain(s, "read another byte", at);
            return;
        }
    }
}

static void do_step(state *s, MPI_File file, bool set)
{
    int step_bytes = 1 + pick(s, 3) / 2, call = pick(s, CALLS);
    bool write = 0 != pick(s, 3), again = 0 == pick(s, 3);
    unsigned char *data = t_alloc((size_t) (s->form.bytes * step_bytes));
    MPI_Datatype type;

    memset(data, 0, (size_t) (s->form.bytes * step_bytes));
    MPI_Type_create_resized(MPI_BYTE, 0, step_bytes, &type);
    MPI_Type_commit(&type);
    if (set) {
        set_view(file, &s->form);
    }
    if (write) {
        do_write(s, file, call, data, type, step_bytes);
        memset(data, 0, (size_t) (s->form.bytes * step_bytes));
    }
    if (!write || again) {
        do_read(s, file, call, data, type, step_bytes);
    }
    MPI_Barrier(MPI_COMM_WORLD); /* nobody writes what another rank still reads */
    MPI_Type_free(&type);
    free(data);
}

/* ------------------------------------------------------------------ sequences */

static void run_sequence(int number, const char *hints, bool atomic)
{
    static state s;
    MPI_File file;

    memset(&s, 0, sizeof(s));
    s.random = t_seed + (uint64_t) number * 7919;
    s.hints = hints;
    if (!t_create(path, hints, &file)) {
        return;
    }
    t_ok(MPI_File_set_atomicity(file, atomic), "set_atomicity");
    new_form(&s, &s.form);
    fit(&s, &s.form);
    for (s.step = 0; s.step < STEPS; s.step++) {
        int64_t lane = s.form.lane, place = s.form.place;
        bool set = 0 == s.step || next_form(&s, &s.form);

        fit(&s, &s.form);
        do_step(&s, file, set || lane != s.form.lane || place != s.form.place || 0 == pick(&s, 4));
    }
    t_ok(MPI_File_close(&file), "close");
}

static const char *one_of(uint64_t *random, const char *const *values, int count)
{
    return values[t_random(random) % (uint64_t) count];
}

#define ONE_OF(random, ...)                            \
    one_of(random, (const char *const[]){__VA_ARGS__}, \
           (int) (sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)))

static void random_hints(int number, char *text, size_t size)
{
    uint64_t random = t_seed * 31 + (uint64_t) number;

    snprintf(text, size, "exchange=%s,plan_reuse=%s,transport=%s,schedule=%s,partition=%s%s%s%s",
             ONE_OF(&random, "on", "on", "on", "auto", "off"),
             ONE_OF(&random, "true", "true", "true", "false"),
             ONE_OF(&random, "auto", "isend", "shm", "put_fence", "put_lock"),
             ONE_OF(&random, "auto", "none", "comm", "write", "write_comm", "write_comm2"),
             ONE_OF(&random, "auto", "even", "static_cyclic", "group_cyclic"),
             ONE_OF(&random, "", ",aggregators=1", ",aggregators=2"),
             ONE_OF(&random, "", ",buffer_bytes=4096", ",buffer_bytes=16384"),
             NULL != getenv("COLLIO_FCOLL") && 0 == strcmp("tam", getenv("COLLIO_FCOLL"))
                 ? ONE_OF(&random, "", ",local_aggregators_per_node=1",
                          ",local_aggregators_per_node=2,intra=isend")
                 : "");
}

/* Variables one after the other, each with a type that begins where the variable does. */
static void variables(const char *name, const char *hints, int bound)
{
    enum { VARIABLES = 3, BYTES = 8 };
    unsigned char mine[BYTES], found[VARIABLES * BYTES * 64 + 1];
    int64_t total = (int64_t) VARIABLES * BYTES * t_size;
    MPI_File file;

    if (!t_create(path, hints, &file)) {
        return;
    }
    for (int v = 0; v < VARIABLES; v++) {
        form f = {.dense = true,
                  .place = (int64_t) v * BYTES * t_size,
                  .in_type = 2,
                  .bound = bound,
                  .etype = 1,
                  .pieces = 1,
                  .length = {BYTES},
                  .lane = BYTES};

        memset(mine, 16 * (v + 1) + t_rank, BYTES);
        set_view(file, &f);
        t_ok(MPI_File_write_all(file, mine, BYTES, MPI_BYTE, MPI_STATUS_IGNORE), "write_all");
    }
    t_ok(MPI_File_close(&file), "close");
    if (0 == t_rank) {
        int fd = open(path, O_RDONLY);
        ssize_t bytes = pread(fd, found, sizeof(found), 0);

        close(fd);
        t_fail_if(bytes != total, "the file has %zd bytes, expected %lld", bytes,
                  (long long) total);
        for (int i = 0; i < bytes && i < total; i++) {
            int block = i / BYTES;

            if (found[i] != 16 * (block / t_size + 1) + block % t_size) {
                t_fail("byte %d is %d", i, found[i]);
                break;
            }
        }
    }
    t_verdict("%s", name);
}

int main(int argc, char *argv[])
{
    char hints[512];

    t_init(&argc, &argv);
    t_path(path, sizeof(path), "viewseq");
    if (0 == t_rank) {
        printf("# seed %llu\n", (unsigned long long) t_seed);
    }
    variables("variables_that_begin_inside_the_type", "romio_cb_write=enable", 0);
    variables("variables_with_a_lower_bound_of_their_own", "exchange=on", 1);
    variables("variables_with_a_negative_lower_bound", "exchange=on", 2);
    for (int i = 0; i < FILES; i++) {
        random_hints(i, hints, sizeof(hints));
        run_sequence(i, hints, 0 == i % 9);
        t_verdict("sequence_%d", i);
    }
    t_remove(path);
    return t_finish();
}
