/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * Sizes of parts.
 *
 * Problem: parts of one size need many cycles where the buffer is small, and the slowest aggregator
 *          decides. Parts that move away from the data of their nodes cost bytes between nodes.
 * Method:  the parts of a group are cut again in proportion to the buffers of their aggregators.
 *          The old parts stay if the new ones have less than seven eighths of the bins in which the
 *          nodes of their aggregators have data.
 * Cost:    O(bins + parts * bins of a part / 64).
 */
#include "memory.h"

#include "number.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LOSS_SHARE = 8 };

/* Cuts the bins of `count` parts again, in proportion to their buffers. More memory than an equal
 * share of the bytes does not count. Each part has requested bytes before and after. */
static void cut_by_memory(const collio_memory_demand_t *demand, collio_memory_part_t *part,
                          int count)
{
    int bin = part[0].first, end = part[count - 1].end, busy = 0; /* busy: bins with bytes */
    int64_t bytes = 0, equal;
    double memory = 0;

    for (int b = bin; b < end; ++b) {
        bytes += demand->bytes[b];
        busy += demand->bytes[b] > 0;
    }
    equal = bytes / count + 1;
    for (int i = 0; i < count; ++i) {
        memory += (double) collio_min(part[i].buffer_bytes, equal);
    }
    for (int i = 0; i < count; ++i) {
        double own = (double) collio_min(part[i].buffer_bytes, equal);
        int64_t wanted = (int64_t) ((double) bytes * own / memory);

        part[i].first = bin;
        part[i].bytes = 0;
        do {
            part[i].bytes += demand->bytes[bin];
            busy -= demand->bytes[bin++] > 0;
        } while (0 == part[i].bytes
                 || (busy >= count - i && part[i].bytes + demand->bytes[bin] / 2 < wanted));
        part[i].end = bin;
        memory -= own;
        bytes -= part[i].bytes;
    }
    part[count - 1].end = end;
    part[count - 1].bytes += bytes;
}

/* Returns how many bins of their parts the nodes of the aggregators touch. */
static int64_t own_bins(const collio_memory_demand_t *demand, const int *node_of,
                        const collio_memory_part_t *part, int count)
{
    int64_t own = 0;

    for (int i = 0; i < count; ++i) {
        own += collio_memory_touched(&demand->node[node_of[part[i].aggregator]], part[i].first,
                                     part[i].end);
    }
    return own;
}

int collio_memory_level(const collio_memory_demand_t *demand, const int *node_of,
                        collio_memory_part_t *part, int parts)
{
    collio_memory_part_t *old = malloc(((size_t) parts + 1) * sizeof(*old));

    if (NULL == old) {
        return -ENOMEM;
    }
    memcpy(old, part, (size_t) parts * sizeof(*old));
    for (int i = 0, count; i < parts; i += count) {
        int64_t own;

        for (count = 1; i + count < parts && part[i + count].group == part[i].group;) {
            ++count;
        }
        own = own_bins(demand, node_of, &part[i], count);
        cut_by_memory(demand, &part[i], count);
        if (own - own_bins(demand, node_of, &part[i], count) > own / LOSS_SHARE) {
            memcpy(&part[i], &old[i], (size_t) count * sizeof(*old));
        }
    }
    free(old);
    return 0;
}
