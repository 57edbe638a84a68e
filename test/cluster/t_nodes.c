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
 * usage: t_nodes COUNT[,COUNT...]       one count per node, in any order; the file is in T_DIR
 */

#include "lib/t_work.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_NODES = 1000 };

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
    int expected[MAX_NODES], found[MAX_NODES], node_rank, mine, nodes = 0, *all;
    int count = parse_counts(expected_text, expected);

    MPI_Comm_rank(node, &node_rank);
    MPI_Comm_size(node, &mine);
    mine = 0 == node_rank ? mine : 0;
    all = t_alloc((size_t) t_size * sizeof(int));
    MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < t_size && nodes < MAX_NODES; i++) {
        if (0 != all[i]) {
            found[nodes++] = all[i];
        }
    }
    free(all);
    qsort(found, (size_t) nodes, sizeof(int), compare_int);
    t_fail_if(nodes != count || 0 != memcmp(found, expected, (size_t) count * sizeof(int)),
              "the nodes do not have the expected rank counts");
}

static void check_names(MPI_Comm node)
{
    char mine[MPI_MAX_PROCESSOR_NAME] = {0}, *all = t_alloc((size_t) t_size * sizeof(mine));
    int node_size, length, same = 0;

    MPI_Get_processor_name(mine, &length);
    MPI_Comm_size(node, &node_size);
    MPI_Allgather(mine, sizeof(mine), MPI_CHAR, all, sizeof(mine), MPI_CHAR, MPI_COMM_WORLD);
    for (int i = 0; i < t_size; i++) {
        same += 0 == strcmp(mine, all + (size_t) i * sizeof(mine));
    }
    free(all);
    t_fail_if(same != node_size, "ranks with this host name are not the ranks that share memory");
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
        t_fail_if(*first != i + 1, "node memory is not shared");
    }
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}

static void check_messages(void)
{
    for (int step = 1; step < t_size; step++) {
        int to = (t_rank + step) % t_size, from = (t_rank + t_size - step) % t_size, got = -1;

        MPI_Sendrecv(&t_rank, 1, MPI_INT, to, step, &got, 1, MPI_INT, from, step, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        t_fail_if(got != from, "a message came from the wrong rank");
    }
}

int main(int argc, char **argv)
{
    MPI_Comm node;

    t_init(&argc, &argv);
    if (2 != argc) {
        fprintf(stderr, "usage: t_nodes COUNT[,COUNT...]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    check_sizes(node, argv[1]);
    check_names(node);
    check_shared_memory(node);
    check_messages();
    t_work_whole(MPI_COMM_WORLD, "nodes.data", 1, NULL);
    MPI_Comm_free(&node);
    t_verdict("nodes");
    return t_finish();
}
