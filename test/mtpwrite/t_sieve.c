/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many windows of data sieving, with foreign data in the gaps: a 160 MiB file in which the ranks
 * write 64-byte blocks every 1,024 bytes, all at once. The bytes between the blocks must be what
 * they were. (Open MPI 5.0's and 6.0's own data sieving writes stale bytes there, from the second
 * window on.) The ranks' blocks lie side by side, so every window holds blocks of all of them.
 *
 * usage: t_sieve [-a] [-b MiB] FILE      -a: collectively (the stock fcoll then calls the fbtl)
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 64, STRIDE = 1024 };

static unsigned char foreign(long long offset)
{
    return (unsigned char) (offset / 8 * 13 + 1);
}

static void prepare(const char *path, long long bytes)
{
    unsigned char *chunk = malloc(1 << 20);
    int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);

    for (long long at = 0; at < bytes; at += 1 << 20) {
        for (int i = 0; i < 1 << 20; ++i) {
            chunk[i] = foreign(at + i);
        }
        if (0 > fd || 1 << 20 != write(fd, chunk, 1 << 20)) {
            perror(path);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    close(fd);
    free(chunk);
}

static long long check(const char *path, long long bytes, int ranks)
{
    unsigned char *chunk = malloc(1 << 20);
    int fd = open(path, O_RDONLY);
    long long wrong = 0, first = -1;

    for (long long at = 0; at < bytes; at += 1 << 20) {
        if (1 << 20 != read(fd, chunk, 1 << 20)) {
            wrong += 1 << 20;
        }
        for (long long i = 0; i < 1 << 20; ++i) {
            int writer = (int) ((at + i) % STRIDE / BLOCK);
            unsigned char expected = writer < ranks ? (unsigned char) ('A' + writer)
                                                    : foreign(at + i);

            if (chunk[i] != expected) {
                first = 0 > first ? at + i : first;
                ++wrong;
            }
        }
    }
    if (0 < wrong) {
        fprintf(stderr, "t_sieve: %lld wrong bytes, the first at %lld\n", wrong, first);
    }
    close(fd);
    free(chunk);
    return wrong;
}

int main(int argc, char **argv)
{
    long long bytes = 160LL << 20, wrong = 0, count;
    int rank, ranks, option, collective = 0, rc;
    MPI_Datatype pieces, view;
    MPI_File file;
    MPI_Status status;
    int moved = -1;
    char *data;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    while (-1 != (option = getopt(argc, argv, "ab:"))) {
        collective |= 'a' == option;
        bytes = 'b' == option ? atoll(optarg) << 20 : bytes;
    }
    if (0 == rank) {
        prepare(argv[optind], bytes);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    count = bytes / STRIDE * BLOCK;
    data = malloc((size_t) count);
    memset(data, 'A' + rank, (size_t) count);
    MPI_Type_contiguous(BLOCK, MPI_BYTE, &pieces);
    MPI_Type_create_resized(pieces, 0, STRIDE, &view);
    MPI_Type_commit(&view);
    MPI_File_open(MPI_COMM_WORLD, argv[optind], MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_set_view(file, (MPI_Offset) rank * BLOCK, MPI_BYTE, view, "native", MPI_INFO_NULL);
    rc = collective ? MPI_File_write_all(file, data, (int) count, MPI_BYTE, &status)
                    : MPI_File_write(file, data, (int) count, MPI_BYTE, &status);
    MPI_Get_count(&status, MPI_BYTE, &moved);
    if (MPI_SUCCESS != rc || moved != count) {
        fprintf(stderr, "t_sieve: rank %d: rc %d, %lld of %lld bytes\n", rank, rc,
                (long long) moved, count);
        wrong = 1;
    }
    MPI_File_close(&file);
    if (0 == rank) {
        wrong += check(argv[optind], bytes, ranks);
        unlink(argv[optind]);
    }
    MPI_Type_free(&pieces);
    MPI_Type_free(&view);
    free(data);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0 == wrong ? 0 : 1;
}
