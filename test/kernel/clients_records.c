/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Records one after the other, of a size that is no multiple of a page: by collective calls without
 * any sync, which is what most programs do (the end of one call's range and the start of the next
 * one's are in one page), and through the shared file pointer. Two communicators at once.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/t_work.h"
#include "t_clients.h"

enum { RECORD_BYTES = 997, RECORDS = 100, ORDERED = 30, VIEW_RECORDS = 30, VIEW_PIECES = 25 };

static int64_t place(int record, int rank)
{
    return ((int64_t) record * t_size + rank) * RECORD_BYTES;
}

/* All ranks write their records of this number, `shift` bytes further. */
static void write_record(int record, int shift, int version)
{
    put(true, place(record, t_rank) + shift, RECORD_BYTES, version);
    expect(place(record, 0) + shift, t_size * RECORD_BYTES, version);
}

CASE(records, WHOLE)
{
    for (int i = 0; i < RECORDS; i++) {
        write_record(i, 0, 1 + i);
    }
}

/* The ranks' records differ in size; each call goes on where the one before it ended. */
CASE(records_ordered, WHOLE)
{
    unsigned char *buffer = t_alloc(RECORD_BYTES + (size_t) t_size);
    MPI_Status status;

    for (int i = 0; i < ORDERED; i++) {
        for (int rank = 0; rank < t_size; rank++) {
            if (rank == t_rank) {
                t_fill(buffer, end, RECORD_BYTES + rank, 1 + i);
            }
            expect(end, RECORD_BYTES + rank, 1 + i);
        }
        t_ok(MPI_File_write_ordered(file, buffer, RECORD_BYTES + t_rank, MPI_BYTE, &status),
             "MPI_File_write_ordered");
    }
    free(buffer);
}

/* Each call writes small pieces of all ranks in turn, by a view. */
CASE(records_view, WHOLE)
{
    enum { PIECE = 41, RECORD = VIEW_PIECES * PIECE };
    t_blocks mine = {t_rank * PIECE, PIECE, t_size * PIECE, VIEW_PIECES};
    MPI_Status status;

    t_blocks_view(file, &mine);
    for (int i = 0; i < VIEW_RECORDS; i++, mine.first += t_size * RECORD) {
        unsigned char *data = t_blocks_data(&mine, 1 + i);

        t_ok(MPI_File_write_all(file, data, RECORD, MPI_BYTE, &status), "MPI_File_write_all");
        expect((int64_t) i * t_size * RECORD, t_size * RECORD, 1 + i);
        free(data);
    }
}

/* A second pass over the same records, a few bytes further: every page is written again. */
CASE(records_again, WHOLE)
{
    for (int i = 0; i < RECORDS / 2; i++) {
        write_record(i % (RECORDS / 4), i / (RECORDS / 4) * 13, 1 + i);
    }
}

/* What was written is read back collectively by other ranks, on other nodes, after reopening. */
CASE(records_reopened, WHOLE)
{
    for (int pass = 0; pass < 3; pass++) {
        for (int i = 0; i < RECORDS / 10; i++) {
            write_record(i, 0, 1 + pass * 50 + i);
        }
        close_file();
        open_file(MPI_MODE_RDWR);
        for (int i = 0; i < RECORDS / 10; i++) {
            get(true, place(i, (t_rank + 1) % t_size), RECORD_BYTES);
        }
    }
}

/* Two communicators, each on all nodes, write and read files of their own at the same time. */
CASE(two_communicators, LONG)
{
    static const char *const how[] = {"schedule=none",
                                      "schedule=write",
                                      "schedule=write_comm",
                                      "schedule=write_comm2",
                                      "schedule=write_comm2,transport=put_lock",
                                      "schedule=write_comm2,transport=put_fence"};
    char name[64], hints[128];
    MPI_Comm half;

    MPI_Comm_split(MPI_COMM_WORLD, 2 > t_rank, t_rank, &half);
    for (size_t i = 0; i < sizeof(how) / sizeof(how[0]); i++) {
        snprintf(name, sizeof(name), "two.%lld.%d.%zu", run_number, 2 > t_rank, i);
        snprintf(hints, sizeof(hints), "exchange=on,buffer_bytes=1000,%s", how[i]);
        t_work_whole(half, name, (int) i, hints);
    }
    MPI_Comm_free(&half);
}

/* Works for ten seconds, so that a server or a link can be stopped meanwhile. */
CASE(long_job, LONG)
{
    enum { SECONDS = 10 };
    double begin = MPI_Wtime();
    int more = 1;

    for (int i = 0; more; i++) {
        write_record(i % RECORDS, 0, 1 + i % 200);
        if (0 == i % 10) {
            sync_barrier_sync();
            get(false, place(i % RECORDS, (t_rank + 1) % t_size), RECORD_BYTES);
            more = MPI_Wtime() - begin < SECONDS;
            MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
        }
    }
}

/* ---- the shared file pointer: records in any order, but each of them once and whole ---- */

enum { SHARED = 160 };

/* A record begins with its number, in two bytes; the rest follows from the number. */
static void make_record(unsigned char *record, int number)
{
    t_fill(record, (int64_t) number * RECORD_BYTES, RECORD_BYTES, 1);
    record[0] = (unsigned char) (number & 0xff);
    record[1] = (unsigned char) (number >> 8);
}

/* Counts a record that is whole. */
static void count_record(const unsigned char *record, int seen[SHARED])
{
    unsigned char good[RECORD_BYTES];
    int number = record[0] | record[1] << 8;

    make_record(good, number);
    if (SHARED > number && 0 == memcmp(good, record, RECORD_BYTES)) {
        seen[number]++;
    }
}

static void check_once(const int seen[SHARED], const char *what)
{
    int wrong = 0;

    for (int i = 0; i < SHARED; i++) {
        wrong += 1 != seen[i];
    }
    t_fail_if(0 != wrong, "%d of %d records are not %s once", wrong, SHARED, what);
}

static void check_stored_records(void)
{
    close_file();
    if (0 == t_rank) {
        unsigned char *buffer = calloc(1, MAX_BYTES);
        int64_t size = read_stored(buffer, MAX_BYTES);
        int seen[SHARED] = {0};

        for (int i = 0; i < SHARED; i++) {
            count_record(buffer + i * RECORD_BYTES, seen);
        }
        check_once(seen, "stored");
        t_fail_if(SHARED * RECORD_BYTES != size, "%lld bytes instead of %d", (long long) size,
                  SHARED * RECORD_BYTES);
        free(buffer);
    }
}

CASE(write_shared, BARE)
{
    unsigned char record[RECORD_BYTES];
    MPI_Status status;
    MPI_Offset position = -1;

    open_file(CREATE);
    for (int i = t_rank; i < SHARED; i += t_size) {
        int failed, all = 0;

        make_record(record, i);
        failed = !t_ok(MPI_File_write_shared(file, record, RECORD_BYTES, MPI_BYTE, &status),
                       "MPI_File_write_shared");
        if (i < t_size) { /* what is not possible here is refused by all ranks, with an error */
            MPI_Allreduce(&failed, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
        }
        if (all) {
            refused = true;
            return;
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    t_ok(MPI_File_get_position_shared(file, &position), "MPI_File_get_position_shared");
    t_fail_if(SHARED * RECORD_BYTES != position, "the shared pointer is at %lld",
              (long long) position);
    check_stored_records();
}

/* Each record goes to one rank; together they get all of them. */
CASE(read_shared, BARE)
{
    unsigned char record[RECORD_BYTES];
    int seen[SHARED] = {0}, all[SHARED];
    MPI_Status status;

    open_file(CREATE);
    for (int i = t_rank; i < SHARED; i += t_size) {
        make_record(record, i);
        t_ok(MPI_File_write_at(file, (MPI_Offset) i * RECORD_BYTES, record, RECORD_BYTES, MPI_BYTE,
                               &status),
             "MPI_File_write_at");
    }
    sync_barrier_sync();
    t_ok(MPI_File_seek_shared(file, 0, MPI_SEEK_SET), "MPI_File_seek_shared");
    for (int i = t_rank; i < SHARED; i += t_size) {
        memset(record, 0xff, sizeof(record));
        t_ok(MPI_File_read_shared(file, record, RECORD_BYTES, MPI_BYTE, &status),
             "MPI_File_read_shared");
        t_status_check(&status, RECORD_BYTES, "MPI_File_read_shared");
        count_record(record, seen);
    }
    MPI_Allreduce(seen, all, SHARED, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    check_once(all, "read");
    check_stored_records();
}
