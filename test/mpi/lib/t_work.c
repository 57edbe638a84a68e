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
    return 100 * work->number + rank;
}

void t_work_open(t_work *work, MPI_Comm comm, const char *name, int number, const char *hints)
{
    work->comm = comm;
    work->number = number;
    MPI_Comm_rank(comm, &work->rank);
    MPI_Comm_size(comm, &work->size);
    t_path(work->path, sizeof(work->path), name);
    t_open(comm, work->path, MPI_MODE_CREATE | MPI_MODE_RDWR, hints, &work->file);
}

void t_work_write(t_work *work)
{
    t_blocks mine = t_work_blocks(work, work->rank);
    unsigned char *data = t_blocks_data(&mine, t_work_writer(work, work->rank));
    MPI_Status status;

    t_blocks_view(work->file, &mine);
    if (t_ok(MPI_File_write_all(work->file, data, T_WORK_BYTES, MPI_BYTE, &status), "write_all")) {
        t_status_check(&status, T_WORK_BYTES, "write_all");
    }
    free(data);
}

void t_work_read(t_work *work)
{
    int other = (work->rank + 1) % work->size;
    t_blocks theirs = t_work_blocks(work, other);
    unsigned char *data = t_alloc(T_WORK_BYTES);
    MPI_Status status;

    t_ok(MPI_File_sync(work->file), "sync");
    MPI_Barrier(work->comm);
    t_blocks_view(work->file, &theirs);
    if (t_ok(MPI_File_read_all(work->file, data, T_WORK_BYTES, MPI_BYTE, &status), "read_all")) {
        t_status_check(&status, T_WORK_BYTES, "read_all");
        t_blocks_check(&theirs, t_work_writer(work, other), data, "read_all");
    }
    free(data);
}

void t_work_close(t_work *work)
{
    t_ok(MPI_File_close(&work->file), "close");
    MPI_Barrier(work->comm);
    if (0 == work->rank) {
        t_expected all = {0};

        for (int r = 0; r < work->size; r++) {
            t_expect(&all, t_work_blocks(work, r), t_work_writer(work, r));
        }
        t_expected_check(&all, work->path, 0);
        unlink(work->path);
    }
    MPI_Barrier(work->comm);
}

void t_work_whole(MPI_Comm comm, const char *name, int number, const char *hints)
{
    t_work work;

    t_work_open(&work, comm, name, number, hints);
    t_work_write(&work);
    t_work_read(&work);
    t_work_close(&work);
}
