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

static const int create = MPI_MODE_CREATE | MPI_MODE_RDWR;

typedef void (*access_function)(shared_file *, long long, size_t);
typedef void (*write_function)(shared_file *, long long, size_t, int);

static void visible_after_sync(shared_file *file, write_function write, access_function read)
{
    size_t all = (size_t) BLOCK * (size_t) file->size;

    open_file(file, create);
    for (int round = 0; round < ROUNDS; round++) {
        write(file, (long long) file->rank * BLOCK, BLOCK, 1 + round);
        expect(file, 0, all, 1 + round);
        sync_barrier_sync(file);
        read(file, 0, all);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    close_file(file);
    check_stored(file);
}

static void sync_collective_individual(shared_file *file)
{
    visible_after_sync(file, write_together, read_own);
}

static void sync_individual_collective(shared_file *file)
{
    visible_after_sync(file, write_own, read_together);
}

static void sync_individual_individual(shared_file *file)
{
    visible_after_sync(file, write_own, read_own);
}

static void sync_collective_collective(shared_file *file)
{
    visible_after_sync(file, write_together, read_together);
}

/* Each rank reads its own part only; other parts of the page are other nodes'. */
static void own_at_once(shared_file *file, write_function write, access_function read)
{
    size_t all = (size_t) BLOCK * (size_t) file->size;

    open_file(file, create);
    for (int round = 0; round < ROUNDS; round++) {
        write(file, (long long) file->rank * BLOCK, BLOCK, 1 + round);
        expect(file, 0, all, 1 + round);
        read(file, (long long) file->rank * BLOCK, BLOCK);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    close_file(file);
    check_stored(file);
}

static void own_collective_individual(shared_file *file)
{
    own_at_once(file, write_together, read_own);
}

static void own_individual_collective(shared_file *file)
{
    own_at_once(file, write_own, read_together);
}

static void own_individual_individual(shared_file *file)
{
    own_at_once(file, write_own, read_own);
}

static void own_collective_collective(shared_file *file)
{
    own_at_once(file, write_together, read_together);
}

/* All ranks have read what the first one writes anew, and read it again after each sync. */
static void one_writer(shared_file *file)
{
    enum { BYTES = 100000 };

    open_file(file, create);
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
    close_file(file);
    check_stored(file);
}

const test_case sync_cases[] = {
    {"sync_collective_individual", sync_collective_individual},
    {"sync_individual_collective", sync_individual_collective},
    {"sync_individual_individual", sync_individual_individual},
    {"sync_collective_collective", sync_collective_collective},
    {"one_writer", one_writer},
    {"own_collective_individual", own_collective_individual},
    {"own_individual_collective", own_individual_collective},
    {"own_individual_individual", own_individual_individual},
    {"own_collective_collective", own_collective_collective},
    {NULL, NULL},
};
