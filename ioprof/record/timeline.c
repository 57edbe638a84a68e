/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* The time line of this rank: calls, memory and counters of its host. */
#include "record/record.h"

#define FIRST_WIDTH_NS (1ULL << 20) /* of a bin; doubles as the run goes on */

struct ioprof_timeline ioprof_timeline;
static bool bins_busy;

void ioprof_timeline_begin(uint64_t start_unix)
{
    ioprof_timeline.start_ns = start_unix;
    ioprof_timeline.width_ns = FIRST_WIDTH_NS;
}

/** Doubles the width of the bins. Calls of other threads at that moment keep their sums, but may
 *  land in a bin of the old width. */
static void widen(void)
{
    uint64_t *words = &ioprof_timeline.bin[0][0][0].calls;
    const int per_bin = sizeof(ioprof_timeline.bin[0]) / sizeof(*words);

    if (__atomic_exchange_n(&bins_busy, true, __ATOMIC_ACQUIRE)) {
        return;
    }
    for (int i = 0; i < IOPROF_BINS * per_bin; i++) {
        int to = i / per_bin / 2 * per_bin + i % per_bin;
        uint64_t value = i == to ? 0 : __atomic_exchange_n(&words[i], 0, __ATOMIC_RELAXED);

        IOPROF_ADD(words[to], value);
    }
    for (int i = 1; i < IOPROF_BINS; i++) {
        struct ioprof_memory *from = &ioprof_timeline.memory[i],
                             *into = &ioprof_timeline.memory[i / 2];

        IOPROF_ADD(into->samples, __atomic_exchange_n(&from->samples, 0, __ATOMIC_RELAXED));
        IOPROF_ADD(into->sum, __atomic_exchange_n(&from->sum, 0, __ATOMIC_RELAXED));
        ioprof_to_most(&into->max, __atomic_exchange_n(&from->max, 0, __ATOMIC_RELAXED));
        for (int k = 0; k < IOPROF_NODE_COUNTERS; k++) {
            IOPROF_ADD(ioprof_timeline.node[i / 2][k],
                       __atomic_exchange_n(&ioprof_timeline.node[i][k], 0, __ATOMIC_RELAXED));
        }
    }
    IOPROF_ADD(ioprof_timeline.width_ns, ioprof_timeline.width_ns);
    __atomic_store_n(&bins_busy, false, __ATOMIC_RELEASE);
}

/** Width of the bins when the time line reaches to `end`; 0: not now. */
static uint64_t fit_bins(uint64_t end)
{
    uint64_t width;

    while (end / (width = __atomic_load_n(&ioprof_timeline.width_ns, __ATOMIC_RELAXED))
           >= IOPROF_BINS) {
        if (__atomic_load_n(&bins_busy, __ATOMIC_RELAXED)) {
            return 0; /* a signal handler may have interrupted widen(): never wait for it */
        }
        widen();
    }
    return width;
}

void ioprof_count_memory(uint64_t now, uint64_t resident)
{
    uint64_t width = fit_bins(ioprof_since_start(now));

    IOPROF_ADD(ioprof_me.memory_samples, 1);
    IOPROF_ADD(ioprof_me.memory_sum, resident);
    ioprof_to_most(&ioprof_me.memory_max, resident);
    if (0 != width) {
        struct ioprof_memory *memory = &ioprof_timeline.memory[ioprof_since_start(now) / width];

        IOPROF_ADD(memory->samples, 1);
        IOPROF_ADD(memory->sum, resident);
        ioprof_to_most(&memory->max, resident);
    }
}

/** Part [from, to) of what grew in [begin, end): differences of quotients add up to all of it. */
static uint64_t part_of(uint64_t value, uint64_t begin, uint64_t end, uint64_t from, uint64_t to)
{
    double all = (double) (end - begin);

    return (uint64_t) ((double) value * (double) (to - begin) / all)
           - (uint64_t) ((double) value * (double) (from - begin) / all);
}

void ioprof_count_node(uint64_t last, uint64_t now, const uint64_t *more)
{
    uint64_t begin = ioprof_since_start(last), end = ioprof_since_start(now), to;
    uint64_t width = fit_bins(end);

    for (uint64_t from = begin; 0 != width && from < end; from = to) {
        to = end;
        if ((from / width + 1) * width < end) {
            to = (from / width + 1) * width;
        }
        for (int i = 0; i < IOPROF_NODE_COUNTERS; i++) {
            IOPROF_ADD(ioprof_timeline.node[from / width][i],
                       part_of(more[i], begin, end, from, to));
        }
    }
}

void ioprof_count_bins(int layer, int kind, uint64_t begin, uint64_t end, uint64_t bytes)
{
    uint64_t width, first, last, all = end - begin;

    width = fit_bins(end);
    if (0 == width) {
        return;
    }
    first = begin / width;
    last = end / width;
    IOPROF_ADD(ioprof_timeline.bin[first][layer][kind].calls, 1);
    for (uint64_t i = first; i <= last; i++) {
        uint64_t from = i == first ? begin : i * width, to = i == last ? end : (i + 1) * width;
        uint64_t part = first == last
                            ? bytes
                            : (uint64_t) ((double) bytes * (double) (to - from) / (double) all);

        if (i == last) {
            part = bytes;
        }
        bytes -= part;
        all -= to - from;
        IOPROF_ADD(ioprof_timeline.bin[i][layer][kind].ns, to - from);
        IOPROF_ADD(ioprof_timeline.bin[i][layer][kind].bytes, part);
    }
}
