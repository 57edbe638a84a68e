/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * Parts of the file for aggregators.
 *
 * Problem: the aggregators of a node must not exceed its places or its memory, and all should have
 *          about the same number of requested bytes.
 * Method:  bisection of each group. A vertex that needs n leaves is cut at the border of bins that
 *          divides its requested bytes best in the ratio of n / 2 to the rest. Leaves are an array;
 *          the level of the cut between two leaves is all that is left of the tree: of the two cuts
 *          of a leaf the lower one separates it from its sibling.
 *          A leaf goes to the node with the most memory left, of the nodes that have data in the
 *          leaf, fewer than per_node aggregators and at least min_bytes. Leaves without such a node
 *          go to nodes of the group without data in them: their bytes must leave their nodes in any
 *          case, and the memory of these nodes is used. If no node of the group has room, the leaf
 *          is merged with its neighbor. If no leaf of a group has a node, the node with the most
 *          memory takes the group, in smaller windows.
 *          A group without an aggregator takes one that no other group needs, or joins a neighbor.
 * Cost:    O(bins * log bins) for all cuts; O(nodes) for each group; O(leaves of a group * its
 *          nodes * bins of a leaf / 64), over all groups.
 *
 *   level        2     1     2                  leaf 2 is merged into leaf 3, because its cuts
 *   leaves    0  |  1  |  2  |  3               have the levels 1 and 2
 */
#include "memory.h"

#include "number.h"

#include <errno.h>
#include <stdlib.h>

typedef collio_memory_demand_t demand_t;
typedef collio_memory_limits_t limits_t;
typedef collio_memory_layout_t layout_t;
typedef collio_memory_part_t part_t;

/* State of a node while leaves are placed. */
typedef struct room_t {
    int64_t left; /* bytes of memory that no aggregator has */
    int places;   /* number of aggregators that the node may still take */
    int next;     /* first free aggregator of the node; -1: none */
    int group;    /* group of the node; -1: the node has no data */
    int parts;    /* number of parts on the node */
} room_t;

typedef struct placer_t {
    const demand_t *demand; /* requests of the ranks, memory and aggregators of the nodes */
    const limits_t *limits; /* the settings */
    room_t *room;           /* state of each node */
    int *next_free;         /* next free aggregator of the same node, for each aggregator; -1 */
    int *member;            /* nodes of the current group, ascending */
    int members;            /* number of nodes of the current group */
    int spare;              /* nodes of all aggregators below this number have no free one */
} placer_t;

/* ---- leaves ---- */

/* Cuts at the border that has about `wanted` bytes on its left. Returns the bytes on its left. */
static int64_t place_cut(const int64_t *bytes, int64_t wanted, part_t *leaf, part_t *right)
{
    int64_t left = 0, best = INT64_MAX, before = 0;

    for (int bin = leaf->first; bin + 1 < leaf->end; ++bin) {
        int64_t difference;

        left += bytes[bin];
        difference = left > wanted ? left - wanted : wanted - left;
        if (difference < best) {
            best = difference;
            before = left;
            right->first = bin + 1;
        }
    }
    leaf->end = right->first;
    return before;
}

/* Bisects a vertex of the tree. The depth is logarithmic: a cut halves the bytes, or is beside a
 * bin with most of the bytes. */
static int bisect(const int64_t *bytes, part_t leaf, int64_t most, int level, part_t *out)
{
    part_t right = leaf;
    int64_t leaves, before;
    int count;

    if (leaf.bytes <= most || leaf.end - leaf.first < 2) {
        *out = leaf;
        return 1;
    }
    leaves = (leaf.bytes - 1) / most + 1;
    before = place_cut(bytes, leaf.bytes / leaves * (leaves / 2), &leaf, &right);
    right.bytes = leaf.bytes - before;
    leaf.bytes = before;
    right.level = level;
    count = bisect(bytes, leaf, most, level + 1, out);
    return count + bisect(bytes, right, most, level + 1, out + count);
}

int collio_memory_bisect(const int64_t *bytes, const part_t *whole, int64_t domain_bytes,
                         part_t *leaf)
{
    return bisect(bytes, *whole, domain_bytes, 1, leaf);
}

part_t *collio_memory_merge(const part_t *leaf, part_t *before, part_t *after)
{
    part_t *taker = before;

    if (NULL != after && (NULL == before || after->level > leaf->level)) {
        taker = after;
        after->first = leaf->first;
        after->level = leaf->level;
    } else if (NULL != before) {
        before->end = leaf->end;
    } else {
        return NULL;
    }
    taker->bytes += leaf->bytes;
    taker->merged += 1 + leaf->merged;
    return taker;
}

/* ---- placement ---- */

/* Returns the bytes of a collective buffer within `bytes`, but at least COLLIO_MEMORY_MIN. */
static int64_t buffer_within(const placer_t *placer, int64_t bytes)
{
    return collio_max(COLLIO_MEMORY_MIN, collio_min(bytes, placer->limits->buffer_bytes));
}

static bool fits(const placer_t *placer, const room_t *room)
{
    return room->places > 0 && room->left >= placer->limits->min_bytes && room->left > 0;
}

/* Returns the node of the group with the most memory left; -1: none. `leaf`: only nodes that have
 * data in the leaf; NULL: all. `any`: all nodes with a free aggregator, also without room. */
static int best_node(const placer_t *placer, const part_t *leaf, bool any)
{
    int best = -1;

    for (int m = 0; m < placer->members; ++m) {
        int i = placer->member[m];
        const room_t *room = &placer->room[i];

        if ((any ? room->next >= 0 : fits(placer, room))
            && (best < 0 || room->left > placer->room[best].left)
            && (NULL == leaf
                || 0 < collio_memory_touched(&placer->demand->node[i], leaf->first, leaf->end))) {
            best = i;
        }
    }
    return best;
}

/* Gives the leaf to the next aggregator of the node; -1: to none. */
static void place_give(placer_t *placer, part_t *leaf, int node)
{
    room_t *room;

    if (node < 0) {
        return;
    }
    room = &placer->room[node];
    leaf->aggregator = room->next;
    room->next = placer->next_free[room->next];
    room->left -= collio_min(buffer_within(placer, room->left), room->left);
    --room->places;
    ++room->parts;
}

/* Places the leaves [first, end) of a group, or merges them. Returns the end of the parts. */
static int place_leaves(placer_t *placer, part_t *part, int first, int end)
{
    int kept = first;

    for (int i = first; i < end; ++i) {
        place_give(placer, &part[i], best_node(placer, &part[i], false));
    }
    for (int i = first; i < end; ++i) {
        part_t *leaf = &part[i];

        if (leaf->aggregator < 0 && leaf->bytes > 0) {
            place_give(placer, leaf, best_node(placer, NULL, false));
        }
        if (leaf->aggregator < 0
            && NULL
                   != collio_memory_merge(leaf, kept > first ? &part[kept - 1] : NULL,
                                          i + 1 < end ? leaf + 1 : NULL)) {
            continue;
        }
        if (leaf->aggregator < 0) {
            leaf->reduced = true;
            place_give(placer, leaf, best_node(placer, NULL, true));
        }
        part[kept++] = *leaf;
    }
    return kept;
}

/* Returns the number of aggregators that the node has places and memory for. */
static int64_t places_on(const placer_t *placer, const room_t *room)
{
    int64_t buffer = collio_max(1, placer->limits->buffer_bytes), rest = room->left % buffer;

    if (!fits(placer, room)) {
        return 0;
    }
    /* one more buffer if the rest is enough */
    return collio_min(room->places,
                      room->left / buffer + (rest > 0 && rest >= placer->limits->min_bytes));
}

static void place_group(placer_t *placer, int first, int end, layout_t *layout)
{
    part_t whole = {.first = first, .end = end, .group = layout->groups, .aggregator = -1};
    int64_t places = 0, most = placer->limits->domain_bytes;
    int leaves, kept;

    placer->members = 0;
    for (int i = 0; i < placer->demand->nodes; ++i) {
        if (placer->room[i].group == layout->groups) {
            placer->member[placer->members++] = i;
            places += places_on(placer, &placer->room[i]);
        }
    }
    for (int bin = first; bin < end; ++bin) {
        whole.bytes += placer->demand->bytes[bin];
    }
    /* fewer places than leaves: larger leaves, otherwise the rest would be merged into the last */
    if (places > 0 && whole.bytes / places >= most) {
        most = (whole.bytes + places - 1) / places;
    }
    leaves = collio_memory_bisect(placer->demand->bytes, &whole, most,
                                  &layout->part[layout->parts]);
    kept = place_leaves(placer, layout->part, layout->parts, layout->parts + leaves);
    layout->leaves += leaves;
    layout->parts = kept;
    ++layout->groups;
}

/* ---- aggregators ---- */

/* Gives a part of a group without aggregators to an aggregator that no other group needs. */
static void give_spare(placer_t *placer, part_t *part)
{
    for (; placer->spare < placer->demand->aggregators; ++placer->spare) {
        room_t *room = &placer->room[placer->demand->node_of[placer->spare]];

        if (room->next >= 0) {
            part->aggregator = room->next;
            part->buffer_bytes = COLLIO_MEMORY_MIN;
            room->next = placer->next_free[room->next];
            return;
        }
    }
}

/* Divides the memory of each node equally among its parts, because their buffers are in one shared
 * segment, and finds aggregators for groups that have none. */
static void place_complete(placer_t *placer, layout_t *layout)
{
    part_t *part;
    int kept = 0;

    for (int i = 0; i < layout->parts; ++i) {
        part = &layout->part[i];
        if (part->aggregator >= 0) {
            int node = placer->demand->node_of[part->aggregator];

            part->buffer_bytes = buffer_within(placer, placer->demand->node[node].available
                                                           / placer->room[node].parts);
        } else if (part->bytes > 0) { /* only the part of a call without data is empty */
            give_spare(placer, part);
        }
        if (part->aggregator < 0) {
            (void) collio_memory_merge(part, kept > 0 ? &layout->part[kept - 1] : NULL,
                                       i + 1 < layout->parts && 0 == kept ? part + 1 : NULL);
        } else {
            layout->part[kept++] = *part;
        }
    }
    layout->parts = kept;
    layout->merges = layout->leaves - kept;
    part = realloc(layout->part, ((size_t) kept + 1) * sizeof(*part)); /* the file keeps it */
    if (NULL != part) {
        layout->part = part;
    }
}

static void find_rooms(placer_t *placer, const int *end, int groups)
{
    const demand_t *demand = placer->demand;

    for (int i = 0; i < demand->nodes; ++i) {
        placer->room[i] = (room_t){.left = demand->node[i].available,
                                   .next = -1,
                                   .group = collio_memory_home(&demand->node[i], end, groups)};
    }
    for (int a = demand->aggregators - 1; a >= 0; --a) {
        room_t *room = &placer->room[demand->node_of[a]];

        placer->next_free[a] = room->next;
        room->next = a;
        ++room->places;
    }
    for (int i = 0; i < demand->nodes; ++i) {
        placer->room[i].places = (int) collio_min(placer->room[i].places, placer->limits->per_node)
                                 - demand->node[i].held;
    }
}

int collio_memory_layout_init(const demand_t *demand, const limits_t *limits, layout_t *layout)
{
    placer_t placer = {.demand = demand,
                       .limits = limits,
                       .room = malloc((size_t) demand->nodes * sizeof(room_t)),
                       .next_free = malloc((size_t) demand->aggregators * sizeof(int)),
                       .member = malloc((size_t) demand->nodes * sizeof(int))};
    int *end = malloc((size_t) demand->bins * sizeof(*end)), groups = -ENOMEM, bin = 0;

    *layout = (layout_t){.part = malloc((size_t) demand->bins * sizeof(*layout->part))};
    if (NULL != placer.room && NULL != placer.next_free && NULL != placer.member && NULL != end
        && NULL != layout->part) {
        groups = collio_memory_groups(demand, limits->group_bytes, end);
    }
    if (groups > 0) {
        find_rooms(&placer, end, groups);
    }
    for (int g = 0; g < groups; bin = end[g++]) {
        place_group(&placer, bin, end[g], layout);
    }
    if (groups > 0) {
        place_complete(&placer, layout);
    } else {
        collio_memory_layout_fini(layout);
    }
    free(end);
    free(placer.member);
    free(placer.next_free);
    free(placer.room);
    return groups < 0 ? groups : 0;
}

void collio_memory_layout_fini(layout_t *layout)
{
    free(layout->part);
    *layout = (layout_t){0};
}
