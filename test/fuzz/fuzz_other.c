/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Other files of the same processes, beside the one of the sequence: they are opened, accessed and
 * closed in any order, with the hints of the sequence or none, so that what is kept for the next
 * file (communicators, memory, plans) passes between files that differ.
 */
#include "fuzz_run.h"
#include "lib/t_file.h"

#include <stdlib.h>

/* What one transfer moves: blocks of all ranks in turn. */
static t_blocks blocks_of(const fuzz_run *run, uint64_t seed, int rank)
{
    int64_t block = 1 + (int64_t) (seed >> 8 & 511);

    return (t_blocks){(int64_t) (seed >> 40 & 1023) + rank * block, block, run->ranks * block,
                      1 + (int) (seed >> 20 & 15)};
}

static int writer_of(uint64_t seed, int rank)
{
    return (int) (seed >> 50 & 1023) * FUZZ_RANKS + rank;
}

/* Every rank writes its blocks, and reads those of the next one. */
static void transfer(fuzz_run *run, int number, uint64_t seed)
{
    int next = (run->rank + 1) % run->ranks, failures = t_failures();
    t_blocks mine = blocks_of(run, seed, run->rank), theirs = blocks_of(run, seed, next);
    t_call call = {true, true, true, 0 != (seed & 1) ? T_START : T_BLOCK};
    unsigned char *data = t_blocks_data(&mine, writer_of(seed, run->rank));
    MPI_File file = run->other[number];
    MPI_Status status;

    fuzz_show(run, "    other file %d: %d blocks of %lld bytes from %lld on", number, mine.count,
              (long long) mine.block, (long long) blocks_of(run, seed, 0).first);
    t_blocks_view(file, &mine);
    t_ok(t_call_make(file, &call, 0, data, (int) t_blocks_bytes(&mine), MPI_BYTE, &status),
         "write of another file");
    t_blocks_view(file, &theirs);
    t_blocks_read(file, &theirs, writer_of(seed, next));
    if (t_failures() > failures) {
        fuzz_fail(run, "other file %d: the line above", number);
    }
    free(data);
}

static void open_other(fuzz_run *run, int number, const fuzz_step *step)
{
    MPI_Info info = 0 != (step->seed & 2) ? fuzz_info_make(run, step->handle) : MPI_INFO_NULL;
    char path[600];

    snprintf(path, sizeof(path), "%s.%d", run->path, number);
    fuzz_show(run, "    open other file %d", number);
    if (!fuzz_ok(run,
                 MPI_File_open(run->comm, path,
                               MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info,
                               &run->other[number]),
                 "open of another file")) {
        run->other[number] = MPI_FILE_NULL;
    }
    if (MPI_INFO_NULL != info) {
        MPI_Info_free(&info);
    }
}

void fuzz_other(fuzz_run *run, const fuzz_step *step)
{
    int number = (int) (step->seed >> 2 & (FUZZ_OTHERS - 1));

    if (!FUZZ_HAS(run->features, OTHER)) {
        return;
    }
    if (MPI_FILE_NULL == run->other[number]) {
        open_other(run, number, step);
    }
    if (MPI_FILE_NULL != run->other[number] && 0 != step->value % 4) {
        transfer(run, number, step->seed);
    }
    if (0 == step->completion) {
        fuzz_other_close(run, number);
    }
}

void fuzz_other_close(fuzz_run *run, int number)
{
    if (MPI_FILE_NULL != run->other[number]) {
        fuzz_show(run, "    close other file %d", number);
        fuzz_ok(run, MPI_File_close(&run->other[number]), "close of another file");
    }
}
