/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/* Memory-conscious placement of random demands: the rules hold for groups and parts. */
#include "demand.h"

typedef collio_memory_part_t part_t;

/* Groups of a demand, found without the code that is tested. */
typedef struct groups_t {
    int of_bin[BINS_MAX];   /* group of each bin */
    int of_node[NODES_MAX]; /* group where each node touches the most bins; -1: no data */
    int each[NODES_MAX];    /* number of aggregators of each node */
    bool has[BINS_MAX];     /* whether each group has an aggregator */
    bool all;               /* all groups have an aggregator */
} groups_t;

static void random_demand(demand_t *d)
{
    int bins = (int) unit_between(1, BINS_MAX), nodes = (int) unit_between(1, NODES_MAX);
    bool serial = 0 == unit_below(2), shared = 0 == unit_below(2);

    begin(d, bins, nodes, 0);
    for (int i = 0; i < nodes; ++i) {
        d->node[i].available = 0 == unit_below(6) ? 0 : unit_below(INT64_C(1) << 24);
        d->node[i].held = (int) unit_below(4);
        for (int parts = (int) unit_below(4); parts > 0; --parts) {
            int first = serial ? i * bins / nodes : (int) unit_below(bins);
            int end = serial ? (i + 1) * bins / nodes : (int) unit_between(first + 1, bins);

            end += serial && shared && end < bins; /* the first bin of the next node */
            want(d, i, first, end, unit_between(1, 1000));
        }
    }
    if (0 == unit_below(2)) {
        d->demand.aggregators = (int) unit_between(1, 3 * NODES_MAX);
        for (int a = 0; a < d->demand.aggregators; ++a) {
            d->node_of[a] = (int) unit_below(nodes);
        }
    }
}

/* At least three quarters of the touched bins of a group are touched by its nodes. */
static void check_home(const demand_t *d, const groups_t *groups, int group, int first, int end)
{
    int all = 0, own = 0;

    for (int n = 0; n < d->demand.nodes; ++n) {
        int touched = collio_memory_touched(&d->node[n], first, end);

        all += touched;
        own += groups->of_node[n] == group ? touched : 0;
    }
    unit_assert(4 * own >= 3 * all);
}

static void find_groups(const demand_t *d, int64_t group_bytes, groups_t *groups)
{
    int end[BINS_MAX], count = collio_memory_groups(&d->demand, group_bytes, end);
    int most[NODES_MAX] = {0};

    *groups = (groups_t){.all = true};
    for (int n = 0; n < d->demand.nodes; ++n) {
        groups->of_node[n] = -1;
    }
    for (int g = 0, first = 0; g < count; first = end[g++]) {
        for (int bin = first; bin < end[g]; ++bin) {
            groups->of_bin[bin] = g;
        }
        for (int n = 0; n < d->demand.nodes; ++n) {
            int touched = collio_memory_touched(&d->node[n], first, end[g]);

            groups->of_node[n] = touched > most[n] ? g : groups->of_node[n];
            most[n] = touched > most[n] ? touched : most[n];
        }
    }
    for (int a = 0; a < d->demand.aggregators; ++a) {
        ++groups->each[d->node_of[a]];
        if (groups->of_node[d->node_of[a]] >= 0) {
            groups->has[groups->of_node[d->node_of[a]]] = true;
        }
    }
    for (int g = 0, first = 0; g < count; first = end[g++]) {
        groups->all &= groups->has[g];
        check_home(d, groups, g, first, end[g]);
    }
}

/* True if a node can take one more part. */
static bool has_room(const demand_t *d, const groups_t *groups,
                     const collio_memory_limits_t *limits, int node, int given, int64_t left)
{
    int places = groups->each[node] < limits->per_node ? groups->each[node] : limits->per_node;

    return d->node[node].held + given < places && left >= limits->min_bytes && left > 0;
}

/* All bins once, no aggregator twice and none of a node before its first ones, true sums. Every
 * byte goes to an aggregator on a node of its group, unless the group has no aggregator at all. */
static void check_parts(const demand_t *d, const groups_t *groups,
                        const collio_memory_layout_t *layout)
{
    bool used[EACH * NODES_MAX] = {false};
    int64_t wanted = 0;
    int at = 0;

    for (int bin = 0; bin < d->demand.bins; ++bin) {
        wanted += d->bytes[bin];
    }
    unit_assert(layout->parts <= d->demand.aggregators && (layout->parts > 0) == (wanted > 0));
    unit_equal(layout->leaves - layout->merges, layout->parts);
    for (int i = 0; i < layout->parts; ++i) {
        const part_t *part = &layout->part[i];
        int there = groups->of_node[d->node_of[part->aggregator]];
        int64_t bytes = 0;

        unit_equal(at, part->first);
        unit_assert(part->end > part->first && part->bytes > 0 && !used[part->aggregator]);
        used[part->aggregator] = true;
        for (; at < part->end; ++at) {
            int group = groups->of_bin[at];

            bytes += d->bytes[at];
            unit_assert(0 == d->bytes[at] || !groups->has[group] || group == there);
        }
        unit_equal(bytes, part->bytes);
        wanted -= bytes;
    }
    unit_assert(0 == layout->parts || d->demand.bins == at);
    unit_equal(0, wanted);
    for (int a = 0; a < d->demand.aggregators; ++a) {
        for (int before = 0; used[a] && before < a; ++before) {
            unit_assert(used[before] || d->node_of[before] != d->node_of[a]);
        }
    }
}

/* A part is on a node with data in it, unless all nodes of its group that have data in it are
 * full. */
static void check_data(const demand_t *d, const groups_t *groups,
                       const collio_memory_limits_t *limits, const part_t *part, const int *given)
{
    if (0 < collio_memory_touched(&d->node[d->node_of[part->aggregator]], part->first, part->end)) {
        return;
    }
    for (int n = 0; n < d->demand.nodes; ++n) {
        int64_t left = d->node[n].available;

        for (int i = 0; i < given[n]; ++i) {
            int64_t buffer = left < limits->buffer_bytes ? left : limits->buffer_bytes;

            buffer = buffer < COLLIO_MEMORY_MIN ? COLLIO_MEMORY_MIN : buffer;
            left -= buffer < left ? buffer : left;
        }
        unit_assert(groups->of_node[n] != part->group
                    || 0 == collio_memory_touched(&d->node[n], part->first, part->end)
                    || !has_room(d, groups, limits, n, given[n], left));
    }
}

/* Nodes have no more parts and buffers than they have places and memory. A part that is reduced is
 * one that no node of its group could have taken. */
static void check_nodes(const demand_t *d, const groups_t *groups,
                        const collio_memory_limits_t *limits, const collio_memory_layout_t *layout)
{
    int given[NODES_MAX] = {0};
    int64_t left[NODES_MAX];

    for (int n = 0; n < d->demand.nodes; ++n) {
        left[n] = d->node[n].available;
    }
    for (int i = 0; i < layout->parts; ++i) {
        ++given[d->node_of[layout->part[i].aggregator]];
        left[d->node_of[layout->part[i].aggregator]] -= layout->part[i].buffer_bytes;
    }
    for (int i = 0; i < layout->parts; ++i) {
        const part_t *part = &layout->part[i];
        int node = d->node_of[part->aggregator];
        bool least = COLLIO_MEMORY_MIN == part->buffer_bytes;

        unit_assert(part->buffer_bytes <= limits->buffer_bytes || least);
        for (int n = 0; part->reduced && n < d->demand.nodes; ++n) {
            unit_assert(groups->of_node[n] != part->group
                        || !has_room(d, groups, limits, n, 0, d->node[n].available));
        }
        if (!part->reduced && groups->all) { /* parts of other groups need no place */
            unit_assert(d->node[node].held + given[node] <= limits->per_node);
            unit_assert(left[node] >= 0 || least);
            check_data(d, groups, limits, part, given);
        }
    }
}

UNIT_TEST(memory_random_demands_keep_the_rules)
{
    for (int i = unit_rounds(3000); i > 0; --i) {
        collio_memory_limits_t limits = {.group_bytes = unit_between(0, 20000),
                                         .domain_bytes = unit_between(1, 20000),
                                         .min_bytes = unit_below(1 << 20),
                                         .buffer_bytes = unit_between(1 << 10, 1 << 23),
                                         .per_node = (int) unit_between(1, 6)};
        collio_memory_layout_t layout;
        groups_t groups;
        demand_t d;

        random_demand(&d);
        find_groups(&d, limits.group_bytes, &groups);
        unit_equal(0, collio_memory_layout_init(&d.demand, &limits, &layout));
        check_parts(&d, &groups, &layout);
        check_nodes(&d, &groups, &limits, &layout);
        collio_memory_layout_fini(&layout);
    }
}
