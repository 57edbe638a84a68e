/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * A collective write and read through whatever components mpirun was told to use, for every version
 * of Open MPI: pieces of the ranks alternate in the file, with a gap after each round.
 *
 *     | 0 0 0 | 1 1 1 | 2 2 2 | gap | 0 0 0 | 1 1 1 | ...
 *
 * The bytes are checked with plain POSIX reads (gaps must stay what they were), and MPI must read
 * the same. The same file is then written by individual calls.
 */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 1000, ROUNDS = 50, GAP = 77 };

static int rank, size;

static unsigned char expected(long position, int seed)
{
    return (unsigned char) (position * 31 + position / 257 + seed);
}

static void fail(const char *what, long where)
{
    fprintf(stderr, "smoke: rank %d: %s at %ld\n", rank, what, where);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void must(int rc, const char *what)
{
    if (MPI_SUCCESS != rc) {
        fail(what, rc);
    }
}

static long round_bytes(void)
{
    return (long) PIECE * size + GAP;
}

/* My bytes in stream order; their values come from their place in the file. */
static void fill(unsigned char *buffer, int seed)
{
    for (long i = 0; i < (long) PIECE * ROUNDS; ++i) {
        long position = i / PIECE * round_bytes() + (long) PIECE * rank + i % PIECE;
        buffer[i] = expected(position, seed);
    }
}

static void check_file(const char *path, int seed)
{
    long total = round_bytes() * (ROUNDS - 1) + (long) PIECE * size;
    unsigned char *bytes = malloc((size_t) total);
    int fd = open(path, O_RDONLY);

    if (NULL == bytes || 0 > fd || total != pread(fd, bytes, (size_t) total, 0)) {
        fail("cannot read back the file of bytes", total);
    }
    for (long i = 0; i < total; ++i) {
        unsigned char want = i % round_bytes() < (long) PIECE * size ? expected(i, seed) : 0xee;
        if (bytes[i] != want) {
            fail("wrong byte", i);
        }
    }
    close(fd);
    free(bytes);
}

/* Every byte is 0xee before the test, so that gaps can be checked. */
static void prepare(const char *path)
{
    long total = round_bytes() * ROUNDS;
    unsigned char *bytes = malloc((size_t) total);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);

    if (NULL == bytes || 0 > fd) {
        fail("cannot make the file", 0);
    }
    memset(bytes, 0xee, (size_t) total);
    if (total != pwrite(fd, bytes, (size_t) total, 0)) {
        fail("cannot fill the file", 0);
    }
    close(fd);
    free(bytes);
}

static MPI_File open_with_view(const char *path)
{
    MPI_File file;
    MPI_Datatype pieces;

    must(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, MPI_INFO_NULL, &file), "open");
    MPI_Type_create_hvector(1, PIECE, 0, MPI_BYTE, &pieces);
    MPI_Datatype view;
    MPI_Type_create_resized(pieces, 0, round_bytes(), &view);
    MPI_Type_commit(&view);
    must(
        MPI_File_set_view(file, (MPI_Offset) PIECE * rank, MPI_BYTE, view, "native", MPI_INFO_NULL),
        "set_view");
    MPI_Type_free(&view);
    MPI_Type_free(&pieces);
    return file;
}

static void check_count(MPI_Status *status)
{
    int count;

    MPI_Get_count(status, MPI_BYTE, &count);
    if (PIECE * ROUNDS != count) {
        fail("wrong count", count);
    }
}

static void write_and_read(const char *path, int collective)
{
    unsigned char *out = malloc((size_t) PIECE * ROUNDS);
    unsigned char *in = calloc(PIECE, ROUNDS);
    int bytes = PIECE * ROUNDS;
    MPI_Status status;

    if (0 == rank) {
        prepare(path);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File file = open_with_view(path);
    fill(out, collective);
    must(collective ? MPI_File_write_at_all(file, 0, out, bytes, MPI_BYTE, &status)
                    : MPI_File_write_at(file, 0, out, bytes, MPI_BYTE, &status),
         "write");
    check_count(&status);
    must(MPI_File_sync(file), "sync");
    MPI_Barrier(MPI_COMM_WORLD);
    check_file(path, collective);
    must(collective ? MPI_File_read_at_all(file, 0, in, bytes, MPI_BYTE, &status)
                    : MPI_File_read_at(file, 0, in, bytes, MPI_BYTE, &status),
         "read");
    check_count(&status);
    if (0 != memcmp(in, out, (size_t) bytes)) {
        fail("read differs from written", 0);
    }
    must(MPI_File_close(&file), "close");
    free(in);
    free(out);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (2 != argc) {
        fail("usage: smoke FILE", 0);
    }
    write_and_read(argv[1], 1);
    write_and_read(argv[1], 0);
    MPI_Finalize();
    return 0;
}
