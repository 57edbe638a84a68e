/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * Partitionings that assign stripes in turn: static_cyclic, group_cyclic.
 *
 * Problem: a server of stripes should have the same writer in every call.
 * Method:  the number of a stripe in the file determines its aggregator.
 * Cost:    locate O(1) with one group, otherwise O(log groups).
 *
 *   group_cyclic, 4 aggregators, 2 groups     0 1 0 1 0 1 2 3 2 3 2 3      a digit = a stripe
 *   local of aggregator 1                       0   1   2
 */
#include "domain.h"

static int make_static(const collio_division_t *division, collio_domains_t *domains)
{
    (void) division;
    return collio_domains_bounds(domains, 1);
}

static int make_groups(const collio_division_t *division, collio_domains_t *domains)
{
    bool several = 0 < division->stripe_count && division->stripe_count < division->aggregators;

    return collio_domains_cut(domains,
                              several ? division->aggregators / division->stripe_count : 1);
}

/* A part of the range whose stripes are assigned in turn to consecutive aggregators. */
typedef struct ring_t {
    int64_t lo;      /* first byte of the part */
    int64_t hi;      /* end of the part */
    int first;       /* first aggregator */
    int aggregators; /* number of aggregators */
} ring_t;

static ring_t ring_of_group(const collio_domains_t *domains, int group)
{
    int first = (int) collio_domains_portion(domains->aggregators, group, domains->parts);
    int end = (int) collio_domains_portion(domains->aggregators, group + 1, domains->parts);

    return (ring_t){domains->bound[group], domains->bound[group + 1], first, end - first};
}

/* collio_domains_portion is monotone, so its inverse is off by at most one. */
static ring_t ring_of_aggregator(const collio_domains_t *domains, int aggregator)
{
    int group = (int) collio_domains_portion(domains->parts, aggregator, domains->aggregators);

    while (collio_domains_portion(domains->aggregators, group + 1, domains->parts) <= aggregator) {
        ++group;
    }
    return ring_of_group(domains, group);
}

/* Returns the number of stripes between the first stripe of the ring and that of an aggregator. */
static int64_t first_stripe(const ring_t *ring, int64_t unit, int aggregator)
{
    int64_t past = (aggregator - ring->first - ring->lo / unit) % ring->aggregators;

    return 0 > past ? past + ring->aggregators : past;
}

/* Returns the bytes from an offset to the end of its stripe or of the ring. */
static int64_t run_of(const ring_t *ring, int64_t unit, int64_t offset)
{
    int64_t left = unit - offset % unit;

    return ring->hi - offset < left ? ring->hi - offset : left;
}

static collio_place_t cyclic_locate(const collio_domains_t *domains, int64_t offset)
{
    ring_t ring = ring_of_group(domains, collio_domains_part(domains, offset));
    int64_t unit = domains->unit, stripe = offset / unit;

    if (1 == ring.aggregators) {
        return (collio_place_t){ring.first, offset - ring.lo, ring.hi - offset};
    }
    return (collio_place_t){
        .aggregator = ring.first + (int) (stripe % ring.aggregators),
        /* stripes of one aggregator are ring.aggregators apart, so rounding down drops the lag of
         * its first one */
        .local = (stripe - ring.lo / unit) / ring.aggregators * unit + offset % unit,
        .run = run_of(&ring, unit, offset),
    };
}

static int64_t cyclic_offset_of(const collio_domains_t *domains, int aggregator, int64_t local,
                                int64_t *run)
{
    ring_t ring = ring_of_aggregator(domains, aggregator);
    int64_t unit = domains->unit, stripe, offset;

    if (1 == ring.aggregators) {
        *run = ring.hi - ring.lo - local;
        return ring.lo + local;
    }
    stripe = local / unit * ring.aggregators + first_stripe(&ring, unit, aggregator);
    offset = ring.lo + stripe * unit + local % unit;
    *run = run_of(&ring, unit, offset);
    return offset;
}

static int64_t cyclic_size_of(const collio_domains_t *domains, int aggregator)
{
    ring_t ring = ring_of_aggregator(domains, aggregator);
    int64_t unit = domains->unit, whole = (ring.hi - ring.lo) / unit;
    int64_t rest = (ring.hi - ring.lo) % unit; /* bytes of the ring's last, short stripe */
    int64_t lag = first_stripe(&ring, unit, aggregator);
    int64_t mine = whole > lag ? (whole - lag - 1) / ring.aggregators + 1 : 0;

    return mine * unit + (lag == whole % ring.aggregators ? rest : 0);
}

/* Aggregators keep their stripes if a move is a multiple of one round of every ring. */
static bool keeps(const collio_domains_t *domains, int64_t delta)
{
    for (int group = 0; group < domains->parts; ++group) {
        if (0 != delta / domains->unit % ring_of_group(domains, group).aggregators) {
            return false;
        }
    }
    return true;
}

const collio_partition_t collio_partition_static_cyclic = {
    .name = "static_cyclic",
    .make = make_static,
    .locate = cyclic_locate,
    .offset = cyclic_offset_of,
    .size = cyclic_size_of,
    .keeps = keeps,
};

const collio_partition_t collio_partition_group_cyclic = {
    .name = "group_cyclic",
    .by_rank = true,
    .make = make_groups,
    .locate = cyclic_locate,
    .offset = cyclic_offset_of,
    .size = cyclic_size_of,
    .keeps = keeps,
};
