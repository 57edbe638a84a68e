/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/* File domains, against dealing out the bytes one by one. */
#include "defaults.h"
#include "domain.h"
#include "sum.h"

#include "unit.h"

typedef collio_domains_t domains_t;

enum { LINE = 700, OWNERS = 9 };

#define MAKE(partition, domains, ...)                                      \
    ck_assert_int_eq(0, collio_domains_make(&collio_partition_##partition, \
                                            &(collio_division_t){__VA_ARGS__}, domains))

/* The properties every partitioning has: each byte has one aggregator, locals ascend without a gap
 * from 0, runs are true, and offset() is the inverse of locate(). A domain that begins before the
 * request's true lowest byte (rounding) has locals nobody uses. */
static void check_domains(const domains_t *domains)
{
    int64_t next[OWNERS] = {0};

    for (int64_t at = domains->lo; at < domains->hi; ++at) {
        collio_place_t place = collio_domains_locate(domains, at);
        collio_place_t last;
        int64_t run;

        unit_assert(0 <= place.aggregator);
        unit_assert(place.aggregator < domains->aggregators);
        unit_equal(next[place.aggregator]++, place.local);
        unit_assert(0 < place.run);
        unit_assert(at + place.run <= domains->hi);
        last = collio_domains_locate(domains, at + place.run - 1);
        unit_equal(place.aggregator, last.aggregator);
        unit_equal(place.local + place.run - 1, last.local);
        unit_equal(at, collio_domains_offset(domains, place.aggregator, place.local, &run));
        unit_equal(place.run, run);
    }
    for (int aggregator = 0; aggregator < domains->aggregators; ++aggregator) {
        unit_equal(next[aggregator], collio_domains_size(domains, aggregator));
    }
}

static void check_shift(domains_t *domains, int64_t step)
{
    int64_t lo = domains->lo;
    collio_place_t before[LINE];
    int64_t delta = step * unit_between(1, 5);

    for (int64_t at = lo; at < domains->hi; ++at) {
        before[at - lo] = collio_domains_locate(domains, at);
    }
    unit_assert(!collio_domains_shift(domains, -lo - step));
    if (1 < domains->unit) {
        unit_assert(!collio_domains_shift(domains, delta + 1));
    }
    if (INT64_MAX % step < domains->hi) {
        unit_assert(!collio_domains_shift(domains, INT64_MAX / step * step));
    }
    unit_equal(lo, domains->lo);
    unit_assert(collio_domains_shift(domains, delta));
    unit_equal(lo + delta, domains->lo);
    for (int64_t at = domains->lo; at < domains->hi; ++at) {
        collio_place_t place = collio_domains_locate(domains, at);

        unit_equal(before[at - domains->lo].aggregator, place.aggregator);
        unit_equal(before[at - domains->lo].local, place.local);
        unit_equal(before[at - domains->lo].run, place.run);
    }
    unit_assert(collio_domains_shift(domains, -delta));
    check_domains(domains);
}

static void random_span(int64_t *lo, int64_t *hi, int64_t *unit, int *aggregators)
{
    *lo = unit_below(2) ? unit_below(100) : (INT64_C(1) << 40) + unit_below(100);
    *hi = *lo + unit_below(LINE - 200);
    *unit = unit_below(3) ? unit_between(1, 120) : 1;
    *aggregators = (int) unit_between(1, OWNERS);
}

UNIT_TEST(domain_random_even)
{
    for (int round = unit_rounds(500); 0 < round; --round) {
        domains_t domains;
        int64_t lo, hi, unit;
        int aggregators;

        random_span(&lo, &hi, &unit, &aggregators);
        MAKE(even, &domains, .lo = lo, .hi = hi, .unit = unit, .aggregators = aggregators);
        check_domains(&domains);
        check_shift(&domains, unit);
        for (int i = 0; i < aggregators && lo < hi; ++i) {
            int64_t size = collio_domains_size(&domains, i);
            int64_t fair = (hi - domains.lo) / aggregators;

            ck_assert_int_eq(0, 0 == i ? 0 : domains.bound[i] % unit * (domains.bound[i] != hi));
            ck_assert_int_le(size, fair + unit);
            ck_assert_int_le(
                size, collio_domains_most(
                          &collio_partition_even,
                          &(collio_division_t){
                              .lo = lo, .hi = hi, .unit = unit, .aggregators = aggregators}));
        }
        collio_domains_fini(&domains);
    }
}

UNIT_TEST(domain_random_by_bytes)
{
    for (int round = unit_rounds(500); 0 < round; --round) {
        int64_t bytes[32];
        int bins = (int) unit_between(1, 32);
        domains_t domains;
        int64_t lo, hi, unit;
        int aggregators;

        random_span(&lo, &hi, &unit, &aggregators);
        for (int b = 0; b < bins; ++b) {
            int64_t width = (hi - lo + bins - 1) / bins;
            bool inside = b * width < hi - lo;

            bytes[b] = inside && unit_below(2) ? unit_below(INT64_C(1) << unit_below(50)) : 0;
        }
        MAKE(even, &domains, .lo = lo, .hi = hi, .unit = unit, .aggregators = aggregators,
             .bytes = bytes, .bins = bins);
        check_domains(&domains);
        check_shift(&domains, unit);
        collio_domains_fini(&domains);
    }
}

UNIT_TEST(domain_random_static_cyclic)
{
    for (int round = unit_rounds(500); 0 < round; --round) {
        domains_t domains;
        int64_t lo, hi, unit;
        int aggregators;

        random_span(&lo, &hi, &unit, &aggregators);
        MAKE(static_cyclic, &domains, .lo = lo, .hi = hi, .stripe = unit,
             .aggregators = aggregators);
        check_domains(&domains);
        check_shift(&domains, unit * aggregators);
        for (int64_t at = lo; at < hi; ++at) {
            unit_equal(at / unit % aggregators, collio_domains_locate(&domains, at).aggregator);
        }
        collio_domains_fini(&domains);
    }
}

/* The default on a striped file system, at least as many ranks as stripes: an access of a window,
 * however many stripes it holds, goes to one server, and each server has one aggregator. With fewer
 * ranks an aggregator has stripes of stripes / aggregators servers. */
UNIT_TEST(domain_windows_hold_stripes_of_one_server)
{
    for (int stripes = 1; stripes <= OWNERS; ++stripes) {
        for (int ranks = 1; ranks <= 2 * OWNERS; ++ranks) {
            collio_site_t site = {.ranks = ranks,
                                  .nodes = 1 + ranks / 2,
                                  .striped = true,
                                  .stripes = stripes,
                                  .stripe_bytes = 10};
            int aggregators = collio_default_aggregators(&site);
            domains_t domains;

            ck_assert_int_eq(0, stripes % aggregators);
            unit_equal(ranks >= stripes, aggregators == stripes);
            unit_equal(0, collio_domains_make(
                              &collio_partition_static_cyclic,
                              &(collio_division_t){
                                  .lo = 33, .hi = LINE, .stripe = 10, .aggregators = aggregators},
                              &domains));
            for (int64_t at = 33; at < LINE; ++at) {
                unit_equal(at / 10 % stripes % aggregators,
                           collio_domains_locate(&domains, at).aggregator);
            }
            collio_domains_fini(&domains);
        }
    }
}

UNIT_TEST(domain_random_group_cyclic)
{
    for (int round = unit_rounds(500); 0 < round; --round) {
        int stripes = (int) unit_between(1, OWNERS + 2);
        domains_t domains;
        int64_t lo, hi, unit;
        int aggregators;

        random_span(&lo, &hi, &unit, &aggregators);
        MAKE(group_cyclic, &domains, .lo = lo, .hi = hi, .stripe = unit, .aggregators = aggregators,
             .stripe_count = stripes);
        check_domains(&domains);
        check_shift(&domains, unit * 2520); /* a multiple of all ring sizes */
        unit_equal(aggregators / stripes < 1 ? 1 : aggregators / stripes, domains.parts);
        for (int64_t at = lo; 0 == aggregators % stripes && at < hi; ++at) {
            unit_equal(at / unit % stripes,
                       collio_domains_locate(&domains, at).aggregator % stripes);
        }
        collio_domains_fini(&domains);
    }
}

/* With stripes, windows of the first part begin where a stripe does, and a plan moves by whole
 * stripes only. */
UNIT_TEST(domain_memory_keeps_stripes)
{
    domains_t domains;
    const collio_given_t given[] = {{5000, 2, 4096}, {8192, 0, 8192}, {16384, 1, 4096}};
    const collio_division_t division = {
        .lo = 5000, .hi = 20000, .unit = 4096, .aggregators = 3, .given = given, .given_count = 3};
    int64_t run;

    ck_assert_int_eq(0, collio_domains_make(&collio_partition_memory, &division, &domains));
    ck_assert_int_eq(4096, collio_domains_offset(&domains, 2, 0, &run));
    ck_assert_int_eq(2, collio_domains_locate(&domains, 5000).aggregator);
    ck_assert_int_eq(904, collio_domains_locate(&domains, 5000).local);
    ck_assert_int_eq(4096, collio_domains_size(&domains, 2));
    ck_assert(collio_domains_can_shift(&domains, 8192));
    ck_assert(!collio_domains_can_shift(&domains, 100));
    collio_domains_fini(&domains);
}

/* Parts in file order, aggregators in any order; some aggregators have no part. */
UNIT_TEST(domain_random_memory)
{
    for (int round = unit_rounds(500); 0 < round; --round) {
        domains_t domains;
        int64_t lo, hi, unit;
        collio_given_t given[OWNERS];
        int aggregators, parts;

        random_span(&lo, &hi, &unit, &aggregators);
        parts = (int) unit_between(1, aggregators);
        for (int i = 0; i < aggregators; ++i) {
            int at = (int) unit_below(i + 1);

            given[i].aggregator = given[at].aggregator;
            given[at].aggregator = i;
            given[i].window_bytes = 1 + i;
        }
        given[0].begin = lo;
        for (int i = 1; i < parts; ++i) {
            given[i].begin = given[i - 1].begin + unit_below(hi - given[i - 1].begin + 1);
        }
        MAKE(memory, &domains, .lo = lo, .hi = hi, .aggregators = aggregators, .given = given,
             .given_count = parts);
        check_domains(&domains);
        check_shift(&domains, 1);
        for (int i = 0; i < parts; ++i) {
            ck_assert_int_eq(given[i].window_bytes,
                             collio_domains_window(&domains, given[i].aggregator, 99));
        }
        collio_domains_fini(&domains);
    }
}

UNIT_TEST(domain_empty_request)
{
    domains_t domains;

    MAKE(even, &domains, .lo = 77, .hi = 77, .unit = 10, .aggregators = 3);
    check_domains(&domains);
    for (int i = 0; i < 3; ++i) {
        ck_assert_int_eq(0, collio_domains_size(&domains, i));
    }
    collio_domains_fini(&domains);
    collio_domains_fini(&domains);
    MAKE(group_cyclic, &domains, .lo = 77, .hi = 77, .stripe = 10, .aggregators = 3,
         .stripe_count = 2);
    check_domains(&domains);
    collio_domains_fini(&domains);
}

/* Few units, many aggregators: they must not all be neighbours (which share a node). */
UNIT_TEST(domain_few_units_are_spread)
{
    domains_t domains;

    MAKE(even, &domains, .lo = 0, .hi = 4000, .unit = 1000, .aggregators = 16);
    for (int i = 0; i < 4; ++i) {
        ck_assert_int_eq(4 * i, collio_domains_locate(&domains, 1000 * i).aggregator);
    }
    collio_domains_fini(&domains);
}

/* A header at 0 and data 1 TiB behind it: nobody is left with nothing but the hole. */
UNIT_TEST(domain_by_bytes_splits_the_data)
{
    const int64_t tib = INT64_C(1) << 40;
    const int64_t gib = INT64_C(1) << 30;
    int64_t bytes[1024] = {[0] = 4096, [1023] = gib};
    domains_t domains;

    MAKE(even, &domains, .lo = 0, .hi = tib, .unit = 1 << 20, .aggregators = 8, .bytes = bytes,
         .bins = 1024);
    for (int i = 1; i < 8; ++i) {
        ck_assert_int_le(tib - gib, domains.bound[i]);
        ck_assert_int_lt(collio_domains_size(&domains, i), gib / 8 + (2 << 20));
        ck_assert_int_lt(gib / 8 - (2 << 20), collio_domains_size(&domains, i));
    }
    collio_domains_fini(&domains);
}

UNIT_TEST(domain_by_bytes_uniform_is_even)
{
    int64_t bytes[64];
    domains_t domains;

    for (int b = 0; b < 64; ++b) {
        bytes[b] = INT64_C(1) << 40;
    }
    MAKE(even, &domains, .lo = 0, .hi = 64 * 700, .unit = 1, .aggregators = 7, .bytes = bytes,
         .bins = 64);
    for (int i = 0; i < 7; ++i) {
        int64_t size = collio_domains_size(&domains, i);

        ck_assert(6399 <= size && size <= 6401);
    }
    collio_domains_fini(&domains);
}

/* Ranks that read the same bytes may want more than INT64_MAX of them together. */
UNIT_TEST(domain_by_bytes_saturates)
{
    const int64_t bytes[] = {INT64_MAX / 2, INT64_MAX, 0, INT64_MAX};
    domains_t domains;

    MAKE(even, &domains, .lo = 0, .hi = 4000, .unit = 1, .aggregators = 3, .bytes = bytes,
         .bins = 4);
    check_domains(&domains);
    collio_domains_fini(&domains);
}

UNIT_TEST(domain_sums_saturate)
{
    ck_assert_int_eq(3, collio_sum(1, 2));
    ck_assert_int_eq(INT64_MAX, collio_sum(INT64_MAX, 0));
    ck_assert_int_eq(INT64_MAX, collio_sum(0, INT64_MAX));
    ck_assert_int_eq(INT64_MAX, collio_sum(INT64_MAX - 5, 5));
    ck_assert_int_eq(INT64_MAX, collio_sum(INT64_MAX - 5, 6));
    ck_assert_int_eq(INT64_MAX, collio_sum(INT64_MAX, INT64_MAX));
}

UNIT_TEST(domain_end_of_the_world)
{
    const int64_t mib = 1 << 20;
    domains_t domains;
    collio_place_t place;
    int64_t run;

    MAKE(even, &domains, .lo = 0, .hi = INT64_MAX, .unit = mib, .aggregators = 100000);
    place = collio_domains_locate(&domains, INT64_MAX - 1);
    ck_assert_int_eq(99999, place.aggregator);
    ck_assert_int_eq(1, place.run);
    ck_assert_int_eq(INT64_MAX - 1, collio_domains_offset(&domains, 99999, place.local, &run));
    ck_assert(!collio_domains_shift(&domains, mib));
    ck_assert_int_le(
        collio_domains_size(&domains, 0),
        collio_domains_most(
            &collio_partition_even,
            &(collio_division_t){.lo = 0, .hi = INT64_MAX, .unit = mib, .aggregators = 100000}));
    collio_domains_fini(&domains);
    ck_assert_int_eq(
        INT64_MAX, collio_domains_most(&collio_partition_even,
                                       &(collio_division_t){
                                           .lo = 0, .hi = INT64_MAX, .unit = 1, .aggregators = 1}));
    ck_assert_int_eq(INT64_MAX, collio_domains_most(
                                    &collio_partition_even,
                                    &(collio_division_t){
                                        .lo = 1, .hi = INT64_MAX, .unit = mib, .aggregators = 1}));
    ck_assert_int_eq(
        INT64_MAX,
        collio_domains_most(
            &collio_partition_even,
            &(collio_division_t){.lo = 7, .hi = INT64_MAX, .unit = INT64_MAX, .aggregators = 3}));
    MAKE(static_cyclic, &domains, .lo = INT64_MAX - 5 * mib, .hi = INT64_MAX, .stripe = mib,
         .aggregators = 1000);
    place = collio_domains_locate(&domains, INT64_MAX - 1);
    ck_assert_int_eq((INT64_MAX - 1) / mib % 1000, place.aggregator);
    ck_assert_int_eq(INT64_MAX - 1,
                     collio_domains_offset(&domains, place.aggregator, place.local, &run));
    ck_assert_int_eq(1, run);
    collio_domains_fini(&domains);
}
