/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/* Memory-conscious placement of random demands: the rules hold for groups, domains and parts. */
#include "demand.h"

typedef collio_memory_domain_t domain_t;

static void random_demand(demand_t *d)
{
    int bins = (int) unit_between(1, BINS_MOST), nodes = (int) unit_between(1, NODES_MOST);
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
}

/* Could a node take one more domain with these bins? */
static bool has_room(const demand_t *d, const collio_memory_limits_t *limits, int node,
                     const int *given, const int64_t *left)
{
    return d->node[node].held + given[node] < limits->per_node && left[node] >= limits->min_bytes
           && left[node] > 0;
}

/* The group of every bin, and of every node: where it touches the most bins, -1 if it has no data.
 * At least three quarters of the touched bins of a group are touched by its nodes. */
static void find_groups(const demand_t *d, int64_t group_bytes, int *of_bin, int *of_node)
{
    int end[BINS_MOST], groups = collio_memory_groups(&d->demand, group_bytes, end);
    int most[NODES_MOST] = {0};

    for (int n = 0; n < d->demand.nodes; ++n) {
        of_node[n] = -1;
    }
    for (int g = 0, first = 0; g < groups; first = end[g++]) {
        for (int bin = first; bin < end[g]; ++bin) {
            of_bin[bin] = g;
        }
        for (int n = 0; n < d->demand.nodes; ++n) {
            int touched = collio_memory_touched(&d->node[n], first, end[g]);

            of_node[n] = touched > most[n] ? g : of_node[n];
            most[n] = touched > most[n] ? touched : most[n];
        }
    }
    for (int g = 0, first = 0; g < groups; first = end[g++]) {
        int all = 0, own = 0;

        for (int n = 0; n < d->demand.nodes; ++n) {
            int touched = collio_memory_touched(&d->node[n], first, end[g]);

            all += touched;
            own += of_node[n] == g ? touched : 0;
        }
        unit_assert(4 * own >= 3 * all);
    }
}

/* The shuffle: every byte goes to an aggregator on a node of its group, unless the group has no
 * aggregator at all. */
static void check_shuffle(const demand_t *d, int64_t group_bytes, const int *node_of,
                          int aggregators, const collio_memory_part_t *part, int parts)
{
    int of_bin[BINS_MOST], of_node[NODES_MOST];
    bool has[BINS_MOST] = {false};
    int64_t moved = 0, wanted = 0;

    find_groups(d, group_bytes, of_bin, of_node);
    for (int o = 0; o < aggregators; ++o) {
        if (of_node[node_of[o]] >= 0) {
            has[of_node[node_of[o]]] = true;
        }
    }
    for (int i = 0; i < parts; ++i) {
        int there = of_node[node_of[part[i].aggregator]];

        for (int bin = part[i].first; bin < part[i].end; ++bin) {
            moved += d->bytes[bin];
            unit_assert(0 == d->bytes[bin] || !has[of_bin[bin]] || of_bin[bin] == there);
        }
    }
    for (int bin = 0; bin < d->demand.bins; ++bin) {
        wanted += d->bytes[bin];
    }
    unit_equal(wanted, moved);
}

/* All bins once, no aggregator twice, on the domain's node while it has one; slots without gaps. */
static void check_assign(const demand_t *d, int64_t group_bytes,
                         const collio_memory_layout_t *layout)
{
    enum { OWNERS_MOST = 3 * NODES_MOST };
    collio_memory_part_t part[OWNERS_MOST];
    int node_of[OWNERS_MOST], aggregators = (int) unit_between(1, OWNERS_MOST), parts, at = 0;
    bool used[OWNERS_MOST] = {false};
    int64_t wanted = 0, got = 0;

    for (int o = 0; o < aggregators; ++o) {
        node_of[o] = (int) unit_below(d->demand.nodes);
    }
    for (int bin = 0; bin < d->demand.bins; ++bin) {
        wanted += d->bytes[bin];
    }
    parts = collio_memory_assign(layout, node_of, aggregators, d->demand.nodes, part);
    unit_assert(parts <= aggregators && (parts > 0) == (wanted > 0));
    for (int i = 0; i < parts; ++i) {
        unit_equal(at, part[i].first);
        at = part[i].end;
        got += part[i].bytes;
        unit_assert(part[i].bytes > 0 && !used[part[i].aggregator]);
        used[part[i].aggregator] = true;
    }
    unit_assert(0 == parts || d->demand.bins == at);
    unit_equal(wanted, got);
    check_shuffle(d, group_bytes, node_of, aggregators, part, parts);
    for (int o = 0; o < aggregators; ++o) { /* a used one has no unused one of its node before it */
        for (int before = 0; used[o] && before < o; ++before) {
            unit_assert(used[before] || node_of[before] != node_of[o]);
        }
    }
}

/* A domain is on a node with data in it, unless all nodes of its group that have data in it are
 * full. */
static void check_data(const demand_t *d, const collio_memory_limits_t *limits,
                       const collio_memory_layout_t *layout, const domain_t *domain,
                       const int *given)
{
    int64_t left[NODES_MOST];

    if (0 < collio_memory_touched(&d->node[domain->node], domain->first, domain->end)) {
        return;
    }
    for (int n = 0; n < d->demand.nodes; ++n) {
        left[n] = d->node[n].available;
        for (int i = 0; i < given[n]; ++i) {
            int64_t buffer = left[n] < limits->buffer_bytes ? left[n] : limits->buffer_bytes;

            buffer = buffer < COLLIO_MEMORY_LEAST ? COLLIO_MEMORY_LEAST : buffer;
            left[n] -= buffer < left[n] ? buffer : left[n];
        }
        unit_assert(layout->group_of[n] != domain->group
                    || 0 == collio_memory_touched(&d->node[n], domain->first, domain->end)
                    || !has_room(d, limits, n, given, left));
    }
}

static void check_random(void)
{
    static demand_t d;

    random_demand(&d);
    collio_memory_limits_t limits = {.group_bytes = unit_between(0, 20000),
                                     .domain_bytes = unit_between(1, 20000),
                                     .min_bytes = unit_below(1 << 20),
                                     .buffer_bytes = unit_between(1 << 10, 1 << 23),
                                     .per_node = (int) unit_between(1, 6)};
    collio_memory_layout_t layout;
    int given[NODES_MOST] = {0};
    int64_t left[NODES_MOST];
    int at = 0, reduced = 0;

    lay_out(&d, &limits, &layout);
    for (int i = 0; i < d.demand.nodes; ++i) {
        left[i] = d.node[i].available;
    }
    for (int i = 0; i < layout.domains; ++i) {
        const domain_t *domain = &layout.domain[i];
        int64_t bytes = 0;

        unit_equal(at, domain->first); /* every bin once, in order */
        unit_assert(domain->end > domain->first);
        at = domain->end;
        for (int bin = domain->first; bin < domain->end; ++bin) {
            bytes += d.bytes[bin];
        }
        unit_equal(bytes, domain->bytes);
        unit_assert(0 == bytes || layout.group_of[domain->node] == domain->group);
        ++given[domain->node];
        left[domain->node] -= domain->bytes > 0 ? domain->buffer_bytes : 0;
        reduced += domain->reduced;
    }
    unit_equal(d.demand.bins, at);
    unit_assert(layout.leaves - layout.merges == layout.domains);
    for (int i = 0; i < layout.domains; ++i) {
        const domain_t *domain = &layout.domain[i];

        if (domain->reduced || 0 == domain->bytes) {
            continue;
        }
        unit_assert(d.node[domain->node].held + given[domain->node] <= limits.per_node);
        unit_assert(domain->buffer_bytes <= limits.buffer_bytes
                    || COLLIO_MEMORY_LEAST == domain->buffer_bytes);
        check_data(&d, &limits, &layout, domain, given);
        unit_assert(left[domain->node] >= 0 || COLLIO_MEMORY_LEAST == domain->buffer_bytes);
    }
    /* a reduced domain is one that no node of its group could have taken */
    for (int i = 0; i < layout.domains && reduced > 0; ++i) {
        for (int n = 0; layout.domain[i].reduced && n < d.demand.nodes; ++n) {
            int before[NODES_MOST] = {0};
            int64_t whole[NODES_MOST];

            whole[n] = d.node[n].available;
            unit_assert(layout.group_of[n] != layout.domain[i].group
                        || !has_room(&d, &limits, n, before, whole));
        }
    }
    check_assign(&d, limits.group_bytes, &layout);
    collio_memory_layout_fini(&layout);
}

UNIT_TEST(memory_random_demands_keep_the_rules)
{
    for (int i = unit_rounds(3000); i > 0; --i) {
        check_random();
    }
}
