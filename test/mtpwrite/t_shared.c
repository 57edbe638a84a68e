/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared file pointers (their handles are OMPIO's own, and reach the fbtl by its module only),
 * atomic mode against torn reads, external32, MPI_MODE_APPEND, a write-only handle, and the hints
 * as MPI_File_get_info reports them. One line "ok NAME" or "not ok NAME" each, from rank 0.
 *
 * usage: t_shared FILE
 */
#include "lib/t_file.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 1000, BLOCKS = 20 };

static const char *path;

static void verdict(const char *name)
{
    t_verdict("%s", name);
    t_remove(path);
    MPI_Barrier(MPI_COMM_WORLD);
}

static MPI_File open_file(int amode)
{
    MPI_File file;

    if (!t_open(MPI_COMM_WORLD, path, amode, NULL, &file)) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return file;
}

/* Every block is one rank's, and every rank has all its blocks. */
static void check_blocks(int count)
{
    int *seen = calloc((size_t) t_size, sizeof(*seen));
    char block[BLOCK];
    int fd = open(path, O_RDONLY);

    for (int n = 0; BLOCK == read(fd, block, BLOCK); ++n) {
        int of = block[0] - 'A';

        t_fail_if(0 != memcmp(block, block + 1, BLOCK - 1), "block %d has bytes of two ranks", n);
        if (0 <= of && of < t_size) {
            ++seen[of];
        }
    }
    for (int r = 0; r < t_size; ++r) {
        t_fail_if(seen[r] != count, "%d blocks of rank %d, not %d", seen[r], r, count);
    }
    close(fd);
    free(seen);
}

static void test_shared(void)
{
    MPI_File file = open_file(MPI_MODE_CREATE | MPI_MODE_RDWR);
    char block[BLOCK];

    memset(block, 'A' + t_rank, BLOCK);
    for (int i = 0; i < BLOCKS; ++i) {
        t_ok(MPI_File_write_shared(file, block, BLOCK, MPI_BYTE, MPI_STATUS_IGNORE),
             "write_shared");
    }
    MPI_File_close(&file);
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == t_rank) {
        check_blocks(BLOCKS);
    }
    verdict("shared_pointer");
}

static void test_ordered(void)
{
    MPI_File file = open_file(MPI_MODE_CREATE | MPI_MODE_RDWR);
    char block[BLOCK], got[BLOCK];

    memset(block, 'A' + t_rank, BLOCK);
    for (int i = 0; i < 3; ++i) {
        t_ok(MPI_File_write_ordered(file, block, BLOCK, MPI_BYTE, MPI_STATUS_IGNORE),
             "write_ordered");
    }
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    for (int i = 0; i < 3; ++i) {
        t_ok(MPI_File_read_ordered(file, got, BLOCK, MPI_BYTE, MPI_STATUS_IGNORE), "read_ordered");
        t_fail_if(0 != memcmp(block, got, BLOCK), "read_ordered: other bytes");
    }
    MPI_File_close(&file);
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == t_rank) {
        check_blocks(3);
    }
    verdict("ordered");
}

/* Rank 0 writes whole patterns over and over, the others read: never a mixture. */
static void test_atomic(void)
{
    enum { BYTES = 300000, TIMES = 60 };
    MPI_File file = open_file(MPI_MODE_CREATE | MPI_MODE_RDWR);
    char *data = calloc(1, BYTES);

    if (0 == t_rank) {
        MPI_File_write_at(file, 0, data, BYTES, MPI_BYTE, MPI_STATUS_IGNORE);
    }
    MPI_File_set_atomicity(file, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < TIMES; ++i) {
        if (0 == t_rank) {
            memset(data, i, BYTES);
            MPI_File_write_at(file, 0, data, BYTES, MPI_BYTE, MPI_STATUS_IGNORE);
        } else {
            MPI_File_read_at(file, 0, data, BYTES, MPI_BYTE, MPI_STATUS_IGNORE);
            t_fail_if(0 != memcmp(data, data + 1, BYTES - 1), "read %d has bytes of two writes", i);
        }
    }
    MPI_File_close(&file);
    free(data);
    verdict("atomic_not_torn");
}

static void test_external32(void)
{
    MPI_File file = open_file(MPI_MODE_CREATE | MPI_MODE_RDWR);
    int out[100], in[100], fd;
    unsigned raw[100];
    MPI_Request request;
    MPI_Status status;

    for (int i = 0; i < 100; ++i) {
        out[i] = t_rank * 1000 + i;
    }
    MPI_File_set_view(file, (MPI_Offset) t_rank * 400, MPI_INT, MPI_INT, "external32",
                      MPI_INFO_NULL);
    MPI_File_write(file, out, 50, MPI_INT, &status);
    t_status_check(&status, 50 * sizeof(int), "write");
    MPI_File_iwrite(file, out + 50, 50, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_iread_at(file, 0, in, 100, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    t_fail_if(0 != memcmp(out, in, sizeof(in)), "iread_at: other numbers");
    memset(in, 0, sizeof(in));
    MPI_File_read_at(file, 0, in, 100, MPI_INT, MPI_STATUS_IGNORE);
    t_fail_if(0 != memcmp(out, in, sizeof(in)), "read_at: other numbers");
    MPI_File_close(&file);
    fd = open(path, O_RDONLY);
    t_fail_if(sizeof(raw) != pread(fd, raw, sizeof(raw), (off_t) t_rank * 400), "pread");
    for (int i = 0; i < 100; ++i) {
        t_fail_if((int) ntohl(raw[i]) != out[i], "number %d in the file is %u", i, ntohl(raw[i]));
    }
    close(fd);
    MPI_Barrier(MPI_COMM_WORLD);
    verdict("external32");
}

static void test_append(void)
{
    char got[16] = "";
    MPI_Offset position;
    MPI_File file;
    int fd;

    if (0 == t_rank) {
        fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600);
        t_fail_if(7 != write(fd, "foreign", 7), "write");
        close(fd);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    file = open_file(MPI_MODE_APPEND | MPI_MODE_WRONLY);
    MPI_File_get_position(file, &position);
    t_fail_if(7 != position, "the file pointer is %lld, not 7", (long long) position);
    if (0 == t_rank) {
        t_ok(MPI_File_write(file, "more", 4, MPI_BYTE, MPI_STATUS_IGNORE), "write");
    }
    MPI_File_close(&file);
    if (0 == t_rank) {
        fd = open(path, O_RDONLY);
        t_fail_if(11 != read(fd, got, 15) || 0 != strcmp(got, "foreignmore"), "'%s'", got);
        close(fd);
    }
    verdict("append");
}

static void expect_class(int rc, int wanted, const char *what)
{
    t_fail_if(wanted != t_class(rc), "%s: %s", what, t_class_name(t_class(rc)));
}

/* Reading a write-only file and writing a read-only one: refused, with the right class. */
static void test_refused(void)
{
    char byte = 'x';
    MPI_File file = open_file(MPI_MODE_CREATE | MPI_MODE_WRONLY);

    expect_class(MPI_File_read(file, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE), MPI_ERR_ACCESS,
                 "read of a write-only file");
    MPI_File_close(&file);
    file = open_file(MPI_MODE_RDONLY);
    expect_class(MPI_File_write(file, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE), MPI_ERR_READ_ONLY,
                 "write of a read-only file");
    MPI_File_close(&file);
    verdict("refused");
}

static void test_info(void)
{
    static const char *const hints[][2] = {{"romio_ds_write", "disable"},
                                           {"ind_wr_buffer_size", "65536"},
                                           {"ind_rd_buffer_size", "4194304"}};
    char value[MPI_MAX_INFO_VAL + 1];
    MPI_Info used;
    MPI_File file;

    t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR,
           "romio_ds_write=disable,ind_wr_buffer_size=65536", &file);
    MPI_File_get_info(file, &used);
    for (size_t i = 0; i < 3; ++i) {
        bool found = t_info_get(used, hints[i][0], value, sizeof(value));

        t_fail_if(!found || 0 != strcmp(value, hints[i][1]), "hint %s is %s", hints[i][0],
                  found ? value : "missing");
    }
    MPI_Info_free(&used);
    MPI_File_close(&file);
    verdict("info");
}

int main(int argc, char **argv)
{
    t_init(&argc, &argv);
    path = argv[1];
    test_shared();
    test_ordered();
    test_atomic();
    test_external32();
    test_append();
    test_refused();
    test_info();
    return t_finish();
}
