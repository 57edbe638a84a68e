/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether `auto` finds that the requests of ranks interleave. On one node the counter of direct
 * calls shows it: pieces of this size are exchanged if ranks interleave, else each rank accesses
 * its own. Each pattern is also written by the ranks in descending order. The bytes are compared by
 * POSIX.
 */
#include "lib/t_file.h"
#include "lib/t_pvar.h"

#include <string.h>

enum { PIECE = 4096, PIECES = 16, PART = 2, FAR = 16 << 20 };

static char path[512];
static bool descending; /* rank r writes what rank t_size - 1 - r writes otherwise */

static int place(int rank)
{
    return descending ? t_size - 1 - rank : rank;
}

static t_blocks segments(int rank)
{
    return (t_blocks){(int64_t) place(rank) * PIECES * PIECE, PIECE, PIECE, PIECES};
}

static t_blocks in_turn(int rank)
{
    return (t_blocks){(int64_t) place(rank) * PIECE, PIECE, (int64_t) t_size * PIECE, PIECES};
}

/* Pairs of ranks interleave; a pair is far from the next one. */
static t_blocks pairs(int rank)
{
    int at = place(rank);

    return (t_blocks){(int64_t) (at / 2) * FAR + at % 2 * PIECE, PIECE, 2 * PIECE, PIECES};
}

/* One rank has the first and the last piece of the file, the others a contiguous part each. */
static t_blocks one_around_all(int rank)
{
    int64_t at = place(rank), part = (int64_t) PART * PIECE;

    return 0 == at ? (t_blocks){0, PIECE, PIECE + (t_size - 1) * part, 2}
                   : (t_blocks){PIECE + (at - 1) * part, PIECE, PIECE, PART};
}

static const struct {
    const char *name;
    t_blocks (*of)(int rank);
    bool interleaved;
} patterns[] = {
    {"segments", segments, false},
    {"in_turn", in_turn, true},
    {"pairs_far_from_each_other", pairs, true},
    {"one_rank_around_all", one_around_all, false},
};

/* The size of the buffers makes files of two patterns different for `auto`, so that no measurement
 * of one pattern decides for another. */
static double direct_calls(int number, const t_blocks *mine)
{
    double direct = -1;
    char hints[64];
    MPI_File file;

    snprintf(hints, sizeof(hints), "buffer_bytes=%d", (4 << 20) + number * PIECE);
    if (t_create(path, hints, &file)) {
        t_blocks_view(file, mine);
        direct = t_pvar_read("calls_direct", file);
        t_blocks_write(file, mine, t_rank);
        direct = t_pvar_read("calls_direct", file) - direct;
        t_blocks_read(file, mine, t_rank);
        t_ok(MPI_File_close(&file), "close");
    }
    return direct;
}

int main(int argc, char *argv[])
{
    int number = 0;
    bool counts;

    t_init(&argc, &argv);
    t_path(path, sizeof(path), "interleave");
    t_first_open(path);
    if (!t_pvar_exists("calls_direct") || t_size < 6 || t_size % 2) {
        return t_skip_all("interleave", "needs 6 ranks or more, and the counter of direct calls");
    }
    counts = 1 == argc; /* with several nodes `auto` has other rules */
    for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
        for (int down = 0; down < 2; down++) {
            t_blocks mine;
            double direct;

            descending = 1 == down;
            mine = patterns[i].of(t_rank);
            direct = direct_calls(number++, &mine);
            t_fail_if(counts && direct != !patterns[i].interleaved, "%s: direct calls: %.0f",
                      patterns[i].name, direct);
            t_ranks_check(path, patterns[i].of, 0, 0);
            t_verdict("%s%s", patterns[i].name, descending ? "_descending" : "");
        }
    }
    t_remove(path);
    return t_finish();
}
