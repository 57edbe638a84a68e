/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared file pointers (their handles are OMPIO's own, and reach the fbtl by its module only),
 * atomic mode against torn reads, external32, MPI_MODE_APPEND, a write-only handle, and the hints
 * as MPI_File_get_info reports them. One line "ok NAME" or "not ok NAME" each, from rank 0.
 *
 * usage: t_shared FILE
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 1000, BLOCKS = 20 };

static int rank, ranks;
static const char *path;

static int verdict(const char *name, int failed)
{
    int any;

    MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (0 == rank) {
        printf("%sok %s\n", any ? "not " : "", name);
        unlink(path);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return any;
}

static MPI_File open_file(int amode)
{
    MPI_File file;

    if (MPI_SUCCESS != MPI_File_open(MPI_COMM_WORLD, path, amode, MPI_INFO_NULL, &file)) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return file;
}

/* Every block is one rank's, and every rank has all its blocks. */
static int check_blocks(int count)
{
    int *seen = calloc((size_t) ranks, sizeof(*seen));
    char block[BLOCK];
    int fd = open(path, O_RDONLY), failed = 0;

    while (BLOCK == read(fd, block, BLOCK)) {
        int of = block[0] - 'A';

        for (int i = 0; i < BLOCK; ++i) {
            failed |= block[i] != block[0];
        }
        if (0 <= of && of < ranks) {
            ++seen[of];
        }
    }
    for (int r = 0; r < ranks; ++r) {
        failed |= seen[r] != count;
    }
    close(fd);
    free(seen);
    return failed;
}

static int test_shared(void)
{
    MPI_File file = open_file(MPI_MODE_CREATE | MPI_MODE_RDWR);
    char block[BLOCK];
    int failed = 0;

    memset(block, 'A' + rank, BLOCK);
    for (int i = 0; i < BLOCKS; ++i) {
        failed |= MPI_SUCCESS
                  != MPI_File_write_shared(file, block, BLOCK, MPI_BYTE, MPI_STATUS_IGNORE);
    }
    MPI_File_close(&file);
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == rank) {
        failed |= check_blocks(BLOCKS);
    }
    return verdict("shared_pointer", failed);
}

static int test_ordered(void)
{
    MPI_File file = open_file(MPI_MODE_CREATE | MPI_MODE_RDWR);
    char block[BLOCK], got[BLOCK];
    int failed = 0;

    memset(block, 'A' + rank, BLOCK);
    for (int i = 0; i < 3; ++i) {
        failed |= MPI_SUCCESS
                  != MPI_File_write_ordered(file, block, BLOCK, MPI_BYTE, MPI_STATUS_IGNORE);
    }
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    for (int i = 0; i < 3; ++i) {
        failed |= MPI_SUCCESS
                  != MPI_File_read_ordered(file, got, BLOCK, MPI_BYTE, MPI_STATUS_IGNORE);
        failed |= 0 != memcmp(block, got, BLOCK);
    }
    MPI_File_close(&file);
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == rank) {
        failed |= check_blocks(3);
    }
    return verdict("ordered", failed);
}

/* Rank 0 writes whole patterns over and over, the others read: never a mixture. */
static int test_atomic(void)
{
    enum { BYTES = 300000, TIMES = 60 };
    MPI_File file = open_file(MPI_MODE_CREATE | MPI_MODE_RDWR);
    char *data = malloc(BYTES);
    int failed = 0;

    memset(data, 0, BYTES);
    if (0 == rank) {
        MPI_File_write_at(file, 0, data, BYTES, MPI_BYTE, MPI_STATUS_IGNORE);
    }
    MPI_File_set_atomicity(file, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < TIMES && !failed; ++i) {
        if (0 == rank) {
            memset(data, i, BYTES);
            MPI_File_write_at(file, 0, data, BYTES, MPI_BYTE, MPI_STATUS_IGNORE);
        } else {
            MPI_File_read_at(file, 0, data, BYTES, MPI_BYTE, MPI_STATUS_IGNORE);
            for (int at = 1; at < BYTES && !failed; ++at) {
                failed = data[at] != data[0];
            }
        }
    }
    MPI_File_close(&file);
    free(data);
    return verdict("atomic_not_torn", failed);
}

static int test_external32(void)
{
    MPI_File file = open_file(MPI_MODE_CREATE | MPI_MODE_RDWR);
    int out[100], in[100], fd, failed = 0;
    unsigned raw[100];
    MPI_Request request;
    MPI_Status status;
    int count;

    for (int i = 0; i < 100; ++i) {
        out[i] = rank * 1000 + i;
    }
    MPI_File_set_view(file, (MPI_Offset) rank * 400, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL);
    MPI_File_write(file, out, 50, MPI_INT, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    failed |= 50 != count;
    MPI_File_iwrite(file, out + 50, 50, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_iread_at(file, 0, in, 100, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    failed |= 0 != memcmp(out, in, sizeof(in));
    memset(in, 0, sizeof(in));
    MPI_File_read_at(file, 0, in, 100, MPI_INT, MPI_STATUS_IGNORE);
    failed |= 0 != memcmp(out, in, sizeof(in));
    MPI_File_close(&file);
    fd = open(path, O_RDONLY);
    failed |= sizeof(raw) != pread(fd, raw, sizeof(raw), (off_t) rank * 400);
    for (int i = 0; i < 100; ++i) {
        failed |= (int) ntohl(raw[i]) != out[i];
    }
    close(fd);
    MPI_Barrier(MPI_COMM_WORLD);
    return verdict("external32", failed);
}

static int test_append(void)
{
    int failed = 0, fd;
    char text[8] = "foreign";
    MPI_File file;
    MPI_Offset position;

    if (0 == rank) {
        fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600);
        failed |= 7 != write(fd, text, 7);
        close(fd);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    file = open_file(MPI_MODE_APPEND | MPI_MODE_WRONLY);
    MPI_File_get_position(file, &position);
    failed |= 7 != position;
    if (0 == rank) {
        failed |= MPI_SUCCESS != MPI_File_write(file, "more", 4, MPI_BYTE, MPI_STATUS_IGNORE);
    }
    MPI_File_close(&file);
    if (0 == rank) {
        char got[16] = "";

        fd = open(path, O_RDONLY);
        failed |= 11 != read(fd, got, 15) || 0 != strcmp(got, "foreignmore");
        close(fd);
    }
    return verdict("append", failed);
}

/* Reading a write-only file and writing a read-only one: refused, with the right class. */
static int test_refused(void)
{
    char byte = 'x';
    int error_class, failed = 0;
    MPI_File file = open_file(MPI_MODE_CREATE | MPI_MODE_WRONLY);

    MPI_Error_class(MPI_File_read(file, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE), &error_class);
    failed |= MPI_ERR_ACCESS != error_class;
    MPI_File_close(&file);
    file = open_file(MPI_MODE_RDONLY);
    MPI_Error_class(MPI_File_write(file, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE), &error_class);
    failed |= MPI_ERR_READ_ONLY != error_class;
    MPI_File_close(&file);
    return verdict("refused", failed);
}

static int test_info(void)
{
    static const char *const hints[][3] = {{"romio_ds_write", "disable", "disable"},
                                           {"ind_wr_buffer_size", "65536", "65536"},
                                           {"ind_rd_buffer_size", NULL, "4194304"}};
    MPI_Info info, used;
    MPI_File file;
    char value[MPI_MAX_INFO_VAL + 1];
    int found, failed = 0;

    MPI_Info_create(&info);
    for (size_t i = 0; i < 3; ++i) {
        if (NULL != hints[i][1]) {
            MPI_Info_set(info, hints[i][0], hints[i][1]);
        }
    }
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file);
    MPI_File_get_info(file, &used);
    for (size_t i = 0; i < 3; ++i) {
#if MPI_VERSION >= 4
        int size = sizeof(value);

        MPI_Info_get_string(used, hints[i][0], &size, value, &found);
#else
        MPI_Info_get(used, hints[i][0], MPI_MAX_INFO_VAL, value, &found);
#endif
        if (!found || 0 != strcmp(value, hints[i][2])) {
            fprintf(stderr, "t_shared: hint %s is %s\n", hints[i][0], found ? value : "missing");
            failed = 1;
        }
    }
    MPI_Info_free(&info);
    MPI_Info_free(&used);
    MPI_File_close(&file);
    return verdict("info", failed);
}

int main(int argc, char **argv)
{
    int failures = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    path = argv[1];
    failures += test_shared();
    failures += test_ordered();
    failures += test_atomic();
    failures += test_external32();
    failures += test_append();
    failures += test_refused();
    failures += test_info();
    MPI_Finalize();
    return 0 == failures ? 0 : 1;
}
