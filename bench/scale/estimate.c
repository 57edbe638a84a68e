/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * A LogGP-style estimate of the exchange, as the busiest aggregator sees it. The file access is
 * left out: it is the same in both ways.
 *
 *   layer 1        2 (g-1) o_local + copying the node's bytes + g-way merge of the group's lists
 *   offset lists   L + n o + n^2/2 match + bytes G                    n = its requesters
 *   merge          extents * log2(n) * merge
 *   data           for each cycle: 2 L + m o + m^2/2 match, and its bytes * G * (aggregators on
 *                  the network card)                                  m = messages of the cycle
 *
 * n^2/2: a receive for every sender is posted, and each arriving message searches half of them.
 */
#include <string.h>

#include "scale.h"

scale_costs_t scale_costs = {.overhead = 1.5e-6,
                             .latency = 1.5e-6,
                             .gap = 1e-10,
                             .match = 1e-9,
                             .local_overhead = 0.4e-6,
                             .copy = 0.25e-9,
                             .merge = 8e-9};

/* Bytes per second of "400mbit"; 0 if it is something else. */
static double link_rate(const char *text)
{
    double number;
    char unit;

    if (2 != sscanf(text, "%lf%cbit", &number, &unit) || NULL == strchr("kmg", unit)) {
        return 0;
    }
    return number / 8 * ('k' == unit ? 1e3 : 'm' == unit ? 1e6 : 1e9);
}

/* A message waits at the sending card, too, while others come from there: that is part of L. */
const char *scale_costs_read(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[256];
    char value[64];
    double number;
    double message = 0;
    double latency = 0;
    double rate = 0;

    if (NULL == file) {
        return "cannot be read";
    }
    while (NULL != fgets(line, sizeof(line), file)) {
        if (1 == sscanf(line, "link = %63s", value)) {
            rate = link_rate(value);
        } else if (1 == sscanf(line, "latency_us = %lf", &number)) {
            latency = 1e-6 * number;
        } else if (1 == sscanf(line, "message_us = %lf", &number)) {
            message = 1e-6 * number;
        }
    }
    fclose(file);
    if (0 >= rate || 0 >= message) {
        return "has no link or no message_us";
    }
    scale_costs.overhead = message;
    scale_costs.latency = latency + message;
    scale_costs.gap = 1 / rate;
    return NULL;
}

int64_t scale_levels(int64_t n)
{
    int64_t levels = 1;

    while (INT64_C(1) << levels < n) {
        ++levels;
    }
    return levels;
}

static double receive(double messages)
{
    return messages * scale_costs.overhead + messages * messages / 2 * scale_costs.match;
}

void scale_estimate(const scale_machine_t *machine, int way, const scale_figures_t *aggregator,
                    int64_t bytes, int64_t requested, double seconds[4])
{
    double group = (double) machine->ranks / machine->groups;
    double cycles = aggregator->cycles > 0 ? (double) aggregator->cycles : 1;
    double sharing = (double) machine->aggregators / machine->nodes.nodes;
    double aggregator_bytes = (double) bytes / machine->aggregators;

    seconds[0] = 0;
    if (SCALE_TAM == way && machine->groups < machine->ranks) {
        double extents = (double) requested / machine->groups;

        seconds[0] = 2 * (group - 1) * scale_costs.local_overhead
                     + (double) bytes / machine->ranks * scale_costs.copy
                     + extents * (double) scale_levels((int64_t) group) * scale_costs.merge;
    }
    seconds[1] = scale_costs.latency + receive((double) aggregator->pairs)
                 + (double) aggregator->wire_bytes * scale_costs.gap;
    seconds[2] = (double) aggregator->extents * (double) scale_levels(aggregator->pairs)
                 * scale_costs.merge;
    seconds[3] = cycles
                     * (2 * scale_costs.latency + receive((double) aggregator->messages / cycles))
                 + aggregator_bytes * scale_costs.gap * (sharing > 1 ? sharing : 1);
}
