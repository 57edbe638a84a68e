/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_MEMORY_H
#define COLLIO_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Memory-conscious partitioning: which aggregator takes which part of the file, if nodes have
 * little and uneven memory.
 *
 *   memory_group.c   the range is cut into bins, and bins into groups of at least group_bytes,
 *                    where few nodes have data on both sides; a node belongs to the group where it
 *                    has the most data, and the aggregators of a group are on the nodes of the
 *                    group
 *   memory_place.c   each group is bisected by requested bytes, until a leaf has at most
 *                    domain_bytes; each leaf goes to an aggregator on the node with the most memory
 *                    of all nodes that have data in the leaf, or of all nodes of the group if these
 *                    have no room; if no node has room, the leaf is merged with its neighbor
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
 * MB, 92 messages per rank (bench/scale --memory).
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
    int held;                /* aggregators of the node that work for other files */
    const uint64_t *touched; /* bit b: a rank of the node requests bytes of bin b */
} collio_memory_node_t;

/** Requests of all ranks, memory of all nodes, and aggregators. The caller owns the arrays. */
typedef struct collio_memory_demand_t {
    const int64_t *bytes;             /* requested bytes of all ranks, per bin */
    int bins;                         /* number of bins */
    const collio_memory_node_t *node; /* memory and requests of each node */
    int nodes;                        /* number of nodes */
    const int *node_of;               /* node of each aggregator of the file */
    int aggregators;                  /* number of aggregators, at least 1 */
} collio_memory_demand_t;

/** Returns the number of bins of the range of a call. */
int collio_memory_bins(int aggregators, int nodes);

/** Cuts [lo, hi) into bins: bin 0 begins at *origin, and a bin has *width bytes. Both are multiples
 *  of `unit`, so that domains end at borders of stripes. */
void collio_memory_cut(int64_t lo, int64_t hi, int64_t unit, int bins, int64_t *origin,
                       int64_t *width);
/** Returns the start of a bin, or `hi` for bins beyond the range, which may pass INT64_MAX. */
static inline int64_t collio_memory_begin(int64_t origin, int64_t width, int bin, int64_t hi)
{
    return bin > (hi - origin) / width ? hi : origin + bin * width;
}

/** Returns the number of 64-bit words for the touched bins of a node. */
static inline int collio_memory_words(int bins)
{
    return (bins + 63) / 64;
}

/** Returns of how many of the bins [first, end) ranks of the node request bytes. */
int collio_memory_touched(const collio_memory_node_t *node, int first, int end);

/** Cuts the bins into groups: group g has bins [end[g - 1], end[g]). end[] has room for `bins`.
 *  Returns the number of groups, at least 1, or -ENOMEM. */
int collio_memory_groups(const collio_memory_demand_t *demand, int64_t group_bytes, int *end);

/** Returns the group in which the node touches the most bins; -1: the node has no data. */
int collio_memory_home(const collio_memory_node_t *node, const int *end, int groups);

/** The part of an aggregator of the file: bins [first, end). A leaf of the bisection before it is
 *  placed. */
typedef struct collio_memory_part_t {
    int first;            /* first bin */
    int end;              /* end of the bins */
    int64_t bytes;        /* requested bytes in these bins */
    int level;            /* level in the tree of the cut before the first bin; 0: no cut */
    int group;            /* number of the group */
    int aggregator;       /* number of the aggregator in the file's list; -1: not placed */
    int merged;           /* number of leaves that were merged into this part */
    bool reduced;         /* no node has room: smaller windows */
    int64_t buffer_bytes; /* bytes of memory of the aggregator */
} collio_memory_part_t;

/** The parts of all groups. The layout owns the array. */
typedef struct collio_memory_layout_t {
    collio_memory_part_t *part; /* parts, ascending, at most one per aggregator */
    int parts;                  /* number of parts; 0: no byte is requested */
    int groups;                 /* number of groups */
    int leaves;                 /* number of leaves before merges */
    int merges;                 /* number of leaves that were merged into a neighbor */
} collio_memory_layout_t;

/** Minimum bytes of memory of an aggregator, even if its node has less. */
enum { COLLIO_MEMORY_MIN = 64 << 10 };

/** Bisects the bins of `whole` until a leaf has at most domain_bytes requested bytes or one bin.
 *  Stores the leaves in leaf[], which has room for one per bin, and returns their number. */
int collio_memory_bisect(const int64_t *bytes, const collio_memory_part_t *whole,
                         int64_t domain_bytes, collio_memory_part_t *leaf);
/** Adds a leaf to its sibling, or to the adjacent leaf of its sibling's subtree. `before` and
 *  `after` are the neighbors of the leaf in its group; NULL: none. Returns the neighbor that took
 *  the leaf; NULL: the leaf has no neighbor. */
collio_memory_part_t *collio_memory_merge(const collio_memory_part_t *leaf,
                                          collio_memory_part_t *before,
                                          collio_memory_part_t *after);

/** Computes the parts. Aggregators of a node are used in their order, the parts cover all bins, and
 *  bytes stay in their group if the group has an aggregator. 0 or -ENOMEM. */
int collio_memory_layout_init(const collio_memory_demand_t *demand,
                              const collio_memory_limits_t *limits, collio_memory_layout_t *layout);
void collio_memory_layout_fini(collio_memory_layout_t *layout);

#endif /* COLLIO_MEMORY_H */
