/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * Partitionings with at most one contiguous part for each aggregator: even, memory.
 */
#include "domain.h"

#include <errno.h>

#include "debug_assert.h"
#include "grow.h"
#include "number.h"

/* Returns floor(width * bytes / total) for bytes <= total: exact if total < 2^31, otherwise with
 * both scaled down, equally on all ranks. */
static int64_t scale(int64_t width, int64_t bytes, int64_t total)
{
    while (INT32_MAX < total) {
        total >>= 1;
        bytes >>= 1;
    }
    return width / total * bytes + width % total * bytes / total;
}

/* Cuts evenly by bytes instead of by span, for sparse requests such as a header at 0 and data at
 * 1 TiB. The bytes of a bin count as evenly spread over the bin. */
static int cut_by_bytes(const collio_division_t *division, int64_t total, collio_domains_t *domains)
{
    const int64_t *bytes = division->bytes;
    int64_t lo = division->lo, hi = division->hi;
    int64_t width = (hi - lo) / division->bins + (0 != (hi - lo) % division->bins);
    int64_t before = 0; /* bytes in the bins before `bin` */
    int bin = 0;

    if (0 != collio_domains_bounds(domains, division->aggregators)) {
        return -ENOMEM;
    }
    for (int i = 1; i < division->aggregators; ++i) {
        int64_t wanted = collio_domains_portion(total, i, division->aggregators);
        int64_t from, end, offset;

        while (collio_sum(before, bytes[bin]) < wanted) {
            COLLIO_ASSERT(bin + 1 < division->bins);
            before += bytes[bin++];
        }
        /* a short request ends before its last bins */
        from = bin * width < hi - lo ? lo + bin * width : hi;
        end = hi - from < width ? hi : from + width;
        offset = 0 < bytes[bin] ? from + scale(end - from, wanted - before, bytes[bin]) : from;
        offset -= offset % domains->unit;
        domains->bound[i] = collio_max(offset, domains->bound[i - 1]);
    }
    return 0;
}

static int make_even(const collio_division_t *division, collio_domains_t *domains)
{
    int64_t total = 0;

    for (int bin = 0; NULL != division->bytes && bin < division->bins; ++bin) {
        total = collio_sum(total, division->bytes[bin]);
    }
    if (0 == total || division->lo >= division->hi) {
        return collio_domains_cut(domains, division->aggregators);
    }
    return cut_by_bytes(division, total, domains);
}

static int64_t most_even(const collio_division_t *division)
{
    int64_t unit = division->unit > 0 ? division->unit : 1;
    int64_t span = division->hi - (division->lo - division->lo % unit);
    int64_t least = span / unit / division->aggregators; /* units of every domain */

    if (NULL != division->bytes || least == span / unit) {
        return span;
    }
    return (least + 1) * unit;
}

static int make_memory(const collio_division_t *division, collio_domains_t *domains)
{
    size_t parts = (size_t) division->given_count, aggregators = (size_t) division->aggregators;

    if (0 == parts) {
        domains->hi = domains->lo; /* the ranks with data have failed: no rank has bytes */
    }
    domains->given = collio_resize(NULL, parts + 1, sizeof(*domains->given));
    domains->part_of = collio_resize(NULL, aggregators, sizeof(int));
    if (0 != collio_domains_bounds(domains, division->given_count) || NULL == domains->given
        || NULL == domains->part_of) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < aggregators; ++i) {
        domains->part_of[i] = -1;
    }
    for (size_t i = 0; i < parts; ++i) {
        const collio_given_t *given = &division->given[i];

        COLLIO_ASSERT(0 <= given->aggregator && given->aggregator < division->aggregators);
        COLLIO_ASSERT(-1 == domains->part_of[given->aggregator]);
        COLLIO_ASSERT(0 < given->window_bytes);
        domains->bound[i] = 0 == i ? domains->lo : given->begin;
        domains->given[i] = *given;
        domains->part_of[given->aggregator] = (int) i;
    }
    return 0;
}

static collio_place_t contiguous_locate(const collio_domains_t *domains, int64_t offset)
{
    int part = collio_domains_part(domains, offset);

    return (collio_place_t){
        .aggregator = NULL == domains->given ? part : domains->given[part].aggregator,
        .local = offset - domains->bound[part],
        .run = domains->bound[part + 1] - offset,
    };
}

static int part_of(const collio_domains_t *domains, int aggregator)
{
    return NULL == domains->part_of ? aggregator : domains->part_of[aggregator];
}

static int64_t contiguous_offset_of(const collio_domains_t *domains, int aggregator, int64_t local,
                                    int64_t *run)
{
    int part = part_of(domains, aggregator);

    *run = domains->bound[part + 1] - domains->bound[part] - local;
    return domains->bound[part] + local;
}

static int64_t contiguous_size_of(const collio_domains_t *domains, int aggregator)
{
    int part = part_of(domains, aggregator);

    return part < 0 ? 0 : domains->bound[part + 1] - domains->bound[part];
}

const collio_partition_t collio_partition_even = {
    .name = "even",
    .contiguous = true,
    .ascending = true,
    .by_rank = true,
    .by_bytes = true,
    .make = make_even,
    .most = most_even,
    .locate = contiguous_locate,
    .offset = contiguous_offset_of,
    .size = contiguous_size_of,
};

const collio_partition_t collio_partition_memory = {
    .name = "memory",
    .contiguous = true,
    .by_memory = true,
    .make = make_memory,
    .locate = contiguous_locate,
    .offset = contiguous_offset_of,
    .size = contiguous_size_of,
};
