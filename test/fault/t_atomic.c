/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Atomic mode of individual calls: all ranks write the same blocks at the same time, by accesses
 * that libfault makes slow, so that ranks which do not exclude each other mix their blocks. Every
 * read finds the blocks of one rank. When the file has left atomic mode, calls still work.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/t_call.h"
#include "t_fault.h"

enum { BLOCK = 40, STRIDE = 331, BLOCKS = 8, ROUNDS = 3 };

static const t_blocks blocks = {0, BLOCK, STRIDE, BLOCKS};
static char path[512];

/* The blocks must be all of one version, of those from `first` on: one for each rank. */
static void check_one_writer(const unsigned char *found, int first)
{
    bool good = false;

    for (int rank = 0; rank < t_size; rank++) {
        unsigned char *data = t_blocks_data(&blocks, first + rank);

        good = good || 0 == memcmp(data, found, BLOCK * BLOCKS);
        free(data);
    }
    t_fail_if(!good, "torn: the blocks are not those of one rank");
}

static void write_and_read(MPI_File file, const t_call *call, int first)
{
    unsigned char *data = t_blocks_data(&blocks, first + t_rank), found[BLOCK * BLOCKS];
    t_call back = {false, false, true, call->how};
    MPI_Status status;

    t_ok(MPI_File_seek(file, 0, MPI_SEEK_SET), "seek");
    MPI_Barrier(MPI_COMM_WORLD);
    t_fault_set("op=write,match=atomic,delay_ms=2,jitter_ms=1");
    t_ok(t_call_make(file, call, 0, data, BLOCK * BLOCKS, MPI_BYTE, &status), "write");
    t_fault_set(NULL);
    t_status_check(&status, BLOCK * BLOCKS, "write");
    MPI_Barrier(MPI_COMM_WORLD);
    t_ok(t_call_make(file, &back, 0, found, BLOCK * BLOCKS, MPI_BYTE, &status), "read");
    t_status_check(&status, BLOCK * BLOCKS, "read");
    check_one_writer(found, first);
    free(data);
}

/* The blocks of a rank when the file has left atomic mode. */
static t_blocks blocks_of(int rank)
{
    return (t_blocks){rank * BLOCK, BLOCK, (int64_t) t_size * BLOCK, BLOCKS};
}

static void exclude_each_other(const t_call *call, const char *name)
{
    t_blocks mine = blocks_of(t_rank);
    unsigned char *data = t_blocks_data(&mine, t_rank);
    MPI_File file;

    if (t_create(path, NULL, &file)) {
        t_ok(MPI_File_set_atomicity(file, 1), "set_atomicity");
        t_blocks_view(file, &blocks);
        for (int round = 0; round < ROUNDS; round++) {
            write_and_read(file, call, 1 + round * t_size);
        }
        t_ok(MPI_File_set_atomicity(file, 0), "set_atomicity off");
        t_ok(MPI_File_set_size(file, 0), "set_size");
        t_blocks_view(file, &mine);
        t_ok(MPI_File_write_at(file, 0, data, BLOCK * BLOCKS, MPI_BYTE, MPI_STATUS_IGNORE),
             "write in the other mode");
        t_ok(MPI_File_close(&file), "close");
        t_ranks_check(path, blocks_of, 0, 0);
    }
    free(data);
    t_verdict("%s", name);
}

/* A file that is open for reading only can be in atomic mode. */
static void read_only(void)
{
    t_call back = {false, false, true, T_BLOCK};
    unsigned char found[BLOCK * BLOCKS];
    MPI_Status status;
    MPI_File file;

    if (0 == t_rank) {
        t_prefill(path, STRIDE * BLOCKS);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (t_open(MPI_COMM_WORLD, path, MPI_MODE_RDONLY, NULL, &file)) {
        t_ok(MPI_File_set_atomicity(file, 1), "set_atomicity");
        t_blocks_view(file, &blocks);
        t_ok(t_call_make(file, &back, 0, found, BLOCK * BLOCKS, MPI_BYTE, &status), "read");
        t_blocks_check(&blocks, -1, found, "read");
        t_ok(MPI_File_close(&file), "close");
    }
    t_verdict("read_only");
}

int main(int argc, char *argv[])
{
    const t_call write = {true, false, false, T_BLOCK}, write_at = {true, false, true, T_BLOCK};
    const t_call iwrite_at = {true, false, true, T_START};

    t_init(&argc, &argv);
    t_path(path, sizeof(path), "atomic");
    if (!t_fault_there()) {
        return t_skip_all("atomic", "libfault is not preloaded");
    }
    exclude_each_other(&write, "write");
    exclude_each_other(&write_at, "write_at");
    exclude_each_other(&iwrite_at, "iwrite_at");
    read_only();
    t_remove(path);
    return t_finish();
}
