/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * Is the virtual cluster a cluster? Each rank checks, without any of our components' help:
 *
 *   - the ranks that share memory with it are exactly those with its host name, and the nodes
 *     have the rank counts named on the command line;
 *   - memory is really shared inside a node, and a message gets to every other rank;
 *   - a file written collectively by all nodes, in interleaved pieces, has the right bytes by
 *     plain POSIX reads, and reads back collectively.
 *
 * usage: t_nodes COUNT[,COUNT...] FILE       one count per node, in any order
 */

#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE_BYTES = 48, PIECES = 500, MAX_NODES = 1000 };

static int failures;

static void check(int ok, const char *what)
{
    if (!ok) {
        int rank;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        fprintf(stderr, "t_nodes: rank %d: %s\n", rank, what);
        failures++;
    }
}

static int compare_int(const void *a, const void *b)
{
    return *(const int *) a - *(const int *) b;
}

static int parse_counts(const char *text, int *counts)
{
    int n = 0;
    char *end;

    for (const char *p = text; n < MAX_NODES && '\0' != *p; p = ',' == *end ? end + 1 : end) {
        counts[n++] = (int) strtol(p, &end, 10);
        if (end == p) {
            return 0;
        }
    }
    qsort(counts, (size_t) n, sizeof(int), compare_int);
    return n;
}

/* Each node's first rank contributes the node's size; sorted they are the expected counts. */
static void check_sizes(MPI_Comm node, const char *expected_text)
{
    int expected[MAX_NODES], found[MAX_NODES], node_rank, mine, nodes, size, *all;
    int count = parse_counts(expected_text, expected);

    MPI_Comm_rank(node, &node_rank);
    MPI_Comm_size(node, &mine);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    mine = 0 == node_rank ? mine : 0;
    all = malloc((size_t) size * sizeof(int));
    MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    nodes = 0;
    for (int i = 0; i < size && nodes < MAX_NODES; i++) {
        if (0 != all[i]) {
            found[nodes++] = all[i];
        }
    }
    free(all);
    qsort(found, (size_t) nodes, sizeof(int), compare_int);
    check(nodes == count && 0 == memcmp(found, expected, (size_t) count * sizeof(int)),
          "the nodes do not have the expected rank counts");
}

static void check_names(MPI_Comm node)
{
    char mine[MPI_MAX_PROCESSOR_NAME] = {0}, *all;
    int size, node_size, length, same = 0;

    MPI_Get_processor_name(mine, &length);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_size(node, &node_size);
    all = malloc((size_t) size * sizeof(mine));
    MPI_Allgather(mine, sizeof(mine), MPI_CHAR, all, sizeof(mine), MPI_CHAR, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++) {
        same += 0 == strcmp(mine, all + (size_t) i * sizeof(mine));
    }
    free(all);
    check(same == node_size, "ranks with this host name are not the ranks that share memory");
}

static void check_shared_memory(MPI_Comm node)
{
    MPI_Win win;
    int rank, size, *mine, *first, unit;
    MPI_Aint bytes;

    MPI_Comm_rank(node, &rank);
    MPI_Comm_size(node, &size);
    MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, node, &mine, &win);
    MPI_Win_fence(0, win);
    *mine = rank + 1;
    MPI_Win_fence(0, win);
    for (int i = 0; i < size; i++) {
        MPI_Win_shared_query(win, i, &bytes, &unit, &first);
        check(*first == i + 1, "node memory is not shared");
    }
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}

static void check_messages(void)
{
    int rank, size;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int step = 1; step < size; step++) {
        int to = (rank + step) % size, from = (rank + size - step) % size, got = -1;
        MPI_Sendrecv(&rank, 1, MPI_INT, to, step, &got, 1, MPI_INT, from, step, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        check(got == from, "a message came from the wrong rank");
    }
}

static unsigned char byte_at(long long offset)
{
    return (unsigned char) ((unsigned long long) offset * 2654435761u >> 13);
}

static long long place(int piece, int byte, int rank, int size)
{
    return ((long long) piece * size + rank) * PIECE_BYTES + byte;
}

static void check_file_bytes(const char *path, int size)
{
    size_t total = (size_t) size * PIECE_BYTES * PIECES;
    unsigned char *all = malloc(total + 1);
    int fd = open(path, O_RDONLY);
    ssize_t got = fd < 0 ? -1 : pread(fd, all, total + 1, 0);
    int good = got == (ssize_t) total;

    for (size_t i = 0; good && i < total; i++) {
        good = all[i] == byte_at((long long) i);
    }
    check(good, "the file's bytes are wrong");
    close(fd);
    free(all);
}

static void check_file(const char *path)
{
    unsigned char data[PIECE_BYTES * PIECES], back[sizeof(data)] = {0};
    MPI_File fh;
    MPI_Datatype view;
    int rank, size;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < (int) sizeof(data); i++) {
        data[i] = byte_at(place(i / PIECE_BYTES, i % PIECE_BYTES, rank, size));
    }
    MPI_Type_vector(PIECES, PIECE_BYTES, PIECE_BYTES * size, MPI_BYTE, &view);
    MPI_Type_commit(&view);
    if (0 == rank) {
        unlink(path);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (MPI_SUCCESS
        != MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                         &fh)) {
        check(0, "cannot open the file");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_File_set_view(fh, (MPI_Offset) rank * PIECE_BYTES, MPI_BYTE, view, "native", MPI_INFO_NULL);
    check(MPI_SUCCESS == MPI_File_write_all(fh, data, sizeof(data), MPI_BYTE, MPI_STATUS_IGNORE),
          "collective write failed");
    check(MPI_SUCCESS
              == MPI_File_read_at_all(fh, 0, back, sizeof(back), MPI_BYTE, MPI_STATUS_IGNORE),
          "collective read failed");
    check(0 == memcmp(data, back, sizeof(data)), "read back other bytes than were written");
    MPI_File_close(&fh);
    MPI_Type_free(&view);
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == rank) {
        check_file_bytes(path, size);
    }
}

int main(int argc, char **argv)
{
    MPI_Comm node;
    int rank, all;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (3 != argc) {
        fprintf(stderr, "usage: t_nodes COUNT[,COUNT...] FILE\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    check_sizes(node, argv[1]);
    check_names(node);
    check_shared_memory(node);
    check_messages();
    check_file(argv[2]);
    MPI_Comm_free(&node);
    MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0 == all ? 0 : 1;
}
