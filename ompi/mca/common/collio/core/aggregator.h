/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_AGGREGATOR_H
#define COLLIO_AGGREGATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Which rank is on which node. Nodes are numbered from 0 in the order of their lowest ranks. The
 *  tables are one block of memory, which the ranks of a node can share. A job on one node has no
 *  tables. */
typedef struct collio_nodes_t {
    int ranks;       /* number of ranks */
    int nodes;       /* number of nodes */
    int *node_of;    /* node of each rank; NULL: there is one node */
    int *local_rank; /* index of each rank among the members of its node */
    int *member;     /* ranks in the order of their nodes, ascending on each node */
    int *first;      /* [nodes + 1]: node n has member[first[n]] to member[first[n + 1] - 1] */
} collio_nodes_t;

/** Bytes of the tables; 0 for one node. */
size_t collio_nodes_bytes(int ranks, int nodes);
/** Initializes the map with `tables`, a block of collio_nodes_bytes; NULL for one node. */
void collio_nodes_place(collio_nodes_t *nodes, int ranks, int count, void *tables);
/** Completes the tables. The caller has set node_of[rank] to the lowest rank of the rank's node. */
void collio_nodes_fill(collio_nodes_t *nodes);

static inline int collio_node_of(const collio_nodes_t *nodes, int rank)
{
    return 1 == nodes->nodes ? 0 : nodes->node_of[rank];
}

/** Index of a rank among the members of its node. */
static inline int collio_node_local(const collio_nodes_t *nodes, int rank)
{
    return 1 == nodes->nodes ? rank : nodes->local_rank[rank];
}

/** The i-th rank of a node. */
static inline int collio_node_member(const collio_nodes_t *nodes, int node, int i)
{
    return 1 == nodes->nodes ? i : nodes->member[nodes->first[node] + i];
}

/** Number of ranks of a node. */
static inline int collio_node_size(const collio_nodes_t *nodes, int node)
{
    return 1 == nodes->nodes ? nodes->ranks : nodes->first[node + 1] - nodes->first[node];
}

/** Makes a map of ranks to racks. `text` lists the number of nodes of each rack, in the order of
 *  the nodes, such as "16,9,16"; racks beyond the list have as many nodes as the last one. The
 *  caller frees racks->node_of. 0, -EINVAL (syntax) or -ENOMEM. */
int collio_racks_init(collio_nodes_t *racks, const collio_nodes_t *nodes, const char *text);

typedef enum collio_placement_t {
    COLLIO_PLACEMENT_SPREAD = 0, /* evenly over the nodes; if there are few: every k-th node */
    COLLIO_PLACEMENT_ROUND_ROBIN /* the first rank of each node, then the second ranks, … */
} collio_placement_t;

/** Chooses `count` different ranks (clamped to 1..ranks) into list[]. Returns the number chosen.
 *  spread: the count is divided over the nodes as evenly as their rank counts allow, and the chosen
 *  ranks of a node are spread evenly over its members; the list ascends by node, then by rank.
 *  round_robin: 0, q, 1, q+1, ... for nodes of q ranks (the TAM paper's order); later rounds skip
 *  nodes with fewer ranks.
 *  A count below the number of nodes takes the first rank of every (nodes/count)-th node. */
int collio_aggregators_place(const collio_nodes_t *nodes, int count, collio_placement_t placement,
                             int *list);

/** Sorts a list of aggregators by rank. */
void collio_aggregators_sort(int *list, int count);

/** Chooses up to `per_node` (at least 1) ranks of each node, spread evenly over its members, into
 *  list[], by node, then by rank. Returns the number chosen. */
int collio_aggregators_per_node(const collio_nodes_t *nodes, int per_node, int *list);

/** Parses "0,4,8-11,12-20:4" into list[]; NULL: only counts the ranks. Returns the number of ranks,
 *  -EINVAL (syntax, duplicate, out of range) or -ENOMEM. After an error *bad (may be NULL) points
 *  to the place of the error. */
int collio_aggregators_parse(const char *text, int ranks, int *list, const char **bad);

/** Returns the node-local index of the i-th of `c` local aggregators on a node of `q` ranks:
 *  ceil(q/c)*i for i < e, else ceil(q/c)*e + floor(q/c)*(i-e), with e = q mod c. 1 <= c <= q;
 *  i = c: returns q. */
int collio_local_aggregator(int q, int c, int i);

/** Returns the i of the local aggregator that serves node-local rank r. */
int collio_local_number(int q, int c, int r);

/** Number of local aggregators of each node; the ranks of a node are its upper limit. */
typedef struct collio_local_count_t {
    int level; /* local aggregators of every node */
    int until; /* nodes below this number have one more than `level` */
} collio_local_count_t;

/** Divides `total` local aggregators over the nodes as evenly as their rank counts allow, at least
 *  one per node. If `total` is at least the number of ranks, every rank is a local aggregator. */
collio_local_count_t collio_local_aggregators_divide(const collio_nodes_t *nodes, int total);
/** Returns the number of local aggregators of a node. */
int collio_local_aggregators_on(const collio_nodes_t *nodes, collio_local_count_t count, int node);

/** The local aggregator of a rank. */
typedef struct collio_local_t {
    int rank;    /* rank of the local aggregator */
    int number;  /* its number among the local aggregators of the node */
    int count;   /* number of local aggregators of the node */
    int members; /* number of ranks that it serves, itself included */
} collio_local_t;

/** Returns the local aggregator of a rank: the nearest one of its node at or below the rank. */
collio_local_t collio_local_of(const collio_nodes_t *nodes, collio_local_count_t count, int rank);

#endif /* COLLIO_AGGREGATOR_H */
