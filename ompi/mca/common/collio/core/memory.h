/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_MEMORY_H
#define COLLIO_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Memory-conscious partitioning: which node takes which part of the file, if nodes have little and
 * uneven memory. Four steps, one file each (memory_cost.c has the cost of the reductions):
 *
 *   memory_group.c   the range is cut into groups of at least group_bytes, where few nodes have
 *                    data on both sides; a node belongs to the group where it has the most data,
 *                    and the aggregators of a group are on the nodes of the group
 *   memory_tree.c    each group is bisected by requested bytes, until a leaf has at most
 *                    domain_bytes
 *   memory_place.c   each leaf goes to the node with the most memory of all nodes that have data in
 *                    the leaf, or of all nodes of the group if these have no room; if no node has
 *                    room, the leaf is merged with its neighbor
 *   memory_assign.c  each domain gets an aggregator of its node
 *
 *   bins    |  0  1  2  3 |  4  5  6  7 |        requested bytes, per bin of the range
 *   groups  |------A------|------B------|
 *   leaves  |--n0--|--n1--|--n3--|--n2--|        n = node
 *
 * Every step is a function of agreed values, so every rank computes the same result.
 *
 * A new plan needs three reductions: the minimum of the memory that the ranks of a node measure (8
 * bytes, inside the node); the sums of requested bytes per bin, busy aggregators per node and held
 * bytes per node (8 B + 16 N bytes); the bitwise or of memory and touched bins of each node (N (8 +
 * B / 8) bytes). With B bins and N nodes these are 8 + 8 B + N (24 + B / 8) bytes, in 2 log2(P)
 * messages per reduction and rank. B is 32 per aggregator, 512 to 4,096, and less (at least 512) if
 * the touched bins of all nodes would take more than 1 MiB. 10,000 nodes of 64 ranks: 832 bins, 1.3
 * MB, 92 messages per rank (memory_cost, bench/scale --memory).
 */

/** Settings of the policy. */
typedef struct collio_memory_limits_t {
    int64_t group_bytes;  /* minimum of the requested bytes of a group that ends at a cut */
    int64_t domain_bytes; /* requested bytes of a leaf: maximum, if there are enough places */
    int64_t min_bytes;    /* a node with less available memory takes no aggregator */
    int64_t buffer_bytes; /* maximum memory of an aggregator */
    int per_node;         /* maximum number of aggregators of a node, for all files */
} collio_memory_limits_t;

/** Memory and requests of a node. */
typedef struct collio_memory_node_t {
    int64_t available;       /* bytes that collective buffers of the node may use */
    int held;                /* places of the node that are in use or do not exist */
    const uint64_t *touched; /* bit b: a rank of the node requests bytes of bin b */
} collio_memory_node_t;

/** Requests of all ranks, and memory of all nodes. The caller owns the arrays. */
typedef struct collio_memory_demand_t {
    const int64_t *bytes;             /* requested bytes of all ranks, per bin */
    int bins;                         /* number of bins */
    const collio_memory_node_t *node; /* memory and requests of each node */
    int nodes;                        /* number of nodes */
} collio_memory_demand_t;

enum {
    COLLIO_MEMORY_BINS_EACH = 32,        /* bins per aggregator */
    COLLIO_MEMORY_BINS_LEAST = 512,      /* minimum number of bins */
    COLLIO_MEMORY_BINS_MOST = 4096,      /* maximum number of bins */
    COLLIO_MEMORY_TOUCHED_MOST = 1 << 20 /* bytes: maximum for the touched bins of all nodes */
};

/** Returns the number of bins of the range of a call. */
int collio_memory_bins(int aggregators, int nodes);

/** Cuts [lo, hi) into bins: bin 0 begins at *origin, and a bin has *width bytes. Both are multiples
 *  of `unit`, so that domains end at borders of stripes. */
void collio_memory_cut(int64_t lo, int64_t hi, int64_t unit, int bins, int64_t *origin,
                       int64_t *width);
/** Returns the begin of a bin, or `hi` for bins beyond the range, which may pass INT64_MAX. */
static inline int64_t collio_memory_begin(int64_t origin, int64_t width, int bin, int64_t hi)
{
    return bin > (hi - origin) / width ? hi : origin + bin * width;
}

/** Returns the number of 64-bit words for the touched bins of a node. */
static inline int collio_memory_words(int bins)
{
    return (bins + 63) / 64;
}

/** Cost of the reductions of a new plan, per rank. */
typedef struct collio_memory_cost_t {
    int64_t bytes;    /* bytes of the operands of all three reductions */
    int64_t messages; /* messages of a rank, in reductions of 2 log2(ranks) messages */
    int64_t held;     /* bytes of operands and results, allocated while the file is open */
} collio_memory_cost_t;

collio_memory_cost_t collio_memory_cost(int bins, int nodes, int ranks, int ranks_per_node);

/** Returns of how many of the bins [first, end) ranks of the node request bytes. */
int collio_memory_touched(const collio_memory_node_t *node, int first, int end);

/** Cuts the bins into groups: group g has bins [end[g - 1], end[g]). end[] has room for `bins`.
 *  Returns the number of groups, at least 1, or -ENOMEM. */
int collio_memory_groups(const collio_memory_demand_t *demand, int64_t group_bytes, int *end);

/** A vertex of the tree of a group: bins [first, end). */
typedef struct collio_memory_vertex_t {
    int first;     /* first bin */
    int end;       /* end of the bins */
    int64_t bytes; /* requested bytes in these bins */
    int parent;    /* parent vertex; -1: this is the root */
    int left;      /* vertex of the first bins; -1: this is a leaf */
    int right;     /* vertex of the last bins; -1: this is a leaf */
    int node;      /* leaf: node that takes the leaf; -1: not placed */
    int merged;    /* leaf: number of leaves that were merged into it */
    bool reduced;  /* leaf: no node has room, so the node with most memory uses a small buffer */
} collio_memory_vertex_t;

/** The tree of file domains of a group. */
typedef struct collio_memory_tree_t {
    collio_memory_vertex_t *vertex; /* vertices, including merged ones; the tree owns them */
    int count;                      /* number of vertices in the array */
    int root;                       /* vertex of all bins of the group */
} collio_memory_tree_t;

/** Bisects bins [first, end) until a leaf has at most domain_bytes requested bytes or one bin. 0 or
 *  -ENOMEM. */
int collio_memory_tree_init(const collio_memory_demand_t *demand, int first, int end,
                            int64_t domain_bytes, collio_memory_tree_t *tree);
void collio_memory_tree_fini(collio_memory_tree_t *tree);

/** Returns the leftmost or the rightmost leaf at or below vertex v. */
int collio_memory_tree_leaf(const collio_memory_tree_t *tree, int v, bool from_left);
/** Returns the leaf to the right of a leaf; -1: none. */
int collio_memory_tree_next(const collio_memory_tree_t *tree, int leaf);

/** Removes a leaf from the tree. Its bins go to the adjacent leaf of its sibling's subtree. Returns
 *  the adjacent leaf; -1: the leaf is the root and stays. */
int collio_memory_tree_merge(collio_memory_tree_t *tree, int leaf);

/** A file domain: bins [first, end) and their node. */
typedef struct collio_memory_domain_t {
    int first;            /* first bin */
    int end;              /* end of the bins */
    int64_t bytes;        /* requested bytes in these bins */
    int group;            /* number of the group */
    int node;             /* node that takes the domain */
    int64_t buffer_bytes; /* bytes of memory of the aggregator */
    int merged;           /* number of leaves that were merged into this domain */
    bool reduced;         /* no node has room: smaller windows */
} collio_memory_domain_t;

/** The domains of all groups. The layout owns the arrays. */
typedef struct collio_memory_layout_t {
    collio_memory_domain_t *domain; /* domains, ascending */
    int domains;                    /* number of domains */
    int *group_of;                  /* group of each node; -1: the node has no data */
    int groups;                     /* number of groups */
    int leaves;                     /* number of leaves before merges */
    int merges;                     /* number of leaves that were merged into a neighbor */
} collio_memory_layout_t;

/** The part of an aggregator of the file: bins [first, end). */
typedef struct collio_memory_part_t {
    int first;            /* first bin */
    int end;              /* end of the bins */
    int64_t bytes;        /* requested bytes in these bins */
    int aggregator;       /* number of the aggregator in the file's list */
    int group;            /* number of the group */
    int merged;           /* number of leaves that were merged into this part */
    bool reduced;         /* no node has room: smaller windows */
    int64_t buffer_bytes; /* bytes of memory of the aggregator */
} collio_memory_part_t;

/** Minimum bytes of memory of an aggregator, also if its node has less. */
enum { COLLIO_MEMORY_LEAST = 64 << 10 };

/** Computes the domains: groups, trees and placement. 0 or -ENOMEM. */
int collio_memory_layout_init(const collio_memory_demand_t *demand,
                              const collio_memory_limits_t *limits, collio_memory_layout_t *layout);
void collio_memory_layout_fini(collio_memory_layout_t *layout);

/** Assigns domains to aggregators; node_of[o] is the node of aggregator o. part[] has room for
 *  `aggregators`. An aggregator gets at most one part, aggregators of a node are used in their
 *  order, the parts cover all bins, and bytes stay in their group if the group has an aggregator.
 *  Returns the number of parts (0: no byte is requested) or -ENOMEM. */
int collio_memory_assign(const collio_memory_layout_t *layout, const int *node_of, int aggregators,
                         int nodes, collio_memory_part_t *part);

#endif /* COLLIO_MEMORY_H */
