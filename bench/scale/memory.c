/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Partition memory on machines we do not have: the policy of core/ for nodes whose memory is
 * normally distributed, what it gives them, what plain two-phase would take from them, and what a
 * new plan costs.
 *
 *   node      0      1      2      3   ...
 *   data    |------|------|------|------|      each node writes a part of its own, in the same size
 *   memory    drawn: mean and standard deviation, cut at the least
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "scale.h"

enum { PER_NODE = 4 };

static const int64_t MIB = 1 << 20;

/* The same numbers everywhere: a 64-bit mix of the node's number. */
static double uniform(uint64_t n)
{
    n += UINT64_C(0x9e3779b97f4a7c15);
    n = (n ^ (n >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    n = (n ^ (n >> 27)) * UINT64_C(0x94d049bb133111eb);
    n ^= n >> 31;
    return ((double) (n >> 11) + 0.5) / 9007199254740992.0;
}

/* Box and Muller; PER_NODE buffers of a node. */
static int64_t draw(const scale_memory_t *memory, int node)
{
    double u = uniform(2 * (uint64_t) node), v = uniform(2 * (uint64_t) node + 1);
    double away = sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * v);
    int64_t bytes = memory->buffer_bytes + (int64_t) (away * (double) memory->deviation);

    return PER_NODE * (bytes > memory->least ? bytes : memory->least);
}

/* Bins that each node touches, and what is wanted of them. */
static void fill(const scale_memory_t *memory, int nodes, int bins, int64_t *bytes,
                 uint64_t *touched, collio_memory_node_t *node)
{
    int words = collio_memory_words(bins);
    double width = (double) nodes / bins; /* of a bin, in nodes */

    for (int n = 0; n < nodes; ++n) {
        uint64_t *bits = touched + (size_t) n * (size_t) words;
        int first = (int) (n / width), last = (int) ceil((n + 1) / width) - 1;

        last = last < bins ? last : bins - 1;
        for (int bin = first; bin <= last; ++bin) {
            double from = bin * width > n ? bin * width : n;
            double to = (bin + 1) * width < n + 1 ? (bin + 1) * width : n + 1;

            bits[bin / 64] |= UINT64_C(1) << (bin % 64);
            bytes[bin] += (int64_t) ((to - from) * (double) memory->node_bytes);
        }
        node[n] = (collio_memory_node_t){.available = draw(memory, n), .touched = bits};
    }
}

/* 2 * ceil(log2(n)) */
static int64_t reduction_messages(int64_t n)
{
    int64_t messages = 0;

    for (int64_t reached = 1; reached < n; reached *= 2) {
        messages += 2;
    }
    return messages;
}

scale_memory_cost_t scale_memory_cost(int bins, int nodes, int ranks, int ranks_per_node)
{
    int64_t sums = (int64_t) sizeof(int64_t) * (bins + 2 * (int64_t) nodes);
    int64_t records = (int64_t) sizeof(uint64_t) * nodes
                      * (1 + (int64_t) collio_memory_words(bins));

    return (scale_memory_cost_t){
        .bytes = (int64_t) sizeof(int64_t) + sums + records,
        .messages = reduction_messages(ranks_per_node) + 2 * reduction_messages(ranks),
        .held = 2 * sums + records, /* records are reduced in place */
    };
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

/* What the domains take from each node, and what plain two-phase would. */
static void sum_up(const scale_memory_t *memory, const collio_memory_layout_t *layout,
                   const collio_memory_node_t *node, int64_t *taken, scale_memory_result_t *result)
{
    int64_t plain = PER_NODE * memory->buffer_bytes;

    for (int i = 0; i < layout->parts; ++i) {
        taken[layout->part[i].aggregator / PER_NODE] += layout->part[i].buffer_bytes;
    }
    result->domains = layout->parts;
    result->groups = layout->groups;
    result->plain_bytes = plain;
    for (int n = 0; n < result->nodes; ++n) {
        result->plain_short += plain > node[n].available;
        result->memory_short += taken[n] > node[n].available;
        result->memory_bytes = taken[n] > result->memory_bytes ? taken[n] : result->memory_bytes;
        result->used_nodes += taken[n] > 0;
    }
}

const char *scale_memory(const scale_memory_t *memory, scale_memory_result_t *result)
{
    int nodes = (memory->ranks + memory->ranks_per_node - 1) / memory->ranks_per_node;
    int bins = collio_memory_bins(PER_NODE * nodes, nodes);
    size_t words = (size_t) collio_memory_words(bins);
    int64_t *bytes = calloc((size_t) bins, sizeof(*bytes));
    int64_t *taken = calloc((size_t) nodes, sizeof(*taken));
    uint64_t *touched = calloc((size_t) nodes * words, sizeof(*touched));
    collio_memory_node_t *node = calloc((size_t) nodes, sizeof(*node));
    int *node_of = calloc((size_t) nodes * PER_NODE, sizeof(*node_of));
    collio_memory_limits_t limits = {.group_bytes = 256 * MIB,
                                     .domain_bytes = 32 * MIB,
                                     .min_bytes = MIB,
                                     .buffer_bytes = memory->buffer_bytes,
                                     .per_node = PER_NODE};
    collio_memory_layout_t layout = {0};
    const char *error = "out of memory";

    *result = (scale_memory_result_t){.ranks = memory->ranks, .nodes = nodes, .bins = bins};
    if (NULL != bytes && NULL != taken && NULL != touched && NULL != node && NULL != node_of) {
        collio_memory_demand_t demand = {bytes, bins, node, nodes, node_of, PER_NODE * nodes};

        for (int i = 0; i < PER_NODE * nodes; ++i) {
            node_of[i] = i / PER_NODE;
        }
        fill(memory, nodes, bins, bytes, touched, node);
        result->seconds = -now();
        if (0 == collio_memory_layout_init(&demand, &limits, &layout)) {
            error = NULL;
            result->seconds += now();
            result->cost = scale_memory_cost(bins, nodes, memory->ranks, memory->ranks_per_node);
            sum_up(memory, &layout, node, taken, result);
        }
    }
    collio_memory_layout_fini(&layout);
    free(bytes);
    free(taken);
    free(touched);
    free(node);
    free(node_of);
    return error;
}

void scale_memory_head(FILE *out)
{
    fprintf(out, "%8s %6s %5s %7s %7s | %9s %7s | %9s %7s %7s | %8s %8s %9s %9s %8s\n", "ranks",
            "nodes", "bins", "groups", "domains", "plain", "nodes", "memory", "nodes", "nodes",
            "messages", "MB", "held MB", "held MB", "policy");
    fprintf(out, "%8s %6s %5s %7s %7s | %9s %7s | %9s %7s %7s | %8s %8s %9s %9s %8s\n", "", "", "",
            "", "", "MiB/node", "short", "MiB/node", "used", "short", "a rank", "a rank", "a rank",
            "a node", "ms");
}

void scale_memory_line(FILE *out, const scale_memory_t *memory, const scale_memory_result_t *result)
{
    const scale_memory_cost_t *cost = &result->cost;

    fprintf(out,
            "%8d %6d %5d %7d %7d | %9" PRId64 " %7d | %9" PRId64 " %7d %7d | %8" PRId64
            " %8.2f %9.2f %9.1f %8.1f\n",
            result->ranks, result->nodes, result->bins, result->groups, result->domains,
            result->plain_bytes / MIB, result->plain_short, result->memory_bytes / MIB,
            result->used_nodes, result->memory_short, cost->messages, (double) cost->bytes / 1e6,
            (double) cost->held / 1e6, (double) cost->held * memory->ranks_per_node / 1e6,
            result->seconds * 1e3);
}
