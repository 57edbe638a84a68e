/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* Individual writes of ranks on different nodes to disjoint pieces of the same pages. */
#include <stdlib.h>
#include <string.h>

#include "t_clients.h"

enum { PIECE_BYTES = 37, PIECES = 150, RECORD_BYTES = 997, RECORDS = 40 };
enum { GAP_BLOCK = 100, GAP_BLOCKS = 500 };

CASE(individual_records, WHOLE)
{
    for (int i = 0; i < RECORDS; i++) {
        put(false, ((int64_t) i * t_size + t_rank) * RECORD_BYTES, RECORD_BYTES, 1 + i);
        expect((int64_t) i * t_size * RECORD_BYTES, t_size * RECORD_BYTES, 1 + i);
    }
}

/* Rank 0 writes pages that hold `pieces` pieces of each rank, and every rank reads these pages.
 * Returns their bytes. */
static int64_t begin_pieces(int pieces)
{
    int64_t all = (int64_t) pieces * t_size * PIECE_BYTES;

    if (0 == t_rank) {
        put(false, 0, all, 1);
    }
    expect(0, all, 1);
    sync_barrier_sync();
    get(false, 0, all);
    MPI_Barrier(MPI_COMM_WORLD);
    return all;
}

/* Every rank has read every page, and then they write disjoint pieces of them at the same time. */
CASE(pieces_of_pages, WHOLE)
{
    int64_t all = begin_pieces(PIECES);

    for (int i = 0; i < PIECES; i++) {
        put(false, ((int64_t) i * t_size + t_rank) * PIECE_BYTES, PIECE_BYTES, 2);
    }
    expect(0, all, 2);
}

/* Ranks write in turn into pages that all of them have, with sync-barrier-sync after each turn. */
CASE(pieces_in_turn, WHOLE)
{
    enum { TURN_PIECES = 50 };
    int64_t all = begin_pieces(TURN_PIECES);

    for (int turn = 0; turn < t_size; turn++) {
        for (int i = 0; i < TURN_PIECES; i++) {
            int64_t offset = ((int64_t) i * t_size + turn) * PIECE_BYTES;

            if (turn == t_rank) {
                put(false, offset, PIECE_BYTES, 2 + turn);
            }
            expect(offset, PIECE_BYTES, 2 + turn);
        }
        sync_barrier_sync();
        get(false, 0, all);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* Writes blocks by one individual call. */
static void write_blocks(const t_blocks *blocks, int version)
{
    unsigned char *data = t_blocks_data(blocks, version);
    MPI_Status status;

    t_ok(MPI_File_write_at(file, 0, data, (int) t_blocks_bytes(blocks), MPI_BYTE, &status),
         "MPI_File_write_at");
    free(data);
}

/* One individual call of each rank, whose gaps are written by the others at the same time. */
CASE(gaps_of_others, WHOLE)
{
    t_blocks mine = {t_rank * GAP_BLOCK, GAP_BLOCK, t_size * GAP_BLOCK, GAP_BLOCKS};

    expect(0, mine.stride * GAP_BLOCKS, 1);
    t_blocks_view(file, &mine);
    write_blocks(&mine, 1);
}

/* The blocks must be all of one version, of those from `first` on: one for each rank. */
static void check_one_writer(const t_blocks *blocks, const unsigned char *found, int first)
{
    size_t bytes = (size_t) t_blocks_bytes(blocks);
    bool good = false;

    for (int rank = 0; rank < t_size; rank++) {
        unsigned char *data = t_blocks_data(blocks, first + rank);

        good = good || 0 == memcmp(data, found, bytes);
        free(data);
    }
    t_fail_if(!good, "torn: the blocks are not those of one rank");
}

/* All ranks write the same blocks at the same time: the result is one rank's, all of it. */
CASE(atomic_individual, BARE)
{
    enum { BLOCKS = 60, STRIDE = 331, ROUNDS = 10 };
    const t_blocks blocks = {0, GAP_BLOCK, STRIDE, BLOCKS};
    unsigned char found[GAP_BLOCK * BLOCKS];
    MPI_Status status;

    open_file(CREATE);
    if (!t_ok(MPI_File_set_atomicity(file, 1), "MPI_File_set_atomicity")) {
        refused = true; /* better than a promise that is not kept */
        return;
    }
    t_blocks_view(file, &blocks);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Barrier(MPI_COMM_WORLD);
        write_blocks(&blocks, 1 + round * t_size + t_rank);
        MPI_Barrier(MPI_COMM_WORLD);
        memset(found, 0, sizeof(found));
        t_ok(MPI_File_read_at(file, 0, found, sizeof(found), MPI_BYTE, &status),
             "MPI_File_read_at");
        check_one_writer(&blocks, found, 1 + round * t_size);
    }
}

/* What an atomic call wrote is there for every call that begins after it, on any rank. */
static void take_atomic_turns(bool together)
{
    enum { BYTES = 20011, ROUNDS = 20 };

    if (!t_ok(MPI_File_set_atomicity(file, 1), "MPI_File_set_atomicity")) {
        refused = true;
        return;
    }
    for (int round = 0; round < ROUNDS; round++) {
        if (round % t_size == t_rank) {
            put(false, 0, BYTES, 1 + round);
        }
        expect(0, BYTES, 1 + round);
        MPI_Barrier(MPI_COMM_WORLD);
        get(together, 0, BYTES);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

CASE(atomic_turns, WHOLE)
{
    take_atomic_turns(false);
}

CASE(atomic_collective_turns, WHOLE)
{
    take_atomic_turns(true);
}

/* The ranks of this rank's node. The caller frees it. */
static MPI_Comm node_comm(void)
{
    t_node here = t_node_here();
    MPI_Comm node;

    MPI_Comm_split(MPI_COMM_WORLD, here.first, t_rank, &node);
    return node;
}

/* Handles of some ranks of the job request data sieving, which writes the gaps, too. */
static void sieve_by(MPI_Comm comm)
{
    t_blocks mine = {t_rank * GAP_BLOCK, GAP_BLOCK, t_size * GAP_BLOCK, GAP_BLOCKS};

    expect(0, mine.stride * GAP_BLOCKS, 1);
    open_by(comm, CREATE, "romio_ds_write=enable");
    t_blocks_view(file, &mine);
    MPI_Barrier(MPI_COMM_WORLD);
    write_blocks(&mine, 1);
    close_file();
    check_stored();
}

CASE(sieved_alone, BARE)
{
    sieve_by(MPI_COMM_SELF);
}

CASE(sieved_by_nodes, BARE)
{
    MPI_Comm node = node_comm();

    sieve_by(node);
    MPI_Comm_free(&node);
}

/* Atomic mode of handles that some ranks of the job have. */
static void atomic_by(MPI_Comm comm)
{
    enum { BLOCKS = 60, STRIDE = 331, ROUNDS = 5 };
    const t_blocks blocks = {0, GAP_BLOCK, STRIDE, BLOCKS};
    unsigned char found[GAP_BLOCK * BLOCKS];
    MPI_Status status;

    open_by(comm, CREATE, NULL);
    if (MPI_SUCCESS != MPI_File_set_atomicity(file, 1)) {
        refused = true;
        close_file();
        return;
    }
    t_blocks_view(file, &blocks);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Barrier(MPI_COMM_WORLD);
        write_blocks(&blocks, 1 + round * t_size + t_rank);
        MPI_Barrier(MPI_COMM_WORLD);
        memset(found, 0, sizeof(found));
        t_ok(MPI_File_read_at(file, 0, found, sizeof(found), MPI_BYTE, &status),
             "MPI_File_read_at");
        check_one_writer(&blocks, found, 1 + round * t_size);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    close_file();
}

CASE(atomic_alone, BARE)
{
    atomic_by(MPI_COMM_SELF);
}

CASE(atomic_by_nodes, BARE)
{
    MPI_Comm node = node_comm();

    atomic_by(node);
    MPI_Comm_free(&node);
}

/* Atomic mode of a handle that only reads. */
CASE(atomic_read_only, BARE)
{
    expect(0, 5000, 1);
    open_file(CREATE);
    if (0 == t_rank) {
        put(false, 0, 5000, 1);
    }
    close_file();
    open_file(MPI_MODE_RDONLY);
    if (MPI_SUCCESS != MPI_File_set_atomicity(file, 1)) {
        refused = true;
    } else {
        get(false, 0, 5000);
        get(true, 0, 5000);
    }
    close_file();
}
