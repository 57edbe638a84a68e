/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Partition memory: domains that follow the memory of the nodes.
 *
 * Problem: all ranks must compute the same domains from the requests and the memory of all nodes.
 * Method:  three reductions, of which the first two run at the same time. MPI_File_open allocates
 *          their memory.
 * Cost:    core/memory.h has the policy and the cost.
 *
 *   memory    inside the node: minimum of the available memory that its ranks measure
 *   sums      bytes per bin | busy aggregators per node | bytes held in buffers per node
 *   records   memory per node | bits of touched bins, node by node
 */
#include "plan/plan.h"

#include <errno.h>
#include <stdlib.h>

#include "core/number.h"
#include "node/node_available.h"

void collio_layout_memory_start(collio_exchange_t *ex)
{
    collio_file_memory_t *memory = &ex->file->memory;

    memory->minus_mine = -collio_kept_memory_usable(ex->file);
    if (OMPI_SUCCESS
        != collio_agreement_start(ex->file, COLLIO_SCOPE_NODE, &memory->minus_mine,
                                  &memory->minus_node, 1)) {
        collio_exchange_lose(ex);
    }
}

static void count_busy(void *value, void *busy)
{
    const collio_file_t *file = value;

    *(int *) busy += file->memory.announced > 0 && 0 < file->calls;
}

/* Fills in this rank's part of the sums of its node: 1 if the rank aggregates for another file, and
 * half of the bytes of its buffers, because half of the available memory is usable. */
void collio_layout_memory_sums(collio_exchange_t *ex, int64_t *sums)
{
    collio_file_t *file = ex->file;
    int node = collio_node_of(&file->nodes, file->rank), busy = 0, own = 0;

    count_busy(file, &own);
    collio_handle_for_each(COLLIO_PLACE_FCOLL, count_busy, &busy);
    sums[node] = busy > own;
    if (0 == file->settings.memory_available) { /* measured memory excludes buffers that exist */
        sums[file->nodes.nodes + node] = collio_kept_buffers(file->context->kept) / 2;
    }
}

void collio_layout_memory_records(collio_exchange_t *ex)
{
    collio_file_t *file = ex->file;
    collio_file_memory_t *memory = &file->memory;
    int nodes = file->nodes.nodes, node = collio_node_of(&file->nodes, file->rank);
    size_t count = (size_t) nodes * (size_t) (1 + memory->words);
    uint64_t *bits = memory->records + nodes + (size_t) node * (size_t) memory->words;

    memset(memory->records, 0, count * sizeof(*memory->records));
    if (memory->minus_node < 0) {
        memory->records[node] = (uint64_t) -memory->minus_node;
    }
    for (int bin = 0; bin < collio_layout_bins(file); ++bin) {
        if (ex->histogram[bin] > 0) {
            bits[bin / 64] |= UINT64_C(1) << (bin % 64);
        }
    }
    if (OMPI_SUCCESS
        != collio_iallreduce(MPI_IN_PLACE, memory->records, (int) count, MPI_UINT64_T, MPI_BOR,
                             file->context->comm, &ex->collective)) {
        ex->collective = MPI_REQUEST_NULL;
        collio_exchange_lose(ex);
    }
}

/* Fills in the nodes from the results of the reductions. */
static void read_nodes(const collio_exchange_t *ex, collio_memory_node_t *node)
{
    const collio_file_t *file = ex->file;
    int nodes = file->nodes.nodes, bins = collio_layout_bins(file);
    const int64_t *sums = ex->histogram + collio_layout_sums(file) + bins;
    const uint64_t *records = file->memory.records;

    for (int n = 0; n < nodes; ++n) {
        node[n].available = (int64_t) records[n];
        if (node[n].available < INT64_MAX - sums[nodes + n]) {
            node[n].available += sums[nodes + n];
        }
        node[n].held = (int) sums[n];
        node[n].touched = records + nodes + (size_t) n * (size_t) file->memory.words;
    }
}

/* Returns the maximum number of requested bytes of a leaf: at most the share of an aggregator in
 * even domains, so that as many aggregators work. */
static int64_t domain_bytes(const collio_exchange_t *ex)
{
    const collio_file_t *file = ex->file;
    int64_t most = (ex->write ? 32 : 128) << 20, even;
    collio_site_t site = collio_file_site(file);

    if (0 != file->settings.memory_domain_bytes) {
        return (int64_t) file->settings.memory_domain_bytes;
    }
    even = ex->range.bytes / collio_default_aggregators(&site) + 1;
    if (even < COLLIO_MEMORY_MIN) {
        return COLLIO_MEMORY_MIN;
    }
    return even < most ? even : most;
}

static int compute_parts(collio_exchange_t *ex, collio_memory_node_t *node, int *node_of)
{
    collio_file_t *file = ex->file;
    const collio_settings_t *settings = &file->settings;
    collio_file_memory_t *memory = &file->memory;
    collio_memory_demand_t demand = {.bytes = ex->histogram + collio_layout_sums(file),
                                     .bins = collio_layout_bins(file),
                                     .node = node,
                                     .nodes = file->nodes.nodes,
                                     .node_of = node_of,
                                     .aggregators = file->derived.aggregator_count};
    collio_memory_limits_t limits = {.group_bytes = (int64_t) settings->memory_group_bytes,
                                     .domain_bytes = domain_bytes(ex),
                                     .min_bytes = (int64_t) settings->memory_min_bytes,
                                     .buffer_bytes = file->derived.buffer_bytes,
                                     .per_node = collio_memory_per_node(file)};

    read_nodes(ex, node);
    for (int i = 0; i < file->derived.aggregator_count; ++i) {
        node_of[i] = collio_node_of(&file->nodes, file->derived.aggregators[i]);
    }
    memory->usable = node[collio_node_of(&file->nodes, file->rank)].available;
    collio_memory_layout_fini(&memory->layout);
    return collio_memory_layout_init(&demand, &limits, &memory->layout);
}

/* RMA windows have one size on all aggregators, so the smallest buffer sets the size of all. */
static void level_buffers(collio_file_t *file)
{
    collio_memory_layout_t *layout = &file->memory.layout;
    int64_t least = INT64_MAX;

    if (!collio_buffers_allowed(file, COLLIO_BUFFERS_WINDOW)) {
        return;
    }
    for (int i = 0; i < layout->parts; ++i) {
        least = collio_min(least, layout->part[i].buffer_bytes);
    }
    for (int i = 0; i < layout->parts; ++i) {
        layout->part[i].buffer_bytes = least;
    }
}

static int make_domains(collio_exchange_t *ex, collio_division_t *division)
{
    const collio_file_memory_t *memory = &ex->file->memory;
    const collio_memory_layout_t *layout = &memory->layout;
    collio_given_t *given = malloc(((size_t) layout->parts + 1) * sizeof(*given));
    int rc;

    if (NULL == given) {
        return -ENOMEM;
    }
    for (int i = 0; i < layout->parts; ++i) {
        given[i] = (collio_given_t){
            .begin = collio_memory_begin(memory->origin, memory->width, layout->part[i].first,
                                         ex->range.hi),
            .aggregator = layout->part[i].aggregator,
            .window_bytes = collio_layout_window_in(ex, layout->part[i].buffer_bytes),
        };
    }
    division->given = given;
    division->given_count = layout->parts;
    rc = collio_domains_make(&collio_partition_memory, division, &ex->plan->domains);
    free(given);
    return rc;
}

/* Bytes of a slot for a domain of `size` bytes: whole cache lines, at most a window. */
static int64_t slot_within(int64_t size, int64_t window)
{
    int64_t slot = (size + 63) / 64 * 64;

    return size < window && slot < window ? slot : window;
}

/* Computes the memory that this rank and its node announce, the number of collective buffers of the
 * node and their size. */
static void memory_measure(collio_exchange_t *ex)
{
    const collio_file_t *file = ex->file;
    const collio_memory_layout_t *layout = &file->memory.layout;
    collio_plan_t *plan = ex->plan;
    bool everywhere = collio_buffers_allowed(file, COLLIO_BUFFERS_WINDOW);

    plan->slot_bytes = plan->memory.announced = plan->memory.node_announced = 0;
    plan->regions = 0;
    for (int i = 0; i < layout->parts; ++i) {
        int aggregator = layout->part[i].aggregator, rank = file->derived.aggregators[aggregator];
        bool here = collio_node_of(&file->nodes, rank) == collio_node_of(&file->nodes, file->rank);
        int64_t window = collio_plan_window(plan, aggregator);
        int64_t slot = slot_within(collio_domains_size(&plan->domains, aggregator), window);

        if ((here || everywhere) && slot > plan->slot_bytes) {
            plan->slot_bytes = slot;
        }
        if (here) {
            plan->memory.node_announced += layout->part[i].buffer_bytes;
            ++plan->regions;
        }
        if (rank == file->rank) {
            plan->memory.announced += layout->part[i].buffer_bytes;
        }
    }
}

int collio_layout_memory(collio_exchange_t *ex, collio_division_t *division)
{
    collio_file_t *file = ex->file;
    collio_plan_t *plan = ex->plan;
    collio_memory_node_t *node = calloc((size_t) file->nodes.nodes, sizeof(*node));
    int *node_of = malloc((size_t) file->derived.aggregator_count * sizeof(*node_of));
    int rc = -ENOMEM;

    if (NULL != node && NULL != node_of) {
        rc = compute_parts(ex, node, node_of);
    }
    free(node);
    free(node_of);
    if (rc < 0) {
        return rc;
    }
    level_buffers(file);
    rc = make_domains(ex, division);
    if (0 != rc) {
        return rc;
    }
    memory_measure(ex);
    plan->aggregates = plan->memory.announced > 0;
    plan->memory.stamp = ex->sequence + 1;
    file->memory.announced = plan->memory.announced;
    collio_file_high(file, COLLIO_STAT_MEMORY_BUDGET, plan->memory.announced);
    return 0;
}

/* Frees private buffers if their excess over this plan does not fit the node beside the memory that
 * the node has announced, and frees the node's segment if it is larger than the usable memory of
 * the node. All ranks of a node decide the same about the segment. */
void collio_layout_memory_give_back(collio_exchange_t *ex)
{
    collio_file_t *file = ex->file;
    collio_plan_t *plan = ex->plan;
    int64_t spare = file->context->kept->buffers.bytes - plan->memory.announced;
    int64_t segment = file->context->kept->shared.region_bytes
                      * file->context->kept->shared.regions;
    bool given = false;

    if (spare > 0 && plan->memory.node_announced + spare > file->memory.usable) {
        collio_file_memory(file, -file->context->kept->buffers.bytes);
        collio_arena_fini(&file->context->kept->buffers);
        given = true;
    }
    if (COLLIO_SHARED_READY == file->context->kept->shared.state
        && NULL != file->context->kept->shared.at && segment > file->memory.usable) {
        collio_file_memory(file, -file->context->kept->shared.mine_bytes);
        collio_shared_fini(&file->context->kept->shared);
        given = true;
    }
    for (int i = 0; given && i < COLLIO_PLANS_MAX; ++i) { /* other plans need this memory */
        file->context->kept->plans->plan[i].memory.withheld |= &file->context->kept->plans->plan[i]
                                                               != plan;
    }
}

void collio_layout_withhold(collio_file_t *file)
{
    bool exact = 0 != file->settings.memory_available, measured = false;
    int64_t usable = INT64_MAX;

    if (!file->derived.partition->by_memory || 0 != collio_node_local(&file->nodes, file->rank)) {
        return; /* one rank checks for its node */
    }
    for (int i = 0; i < COLLIO_PLANS_MAX; ++i) {
        collio_plan_t *plan = &file->context->kept->plans->plan[i];

        if (!plan->valid || plan->memory.withheld || 0 == plan->memory.node_announced) {
            continue;
        }
        if (!measured) {
            usable = collio_kept_memory_usable(file);
            measured = true;
        }
        if (collio_available_lost(usable, exact, plan->memory.node_announced)) {
            plan->memory.withheld = true;
            collio_file_count(file, COLLIO_STAT_PLAN_MEMORY, 1);
        }
    }
}
