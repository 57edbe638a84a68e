/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* Files of communicators; see t_work.h. */
#include "t_work.h"

#include <stdlib.h>
#include <unistd.h>

t_blocks t_work_blocks(const t_work *work, int rank)
{
    return (t_blocks){8 * work->number + rank * T_WORK_BLOCK, T_WORK_BLOCK,
                      work->size * T_WORK_BLOCK + 40, T_WORK_COUNT};
}

int t_work_writer(const t_work *work, int rank)
{
    return 100 * work->number + 50 * work->generation + rank;
}

void t_work_open(t_work *work, MPI_Comm comm, const char *name, int number, const char *hints)
{
    work->comm = comm;
    work->number = number;
    work->generation = 0;
    MPI_Comm_rank(comm, &work->rank);
    MPI_Comm_size(comm, &work->size);
    t_path(work->path, sizeof(work->path), name);
    t_open(comm, work->path, MPI_MODE_CREATE | MPI_MODE_RDWR, hints, &work->file);
}

void t_work_write(t_work *work)
{
    t_blocks mine = t_work_blocks(work, work->rank);

    t_blocks_view(work->file, &mine);
    t_blocks_write(work->file, &mine, t_work_writer(work, work->rank));
}

void t_work_read(t_work *work)
{
    int other = (work->rank + 1) % work->size;
    t_blocks theirs = t_work_blocks(work, other);

    t_ok(MPI_File_sync(work->file), "sync");
    MPI_Barrier(work->comm);
    t_blocks_view(work->file, &theirs);
    t_blocks_read(work->file, &theirs, t_work_writer(work, other));
}

void t_work_close(t_work *work)
{
    t_ok(MPI_File_close(&work->file), "close");
    MPI_Barrier(work->comm);
    if (0 == work->rank) {
        t_work_check(work);
    }
    MPI_Barrier(work->comm);
}

void t_work_check(const t_work *work)
{
    t_expected all = {0};

    for (int r = 0; r < work->size; r++) {
        t_expect(&all, t_work_blocks(work, r), t_work_writer(work, r));
    }
    t_expected_check(&all, work->path, 0);
    unlink(work->path);
}

void t_work_whole(MPI_Comm comm, const char *name, int number, const char *hints)
{
    t_work work;

    t_work_open(&work, comm, name, number, hints);
    t_work_write(&work);
    t_work_read(&work);
    t_work_close(&work);
}
