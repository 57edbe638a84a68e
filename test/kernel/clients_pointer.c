/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* Records through the shared file pointer: in any order, but each of them once and whole. */
#include <stdlib.h>
#include <string.h>

#include "t_clients.h"

enum { RECORDS = 160, RECORD_BYTES = 1009 };

/* A record begins with its number, in two bytes; the rest follows from the number. */
static void make_record(unsigned char *record, int number)
{
    fill(record, (long long) number * RECORD_BYTES, RECORD_BYTES, 1);
    record[0] = (unsigned char) (number & 0xff);
    record[1] = (unsigned char) (number >> 8);
}

static bool is_record(const unsigned char *record, int *number)
{
    unsigned char good[RECORD_BYTES];

    *number = record[0] | record[1] << 8;
    make_record(good, *number);
    return RECORDS > *number && 0 == memcmp(good, record, RECORD_BYTES);
}

static void check_records(shared_file *file, const unsigned char *buffer, long long bytes)
{
    bool seen[RECORDS] = {false};
    int number, unreadable = 0, missing = 0;

    for (long long at = 0; at + RECORD_BYTES <= bytes; at += RECORD_BYTES) {
        if (!is_record(buffer + at, &number) || seen[number]) {
            unreadable++;
        } else {
            seen[number] = true;
        }
    }
    for (int i = 0; i < RECORDS; i++) {
        missing += !seen[i];
    }
    if (0 != missing || bytes != (long long) RECORDS * RECORD_BYTES) {
        found_wrong(file, missing + 1,
                    "%d of %d records missing, %d unreadable, %lld bytes instead of %lld", missing,
                    RECORDS, unreadable, bytes, (long long) RECORDS * RECORD_BYTES);
    }
}

static void check_stored_records(shared_file *file)
{
    unsigned char *buffer;
    long long size;

    close_file(file);
    if (0 == file->rank) {
        buffer = calloc(1, MAX_BYTES);
        size = read_stored(file, buffer, MAX_BYTES);
        check_records(file, buffer, size < MAX_BYTES ? size : MAX_BYTES);
        free(buffer);
    }
}

/* A shared pointer that is not possible here is refused by all ranks, with an error. */
static bool refused(shared_file *file, int rc)
{
    int mine = MPI_SUCCESS != rc, all;

    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (all) {
        check_call(file, "MPI_File_write_shared", rc);
        file->wrong = 0;
        file->refused = true;
    } else {
        check_call(file, "MPI_File_write_shared", rc);
    }
    return all;
}

CASE(write_shared, BARE)
{
    unsigned char record[RECORD_BYTES];
    MPI_Status status;
    MPI_Offset position = -1;
    int rc;

    open_file(file, CREATE);
    for (int i = file->rank; i < RECORDS; i += file->size) {
        make_record(record, i);
        rc = MPI_File_write_shared(file->fh, record, RECORD_BYTES, MPI_BYTE, &status);
        if (i < file->size && refused(file, rc)) {
            return;
        }
        check_call(file, "MPI_File_write_shared", rc);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    check_call(file, "MPI_File_get_position_shared",
               MPI_File_get_position_shared(file->fh, &position));
    if ((MPI_Offset) RECORDS * RECORD_BYTES != position) {
        found_wrong(file, 1, "the shared pointer is at %lld", (long long) position);
    }
    check_stored_records(file);
}

/* Each record goes to one rank; together they get all of them. */
CASE(read_shared, BARE)
{
    unsigned char record[RECORD_BYTES];
    int seen[RECORDS] = {0}, all[RECORDS], number = 0, missing = 0, count;
    MPI_Status status;

    open_file(file, CREATE);
    for (int i = file->rank; i < RECORDS; i += file->size) {
        make_record(record, i);
        check_call(file, "MPI_File_write_at",
                   MPI_File_write_at(file->fh, (MPI_Offset) i * RECORD_BYTES, record, RECORD_BYTES,
                                     MPI_BYTE, &status));
    }
    sync_barrier_sync(file);
    check_call(file, "MPI_File_seek_shared", MPI_File_seek_shared(file->fh, 0, MPI_SEEK_SET));
    for (int i = file->rank; i < RECORDS; i += file->size) {
        check_call(file, "MPI_File_read_shared",
                   MPI_File_read_shared(file->fh, record, RECORD_BYTES, MPI_BYTE, &status));
        MPI_Get_count(&status, MPI_BYTE, &count);
        if (RECORD_BYTES == count && is_record(record, &number)) {
            seen[number]++;
        }
    }
    MPI_Allreduce(seen, all, RECORDS, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < RECORDS; i++) {
        missing += 1 != all[i];
    }
    if (0 == file->rank && 0 != missing) {
        found_wrong(file, missing, "%d of %d records not read once", missing, RECORDS);
    }
    check_stored_records(file);
}
