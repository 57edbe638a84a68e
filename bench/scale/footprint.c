/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of the components that depends on the number of ranks, by formula. test/scale compares the
 * formulas with what is allocated.
 *
 *   rank        8 bytes for each aggregator (its rank, its number on its node), for an open file
 *   node        once for each set of processes: the table of ranks and nodes; for that set and for
 *               each context: a page of agreements with a seat for each rank of the node
 *   aggregator  for each plan and each rank that has bytes for the aggregator: its list
 */
#include <inttypes.h>

#include "scale.h"

enum {
    SEAT_BYTES = 1088,     /* seat_t of node/agreement.c */
    PAGES = 2,             /* a set with one context */
    REQUESTER_BYTES = 1024 /* at most, with one piece in one window, and room to grow */
};

scale_footprint_t scale_footprint(int ranks, int per_node, int aggregators)
{
    int nodes = (ranks + per_node - 1) / per_node;
    int here = ranks < per_node ? ranks : per_node;

    return (scale_footprint_t){
        .nodes = nodes,
        .rank = INT64_C(8) * aggregators,
        .node = (int64_t) collio_nodes_bytes(ranks, nodes) + (int64_t) PAGES * SEAT_BYTES * here,
        .aggregator = (int64_t) REQUESTER_BYTES * ((ranks + aggregators - 1) / aggregators),
    };
}

void scale_footprint_print(FILE *out, int ranks, int per_node, int aggregators)
{
    scale_footprint_t bytes = scale_footprint(ranks, per_node, aggregators);

    fprintf(out, "%d,%d,%d,%" PRId64 ",%" PRId64 ",%" PRId64 "\n", ranks, bytes.nodes, aggregators,
            bytes.rank, bytes.node, bytes.aggregator);
}
