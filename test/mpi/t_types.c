/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * More memory types than a file keeps flattened, used in turn and at random, some of them with very
 * many pieces. Types are freed and made anew with another shape all the time, so that new ones come
 * to live at addresses of old ones. Every byte is compared by POSIX, and again after reading.
 *
 * Before that, views that are not found again: they must not take the places of others.
 */
#include "lib/t_file.h"
#include "lib/t_pvar.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TYPES = 100, CALLS = 700, LARGE = 300000, ROOM = 4096 };
enum { VIEWS = 80, PIECES = 2000 };

typedef struct shape_t {
    int count, block, stride;
    MPI_Datatype type;
} shape_t;

static char path[512];
static shape_t shapes[TYPES];

/* Where a block lies in memory. Large types are irregular: regular ones are kept as one piece. */
static int64_t block_at(const shape_t *shape, int64_t block)
{
    return block * shape->stride
           + (LARGE == shape->count ? (int64_t) (t_mix((uint64_t) block) % 2) : 0);
}

static void make_type(shape_t *shape)
{
    int *places = malloc(sizeof(int) * (size_t) shape->count);

    for (int i = 0; i < shape->count; i++) {
        places[i] = (int) block_at(shape, i);
    }
    MPI_Type_create_indexed_block(shape->count, shape->block, places, MPI_BYTE, &shape->type);
    MPI_Type_commit(&shape->type);
    free(places);
}

static void make(int number, int generation)
{
    shape_t *shape = &shapes[number];
    uint64_t draw = t_mix(t_seed + (uint64_t) (number * 1000 + generation));

    if (0 != shape->count) {
        MPI_Type_free(&shape->type);
    }
    shape->count = 0 == number % 20 ? LARGE : 1 + (int) (draw % 40);
    shape->block = LARGE == shape->count ? 1 : 1 + (int) (draw / 64 % 50);
    shape->stride = shape->block + 1 + (int) (draw / 4096 % 9);
    make_type(shape);
}

static int64_t bytes_of(const shape_t *shape)
{
    return (int64_t) shape->count * shape->block;
}

/* Calls with large types have their places after the others. */
static int64_t place_of(const shape_t *shape, int call)
{
    int64_t large = (int64_t) CALLS * t_size * ROOM;

    return LARGE == shape->count ? large + ((int64_t) (call / 20) * t_size + t_rank) * LARGE
                                 : ((int64_t) call * t_size + t_rank) * ROOM;
}

static void check(const shape_t *shape, int64_t at, const unsigned char *buffer, const char *what)
{
    for (int64_t i = 0; i < bytes_of(shape); i++) {
        if (t_val(at + i, t_rank) != buffer[block_at(shape, i / shape->block) + i % shape->block]) {
            t_fail("byte %lld: wrong %s", (long long) (at + i), what);
            return;
        }
    }
}

static void one_call(MPI_File file, int fd, int call, const shape_t *shape)
{
    int64_t bytes = bytes_of(shape), at = place_of(shape, call);
    size_t room = (size_t) shape->count * (size_t) shape->stride;
    unsigned char *buffer = calloc(1, room), *plain = malloc((size_t) bytes);
    MPI_Status status;

    for (int64_t i = 0; i < bytes; i++) {
        buffer[block_at(shape, i / shape->block) + i % shape->block] = t_val(at + i, t_rank);
    }
    t_ok(MPI_File_write_at_all(file, at, buffer, 1, shape->type, &status), "write_at_all");
    t_status_check(&status, bytes, "write_at_all");
    t_fail_if(bytes != pread(fd, plain, (size_t) bytes, at), "call %d: the file is too short",
              call);
    check(&(shape_t){1, (int) bytes, (int) bytes, MPI_BYTE}, at, plain, "in the file");
    memset(buffer, 0, room);
    t_ok(MPI_File_read_at_all(file, at, buffer, 1, shape->type, &status), "read_at_all");
    t_status_check(&status, bytes, "read_at_all");
    check(shape, at, buffer, "in memory");
    free(plain);
    free(buffer);
}

/* Its last block ends past the largest offset. */
static MPI_Datatype far_type(int number)
{
    static int length[PIECES];
    static MPI_Aint at[PIECES];
    MPI_Datatype type;

    for (int i = 0; i < PIECES; i++) {
        length[i] = 4;
        at[i] = i * 20 + (MPI_Aint) (t_mix((uint64_t) (number * PIECES + i)) % 16);
    }
    at[PIECES - 1] = INT64_MAX - 1;
    MPI_Type_create_hindexed(PIECES, length, at, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    return type;
}

/* In a file of its own: a call in a view with an offset that no file has, and one in another view.
 * Returns the most memory up to now. */
static double one_view(int number)
{
    t_blocks mine = {t_rank * ROOM, ROOM, ROOM, 1};
    MPI_Datatype type = far_type(number);
    MPI_Status status;
    double high = 0;
    MPI_File file;

    if (t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR,
               "exchange=on,keep=false,plan_reuse=false", &file)) {
        t_ok(MPI_File_set_view(file, 0, MPI_BYTE, type, "native", MPI_INFO_NULL), "set_view");
        (void) MPI_File_write_all(file, &mine, 4, MPI_BYTE, &status); /* see t_overflow */
        t_blocks_view(file, &mine);
        t_blocks_write(file, &mine, t_rank);
        high = t_pvar_read("memory_high", file);
        t_ok(MPI_File_close(&file), "close");
    }
    MPI_Type_free(&type);
    return high;
}

/* A kept view would take 16 bytes per piece. Stock components have no counter: nothing grows. */
static void far_views(void)
{
    double first = one_view(0), high = first;

    for (int i = 1; i < VIEWS; ++i) {
        high = one_view(i);
    }
    t_fail_if(high - first > 8 * 16 * PIECES, "%d views take %.0f bytes, one takes %.0f", VIEWS,
              high, first);
    t_remove(path);
    t_verdict("far_views");
}

int main(int argc, char *argv[])
{
    MPI_File file;
    int fd;

    t_init(&argc, &argv);
    t_path(path, sizeof(path), "types");
    far_views();
    for (int i = 0; i < TYPES; i++) {
        make(i, 0);
    }
    if (t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, NULL, &file)) {
        fd = open(path, O_RDONLY);
        for (int call = 0; call < CALLS; call++) {
            uint64_t draw = t_mix(t_seed ^ (uint64_t) call);

            one_call(file, fd, call,
                     &shapes[call < 2 * TYPES ? call % TYPES : (int) (draw % TYPES)]);
            if (0 == call % 3) {
                make((int) (draw / TYPES % TYPES), 1 + call);
            }
        }
        close(fd);
        t_ok(MPI_File_close(&file), "close");
    }
    for (int i = 0; i < TYPES; i++) {
        MPI_Type_free(&shapes[i].type);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    t_remove(path);
    t_verdict("many_types");
    return t_finish();
}
