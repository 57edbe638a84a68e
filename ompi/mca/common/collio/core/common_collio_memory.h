/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_MEMORY_H
#define MCA_COMMON_COLLIO_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Memory-conscious partitioning: which node takes which part of the file, when nodes have little and
 * uneven memory. Three steps, one file each:
 *
 *   memory_group.c   the range is cut into groups of at least group_bytes, only where no node has
 *                    data on both sides: bytes of a group never leave the group's nodes
 *   memory_tree.c    each group is bisected by wanted bytes until a leaf wants at most domain_bytes
 *   memory_place.c   each leaf goes to the node with most memory among those that have data in it;
 *                    a leaf that finds none is merged with its neighbour in the tree
 *
 *   bins    |  0  1  2  3 |  4  5  6  7 |        what is wanted, per bin of the range
 *   groups  |------A------|------B------|
 *   leaves  |--n0--|--n1--|--n3--|--n2--|        n = node
 *
 * All of it is a function of agreed values: every rank computes the same answer.
 *
 * What the ranks must know, once per new plan: the histogram (bins x 8 bytes, one reduction) and one
 * record per node (16 bytes and a bit per bin, one gather over the nodes). With B bins and N nodes
 * that is 8 B + N (16 + B / 8) bytes on every rank: 4,096 bins and 10,000 nodes: 5.3 MB.
 */

typedef struct mca_common_collio_memory_limits_t {
    int64_t group_bytes;  /* a group wants at least this much, if it can be cut there */
    int64_t domain_bytes; /* a leaf wants at most this much, if it can be cut */
    int64_t min_bytes;    /* a node with less than this available takes no aggregator */
    int64_t buffer_bytes; /* what an aggregator uses where there is enough */
    int per_node;         /* most aggregators of a node */
} mca_common_collio_memory_limits_t;

typedef struct mca_common_collio_memory_node_t {
    int64_t available;       /* bytes that collective buffers may use there */
    int held;                /* aggregators that it has already, for other files */
    const uint64_t *touched; /* bit b: a rank of the node wants bytes of bin b */
} mca_common_collio_memory_node_t;

/** What all ranks want, and what the nodes have. */
typedef struct mca_common_collio_memory_demand_t {
    const int64_t *bytes; /* per bin */
    int bins;
    const mca_common_collio_memory_node_t *node;
    int nodes;
} mca_common_collio_memory_demand_t;

/** Does the node want bytes of bins [first, end)? */
bool mca_common_collio_memory_touches(const mca_common_collio_memory_node_t *node, int first,
                                      int end);

/** Cuts the bins into groups: group g is bins [end[g - 1], end[g]). end[] has room for `bins`.
 *  Returns the number of groups, at least 1. */
int mca_common_collio_memory_groups(const mca_common_collio_memory_demand_t *demand,
                                    int64_t group_bytes, int *end);

/** A vertex of the tree of a group: bins [first, end). Leaves have left < 0. */
typedef struct mca_common_collio_memory_vertex_t {
    int first;
    int end;
    int64_t bytes;
    int parent; /* -1: the root */
    int left;
    int right;
    /* leaves, while they are placed */
    int node; /* -1: not placed */
    int64_t buffer_bytes;
    int merged;   /* leaves that this one has taken over */
    bool reduced; /* no node fits: the one with most memory works in smaller windows */
} mca_common_collio_memory_vertex_t;

typedef struct mca_common_collio_memory_tree_t {
    mca_common_collio_memory_vertex_t *vertex;
    int count;
    int root;
} mca_common_collio_memory_tree_t;

/** Bisects bins [first, end) until a leaf wants at most domain_bytes or is one bin. 0 or -ENOMEM. */
int mca_common_collio_memory_tree_init(const mca_common_collio_memory_demand_t *demand, int first,
                                       int end, int64_t domain_bytes,
                                       mca_common_collio_memory_tree_t *tree);
void mca_common_collio_memory_tree_fini(mca_common_collio_memory_tree_t *tree);

/** The first leaf at or below vertex v, from the left or from the right. */
int mca_common_collio_memory_tree_leaf(const mca_common_collio_memory_tree_t *tree, int v,
                                       bool from_left);
/** The leaf to the right of a leaf, or -1. */
int mca_common_collio_memory_tree_next(const mca_common_collio_memory_tree_t *tree, int leaf);

/** Takes a leaf out of the tree; its bins go to its sibling, or to the leaf of its sibling's subtree
 *  that touches it. Returns that leaf, or -1 when the leaf is the root. */
int mca_common_collio_memory_tree_merge(mca_common_collio_memory_tree_t *tree, int leaf);

/** A file domain: bins [first, end), and who takes it. */
typedef struct mca_common_collio_memory_domain_t {
    int first;
    int end;
    int64_t bytes; /* wanted in it */
    int group;
    int node;
    int number; /* of the aggregators that this call gives to the node */
    int64_t buffer_bytes;
    int merged;
    bool reduced;
} mca_common_collio_memory_domain_t;

typedef struct mca_common_collio_memory_layout_t {
    mca_common_collio_memory_domain_t *domain; /* ascending */
    int domains;
    int groups;
    int leaves; /* before leaves were merged */
    int merges;
} mca_common_collio_memory_layout_t;

/** An aggregator never has less than this, whatever its node has. */
enum { MCA_COMMON_COLLIO_MEMORY_LEAST = 64 << 10 };

/** The whole policy. 0 or -ENOMEM. */
int mca_common_collio_memory_layout_init(const mca_common_collio_memory_demand_t *demand,
                                         const mca_common_collio_memory_limits_t *limits,
                                         mca_common_collio_memory_layout_t *layout);
void mca_common_collio_memory_layout_fini(mca_common_collio_memory_layout_t *layout);

#endif /* MCA_COMMON_COLLIO_MEMORY_H */
