/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Errors of calls at the shared file pointer: each call that moves bytes there, blocking,
 * nonblocking and split, returns the class of a failed access and a count that promises no byte too
 * many, and the next call works. The end of a split call that did not begin is an error. Runs with
 * libfault preloaded.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "t_fault.h"

enum { BYTES = 5000, SOME = 1700 }; /* bytes of a record, and of one that is cut off */

typedef enum how_t { BLOCKING, START, BEGIN } how_t;

typedef struct row_t {
    const char *name;
    bool write, ordered;
    how_t how;
} row_t;

static const row_t rows[] = {
    {"write_shared", true, false, BLOCKING},    {"read_shared", false, false, BLOCKING},
    {"iwrite_shared", true, false, START},      {"iread_shared", false, false, START},
    {"write_ordered", true, true, BLOCKING},    {"read_ordered", false, true, BLOCKING},
    {"write_ordered_begin", true, true, BEGIN}, {"read_ordered_begin", false, true, BEGIN},
};

static char path[512];

/* The record of a rank: it does not depend on the place, which only the pointer knows. */
static void fill(unsigned char *record, int rank)
{
    t_fill(record, 0, BYTES, rank);
}

static int call_shared(MPI_File file, const row_t *row, void *data, MPI_Status *status)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int rc;

    if (BLOCKING == row->how) {
        return row->write ? MPI_File_write_shared(file, data, BYTES, MPI_BYTE, status)
                          : MPI_File_read_shared(file, data, BYTES, MPI_BYTE, status);
    }
    rc = row->write ? MPI_File_iwrite_shared(file, data, BYTES, MPI_BYTE, &request)
                    : MPI_File_iread_shared(file, data, BYTES, MPI_BYTE, &request);
    return MPI_SUCCESS == rc ? MPI_Wait(&request, status) : rc;
}

static int call_ordered(MPI_File file, const row_t *row, void *data, MPI_Status *status)
{
    int rc;

    if (BLOCKING == row->how) {
        return row->write ? MPI_File_write_ordered(file, data, BYTES, MPI_BYTE, status)
                          : MPI_File_read_ordered(file, data, BYTES, MPI_BYTE, status);
    }
    if (row->write) {
        rc = MPI_File_write_ordered_begin(file, data, BYTES, MPI_BYTE);
        return MPI_SUCCESS == rc ? MPI_File_write_ordered_end(file, data, status) : rc;
    }
    rc = MPI_File_read_ordered_begin(file, data, BYTES, MPI_BYTE);
    return MPI_SUCCESS == rc ? MPI_File_read_ordered_end(file, data, status) : rc;
}

static int call(MPI_File file, const row_t *row, void *data, MPI_Status *status)
{
    memset(status, 0, sizeof(*status));
    return row->ordered ? call_ordered(file, row, data, status)
                        : call_shared(file, row, data, status);
}

/* Returns the number of records in the file that are equal to this one; by POSIX. */
static int records(const unsigned char *record)
{
    unsigned char there[BYTES];
    int fd = open(path, O_RDONLY), found = 0;

    for (int i = 0; i < t_size; i++) {
        found += BYTES == pread(fd, there, BYTES, (off_t) i * BYTES)
                 && 0 == memcmp(there, record, BYTES);
    }
    close(fd);
    return found;
}

/* Without faults the same call moves every record: each is in the file once. */
static void next_call_works(MPI_File file, const row_t *row)
{
    unsigned char data[BYTES], mine[BYTES];
    MPI_Status status;

    fill(mine, t_rank);
    memcpy(data, mine, BYTES);
    t_ok(MPI_File_seek_shared(file, 0, MPI_SEEK_SET), "seek_shared");
    t_ok(call(file, row, data, &status), row->name);
    t_status_check(&status, BYTES, row->name);
    MPI_Barrier(MPI_COMM_WORLD);
    t_fail_if(1 != records(row->write ? mine : data), "%s: the record is there %d times", row->name,
              records(row->write ? mine : data));
}

/* Rank 0 puts a record of each rank in the file. */
static void prepare(void)
{
    unsigned char record[BYTES];

    if (0 == t_rank) {
        int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);

        for (int i = 0; i < t_size; i++) {
            fill(record, t_size + i);
            t_fail_if(BYTES != pwrite(fd, record, BYTES, (off_t) i * BYTES), "cannot prepare");
        }
        close(fd);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* `moved`: bytes of a rank's record that are in place; at most, if the call is ordered: an
 * aggregator may have accessed the records of several ranks. */
static void fails(const row_t *row, const char *what, const char *spec, int class, int moved)
{
    unsigned char data[BYTES];
    MPI_Status status;
    MPI_File file;
    MPI_Count count;
    int happened, any;

    prepare();
    if (t_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, NULL, &file)) {
        fill(data, t_rank);
        t_fault_set(spec);
        t_same_class(call(file, row, data, &status), class, row->name);
        happened = 0 < t_fault_count();
        t_fault_set(NULL);
        count = t_elements(&status, MPI_BYTE);
        MPI_Allreduce(&happened, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        t_fail_if(!any && 0 == t_rank, "the fault never happened: %s", spec);
        t_fail_if(row->ordered ? 0 > count || moved < count : moved != count,
                  "%s: count %lld, %d moved", row->name, (long long) count, moved);
        next_call_works(file, row);
        t_ok(MPI_File_close(&file), "close");
    }
    t_verdict("%s_%s", row->name, what);
}

/* The handle cannot be written, so the call does not begin. */
static void no_begin(void)
{
    const row_t *read = &rows[5];
    unsigned char data[BYTES];
    MPI_Status status;
    MPI_File file;

    prepare();
    fill(data, t_rank);
    if (t_open(MPI_COMM_WORLD, path, MPI_MODE_RDONLY, NULL, &file)) {
        t_fail_if(MPI_SUCCESS == MPI_File_write_ordered_begin(file, data, BYTES, MPI_BYTE),
                  "begins on a handle for reading");
        t_fail_if(MPI_SUCCESS == MPI_File_write_ordered_end(file, data, &status),
                  "ends without a begin");
        next_call_works(file, read);
        t_ok(MPI_File_close(&file), "close");
    }
    t_verdict("write_ordered_end_without_begin");
}

int main(int argc, char *argv[])
{
    char spec[128];

    t_init(&argc, &argv);
    t_path(path, sizeof(path), "shared_errors");
    if (!t_fault_there()) {
        return t_skip_all("pointer_errors", "libfault is not preloaded");
    }
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        int error = rows[i].write ? ENOSPC : EIO;
        int class = rows[i].write ? MPI_ERR_NO_SPACE : MPI_ERR_IO;
        const char *op = rows[i].write ? "write" : "read";

        snprintf(spec, sizeof(spec), "op=%s,match=shared_errors,errno=%d,at=1", op, error);
        fails(&rows[i], "fails", spec, class, 0);
        snprintf(spec, sizeof(spec), "op=%s,match=shared_errors,errno=%d,after=%d", op, error,
                 SOME);
        fails(&rows[i], "ends_too_early", spec, class, rows[i].ordered ? BYTES : SOME);
        if (rows[i].ordered) {
            snprintf(spec, sizeof(spec), "op=%s,match=shared_errors,rank=0,errno=%d,at=1", op,
                     error);
            fails(&rows[i], "fails_on_one_rank", spec, class, BYTES);
        }
    }
    no_begin();
    t_remove(path);
    return t_finish();
}
