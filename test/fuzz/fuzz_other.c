/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Other files of the same processes, beside the one of the sequence: they are opened, accessed and
 * closed in any order, with the hints of the sequence or none, so that what is kept for the next
 * file (communicators, memory, plans) passes between files that differ.
 */
#include "fuzz_run.h"

#include <stdlib.h>
#include <unistd.h>

/* What one transfer moves: blocks of all ranks in turn. */
typedef struct blocks {
    int64_t from;
    int block, count;
    uint64_t seed;
} blocks;

static blocks blocks_of(uint64_t seed)
{
    return (blocks){.from = (int64_t) (seed >> 40 & 1023),
                    .block = 1 + (int) (seed >> 8 & 511),
                    .count = 1 + (int) (seed >> 20 & 15),
                    .seed = seed};
}

static void set_view(fuzz_run *run, MPI_File file, const blocks *b, int rank)
{
    MPI_Datatype type;

    MPI_Type_vector(b->count, b->block, b->block * run->ranks, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    fuzz_ok(run,
            MPI_File_set_view(file, b->from + (int64_t) rank * b->block, MPI_BYTE, type, "native",
                              MPI_INFO_NULL),
            "set_view of another file");
    MPI_Type_free(&type);
}

static void fill(const blocks *b, int rank, unsigned char *bytes)
{
    for (int i = 0; i < b->block * b->count; i++) {
        bytes[i] = (unsigned char) t_mix(b->seed + (uint64_t) rank * 65536 + (uint64_t) i);
    }
}

static void compare(fuzz_run *run, int number, const blocks *b, int rank, const unsigned char *have)
{
    unsigned char *want = t_alloc((size_t) (b->block * b->count));

    fill(b, rank, want);
    for (int i = 0; i < b->block * b->count; i++) {
        if (have[i] != want[i]) {
            fuzz_fail(run, "other file %d: byte %d of rank %d's blocks is %02x, not %02x", number,
                      i, rank, have[i], want[i]);
            break;
        }
    }
    free(want);
}

/* Every rank writes its blocks, and reads those of the next one. */
static void transfer(fuzz_run *run, int number, const blocks *b)
{
    MPI_File file = run->other[number];
    int bytes = b->block * b->count, next = (run->rank + 1) % run->ranks;
    unsigned char *memory = t_alloc((size_t) bytes);
    MPI_Request request;

    fuzz_show(run, "    other file %d: %d blocks of %d bytes from %lld on", number, b->count,
              b->block, (long long) b->from);
    fill(b, run->rank, memory);
    set_view(run, file, b, run->rank);
    if (0 != (b->seed & 1)) {
        fuzz_ok(run, MPI_File_iwrite_at_all(file, 0, memory, bytes, MPI_BYTE, &request), "iwrite");
        fuzz_ok(run, MPI_Wait(&request, MPI_STATUS_IGNORE), "wait of another file");
    } else {
        fuzz_ok(run, MPI_File_write_at_all(file, 0, memory, bytes, MPI_BYTE, MPI_STATUS_IGNORE),
                "write of another file");
    }
    set_view(run, file, b, next);
    fuzz_ok(run, MPI_File_read_at_all(file, 0, memory, bytes, MPI_BYTE, MPI_STATUS_IGNORE),
            "read of another file");
    compare(run, number, b, next, memory);
    free(memory);
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
    blocks b = blocks_of(step->seed);

    if (!FUZZ_HAS(run->features, OTHER)) {
        return;
    }
    if (MPI_FILE_NULL == run->other[number]) {
        open_other(run, number, step);
    }
    if (MPI_FILE_NULL != run->other[number] && 0 != step->value % 4) {
        transfer(run, number, &b);
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
