/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * A new view before every call, as HDF5 does it: 2000 times. Memory in use must not grow with the
 * number of calls. What Open MPI itself loses in MPI_File_set_view is measured first, by the same
 * loop without the collective call, and taken off.
 */
#include "lib/t_file.h"

#include <stdlib.h>
#include <unistd.h>

enum { WARM = 200, CALLS = 2000, LIMIT_BYTES_PER_CALL = 24 };

static char path[512];

/** Three shapes in turn, at ever new places. */
static t_blocks blocks_of(int rank, int call)
{
    static const int block[3] = {64, 200, 16}, count[3] = {8, 2, 30};
    int kind = call % 3;
    int64_t stride = t_size * block[kind] + (1 == kind ? 0 : 24);

    return (t_blocks){call % 50 * 1000 + rank * block[kind], block[kind], stride, count[kind]};
}

static void one_call(MPI_File file, int call, bool transfer)
{
    t_blocks mine = blocks_of(t_rank, call);

    t_blocks_view(file, &mine);
    if (transfer) {
        t_blocks_write(file, &mine, t_rank);
        t_blocks_read(file, &mine, t_rank);
    }
}

/** Bytes in use that each of CALLS calls left behind. */
static double growth(MPI_File file, bool transfer)
{
    double before, after;

    for (int call = 0; call < WARM; call++) {
        one_call(file, call, transfer);
    }
    before = t_memory_used();
    for (int call = 0; call < CALLS; call++) {
        one_call(file, call, transfer);
    }
    after = t_memory_used();
    return (after - before) / CALLS;
}

int main(int argc, char *argv[])
{
    MPI_File file;
    double view, call, most, mine;

    t_init(&argc, &argv);
    t_path(path, sizeof(path), "views");
    if (t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, NULL, &file)) {
        view = growth(file, false);
        call = growth(file, true);
        mine = call - view;
        MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (0 == t_rank) {
            printf("# bytes left behind by a set_view: %.1f; by write and read: %.1f at most\n",
                   view, most);
        }
        t_fail_if(mine > LIMIT_BYTES_PER_CALL, "a call leaves %.1f bytes behind", mine);
        t_ok(MPI_File_close(&file), "close");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    t_remove(path);
    t_verdict("new_views_leave_nothing_behind");
    return t_finish();
}
