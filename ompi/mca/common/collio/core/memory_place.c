/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * Placement of file domains on nodes.
 *
 * Problem: the aggregators of a node must not exceed its places or its memory.
 * Method:  leaves from left to right. A leaf goes to the node with the most memory left, of the
 *          nodes that have data in the leaf, fewer than per_node aggregators and at least
 *          min_bytes. Leaves without such a node go to nodes of the group without data in them:
 *          their bytes must leave their nodes in any case, and the memory of these nodes is used.
 *          If no node of the group has room, the leaf is merged with its neighbor. If no leaf of a
 *          group has a node, the node with the most memory takes the group, in smaller windows.
 * Cost:    O(leaves of a group * its nodes * bins of a leaf / 64), over all groups.
 */
#include "memory.h"

#include "number.h"

#include <errno.h>
#include <stdlib.h>

typedef collio_memory_demand_t demand_t;
typedef collio_memory_limits_t limits_t;
typedef collio_memory_layout_t layout_t;
typedef collio_memory_tree_t tree_t;
typedef collio_memory_vertex_t vertex_t;

/* State of a node while leaves are placed. */
typedef struct room_t {
    int64_t left; /* bytes of memory that no aggregator has */
    int given;    /* aggregators that the current call has placed on the node */
} room_t;

typedef struct placer_t {
    const demand_t *demand; /* requests of the ranks and memory of the nodes */
    const limits_t *limits; /* the settings */
    room_t *room;           /* state of each node */
    int *member;            /* nodes by group, ascending; then nodes without data */
    int first;              /* position in `member` of the first node of the current group */
    int end;                /* end of the nodes of the current group */
} placer_t;

/* Returns the bytes of a collective buffer within `bytes`, but at least COLLIO_MEMORY_LEAST. */
static int64_t buffer_within(const placer_t *placer, int64_t bytes)
{
    bytes = collio_min(bytes, placer->limits->buffer_bytes);
    return bytes > COLLIO_MEMORY_LEAST ? bytes : COLLIO_MEMORY_LEAST;
}

static bool fits(const placer_t *placer, int node)
{
    const collio_memory_node_t *record = &placer->demand->node[node];
    const room_t *room = &placer->room[node];

    return record->held + room->given < placer->limits->per_node
           && room->left >= placer->limits->min_bytes && room->left > 0;
}

/* Returns the node of the group with the most memory left; -1: none. `leaf`: only nodes that have
 * data in the leaf; NULL: all. `any`: includes nodes without room. */
static int best_node(const placer_t *placer, const vertex_t *leaf, bool any)
{
    int best = -1;

    for (int m = placer->first; m < placer->end; ++m) {
        int i = placer->member[m];

        if ((any || fits(placer, i)) && (best < 0 || placer->room[i].left > placer->room[best].left)
            && (NULL == leaf
                || 0 < collio_memory_touched(&placer->demand->node[i], leaf->first, leaf->end))) {
            best = i;
        }
    }
    return best;
}

/* Gives the leaf to the node; -1: to none. */
static void give(placer_t *placer, vertex_t *leaf, int node)
{
    room_t *room;

    if (node < 0) {
        return;
    }
    room = &placer->room[node];
    leaf->node = node;
    room->left -= collio_min(buffer_within(placer, room->left), room->left);
    ++room->given;
}

/* Places or merges a leaf that has no node. Returns the next leaf to place; -1: none. */
static int place_leaf(placer_t *placer, tree_t *tree, int leaf, layout_t *layout)
{
    vertex_t *vertex = &tree->vertex[leaf];
    int taker;

    if (vertex->node < 0 && vertex->bytes > 0) {
        give(placer, vertex, best_node(placer, NULL, false));
    }
    if (vertex->node >= 0) {
        return collio_memory_tree_next(tree, leaf);
    }
    taker = collio_memory_tree_merge(tree, leaf);
    if (taker >= 0) {
        ++layout->merges;
        return taker;
    }
    vertex->reduced = vertex->bytes > 0;
    give(placer, vertex, best_node(placer, NULL, true)); /* no node: no byte is requested */
    return -1;
}

static void keep_leaves(const tree_t *tree, int group, layout_t *layout)
{
    int leaf = collio_memory_tree_leaf(tree, tree->root, true);

    for (; leaf >= 0; leaf = collio_memory_tree_next(tree, leaf)) {
        const vertex_t *vertex = &tree->vertex[leaf];

        layout->domain[layout->domains++] = (collio_memory_domain_t){
            .first = vertex->first,
            .end = vertex->end,
            .bytes = vertex->bytes,
            .group = group,
            .node = vertex->node < 0 ? 0 : vertex->node, /* any node: no byte is requested */
            .merged = vertex->merged,
            .reduced = vertex->reduced,
        };
    }
}

/* Returns the number of aggregators that the node has places and memory for. */
static int64_t places_on(const placer_t *placer, int node)
{
    const limits_t *limits = placer->limits;
    int64_t places = limits->per_node - placer->demand->node[node].held - placer->room[node].given;
    int64_t left = placer->room[node].left, buffer = limits->buffer_bytes, rest;

    if (!fits(placer, node)) {
        return 0;
    }
    if (buffer < 1) {
        return places;
    }
    rest = left % buffer; /* one more buffer if the rest is enough */
    return collio_min(places, left / buffer + (rest > 0 && rest >= limits->min_bytes));
}

/* Returns the maximum of the requested bytes of a leaf. If there are fewer places than leaves of
 * domain_bytes, the maximum is larger: otherwise remaining leaves would be merged into the last one
 * that was placed, and sizes would be uneven. */
static int64_t leaf_bytes(const placer_t *placer, int first, int end)
{
    int64_t wanted = 0, places = 0, least = placer->limits->domain_bytes;

    for (int bin = first; bin < end; ++bin) {
        wanted += placer->demand->bytes[bin];
    }
    for (int m = placer->first; m < placer->end; ++m) {
        places += places_on(placer, placer->member[m]);
    }
    if (places > 0 && wanted / places >= least) {
        least = (wanted + places - 1) / places;
    }
    return least;
}

static int place_group(placer_t *placer, int first, int end, layout_t *layout)
{
    tree_t tree;
    int rc = collio_memory_tree_init(placer->demand, first, end, leaf_bytes(placer, first, end),
                                     &tree);
    int leaf;

    if (0 != rc) {
        return rc;
    }
    layout->leaves += (tree.count + 1) / 2;
    leaf = collio_memory_tree_leaf(&tree, tree.root, true);
    for (int l = leaf; l >= 0; l = collio_memory_tree_next(&tree, l)) {
        give(placer, &tree.vertex[l], best_node(placer, &tree.vertex[l], false));
    }
    while (leaf >= 0) {
        leaf = place_leaf(placer, &tree, leaf, layout);
    }
    keep_leaves(&tree, layout->groups++, layout);
    collio_memory_tree_fini(&tree);
    return 0;
}

/* Divides the memory of each node equally among its domains, because their buffers are in one
 * shared segment. */
static void divide_memory(placer_t *placer, layout_t *layout)
{
    for (int i = 0; i < placer->demand->nodes; ++i) {
        placer->room[i].given = 0;
    }
    for (int d = 0; d < layout->domains; ++d) {
        ++placer->room[layout->domain[d].node].given;
    }
    for (int d = 0; d < layout->domains; ++d) {
        int node = layout->domain[d].node;

        layout->domain[d].buffer_bytes = buffer_within(placer, placer->demand->node[node].available
                                                                   / placer->room[node].given);
    }
}

/* Returns the group in which the node touches the most bins; `groups`: the node has no data. */
static int home_of(const collio_memory_node_t *node, const int *end, int groups)
{
    int home = groups, most = 0, rest = collio_memory_touched(node, 0, end[groups - 1]);
    int first = 0, g = 0;

    while (rest > 0 && 0 == node->touched[first / 64]) {
        first += 64;
    }
    while (rest > 0 && end[g] <= first) { /* groups before the data of the node */
        ++g;
    }
    for (; rest > most; first = end[g++]) {
        int touched = collio_memory_touched(node, first, end[g]);

        rest -= touched;
        if (touched > most) {
            most = touched;
            home = g;
        }
    }
    return home;
}

/* Fills in the group of each node, and the nodes of each group: placer->member[start[g]] to
 * member[start[g + 1] - 1]. Nodes without data follow the last group. */
static void sort_nodes(placer_t *placer, const int *end, int groups, layout_t *layout, int *start)
{
    const demand_t *demand = placer->demand;

    for (int i = 0; i < demand->nodes; ++i) {
        layout->group_of[i] = home_of(&demand->node[i], end, groups);
        ++start[layout->group_of[i] + 2];
    }
    for (int g = 0; g < groups; ++g) {
        start[g + 2] += start[g + 1];
    }
    for (int i = 0; i < demand->nodes; ++i) {
        placer->member[start[layout->group_of[i] + 1]++] = i;
        if (groups == layout->group_of[i]) {
            layout->group_of[i] = -1;
        }
    }
}

static int place_groups(placer_t *placer, const int *end, int groups, layout_t *layout)
{
    int *start = calloc((size_t) groups + 3, sizeof(*start));
    int rc = 0, bin = 0;

    if (NULL == start) {
        return -ENOMEM;
    }
    sort_nodes(placer, end, groups, layout, start);
    for (int g = 0; 0 == rc && g < groups; ++g) {
        placer->first = start[g];
        placer->end = start[g + 1];
        rc = place_group(placer, bin, end[g], layout);
        bin = end[g];
    }
    free(start);
    return rc;
}

int collio_memory_layout_init(const demand_t *demand, const limits_t *limits, layout_t *layout)
{
    placer_t placer = {.demand = demand,
                       .limits = limits,
                       .room = calloc((size_t) demand->nodes + 1, sizeof(room_t)),
                       .member = malloc(((size_t) demand->nodes + 1) * sizeof(int))};
    int *end = malloc((size_t) demand->bins * sizeof(*end));
    int groups, rc = 0;

    *layout = (layout_t){.domain = calloc((size_t) demand->bins, sizeof(*layout->domain)),
                         .group_of = malloc(((size_t) demand->nodes + 1) * sizeof(int))};
    if (NULL == placer.room || NULL == placer.member || NULL == end || NULL == layout->domain
        || NULL == layout->group_of) {
        rc = -ENOMEM;
        goto out;
    }
    for (int i = 0; i < demand->nodes; ++i) {
        placer.room[i].left = demand->node[i].available;
    }
    groups = collio_memory_groups(demand, limits->group_bytes, end);
    rc = groups < 0 ? groups : place_groups(&placer, end, groups, layout);
    if (0 == rc) {
        divide_memory(&placer, layout);
    }
out:
    if (0 != rc) {
        collio_memory_layout_fini(layout);
    }
    free(end);
    free(placer.member);
    free(placer.room);
    return rc;
}

void collio_memory_layout_fini(layout_t *layout)
{
    free(layout->domain);
    free(layout->group_of);
    *layout = (layout_t){0};
}
