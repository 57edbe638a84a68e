/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * File domains: who owns which byte.
 *
 * Problem: every rank must know, without a message, which aggregator a byte belongs to, and the
 *          aggregator must see its part as one line, whatever the partitioning.
 * Method:  arithmetic on the bounds that all ranks computed from the same agreed numbers. All of
 *          it is integer arithmetic, so that no two machines can disagree.
 * Cost:    set-up O(aggregators) for even, O(groups) group_cyclic, O(1) for static_cyclic; locate
 *          O(log aggregators), O(log groups) and O(1).
 *
 *   group_cyclic, 4 aggregators, 2 groups     0 1 0 1 0 1 2 3 2 3 2 3      a digit = a stripe
 *   local of aggregator 1                       0   1   2
 */
#include "domain.h"

#include <errno.h>
#include <stdlib.h>

#include "debug_assert.h"
#include "grow.h"
#include "sum.h"

/* floor(total * i / parts) without overflow; 0 <= i <= parts < 2^31. */
static int64_t part(int64_t total, int64_t i, int64_t parts)
{
    return total / parts * i + total % parts * i / parts;
}

static int64_t round_down(int64_t offset, int64_t unit)
{
    return offset - offset % unit;
}

/* Everything but the bounds. An empty request has lo == hi. */
static void start(collio_domains_t *domains, collio_partition_t partition, int64_t lo, int64_t hi,
                  int64_t unit)
{
    *domains = (collio_domains_t){.partition = partition, .groups = 1};
    domains->unit = domains->step = 0 < unit ? unit : 1;
    domains->lo = round_down(lo, domains->unit);
    domains->hi = lo < hi ? hi : domains->lo;
}

static int make_bounds(collio_domains_t *domains, int parts)
{
    domains->bound = collio_resize(NULL, (size_t) parts + 1, sizeof(*domains->bound));
    if (NULL == domains->bound) {
        return -ENOMEM;
    }
    domains->bound[0] = domains->lo;
    domains->bound[parts] = domains->hi;
    return 0;
}

/* Bounds ascend from lo to hi, so that the domains are disjoint and cover the request. */
static bool bounds_hold(const collio_domains_t *domains, int parts)
{
    for (int i = 0; i < parts; ++i) {
        if (domains->bound[i] > domains->bound[i + 1]) {
            return false;
        }
    }
    return domains->lo == domains->bound[0] && domains->hi == domains->bound[parts];
}

/* Cuts [lo, hi) evenly by units. Units that remain are spread over the parts, the first part
 * first, so that a request of few units still uses aggregators far apart, not neighbours. */
static int cut_evenly(collio_domains_t *domains, int parts)
{
    int64_t span = domains->hi - domains->lo;
    int64_t units = span / domains->unit + (0 != span % domains->unit);

    if (0 != make_bounds(domains, parts)) {
        return -ENOMEM;
    }
    for (int i = 1; i < parts; ++i) {
        int64_t before = units - part(units, parts - i, parts);

        domains->bound[i] = before < units ? domains->lo + before * domains->unit : domains->hi;
    }
    COLLIO_ASSERT(bounds_hold(domains, parts));
    return 0;
}

int collio_domains_even(int64_t lo, int64_t hi, int64_t unit, int aggregators,
                        collio_domains_t *domains)
{
    start(domains, COLLIO_PARTITION_EVEN, lo, hi, unit);
    domains->aggregators = aggregators;
    return cut_evenly(domains, aggregators);
}

int64_t collio_domains_even_most(int64_t lo, int64_t hi, int64_t unit, int aggregators)
{
    int64_t span = hi - round_down(lo, unit);
    int64_t whole = span / unit, least = whole / aggregators; /* units, and those of every domain */

    return least == whole ? span : (least + 1) * unit;
}

/* floor(width * bytes / total) for bytes <= total, exact while total < 2^31, else with both scaled
 * down (the same everywhere). */
static int64_t scale(int64_t width, int64_t bytes, int64_t total)
{
    while (INT32_MAX < total) {
        total >>= 1;
        bytes >>= 1;
    }
    return width / total * bytes + width % total * bytes / total;
}

int collio_domains_by_bytes(int64_t lo, int64_t hi, int64_t unit, int aggregators,
                            const int64_t *bytes, int bins, collio_domains_t *domains)
{
    int64_t total = 0;
    int64_t before = 0; /* bytes in the bins before `bin` */
    int64_t width;
    int bin = 0;

    for (int b = 0; b < bins; ++b) {
        total = collio_sum(total, bytes[b]);
    }
    if (0 == total || lo >= hi) {
        return collio_domains_even(lo, hi, unit, aggregators, domains);
    }
    start(domains, COLLIO_PARTITION_EVEN, lo, hi, unit);
    domains->aggregators = aggregators;
    if (0 != make_bounds(domains, aggregators)) {
        return -ENOMEM;
    }
    width = (hi - lo) / bins + (0 != (hi - lo) % bins);
    for (int i = 1; i < aggregators; ++i) {
        int64_t wanted = part(total, i, aggregators);
        int64_t from;
        int64_t end;
        int64_t offset;

        while (collio_sum(before, bytes[bin]) < wanted) {
            COLLIO_ASSERT(bin + 1 < bins);
            before += bytes[bin++];
        }
        /* a short request ends before its last bins */
        from = bin * width < hi - lo ? lo + bin * width : hi;
        end = hi - from < width ? hi : from + width;
        offset = 0 < bytes[bin] ? from + scale(end - from, wanted - before, bytes[bin]) : from;
        offset = round_down(offset, domains->unit);
        domains->bound[i] = offset > domains->bound[i - 1] ? offset : domains->bound[i - 1];
    }
    COLLIO_ASSERT(bounds_hold(domains, aggregators));
    return 0;
}

int collio_domains_static_cyclic(int64_t lo, int64_t hi, int64_t unit, int aggregators,
                                 collio_domains_t *domains)
{
    start(domains, COLLIO_PARTITION_STATIC_CYCLIC, lo, hi, unit);
    domains->aggregators = aggregators;
    return 0;
}

int collio_domains_group_cyclic(int64_t lo, int64_t hi, int64_t unit, int aggregators,
                                int stripe_count, collio_domains_t *domains)
{
    start(domains, COLLIO_PARTITION_GROUP_CYCLIC, lo, hi, unit);
    domains->aggregators = aggregators;
    if (0 < stripe_count && stripe_count < aggregators) {
        domains->groups = aggregators / stripe_count;
    }
    return cut_evenly(domains, domains->groups);
}

int collio_domains_memory(int64_t lo, int64_t hi, int64_t unit, int aggregators, int parts,
                          const int64_t *bound, const int *aggregator, const int64_t *window_bytes,
                          collio_domains_t *domains)
{
    start(domains, COLLIO_PARTITION_MEMORY, lo, hi, unit);
    domains->aggregators = aggregators;
    domains->parts = parts;
    domains->aggregator_of = collio_resize(NULL, (size_t) parts, sizeof(int));
    domains->part_of = collio_resize(NULL, (size_t) aggregators, sizeof(int));
    domains->window_bytes = collio_resize(NULL, (size_t) aggregators, sizeof(int64_t));
    if (0 != make_bounds(domains, parts) || NULL == domains->aggregator_of
        || NULL == domains->part_of || NULL == domains->window_bytes) {
        collio_domains_fini(domains);
        return -ENOMEM;
    }
    for (int i = 0; i < aggregators; ++i) {
        domains->part_of[i] = -1;
        domains->window_bytes[i] = 1;
    }
    for (int i = 0; i < parts; ++i) {
        domains->bound[i] = 0 == i ? domains->lo : bound[i];
        COLLIO_ASSERT(0 <= aggregator[i] && aggregator[i] < aggregators);
        COLLIO_ASSERT(-1 == domains->part_of[aggregator[i]]); /* one part each */
        COLLIO_ASSERT(0 < window_bytes[i]);
        domains->aggregator_of[i] = aggregator[i];
        domains->part_of[aggregator[i]] = i;
        domains->window_bytes[aggregator[i]] = window_bytes[i];
    }
    COLLIO_ASSERT(bounds_hold(domains, parts));
    return 0;
}

int64_t collio_domains_least_window(const collio_domains_t *domains, int64_t window_bytes)
{
    int64_t least = window_bytes;

    for (int i = 0; NULL != domains->window_bytes && i < domains->parts; ++i) {
        int64_t window = domains->window_bytes[domains->aggregator_of[i]];

        least = 0 == i || window < least ? window : least;
    }
    return least;
}

void collio_domains_fini(collio_domains_t *domains)
{
    free(domains->bound);
    free(domains->aggregator_of);
    free(domains->part_of);
    free(domains->window_bytes);
    *domains = (collio_domains_t){0};
}

/* A part of [lo, hi) whose stripes go round `aggregators` of them from `first` on. */
typedef struct collio_ring_t {
    int64_t lo;
    int64_t hi;
    int first;
    int aggregators;
} ring_t;

static ring_t ring_of_group(const collio_domains_t *domains, int group)
{
    int first = (int) part(domains->aggregators, group, domains->groups);
    int end = (int) part(domains->aggregators, group + 1, domains->groups);

    if (NULL == domains->bound) {
        return (ring_t){domains->lo, domains->hi, 0, domains->aggregators};
    }
    return (ring_t){domains->bound[group], domains->bound[group + 1], first, end - first};
}

/* The part between the bounds that holds `offset`: the last one that begins at it or before (the
 * empty ones before that one begin there too). */
static int find_part(const collio_domains_t *domains, int parts, int64_t offset)
{
    int first = 0;

    while (1 < parts) {
        int half = parts / 2;

        if (domains->bound[first + half] <= offset) {
            first += half;
            parts -= half;
        } else {
            parts = half;
        }
    }
    return first;
}

/* How many stripes behind the ring's first one the first stripe of an aggregator is. */
static int64_t first_stripe(const ring_t *ring, int64_t unit, int aggregator)
{
    int64_t behind = (aggregator - ring->first - ring->lo / unit) % ring->aggregators;

    return 0 > behind ? behind + ring->aggregators : behind;
}

static collio_place_t ring_locate(const ring_t *ring, int64_t unit, int64_t offset)
{
    int64_t stripe = offset / unit;
    int64_t within = offset % unit;
    collio_place_t place;

    if (1 == ring->aggregators) {
        return (collio_place_t){ring->first, offset - ring->lo, ring->hi - offset};
    }
    place.aggregator = ring->first + (int) (stripe % ring->aggregators);
    /* stripes of one aggregator are ring->aggregators apart, so rounding down drops its first one's
     * lag */
    place.local = (stripe - ring->lo / unit) / ring->aggregators * unit + within;
    place.run = ring->hi - offset < unit - within ? ring->hi - offset : unit - within;
    return place;
}

collio_place_t collio_domains_locate(const collio_domains_t *domains, int64_t offset)
{
    ring_t ring;
    int at;

    if (COLLIO_PARTITION_EVEN == domains->partition) {
        at = find_part(domains, domains->aggregators, offset);
        return (collio_place_t){at, offset - domains->bound[at], domains->bound[at + 1] - offset};
    }
    if (COLLIO_PARTITION_MEMORY == domains->partition) {
        at = find_part(domains, domains->parts, offset);
        return (collio_place_t){domains->aggregator_of[at], offset - domains->bound[at],
                                domains->bound[at + 1] - offset};
    }
    at = NULL == domains->bound ? 0 : find_part(domains, domains->groups, offset);
    ring = ring_of_group(domains, at);
    return ring_locate(&ring, domains->unit, offset);
}

/* The group of an aggregator: part() is monotone, so its inverse is off by one at most. */
static int group_of(const collio_domains_t *domains, int aggregator)
{
    int group = (int) part(domains->groups, aggregator, domains->aggregators);

    while (part(domains->aggregators, group + 1, domains->groups) <= aggregator) {
        ++group;
    }
    return group;
}

/* Has the aggregator one contiguous part, and which? */
static bool is_contiguous(const collio_domains_t *domains, int aggregator, int *at)
{
    *at = COLLIO_PARTITION_MEMORY == domains->partition ? domains->part_of[aggregator] : aggregator;
    return COLLIO_PARTITION_MEMORY == domains->partition
           || COLLIO_PARTITION_EVEN == domains->partition;
}

int64_t collio_domains_offset(const collio_domains_t *domains, int aggregator, int64_t local,
                              int64_t *run)
{
    int64_t offset;
    int64_t within = local % domains->unit;
    ring_t ring;
    int at;

    if (is_contiguous(domains, aggregator, &at)) {
        offset = domains->bound[at] + local;
        *run = domains->bound[at + 1] - offset;
        return offset;
    }
    ring = ring_of_group(domains, group_of(domains, aggregator));
    if (1 == ring.aggregators) {
        *run = ring.hi - ring.lo - local;
        return ring.lo + local;
    }
    offset = ring.lo
             + (local / domains->unit * ring.aggregators
                + first_stripe(&ring, domains->unit, aggregator))
                   * domains->unit
             + within;
    *run = ring.hi - offset < domains->unit - within ? ring.hi - offset : domains->unit - within;
    return offset;
}

int64_t collio_domains_size(const collio_domains_t *domains, int aggregator)
{
    int64_t unit = domains->unit;
    ring_t ring;
    int64_t span;
    int64_t mine; /* whole stripes of the ring before its last, short one */
    int64_t lag;
    int at;

    if (is_contiguous(domains, aggregator, &at)) {
        return at < 0 ? 0 : domains->bound[at + 1] - domains->bound[at];
    }
    ring = ring_of_group(domains, group_of(domains, aggregator));
    span = ring.hi - ring.lo;
    lag = first_stripe(&ring, unit, aggregator);
    mine = span / unit > lag ? (span / unit - lag - 1) / ring.aggregators + 1 : 0;
    if (0 != span % unit && lag == span / unit % ring.aggregators) {
        return mine * unit + span % unit;
    }
    return mine * unit;
}

bool collio_domains_can_shift(const collio_domains_t *domains, int64_t delta)
{
    if (0 != delta % domains->step
        || (0 < delta ? domains->hi > INT64_MAX - delta : 0 > domains->lo + delta)) {
        return false;
    }
    for (int group = 0; COLLIO_PARTITION_EVEN != domains->partition
                        && COLLIO_PARTITION_MEMORY != domains->partition && group < domains->groups;
         ++group) {
        if (0 != delta / domains->unit % ring_of_group(domains, group).aggregators) {
            return false;
        }
    }
    return true;
}

bool collio_domains_shift(collio_domains_t *domains, int64_t delta)
{
    int parts = domains->groups;

    if (COLLIO_PARTITION_EVEN == domains->partition) {
        parts = domains->aggregators;
    } else if (COLLIO_PARTITION_MEMORY == domains->partition) {
        parts = domains->parts;
    }

    if (!collio_domains_can_shift(domains, delta)) {
        return false;
    }
    domains->lo += delta;
    domains->hi += delta;
    for (int i = 0; NULL != domains->bound && i <= parts; ++i) {
        domains->bound[i] += delta;
    }
    return true;
}
