/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gaps belong to others: two handles may write in each other's gaps at the same time.
 *
 *     handle A (even ranks)  |aaa|...|aaa|...|aaa|...
 *     handle B (odd ranks)   ...|bbb|...|bbb|...|bbb|
 */
#include "lib/t_file.h"

#include <stdlib.h>
#include <unistd.h>

static char path[512];

static t_blocks gap_blocks(int group, int rank, int size, int rounds)
{
    /* small pieces with small gaps: what a read-modify-write is made for */
    return (t_blocks){(group * size + rank) * 40, 40, 2 * size * 40, rounds};
}

/** Two groups, each with its own handle of one file, write in each other's gaps. */
static void two_handles(const char *hints, const char *name)
{
    enum { ROUNDS = 300, TIMES = 6 };
    int group = t_rank % 2, rank, size, n = t_size / 2;
    t_expected all = {0};
    t_blocks mine;
    MPI_Comm comm;
    MPI_File file;

    MPI_Comm_split(MPI_COMM_WORLD, t_rank < 2 * n ? group : MPI_UNDEFINED, t_rank, &comm);
    if (0 == t_rank) {
        unlink(path);
        t_prefill(path, 2 * n * 40 * ROUNDS);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int time = 0; MPI_COMM_NULL != comm && time < TIMES; time++) {
        MPI_Comm_rank(comm, &rank);
        MPI_Comm_size(comm, &size);
        mine = gap_blocks(group, rank, size, ROUNDS);
        if (t_open(comm, path, MPI_MODE_RDWR, hints, &file)) {
            for (int k = 0; k < 4; k++) {
                t_blocks_view(file, &mine);
                t_blocks_write(file, &mine, 10 * time + 2 * rank + group);
            }
            t_ok(MPI_File_close(&file), "close");
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == t_rank) {
        for (int r = 0; r < n && r < 32; r++) {
            t_expect(&all, gap_blocks(0, r, n, ROUNDS), 10 * (TIMES - 1) + 2 * r);
            t_expect(&all, gap_blocks(1, r, n, ROUNDS), 10 * (TIMES - 1) + 2 * r + 1);
        }
        t_expected_check(&all, path, 2 * n * 40 * ROUNDS);
    }
    if (MPI_COMM_NULL != comm) {
        MPI_Comm_free(&comm);
    }
    t_verdict("%s", name);
}

int main(int argc, char *argv[])
{
    t_init(&argc, &argv);
    t_path(path, sizeof(path), "gaps");
    if (2 <= t_size && 64 >= t_size) {
        two_handles(NULL, "two_handles");
        two_handles("exchange=on,aggregators=1", "two_handles_one_aggregator");
        two_handles("exchange=off", "two_handles_no_exchange");
    }
    t_remove(path);
    return t_finish();
}
