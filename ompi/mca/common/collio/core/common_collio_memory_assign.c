/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

/*
 * Which aggregator takes which domain.
 *
 * Problem: the policy names nodes; the file has a fixed list of aggregators, at most one domain for
 *          each, and a node that had to take a domain beyond its limit may have none left.
 * Method:  domains in file order. Each takes the next free aggregator of its node; if there is
 *          none, the next free one anywhere, with the least buffer; if there is none at all, or
 *          nobody wants a byte of the domain, it joins the domain before it.
 * Cost:    O(domains + aggregators + nodes).
 */
#include "common_collio_memory.h"

#include <errno.h>
#include <stdlib.h>

typedef struct roster_t {
    int *first; /* per node: its aggregators are list[first[n] .. first[n + 1]) */
    int *next;  /* per node: the first free one in list */
    int *list;  /* aggregators by node */
    bool *used; /* per aggregator */
    int spare;  /* all aggregators below are used */
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

/* A free aggregator of the node; -1: none. */
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

/* The next free aggregator, through its node's list, in their order. */
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

int mca_common_collio_memory_assign(const mca_common_collio_memory_layout_t *layout,
                                    const int *node_of, int aggregators, int nodes,
                                    mca_common_collio_memory_part_t *part)
{
    roster_t roster;
    int parts = roster_init(&roster, node_of, aggregators, nodes);

    for (int d = 0; parts >= 0 && d < layout->domains; ++d) {
        const mca_common_collio_memory_domain_t *domain = &layout->domain[d];
        int aggregator = domain->bytes > 0 ? take_on_node(&roster, domain->node) : -1;
        bool elsewhere = aggregator < 0 && domain->bytes > 0;

        aggregator = elsewhere ? take_anywhere(&roster, node_of, aggregators) : aggregator;
        if (aggregator < 0 && parts > 0) {
            part[parts - 1].end = domain->end;
            part[parts - 1].bytes += domain->bytes;
        } else if (aggregator >= 0) {
            part[parts] = (mca_common_collio_memory_part_t){
                .first = 0 == parts ? 0 : domain->first,
                .end = domain->end,
                .bytes = domain->bytes,
                .aggregator = aggregator,
                .group = domain->group,
                .merged = domain->merged,
                .reduced = domain->reduced || elsewhere,
                .buffer_bytes = elsewhere ? MCA_COMMON_COLLIO_MEMORY_LEAST : domain->buffer_bytes,
            };
            ++parts;
        }
    }
    roster_fini(&roster);
    return parts;
}
