/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * The array of Build-IO, without MPI: N elements of E bytes, 4 bytes apart in memory, are matched
 * with a contiguous part of a file. Wall time of one process and one thread, best of R.
 *
 *     grown   the array grows by 100 pieces whenever it is full, as in Open MPI's io/ompio
 *     once    room for N + M - 1 pieces first (M pieces of the file), then the same matching
 *
 *   array_bench E R N...      ->  a line "E N grown_s once_s" for each N
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROOM = 100, HOLE = 4, FILE_PIECES = 1 };

typedef struct piece_t {
    void *memory;
    int64_t offset;
    size_t bytes;
} piece_t;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double) t.tv_sec + (double) t.tv_nsec * 1e-9;
}

static volatile int64_t sink; /* keeps the compiler from leaving the arrays out */

static double build(char *memory, size_t element, size_t count, int once)
{
    double start = now();
    size_t room = once ? count + FILE_PIECES - 1 : ROOM;
    piece_t *pieces = malloc(room * sizeof(*pieces));
    int64_t offset = 0;

    for (size_t i = 0; i < count; ++i) {
        if (i == room) {
            room += ROOM;
            pieces = realloc(pieces, room * sizeof(*pieces));
        }
        if (NULL == pieces) {
            abort();
        }
        pieces[i] = (piece_t){memory + i * (element + HOLE), offset, element};
        offset += (int64_t) element;
    }
    sink = pieces[count / 2].offset;
    free(pieces);
    return now() - start;
}

int main(int argc, char **argv)
{
    size_t element = argc > 3 ? (size_t) atoll(argv[1]) : 0;
    int repeats = argc > 3 ? atoi(argv[2]) : 0;

    if (0 == element || 1 > repeats) {
        fprintf(stderr, "usage: array_bench E R N...\n");
        return 2;
    }
    for (int i = 3; i < argc; ++i) {
        size_t count = (size_t) atoll(argv[i]);
        char *memory = malloc(count * (element + HOLE));
        double best[2] = {1e9, 1e9};

        for (int r = 0; r < 2 * repeats; ++r) {
            double time = build(memory, element, count, r % 2);

            best[r % 2] = time < best[r % 2] ? time : best[r % 2];
        }
        printf("%zu %zu %.9f %.9f\n", element, count, best[0], best[1]);
        free(memory);
    }
    return 0;
}
