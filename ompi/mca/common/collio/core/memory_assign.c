/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * Which aggregator takes which domain.
 *
 * Problem: the policy chooses nodes, but the file has a fixed list of aggregators, with at most one
 *          domain each, and a node with a domain beyond its limit may have no aggregator left.
 * Method:  domains in file order. A domain takes the next free aggregator of its node; otherwise an
 *          aggregator of another node of the group, with the smallest buffer; otherwise the domain
 *          joins the one before it, which is in the same group. Only domains of a group without
 *          any aggregator take remaining aggregators of other groups.
 * Cost:    O(domains + aggregators + nodes), and O(nodes) for each domain whose node has no
 *          aggregator left.
 */
#include "memory.h"

#include <errno.h>
#include <stdlib.h>

enum { NOBODY_IN_GROUP = -2 };

typedef struct roster_t {
    int *first; /* node n has the aggregators list[first[n] .. first[n + 1]) */
    int *next;  /* position in `list` of each node's next free aggregator */
    int *list;  /* aggregators by node */
    bool *used; /* whether each aggregator has a domain */
    int spare;  /* nodes of all aggregators below this number have no free aggregator */
} roster_t;

static int roster_init(roster_t *roster, const int *node_of, int aggregators, int nodes)
{
    *roster = (roster_t){.first = calloc((size_t) nodes + 2, sizeof(int)),
                         .next = calloc((size_t) nodes + 1, sizeof(int)),
                         .list = calloc((size_t) aggregators + 1, sizeof(int)),
                         .used = calloc((size_t) aggregators + 1, sizeof(bool))};
    if (NULL == roster->first || NULL == roster->next || NULL == roster->list
        || NULL == roster->used) {
        return -ENOMEM;
    }
    for (int o = 0; o < aggregators; ++o) {
        ++roster->first[node_of[o] + 1];
    }
    for (int n = 0; n < nodes; ++n) {
        roster->first[n + 1] += roster->first[n];
        roster->next[n] = roster->first[n];
    }
    for (int o = 0; o < aggregators; ++o) {
        roster->list[roster->next[node_of[o]]++] = o;
    }
    for (int n = 0; n < nodes; ++n) {
        roster->next[n] = roster->first[n];
    }
    return 0;
}

static void roster_fini(roster_t *roster)
{
    free(roster->first);
    free(roster->next);
    free(roster->list);
    free(roster->used);
}

/* Takes a free aggregator of the node; -1: none. */
static int take_on_node(roster_t *roster, int node)
{
    while (roster->next[node] < roster->first[node + 1]) {
        int aggregator = roster->list[roster->next[node]++];

        if (!roster->used[aggregator]) {
            roster->used[aggregator] = true;
            return aggregator;
        }
    }
    return -1;
}

/* Takes a free aggregator of any node, in the order of the file's list; -1: none. */
static int take_anywhere(roster_t *roster, const int *node_of, int aggregators)
{
    while (roster->spare < aggregators) {
        int aggregator = take_on_node(roster, node_of[roster->spare]);

        if (aggregator >= 0) {
            return aggregator;
        }
        ++roster->spare;
    }
    return -1;
}

/* Takes a free aggregator of a node of the group; -1: none. */
static int take_in_group(roster_t *roster, const collio_memory_layout_t *layout, int group,
                         int nodes)
{
    int aggregator = -1;

    for (int n = 0; aggregator < 0 && n < nodes; ++n) {
        aggregator = layout->group_of[n] == group ? take_on_node(roster, n) : -1;
    }
    return aggregator;
}

/* Chooses an aggregator for each domain; -1: the domain joins a neighbor. Groups without
 * aggregators come last, and take only aggregators that other groups do not need. */
static void choose(roster_t *roster, const collio_memory_layout_t *layout, const int *node_of,
                   int aggregators, int nodes, int *chosen)
{
    int served = -1; /* last group with an aggregator */

    for (int d = 0; d < layout->domains; ++d) {
        const collio_memory_domain_t *domain = &layout->domain[d];

        chosen[d] = take_on_node(roster, domain->node);
        if (chosen[d] < 0) {
            chosen[d] = take_in_group(roster, layout, domain->group, nodes);
        }
        if (chosen[d] >= 0) {
            served = domain->group;
        } else if (served != domain->group) {
            chosen[d] = NOBODY_IN_GROUP;
        }
    }
    for (int d = 0; d < layout->domains; ++d) {
        if (NOBODY_IN_GROUP == chosen[d]) {
            chosen[d] = take_anywhere(roster, node_of, aggregators);
        }
    }
}

static int make_parts(const collio_memory_layout_t *layout, const int *node_of, const int *chosen,
                      collio_memory_part_t *part)
{
    int64_t waiting = 0; /* bytes of domains before the first part */
    int parts = 0;

    for (int d = 0; d < layout->domains; ++d) {
        const collio_memory_domain_t *domain = &layout->domain[d];
        bool elsewhere = chosen[d] >= 0 && node_of[chosen[d]] != domain->node;

        if (chosen[d] < 0 && 0 == parts) {
            waiting += domain->bytes;
            continue;
        }
        if (chosen[d] < 0) {
            part[parts - 1].end = domain->end;
            part[parts - 1].bytes += domain->bytes;
            continue;
        }
        part[parts] = (collio_memory_part_t){
            .first = 0 == parts ? 0 : domain->first,
            .end = domain->end,
            .bytes = domain->bytes + waiting,
            .aggregator = chosen[d],
            .group = domain->group,
            .merged = domain->merged,
            .reduced = domain->reduced || elsewhere,
            .buffer_bytes = elsewhere ? COLLIO_MEMORY_LEAST : domain->buffer_bytes,
        };
        waiting = 0;
        ++parts;
    }
    return parts;
}

int collio_memory_assign(const collio_memory_layout_t *layout, const int *node_of, int aggregators,
                         int nodes, collio_memory_part_t *part)
{
    roster_t roster;
    int *chosen, parts = -ENOMEM;

    if (0 == layout->domain[0].bytes) { /* only the domain of a call without data is empty */
        return 0;
    }
    chosen = malloc(((size_t) layout->domains + 1) * sizeof(*chosen));
    if (0 == roster_init(&roster, node_of, aggregators, nodes) && NULL != chosen) {
        choose(&roster, layout, node_of, aggregators, nodes, chosen);
        parts = make_parts(layout, node_of, chosen, part);
    }
    free(chosen);
    roster_fini(&roster);
    return parts;
}
