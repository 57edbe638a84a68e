/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * The tree of file domains of one group.
 *
 * Problem: the file must be cut into parts with about the same number of requested bytes, which can
 *          be merged with a neighbor.
 * Method:  recursive bisection. A vertex needs n leaves, and is cut at the border of bins that
 *          divides its requested bytes best in the ratio of n / 2 to the rest. Vertices are in one
 *          array; a merge changes only links, so vertex numbers stay valid.
 * Cost:    O(bins * log bins) for all cuts; a tree of n bins has at most 2 n - 1 vertices.
 */
#include "memory.h"

#include <errno.h>
#include <stdlib.h>

typedef collio_memory_tree_t tree_t;
typedef collio_memory_vertex_t vertex_t;

/* Returns the border in (first, end) with about `wanted` bytes on its left. */
static int best_cut(const int64_t *bytes, int first, int end, int64_t wanted)
{
    int64_t left = 0, best = INT64_MAX;
    int cut = first + 1;

    for (int bin = first; bin + 1 < end; ++bin) {
        int64_t difference;

        left += bytes[bin];
        difference = left > wanted ? left - wanted : wanted - left;
        if (difference < best) {
            best = difference;
            cut = bin + 1;
        }
    }
    return cut;
}

static int add(tree_t *tree, const int64_t *bytes, int first, int end, int parent)
{
    vertex_t *vertex = &tree->vertex[tree->count];

    *vertex = (vertex_t){
        .first = first, .end = end, .parent = parent, .left = -1, .right = -1, .node = -1};
    for (int bin = first; bin < end; ++bin) {
        vertex->bytes += bytes[bin];
    }
    return tree->count++;
}

int collio_memory_tree_init(const collio_memory_demand_t *demand, int first, int end,
                            int64_t domain_bytes, tree_t *tree)
{
    *tree = (tree_t){.vertex = calloc(2 * (size_t) (end - first), sizeof(*tree->vertex))};
    if (NULL == tree->vertex) {
        return -ENOMEM;
    }
    (void) add(tree, demand->bytes, first, end, -1);
    for (int v = 0; v < tree->count; ++v) { /* children are appended and cut in turn */
        vertex_t *vertex = &tree->vertex[v];
        int64_t leaves;
        int cut;

        if (vertex->bytes <= domain_bytes || vertex->end - vertex->first < 2) {
            continue;
        }
        leaves = (vertex->bytes - 1) / domain_bytes + 1;
        cut = best_cut(demand->bytes, vertex->first, vertex->end,
                       vertex->bytes / leaves * (leaves / 2)
                           + vertex->bytes % leaves * (leaves / 2) / leaves);
        vertex->left = add(tree, demand->bytes, vertex->first, cut, v);
        vertex->right = add(tree, demand->bytes, cut, vertex->end, v);
    }
    return 0;
}

void collio_memory_tree_fini(tree_t *tree)
{
    free(tree->vertex);
    *tree = (tree_t){0};
}

int collio_memory_tree_leaf(const tree_t *tree, int v, bool from_left)
{
    while (tree->vertex[v].left >= 0) {
        v = from_left ? tree->vertex[v].left : tree->vertex[v].right;
    }
    return v;
}

int collio_memory_tree_next(const tree_t *tree, int leaf)
{
    int v = leaf, parent = tree->vertex[v].parent;

    while (parent >= 0 && tree->vertex[parent].right == v) {
        v = parent;
        parent = tree->vertex[v].parent;
    }
    return parent < 0 ? -1 : collio_memory_tree_leaf(tree, tree->vertex[parent].right, true);
}

/* The sibling takes the place of its parent. */
static void lift(tree_t *tree, int parent, int sibling)
{
    int above = tree->vertex[parent].parent;

    tree->vertex[sibling].parent = above;
    if (above < 0) {
        tree->root = sibling;
    } else if (tree->vertex[above].left == parent) {
        tree->vertex[above].left = sibling;
    } else {
        tree->vertex[above].right = sibling;
    }
}

int collio_memory_tree_merge(tree_t *tree, int leaf)
{
    const vertex_t *gone = &tree->vertex[leaf];
    int parent = gone->parent, sibling, taker;
    bool was_left;

    if (parent < 0) {
        return -1;
    }
    was_left = tree->vertex[parent].left == leaf;
    sibling = was_left ? tree->vertex[parent].right : tree->vertex[parent].left;
    taker = collio_memory_tree_leaf(tree, sibling, was_left);
    for (int v = taker; v != parent; v = tree->vertex[v].parent) { /* leaf and parents grow */
        vertex_t *vertex = &tree->vertex[v];

        vertex->bytes += gone->bytes;
        if (was_left) {
            vertex->first = gone->first;
        } else {
            vertex->end = gone->end;
        }
    }
    tree->vertex[taker].merged += 1 + gone->merged;
    lift(tree, parent, sibling);
    return taker;
}
