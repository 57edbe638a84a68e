/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Atomic mode: a process waits for a range that its own collective call holds, which only ends if
 * MPI makes progress meanwhile. All of this is legal, so all of it must end:
 *
 *     MPI_File_iwrite_at_all(file, A)       the range of A is locked until the call is settled
 *     MPI_File_write_at(file, B)            waits for it where B overlaps A
 *     MPI_Wait(A)
 *
 * A and B are concurrent: where they overlap the file holds one of them as a whole.
 */
#include "lib/t_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BYTES = 300000, MANY = 80 };

static char path[512];

typedef enum { IWRITE_ALL, SPLIT } collective_t;
typedef enum { WRITE, IWRITE, READ } individual_t;

static void *filled(int value)
{
    return memset(t_alloc(BYTES), value, BYTES);
}

/* The bytes of this rank are all of one of the two calls. */
static void check_mine(int first, int second, const char *what)
{
    unsigned char *have = t_alloc(BYTES);
    int fd = open(path, O_RDONLY);

    if (BYTES != pread(fd, have, BYTES, (off_t) t_rank * BYTES)) {
        t_fail("%s: the file is too short", what);
    } else if ((have[0] != first && have[0] != second) || 0 != memcmp(have, have + 1, BYTES - 1)) {
        t_fail("%s: neither of the two calls, or a mixture of both", what);
    }
    close(fd);
    free(have);
}

static void individual(MPI_File file, individual_t how, void *data)
{
    MPI_Offset at = (MPI_Offset) t_rank * BYTES;
    MPI_Request request[MANY];
    void *in = t_alloc(BYTES);

    switch (how) {
    case WRITE:
        t_ok(MPI_File_write_at(file, at, data, BYTES, MPI_BYTE, MPI_STATUS_IGNORE), "write_at");
        break;
    case IWRITE: /* more than there are threads, so that waiting ones could fill the pool */
        for (int i = 0; i < MANY; i++) {
            t_ok(MPI_File_iwrite_at(file, at, data, BYTES, MPI_BYTE, &request[i]), "iwrite_at");
        }
        t_ok(MPI_Waitall(MANY, request, MPI_STATUSES_IGNORE), "waitall");
        break;
    case READ:
        t_ok(MPI_File_read_at(file, at, in, BYTES, MPI_BYTE, MPI_STATUS_IGNORE), "read_at");
        break;
    }
    free(in);
}

static void overlapped(collective_t collective, individual_t how, bool second_handle,
                       const char *name)
{
    int first = 1 + t_rank % 100, second = 101 + t_rank % 100;
    void *a = filled(first), *b = filled(second);
    MPI_Offset at = (MPI_Offset) t_rank * BYTES;
    MPI_File file, other = MPI_FILE_NULL;
    MPI_Request request;

    if (!t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, NULL, &file)) {
        return;
    }
    t_ok(MPI_File_set_atomicity(file, 1), "set_atomicity");
    if (second_handle && t_open(MPI_COMM_SELF, path, MPI_MODE_RDWR, NULL, &other)) {
        t_ok(MPI_File_set_atomicity(other, 1), "set_atomicity");
    }
    for (int round = 0; round < 20; round++) {
        if (IWRITE_ALL == collective) {
            t_ok(MPI_File_iwrite_at_all(file, at, a, BYTES, MPI_BYTE, &request), "iwrite_at_all");
        } else {
            t_ok(MPI_File_write_at_all_begin(file, at, a, BYTES, MPI_BYTE), "begin");
        }
        individual(MPI_FILE_NULL == other ? file : other, how, b);
        if (IWRITE_ALL == collective) {
            t_ok(MPI_Wait(&request, MPI_STATUS_IGNORE), "wait");
        } else {
            t_ok(MPI_File_write_at_all_end(file, a, MPI_STATUS_IGNORE), "end");
        }
        check_mine(first, second, name);
    }
    if (MPI_FILE_NULL != other) {
        t_ok(MPI_File_close(&other), "close");
    }
    t_ok(MPI_File_close(&file), "close");
    free(a);
    free(b);
    t_verdict("%s", name);
}

/* Two collective calls on two handles of one file, both under way: rank 0 locks for both. */
static void two_collectives(void)
{
    void *a = filled(1), *b = filled(2);
    MPI_Offset at = (MPI_Offset) t_rank * BYTES;
    MPI_File file[2];
    MPI_Request request[2];

    for (int i = 0; i < 2; i++) {
        if (!t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, NULL, &file[i])) {
            return;
        }
        t_ok(MPI_File_set_atomicity(file[i], 1), "set_atomicity");
    }
    for (int round = 0; round < 20; round++) {
        t_ok(MPI_File_iwrite_at_all(file[0], at, a, BYTES, MPI_BYTE, &request[0]), "iwrite_at_all");
        t_ok(MPI_File_iwrite_at_all(file[1], at, b, BYTES, MPI_BYTE, &request[1]), "iwrite_at_all");
        t_ok(MPI_Waitall(2, request, MPI_STATUSES_IGNORE), "waitall");
        t_ok(MPI_File_iwrite_at_all(file[0], at, a, BYTES, MPI_BYTE, &request[0]), "iwrite_at_all");
        t_ok(MPI_File_write_at_all(file[1], at, b, BYTES, MPI_BYTE, MPI_STATUS_IGNORE),
             "write_at_all");
        t_ok(MPI_Wait(&request[0], MPI_STATUS_IGNORE), "wait");
        check_mine(1, 2, "two collectives");
    }
    t_ok(MPI_File_close(&file[1]), "close");
    t_ok(MPI_File_close(&file[0]), "close");
    free(a);
    free(b);
    t_verdict("two_collectives");
}

/* Locks of a descriptor that cannot be read are exclusive: a shared one is refused. */
static void write_only(void)
{
    void *a = filled(7);
    MPI_File file;

    if (t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, NULL, &file)) {
        t_ok(MPI_File_set_atomicity(file, 1), "set_atomicity of a write-only file");
        t_ok(MPI_File_write_at(file, (MPI_Offset) t_rank * BYTES, a, BYTES, MPI_BYTE,
                               MPI_STATUS_IGNORE),
             "write_at");
        t_ok(MPI_File_write_at_all(file, (MPI_Offset) t_rank * BYTES, a, BYTES, MPI_BYTE,
                                   MPI_STATUS_IGNORE),
             "write_at_all");
        t_ok(MPI_File_close(&file), "close");
        check_mine(7, 7, "write only");
    }
    free(a);
    t_verdict("write_only");
}

int main(int argc, char *argv[])
{
    t_init(&argc, &argv);
    t_path(path, sizeof(path), "lock_wait");
    t_remove(path);
    MPI_Barrier(MPI_COMM_WORLD);
    write_only();
    overlapped(IWRITE_ALL, WRITE, false, "iwrite_all_then_write");
    overlapped(IWRITE_ALL, READ, false, "iwrite_all_then_read");
    overlapped(IWRITE_ALL, IWRITE, false, "iwrite_all_then_many_iwrites");
    overlapped(SPLIT, WRITE, false, "split_then_write");
    overlapped(IWRITE_ALL, WRITE, true, "iwrite_all_then_write_by_another_handle");
    overlapped(IWRITE_ALL, IWRITE, true, "iwrite_all_then_many_iwrites_by_another_handle");
    overlapped(SPLIT, WRITE, true, "split_then_write_by_another_handle");
    two_collectives();
    t_remove(path);
    return t_finish();
}
