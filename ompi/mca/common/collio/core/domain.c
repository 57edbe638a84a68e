/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * File domains: which aggregator owns which byte.
 *
 * Problem: every rank must compute, without a message, which aggregator owns a byte, and the domain
 *          of an aggregator must be one contiguous line in every partitioning.
 * Method:  integer arithmetic on bounds that all ranks compute from the same agreed numbers, so the
 *          result is the same on all machines.
 * Cost:    set-up O(parts); locate O(log parts).
 */
#include "domain.h"

#include <errno.h>
#include <stdlib.h>

#include "debug_assert.h"
#include "grow.h"
#include "number.h"

#define ROW(name) &collio_partition_##name,
const collio_partition_t *const collio_partitions[] = {COLLIO_PARTITION_LIST(ROW) NULL};

static int64_t domain_unit_of(const collio_partition_t *partition,
                              const collio_division_t *division)
{
    int64_t unit = partition->contiguous ? division->unit : division->stripe;

    return 0 < unit ? unit : 1;
}

/* True if the bounds ascend from lo to hi, so that the domains are disjoint and cover the request.
 */
static bool bounds_hold(const collio_domains_t *domains)
{
    for (int i = 0; i < domains->parts; ++i) {
        if (domains->bound[i] > domains->bound[i + 1]) {
            return false;
        }
    }
    return domains->lo == domains->bound[0] && domains->hi == domains->bound[domains->parts];
}

int collio_domains_make(const collio_partition_t *partition, const collio_division_t *division,
                        collio_domains_t *domains)
{
    int64_t unit = domain_unit_of(partition, division), lo = division->lo - division->lo % unit;
    int rc;

    *domains = (collio_domains_t){
        .partition = partition,
        .lo = lo,
        .hi = division->lo < division->hi ? division->hi : lo, /* an empty request: lo == hi */
        .unit = unit,
        .step = partition->contiguous && division->loose ? 1 : unit,
        .aggregators = division->aggregators,
    };
    rc = partition->make(division, domains);
    COLLIO_ASSERT(0 != rc || bounds_hold(domains));
    if (0 != rc) {
        collio_domains_fini(domains);
    }
    return rc;
}

void collio_domains_fini(collio_domains_t *domains)
{
    free(domains->bound);
    free(domains->given);
    free(domains->part_of);
    *domains = (collio_domains_t){0};
}

int64_t collio_domains_most(const collio_partition_t *partition, const collio_division_t *division)
{
    int64_t unit = domain_unit_of(partition, division);

    if (NULL != partition->most) {
        return partition->most(division);
    }
    return division->hi - (division->lo - division->lo % unit);
}

bool collio_domains_can_shift(const collio_domains_t *domains, int64_t delta)
{
    if (0 != delta % domains->step
        || (0 < delta ? domains->hi > INT64_MAX - delta : 0 > domains->lo + delta)) {
        return false;
    }
    return NULL == domains->partition->keeps || domains->partition->keeps(domains, delta);
}

bool collio_domains_shift(collio_domains_t *domains, int64_t delta)
{
    if (!collio_domains_can_shift(domains, delta)) {
        return false;
    }
    domains->lo += delta;
    domains->hi += delta;
    for (int i = 0; i <= domains->parts; ++i) {
        domains->bound[i] += delta;
    }
    return true;
}

int collio_domains_bounds(collio_domains_t *domains, int parts)
{
    domains->bound = collio_resize(NULL, (size_t) parts + 1, sizeof(*domains->bound));
    if (NULL == domains->bound) {
        return -ENOMEM;
    }
    domains->parts = parts;
    domains->bound[0] = domains->lo;
    domains->bound[parts] = domains->hi;
    return 0;
}

/* Remaining units are spread over the parts, beginning with the first part, so that a request of
 * few units uses aggregators that are far apart. */
int collio_domains_cut(collio_domains_t *domains, int parts)
{
    int64_t span = domains->hi - domains->lo;
    int64_t units = span / domains->unit + (0 != span % domains->unit);

    if (0 != collio_domains_bounds(domains, parts)) {
        return -ENOMEM;
    }
    for (int i = 1; i < parts; ++i) {
        int64_t before = units - collio_domains_portion(units, parts - i, parts);

        domains->bound[i] = before < units ? domains->lo + before * domains->unit : domains->hi;
    }
    return 0;
}

/* Returns the last part that begins at the offset or before it; this part is not empty. */
int collio_domains_part(const collio_domains_t *domains, int64_t offset)
{
    int first = 0, parts = domains->parts;

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
