/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who sees what. Sync, barrier, sync makes what one rank wrote visible to all, whatever calls wrote
 * and read it. A rank sees its own data at once.
 *
 * The same bytes are written in each round, and every rank has read them before, so that a node's
 * cache holds old ones.
 */
#include "t_clients.h"

enum { ROUNDS = 5, BLOCK = 3001 };

/* With sync each rank reads everything after sync, barrier, sync. Else it reads its own part at
 * once; other parts of the page are other nodes'. */
static void write_and_read(bool write_together, bool read_together, bool sync)
{
    int64_t all = BLOCK * t_size, mine = BLOCK * t_rank;

    for (int round = 0; round < ROUNDS; round++) {
        put(write_together, mine, BLOCK, 1 + round);
        expect(0, all, 1 + round);
        if (sync) {
            sync_barrier_sync();
        }
        get(read_together, sync ? 0 : mine, sync ? all : BLOCK);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

#define BOTH(name, write_together, read_together)             \
    CASE(sync_##name, WHOLE)                                  \
    {                                                         \
        write_and_read(write_together, read_together, true);  \
    }                                                         \
    CASE(own_##name, WHOLE)                                   \
    {                                                         \
        write_and_read(write_together, read_together, false); \
    }

BOTH(collective_individual, true, false)
BOTH(individual_collective, false, true)
BOTH(individual_individual, false, false)
BOTH(collective_collective, true, true)

/* All ranks have read what the first one writes anew, and read it again after each sync. */
CASE(one_writer, WHOLE)
{
    enum { BYTES = 100000 };

    for (int round = 0; round < ROUNDS; round++) {
        if (round % t_size == t_rank) {
            put(false, 0, BYTES, 1 + round);
        }
        expect(0, BYTES, 1 + round);
        sync_barrier_sync();
        get(false, 0, BYTES);
        get(true, 0, BYTES);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* Collective calls alone: each finds what the call before it wrote, without a sync, on any rank.
 * All ranks have read the bytes that one rank writes anew; `calls` calls write a part each. */
static void take_turns(int calls)
{
    enum { PART = 10007 };

    expect(0, calls * PART, 1);
    for (int i = 0; i < calls; i++) {
        put(true, i * PART, 0 == t_rank ? PART : 0, 1);
    }
    for (int round = 0; round < 4 * ROUNDS; round++) {
        get(true, 0, calls * PART);
        for (int i = 0; i < calls; i++) {
            put(true, i * PART, round % t_size == t_rank ? PART : 0, 2 + round);
        }
        expect(0, calls * PART, 2 + round);
    }
    get(true, 0, calls * PART);
}

CASE(collective_turns, WHOLE)
{
    take_turns(1);
}

CASE(collective_turns_of_calls, WHOLE)
{
    take_turns(3);
}

/* A rank has looked for the file before another node makes it: its node keeps the answer that there
 * is none. */
CASE(looked_up_before, BARE)
{
    unsigned char none;

    for (int round = 0; round < ROUNDS; round++) {
        if (t_size - 1 == t_rank) {
            t_fail_if(0 <= read_stored(&none, 0), "the file exists before it is made");
        }
        MPI_Barrier(MPI_COMM_WORLD);
        open_file(CREATE | (0 == round % 2 ? MPI_MODE_EXCL : 0) | MPI_MODE_DELETE_ON_CLOSE);
        put(true, BLOCK * t_rank, BLOCK, 1 + round);
        expect(0, BLOCK * t_size, 1 + round);
        sync_barrier_sync();
        get(false, 0, BLOCK * t_size);
        close_file();
    }
}
