/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collective records one after the other, of a size that is no multiple of a page, without any
 * sync: what most programs do. The end of one call's range and the start of the next one's are in
 * one page.
 */
#include <stdlib.h>

#include "t_clients.h"

enum { RECORD_BYTES = 997, RECORDS = 100, ORDERED = 30, VIEW_RECORDS = 30, VIEW_PIECES = 25 };

static long long place(const shared_file *file, int record, int rank)
{
    return ((long long) record * file->size + rank) * RECORD_BYTES;
}

CASE(records, WHOLE)
{
    for (int i = 0; i < RECORDS; i++) {
        write_together(file, place(file, i, file->rank), RECORD_BYTES, 1 + i);
        expect(file, place(file, i, 0), (size_t) file->size * RECORD_BYTES, 1 + i);
    }
}

CASE(records_nonblocking, WHOLE)
{
    unsigned char buffer[RECORD_BYTES];
    MPI_Request request;
    MPI_Status status;

    for (int i = 0; i < RECORDS; i++) {
        fill(buffer, place(file, i, file->rank), RECORD_BYTES, 1 + i);
        check_call(file, "MPI_File_iwrite_at_all",
                   MPI_File_iwrite_at_all(file->fh, place(file, i, file->rank), buffer,
                                          RECORD_BYTES, MPI_BYTE, &request));
        check_call(file, "MPI_Wait", MPI_Wait(&request, &status));
        expect(file, place(file, i, 0), (size_t) file->size * RECORD_BYTES, 1 + i);
    }
}

/* The ranks' records differ in size; each call goes on where the one before it ended. */
CASE(records_ordered, WHOLE)
{
    unsigned char *buffer = malloc((size_t) RECORD_BYTES + (size_t) file->size);
    long long offset = 0;
    MPI_Status status;

    for (int i = 0; i < ORDERED; i++) {
        for (int rank = 0; rank < file->size; rank++) {
            if (rank == file->rank) {
                fill(buffer, offset, (size_t) (RECORD_BYTES + rank), 1 + i);
            }
            expect(file, offset, (size_t) (RECORD_BYTES + rank), 1 + i);
            offset += RECORD_BYTES + rank;
        }
        check_call(
            file, "MPI_File_write_ordered",
            MPI_File_write_ordered(file->fh, buffer, RECORD_BYTES + file->rank, MPI_BYTE, &status));
    }
    free(buffer);
}

/* Each call writes small pieces of all ranks in turn, by a view. */
CASE(records_view, WHOLE)
{
    enum { PIECE = 41 };
    unsigned char buffer[VIEW_PIECES * PIECE];
    MPI_Datatype view;
    MPI_Status status;

    MPI_Type_vector(VIEW_PIECES, PIECE, PIECE * file->size, MPI_BYTE, &view);
    MPI_Type_create_resized(view, 0, (MPI_Aint) VIEW_PIECES * PIECE * file->size, &view);
    MPI_Type_commit(&view);
    check_call(file, "MPI_File_set_view",
               MPI_File_set_view(file->fh, (MPI_Offset) file->rank * PIECE, MPI_BYTE, view,
                                 "native", MPI_INFO_NULL));
    for (int i = 0; i < VIEW_RECORDS; i++) {
        long long start = (long long) i * VIEW_PIECES * PIECE * file->size;
        for (int p = 0; p < VIEW_PIECES; p++) {
            fill(buffer + p * PIECE, start + ((long long) p * file->size + file->rank) * PIECE,
                 PIECE, 1 + i);
        }
        check_call(file, "MPI_File_write_all",
                   MPI_File_write_all(file->fh, buffer, VIEW_PIECES * PIECE, MPI_BYTE, &status));
        expect(file, start, (size_t) (VIEW_PIECES * PIECE) * (size_t) file->size, 1 + i);
    }
    MPI_Type_free(&view);
}

/* A second pass over the same records, a few bytes further: every page is written again. */
CASE(records_again, WHOLE)
{
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < RECORDS / 4; i++) {
            long long first = place(file, i, 0) + (long long) pass * 13;
            write_together(file, first + (long long) file->rank * RECORD_BYTES, RECORD_BYTES,
                           1 + pass * 100 + i);
            expect(file, first, (size_t) file->size * RECORD_BYTES, 1 + pass * 100 + i);
        }
    }
}

/* What was written is read back collectively by other ranks, on other nodes, after reopening. */
CASE(records_reopened, WHOLE)
{
    for (int pass = 0; pass < 3; pass++) {
        for (int i = 0; i < RECORDS / 10; i++) {
            write_together(file, place(file, i, file->rank), RECORD_BYTES, 1 + pass * 50 + i);
            expect(file, place(file, i, 0), (size_t) file->size * RECORD_BYTES, 1 + pass * 50 + i);
        }
        close_file(file);
        open_file(file, MPI_MODE_RDWR);
        for (int i = 0; i < RECORDS / 10; i++) {
            read_together(file, place(file, i, (file->rank + 1) % file->size), RECORD_BYTES);
        }
    }
}

/* Works for ten seconds, so that a server or a link can be stopped meanwhile. */
CASE(long_job, LONG)
{
    enum { SECONDS = 10 };
    double begin = MPI_Wtime();
    int more = 1;

    for (int i = 0; more; i++) {
        int record = i % RECORDS;
        write_together(file, place(file, record, file->rank), RECORD_BYTES, 1 + i % 200);
        expect(file, place(file, record, 0), (size_t) file->size * RECORD_BYTES, 1 + i % 200);
        if (0 == i % 10) {
            sync_barrier_sync(file);
            read_own(file, place(file, record, (file->rank + 1) % file->size), RECORD_BYTES);
            more = MPI_Wtime() - begin < SECONDS;
            MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
        }
    }
}
