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

typedef void (*access_function)(shared_file *, long long, size_t);
typedef void (*write_function)(shared_file *, long long, size_t, int);

/* With sync each rank reads everything after sync, barrier, sync. Else it reads its own part at
 * once; other parts of the page are other nodes'. */
static void write_and_read(shared_file *file, write_function write, access_function read, bool sync)
{
    size_t all = (size_t) BLOCK * (size_t) file->size;
    long long mine = (long long) file->rank * BLOCK;

    for (int round = 0; round < ROUNDS; round++) {
        write(file, mine, BLOCK, 1 + round);
        expect(file, 0, all, 1 + round);
        if (sync) {
            sync_barrier_sync(file);
        }
        read(file, sync ? 0 : mine, sync ? all : BLOCK);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

#define BOTH(name, write, read)                   \
    CASE(sync_##name, WHOLE)                      \
    {                                             \
        write_and_read(file, write, read, true);  \
    }                                             \
    CASE(own_##name, WHOLE)                       \
    {                                             \
        write_and_read(file, write, read, false); \
    }

BOTH(collective_individual, write_together, read_own)
BOTH(individual_collective, write_own, read_together)
BOTH(individual_individual, write_own, read_own)
BOTH(collective_collective, write_together, read_together)

/* All ranks have read what the first one writes anew, and read it again after each sync. */
CASE(one_writer, WHOLE)
{
    enum { BYTES = 100000 };

    for (int round = 0; round < ROUNDS; round++) {
        if (round % file->size == file->rank) {
            write_own(file, 0, BYTES, 1 + round);
        }
        expect(file, 0, BYTES, 1 + round);
        sync_barrier_sync(file);
        read_own(file, 0, BYTES);
        read_together(file, 0, BYTES);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}
