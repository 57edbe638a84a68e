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
        write_own(file, ((long long) i * file->size + file->rank) * RECORD_BYTES, RECORD_BYTES,
                  1 + i);
        expect(file, (long long) i * file->size * RECORD_BYTES, (size_t) file->size * RECORD_BYTES,
               1 + i);
    }
}

/* Every rank has read every page, and then they write disjoint pieces of them at the same time. */
CASE(pieces_of_pages, WHOLE)
{
    size_t all = (size_t) PIECES * (size_t) file->size * PIECE_BYTES;

    if (0 == file->rank) {
        write_own(file, 0, all, 1);
    }
    expect(file, 0, all, 1);
    sync_barrier_sync(file);
    read_own(file, 0, all);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < PIECES; i++) {
        write_own(file, ((long long) i * file->size + file->rank) * PIECE_BYTES, PIECE_BYTES, 2);
    }
    expect(file, 0, all, 2);
}

/* Ranks write in turn into pages that all of them have, with sync-barrier-sync after each turn. */
CASE(pieces_in_turn, WHOLE)
{
    enum { TURN_PIECES = 50 };
    size_t all = (size_t) TURN_PIECES * (size_t) file->size * PIECE_BYTES;

    if (0 == file->rank) {
        write_own(file, 0, all, 1);
    }
    expect(file, 0, all, 1);
    sync_barrier_sync(file);
    for (int turn = 0; turn < file->size; turn++) {
        read_own(file, 0, all);
        MPI_Barrier(MPI_COMM_WORLD);
        for (int i = 0; i < TURN_PIECES; i++) {
            long long offset = ((long long) i * file->size + turn) * PIECE_BYTES;
            if (turn == file->rank) {
                write_own(file, offset, PIECE_BYTES, 2 + turn);
            }
            expect(file, offset, PIECE_BYTES, 2 + turn);
        }
        sync_barrier_sync(file);
    }
}

static MPI_Datatype set_gap_view(shared_file *file, int blocks, long long displacement, int stride)
{
    MPI_Datatype view;

    MPI_Type_vector(blocks, GAP_BLOCK, stride, MPI_BYTE, &view);
    MPI_Type_commit(&view);
    check_call(file, "MPI_File_set_view",
               MPI_File_set_view(file->fh, displacement, MPI_BYTE, view, "native", MPI_INFO_NULL));
    return view;
}

/* One individual call of each rank, whose gaps are written by the others at the same time. */
CASE(gaps_of_others, WHOLE)
{
    unsigned char *buffer = malloc((size_t) GAP_BLOCK * GAP_BLOCKS);
    int stride = GAP_BLOCK * file->size;
    MPI_Datatype view;
    MPI_Status status;

    for (int i = 0; i < GAP_BLOCKS; i++) {
        fill(buffer + (size_t) i * GAP_BLOCK, (long long) i * stride + file->rank * GAP_BLOCK,
             GAP_BLOCK, 1);
    }
    expect(file, 0, (size_t) stride * GAP_BLOCKS, 1);
    view = set_gap_view(file, GAP_BLOCKS, (long long) file->rank * GAP_BLOCK, stride);
    check_call(file, "MPI_File_write_at",
               MPI_File_write_at(file->fh, 0, buffer, GAP_BLOCK * GAP_BLOCKS, MPI_BYTE, &status));
    MPI_Type_free(&view);
    free(buffer);
}

/* Finds the version that the first block has; every block must have it. */
static void check_one_writer(shared_file *file, const unsigned char *buffer, int blocks, int stride,
                             int round)
{
    unsigned char block[GAP_BLOCK];
    int version = 0;

    for (int rank = 0; rank < file->size && 0 == version; rank++) {
        fill(block, 0, GAP_BLOCK, 1 + round * file->size + rank);
        if (0 == memcmp(block, buffer, GAP_BLOCK)) {
            version = 1 + round * file->size + rank;
        }
    }
    for (int i = 0; i < blocks; i++) {
        fill(block, (long long) i * stride, GAP_BLOCK, version);
        if (0 == version || 0 != memcmp(block, buffer + (size_t) i * GAP_BLOCK, GAP_BLOCK)) {
            found_wrong(file, 1, "torn: block %d of round %d is of another rank", i, round);
            return;
        }
    }
}

/* All ranks write the same blocks at the same time: the result is one rank's, all of it. */
CASE(atomic_individual, BARE)
{
    enum { BLOCKS = 60, STRIDE = 331, ROUNDS = 10 };
    unsigned char buffer[GAP_BLOCK * BLOCKS];
    MPI_Datatype view;
    MPI_Status status;
    int rc;

    open_file(file, CREATE);
    rc = MPI_File_set_atomicity(file->fh, 1);
    if (MPI_SUCCESS != rc) { /* better than a promise that is not kept */
        check_call(file, "MPI_File_set_atomicity", rc);
        file->wrong = 0;
        file->refused = true;
        return;
    }
    view = set_gap_view(file, BLOCKS, 0, STRIDE);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < BLOCKS; i++) {
            fill(buffer + i * GAP_BLOCK, (long long) i * STRIDE, GAP_BLOCK,
                 1 + round * file->size + file->rank);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        check_call(file, "MPI_File_write_at",
                   MPI_File_write_at(file->fh, 0, buffer, sizeof(buffer), MPI_BYTE, &status));
        MPI_Barrier(MPI_COMM_WORLD);
        memset(buffer, 0, sizeof(buffer));
        check_call(file, "MPI_File_read_at",
                   MPI_File_read_at(file->fh, 0, buffer, sizeof(buffer), MPI_BYTE, &status));
        check_one_writer(file, buffer, BLOCKS, STRIDE, round);
    }
    MPI_Type_free(&view);
}
