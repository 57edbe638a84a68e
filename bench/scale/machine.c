/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * The machine: nodes in blocks of ranks, aggregators as the components place them for even
 * domains (spread over the ranks), local aggregators by the published formula.
 */
#include <errno.h>
#include <stdlib.h>

#include "policy.h"
#include "scale.h"

static int make_nodes(scale_machine_t *machine)
{
    int nodes = (machine->ranks + machine->per_node - 1) / machine->per_node;
    size_t bytes = collio_nodes_bytes(machine->ranks, nodes);
    void *tables = 0 == bytes ? NULL : malloc(bytes);

    collio_nodes_place(&machine->nodes, machine->ranks, nodes, tables);
    if (1 == nodes) {
        return 0;
    }
    if (NULL == tables) {
        return -ENOMEM;
    }
    for (int rank = 0; rank < machine->ranks; ++rank) {
        machine->nodes.node_of[rank] = rank - rank % machine->per_node;
    }
    collio_nodes_fill(&machine->nodes);
    return 0;
}

/* Members of a group are neighbours in the node's list of members. */
static void make_groups(scale_machine_t *machine)
{
    const collio_nodes_t *nodes = &machine->nodes;

    for (int node = 0; node < nodes->nodes; ++node) {
        int first = collio_node_member(nodes, node, 0), q = collio_node_size(nodes, node);
        int c = machine->c < q ? machine->c : q;
        int last = -1;

        for (int r = 0; r < q; ++r) {
            int serving = collio_local_number(q, c, r);

            if (serving != last) {
                machine->group_first[machine->groups++] = first + r;
                last = serving;
            }
            machine->member[first + r] = first + r;
            machine->group_of[first + r] = machine->groups - 1;
        }
    }
    machine->group_first[machine->groups] = machine->ranks;
}

static int choose_local(const scale_machine_t *machine, const scale_pattern_t *pattern)
{
    int64_t extents = pattern->rows * (int64_t) pattern->run_count;
    collio_tam_facts_t facts = {
        .ranks_per_node = machine->per_node,
        .nodes = machine->nodes.nodes,
        .global_aggregators = machine->aggregators,
        .extents_per_rank = extents / machine->ranks + 1,
        .bytes_per_rank = pattern->rows * pattern->row_bytes / machine->ranks + 1,
        .window_bytes = machine->window_bytes,
        .calls_per_plan = collio_policy_calls_per_plan(8, 1), /* time steps reuse a plan */
        .shared_memory = true};

    return collio_policy_local_aggregators(&facts);
}

const char *scale_machine_init(scale_machine_t *machine, const scale_pattern_t *pattern,
                               int per_node, int aggregators, int64_t window_bytes, int64_t unit,
                               int local)
{
    size_t ranks = (size_t) pattern->ranks;

    *machine = (scale_machine_t){.ranks = pattern->ranks,
                                 .per_node = per_node < pattern->ranks ? per_node : pattern->ranks,
                                 .window_bytes = window_bytes,
                                 .unit = unit};
    machine->group_of = malloc(ranks * sizeof(int));
    machine->group_first = malloc((ranks + 1) * sizeof(int));
    machine->member = malloc(ranks * sizeof(int));
    machine->aggregator_rank = malloc(ranks * sizeof(int));
    if (0 != make_nodes(machine) || NULL == machine->group_of || NULL == machine->group_first
        || NULL == machine->member || NULL == machine->aggregator_rank) {
        return "out of memory";
    }
    machine->aggregators = collio_aggregators_place(
        &machine->nodes, aggregators, COLLIO_PLACEMENT_SPREAD, machine->aggregator_rank);
    machine->c = 0 < local ? local : choose_local(machine, pattern);
    make_groups(machine);
    return NULL;
}

bool scale_is_local(const scale_machine_t *machine, int rank)
{
    return machine->member[machine->group_first[machine->group_of[rank]]] == rank;
}

static int members(const scale_machine_t *machine, int group)
{
    return machine->group_first[group + 1] - machine->group_first[group];
}

scale_askers_t scale_askers(const scale_machine_t *machine, int aggregator)
{
    int rank = machine->aggregator_rank[aggregator];
    int group = machine->group_of[rank];
    bool local = scale_is_local(machine, rank);
    int more = local ? members(machine, group) : 1;

    return (scale_askers_t){.machine = machine,
                            .aggregator_rank = rank,
                            .group = group,
                            .local = local,
                            .count = machine->groups - local + more,
                            .limit = machine->groups + more};
}

int scale_asker_of(const scale_askers_t *askers, int rank)
{
    const scale_machine_t *machine = askers->machine;
    int group = machine->group_of[rank];

    if (group != askers->group) {
        return group;
    }
    if (askers->local) { /* members are neighbours among the node's ranks */
        return machine->groups + collio_node_local(&machine->nodes, rank)
               - collio_node_local(&machine->nodes, askers->aggregator_rank);
    }
    return rank == askers->aggregator_rank ? machine->groups : group;
}

int scale_asker_rank(const scale_askers_t *askers, int asker)
{
    const scale_machine_t *machine = askers->machine;

    if (asker < machine->groups) {
        return machine->member[machine->group_first[asker]];
    }
    return askers->local
               ? machine->member[machine->group_first[askers->group] + asker - machine->groups]
               : askers->aggregator_rank;
}

bool scale_carried(const scale_askers_t *askers, int rank)
{
    int group = askers->machine->group_of[rank];

    return 1 < members(askers->machine, group)
           && (group != askers->group || (!askers->local && rank != askers->aggregator_rank));
}

void scale_machine_fini(scale_machine_t *machine)
{
    free(machine->nodes.node_of);
    free(machine->aggregator_rank);
    free(machine->group_of);
    free(machine->group_first);
    free(machine->member);
    *machine = (scale_machine_t){0};
}
