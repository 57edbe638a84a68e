/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_MEMORY_H
#define COLLIO_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Memory-conscious partitioning: which node takes which part of the file, when nodes have little
 * and uneven memory. Four steps, one file each (memory_cost.c: what the ranks must be told):
 *
 *   memory_group.c   the range is cut into groups of at least group_bytes, only where no node has
 *                    data on both sides: bytes of a group never leave the group's nodes
 *   memory_tree.c    each group is bisected by wanted bytes until a leaf wants at most domain_bytes
 *   memory_place.c   each leaf goes to the node with most memory among those that have data in it;
 *                    a leaf that finds none is merged with its neighbour in the tree
 *   memory_assign.c  each domain gets an aggregator of its node
 *
 *   bins    |  0  1  2  3 |  4  5  6  7 |        what is wanted, per bin of the range
 *   groups  |------A------|------B------|
 *   leaves  |--n0--|--n1--|--n3--|--n2--|        n = node
 *
 * All of it is a function of agreed values: every rank computes the same answer.
 *
 * What the ranks must know, once per new plan, in three reductions: the least memory that a rank of
 * a node sees (8 bytes, inside the node); the sums of wanted bytes per bin, busy aggregators and
 * held bytes per node (8 B + 16 N bytes); and, or-ed, memory and touched bins of each node (N (8 +
 * B / 8) bytes). With B bins and N nodes that is 8 + 8 B + N (24 + B / 8) bytes, in 2 log2(P)
 * messages per reduction and rank. B is 32 per aggregator, 512 to 4,096, and less where the touched
 * bins of all nodes would take more than 1 MiB. 10,000 nodes of 64 ranks: 832 bins, 1.3 MB, 92
 * messages per rank (memory_cost, bench/scale --memory).
 */

typedef struct collio_memory_limits_t {
    int64_t group_bytes;  /* a group wants at least this much, if it can be cut there */
    int64_t domain_bytes; /* a leaf wants at most this much, if it can be cut */
    int64_t min_bytes;    /* a node with less than this available takes no aggregator */
    int64_t buffer_bytes; /* what an aggregator uses where there is enough; the aggregators of a
                             node share alike */
    int per_node;         /* most aggregators of a node */
} collio_memory_limits_t;

typedef struct collio_memory_node_t {
    int64_t available;       /* bytes that collective buffers may use there */
    int held;                /* aggregators that it has already, for other files */
    const uint64_t *touched; /* bit b: a rank of the node wants bytes of bin b */
} collio_memory_node_t;

/** What all ranks want, and what the nodes have. */
typedef struct collio_memory_demand_t {
    const int64_t *bytes;             /* per bin: wanted by all ranks */
    int bins;                         /* number of bins */
    const collio_memory_node_t *node; /* what each node has and touches */
    int nodes;                        /* number of nodes */
} collio_memory_demand_t;

enum {
    COLLIO_MEMORY_BINS_EACH = 32, /* per aggregator */
    COLLIO_MEMORY_BINS_LEAST = 512,
    COLLIO_MEMORY_BINS_MOST = 4096,
    COLLIO_MEMORY_TOUCHED_MOST = 1 << 20 /* bytes: touched bins of all nodes */
};

/** Into how many bins the range of a call is cut. */
int collio_memory_bins(int aggregators, int nodes);

/** Bin 0 begins at *origin and each is *width long; both are multiples of unit, so that domains end
 *  where stripes do. They cover [lo, hi). */
void collio_memory_cut(int64_t lo, int64_t hi, int64_t unit, int bins, int64_t *origin,
                       int64_t *width);
/** Where a bin begins, at most `hi`: the last ones may lie behind the range and INT64_MAX. */
static inline int64_t collio_memory_begin(int64_t origin, int64_t width, int bin, int64_t hi)
{
    return bin > (hi - origin) / width ? hi : origin + bin * width;
}

/** Words of 64 bits for the touched bins of a node. */
static inline int collio_memory_words(int bins)
{
    return (bins + 63) / 64;
}

/** What the reductions of a new plan cost a rank. */
typedef struct collio_memory_cost_t {
    int64_t bytes;    /* of all three reductions, one direction */
    int64_t messages; /* that a rank sends, in reductions of 2 log2(ranks) messages */
    int64_t held;     /* memory of a rank while the file is open: operands and results */
} collio_memory_cost_t;

collio_memory_cost_t collio_memory_cost(int bins, int nodes, int ranks, int ranks_per_node);

/** Does the node want bytes of bins [first, end)? */
bool collio_memory_touches(const collio_memory_node_t *node, int first, int end);

/** The first bin that the node wants; `bins` if it wants nothing. */
int collio_memory_first(const collio_memory_node_t *node, int bins);

/** Cuts the bins into groups: group g is bins [end[g - 1], end[g]). end[] has room for `bins`.
 *  Returns the number of groups, at least 1. */
int collio_memory_groups(const collio_memory_demand_t *demand, int64_t group_bytes, int *end);

/** A vertex of the tree of a group: bins [first, end). Leaves have left < 0. */
typedef struct collio_memory_vertex_t {
    int first;     /* first bin */
    int end;       /* end of the bins */
    int64_t bytes; /* wanted in these bins */
    int parent;    /* -1: the root */
    int left;      /* vertex of the first bins; -1: this is a leaf */
    int right;     /* vertex of the last bins */
    int node;      /* leaf: the node that takes it; -1: not placed */
    int merged;    /* leaf: number of leaves that it has taken over */
    bool reduced;  /* leaf: no node fits; the one with most memory has smaller windows */
} collio_memory_vertex_t;

typedef struct collio_memory_tree_t {
    collio_memory_vertex_t *vertex; /* vertices, also those that were merged away */
    int count;                      /* vertices in the array */
    int root;                       /* vertex of all bins of the group */
} collio_memory_tree_t;

/** Bisects bins [first, end) until a leaf wants at most domain_bytes or is one bin. 0 or
 *  -ENOMEM. */
int collio_memory_tree_init(const collio_memory_demand_t *demand, int first, int end,
                            int64_t domain_bytes, collio_memory_tree_t *tree);
void collio_memory_tree_fini(collio_memory_tree_t *tree);

/** The first leaf at or below vertex v, from the left or from the right. */
int collio_memory_tree_leaf(const collio_memory_tree_t *tree, int v, bool from_left);
/** The leaf to the right of a leaf, or -1. */
int collio_memory_tree_next(const collio_memory_tree_t *tree, int leaf);

/** Takes a leaf out of the tree; its bins go to its sibling, or to the leaf of its sibling's
 *  subtree that touches it. Returns that leaf, or -1 when the leaf is the root. */
int collio_memory_tree_merge(collio_memory_tree_t *tree, int leaf);

/** A file domain: bins [first, end), and who takes it. */
typedef struct collio_memory_domain_t {
    int first;            /* first bin */
    int end;              /* end of the bins */
    int64_t bytes;        /* wanted in these bins */
    int group;            /* group of nodes that it belongs to */
    int node;             /* node that takes it */
    int number;           /* number among the aggregators that this call gives to the node */
    int64_t buffer_bytes; /* memory of its aggregator */
    int merged;           /* leaves that it has taken over */
    bool reduced;         /* no node fits: smaller windows */
} collio_memory_domain_t;

typedef struct collio_memory_layout_t {
    collio_memory_domain_t *domain; /* ascending */
    int domains;                    /* number of domains */
    int *group_of;                  /* per node: the group of its data; -1: it has none */
    int groups;                     /* number of groups */
    int leaves;                     /* before leaves were merged */
    int merges;                     /* leaves that were merged into a neighbour */
} collio_memory_layout_t;

/** What an aggregator of the file gets: bins [first, end). */
typedef struct collio_memory_part_t {
    int first;            /* first bin */
    int end;              /* end of the bins */
    int64_t bytes;        /* wanted in these bins */
    int aggregator;       /* number of its aggregator in the file's list */
    int group;            /* group of nodes that it belongs to */
    int merged;           /* leaves that it has taken over */
    bool reduced;         /* no node fits: smaller windows */
    int64_t buffer_bytes; /* memory of its aggregator */
} collio_memory_part_t;

/** An aggregator never has less than this, whatever its node has. */
enum { COLLIO_MEMORY_LEAST = 64 << 10 };

/** The whole policy. 0 or -ENOMEM. */
int collio_memory_layout_init(const collio_memory_demand_t *demand,
                              const collio_memory_limits_t *limits, collio_memory_layout_t *layout);
void collio_memory_layout_fini(collio_memory_layout_t *layout);

/** Domains to aggregators; node_of[o] is the node of aggregator o. part[] has room for
 *  `aggregators`. No aggregator gets two parts, aggregators of a node are used in their order, the
 *  parts cover all bins, and bytes stay in their group if it has an aggregator. Returns the number
 *  of parts (0: nobody wants a byte) or -ENOMEM. */
int collio_memory_assign(const collio_memory_layout_t *layout, const int *node_of, int aggregators,
                         int nodes, collio_memory_part_t *part);

#endif /* COLLIO_MEMORY_H */
