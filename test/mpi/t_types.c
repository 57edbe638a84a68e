/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * More memory types than a file keeps flattened, used in turn and at random, some of them with very
 * many pieces. Types are freed and made anew with another shape all the time, so that new ones come
 * to live at addresses of old ones. Every byte is compared by POSIX, and again after reading.
 */
#include "lib/t_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TYPES = 100, CALLS = 700, LARGE = 300000, ROOM = 4096 };

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

/* Calls with large types have their places behind the others. */
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

int main(int argc, char *argv[])
{
    MPI_File file;
    int fd;

    t_init(&argc, &argv);
    t_path(path, sizeof(path), "types");
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
