/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls without an exchange, in both directions by turns. The first collective read after
 * collective writes finds what all ranks have written, and the first collective write after
 * collective reads harms no rank that is still reading, however long that rank takes.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "t_fault.h"

enum { ROUNDS = 12, CALLS = 8, BLOCK = 512, LATE_US = 20000 };

static char path[512];

static int64_t place_of(int call, int rank)
{
    return ((int64_t) call * t_size + rank) * BLOCK;
}

/* In every round another rank is late for the last call. */
static void be_late(int round, int call)
{
    if (CALLS - 1 == call && round % t_size == t_rank) {
        usleep(LATE_US);
    }
}

static void write_own(MPI_File file, int round)
{
    unsigned char data[BLOCK];
    MPI_Status status;

    for (int call = 0; call < CALLS; ++call) {
        t_fill(data, place_of(call, t_rank), BLOCK, round);
        be_late(round, call);
        t_ok(MPI_File_write_at_all(file, place_of(call, t_rank), data, BLOCK, MPI_BYTE, &status),
             "write_at_all");
        t_status_check(&status, BLOCK, "write_at_all");
    }
}

/* The blocks of rank + shift, the last ones first: they may still be on their way. */
static void read_others(MPI_File file, int round, int shift)
{
    unsigned char data[BLOCK];
    int other = (t_rank + shift) % t_size;
    MPI_Status status;

    for (int call = 0; call < CALLS; ++call) {
        be_late(round + 1, call);
        t_ok(MPI_File_read_at_all(file, place_of(CALLS - 1 - call, other), data, BLOCK, MPI_BYTE,
                                  &status),
             "read_at_all");
        t_status_check(&status, BLOCK, "read_at_all");
        t_fail_if(!t_holds(data, place_of(CALLS - 1 - call, other), BLOCK, round),
                  "round %d, block %d of rank %d: other bytes", round, CALLS - 1 - call, other);
    }
}

static void by_turns(const char *hints)
{
    MPI_File file;

    t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, hints, &file);
    for (int round = 0; round < ROUNDS; ++round) {
        write_own(file, round);
        read_others(file, round, 1 + round % 3);
    }
    t_ok(MPI_File_close(&file), "close");
    t_verdict("by_turns_%s", hints);
}

int main(int argc, char *argv[])
{
    t_init(&argc, &argv);
    t_path(path, sizeof(path), "turns");
    by_turns("exchange=off");
    by_turns("exchange=auto");
    t_remove(path);
    return t_finish();
}
