/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * A LogGP-style estimate of the exchange, as the busiest aggregator sees it. The file access is
 * left out: it is the same in both ways.
 *
 *   layer 1        2 (q-1) o_local + copying the node's bytes + q-way merge of the group's lists
 *   offset lists   L + n o + n^2/2 match + n g + bytes G              n = its requesters
 *   merge          extents * log2(n) * merge
 *   data           the processor, for each cycle: 2 L + m o + m^2/2 match    m = its messages
 *                  and the card: (k + k / cycles) g + bytes G         k = all messages of the card
 *   agreement      2 for each call, each up and down a tree of the nodes: 2 log2(nodes) hops of
 *                  2 o + 2 g + L
 *
 * n^2/2: a receive for every sender is posted, and each arriving message searches half of them.
 * Messages inside a node cost o_local and no card.
 *
 * The card is that of the node with most messages. Senders do not wait for the cycles of an
 * aggregator (one send in many is synchronous), so the cards of senders and receivers work at the
 * same time, and the busier direction counts: k. At the end the two do not overlap: all senders
 * send in the same order, so the messages of the last cycle (k / cycles) reach one card together.
 */
#include <string.h>

#include "scale.h"

scale_costs_t scale_costs = {.overhead = 1.5e-6,
                             .latency = 1.5e-6,
                             .card = 0.05e-6,
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
    scale_costs.card = message;
    scale_costs.latency = latency;
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

/* Processor time of an aggregator for messages that arrive together, `near` from its node. */
static double receive(double messages, double near)
{
    return (messages - near) * scale_costs.overhead + near * scale_costs.local_overhead
           + messages * messages / 2 * scale_costs.match;
}

static double layer1(const scale_machine_t *machine, const scale_load_t *load)
{
    double group = (double) machine->ranks / machine->groups;
    double extents = (double) load->requested / machine->groups;

    return 2 * (group - 1) * scale_costs.local_overhead
           + (double) load->bytes / machine->ranks * scale_costs.copy
           + extents * (double) scale_levels((int64_t) group) * scale_costs.merge;
}

static double data(const scale_machine_t *machine, const scale_figures_t *aggregator,
                   const scale_load_t *load)
{
    double cycles = aggregator->cycles > 0 ? (double) aggregator->cycles : 1;
    double messages = (double) aggregator->messages;
    double near = messages - (double) aggregator->between;
    double far = messages > 0 ? (double) aggregator->between / messages : 0;
    double bytes = (double) load->bytes / machine->aggregators * load->sharing * far;

    return cycles * (2 * scale_costs.latency + receive(messages / cycles, near / cycles))
           + (double) load->card * (1 + 1 / cycles) * scale_costs.card + bytes * scale_costs.gap;
}

void scale_estimate(const scale_machine_t *machine, int way, const scale_figures_t *aggregator,
                    const scale_load_t *load, double seconds[SCALE_PARTS])
{
    double pairs = (double) aggregator->pairs;
    double hop = 2 * scale_costs.overhead + 2 * scale_costs.card + scale_costs.latency;
    int nodes = machine->nodes.nodes;

    seconds[SCALE_LAYER1] = SCALE_TAM == way && machine->groups < machine->ranks
                                ? layer1(machine, load)
                                : 0;
    seconds[SCALE_LISTS] = scale_costs.latency + receive(pairs, 0)
                           + pairs * load->sharing * scale_costs.card
                           + (double) aggregator->wire_bytes * scale_costs.gap;
    seconds[SCALE_MERGE] = (double) aggregator->extents * (double) scale_levels(aggregator->pairs)
                           * scale_costs.merge;
    seconds[SCALE_DATA] = data(machine, aggregator, load);
    seconds[SCALE_AGREE] = nodes > 1 ? 4 * (double) scale_levels(nodes) * hop : 0;
}
