/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * Is the virtual cluster a cluster? The ranks that share memory have the counts named on the
 * command line, and a file written collectively by all nodes, in interleaved pieces, has the right
 * bytes by plain POSIX reads, and reads back collectively.
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
    t_work_whole(MPI_COMM_WORLD, "nodes.data", 1, NULL);
    MPI_Comm_free(&node);
    t_verdict("nodes");
    return t_finish();
}
