/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/* File domains, against dealing out the bytes one by one. */
#include "defaults.h"
#include "domain.h"
#include "number.h"

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

/* A division with all that any partitioning reads. Parts are in file order, aggregators in any
 * order; some aggregators have no part. */
typedef struct random_t {
    collio_division_t division;
    int64_t bytes[32];
    collio_given_t given[OWNERS];
} random_t;

static void random_division(random_t *random)
{
    int64_t lo = unit_below(2) ? unit_below(100) : (INT64_C(1) << 40) + unit_below(100);
    int64_t hi = lo + unit_below(LINE - 200), unit = unit_below(3) ? unit_between(1, 120) : 1;
    int aggregators = (int) unit_between(1, OWNERS), bins = (int) unit_between(1, 32);
    collio_given_t *given = random->given;

    random->division = (collio_division_t){.lo = lo,
                                           .hi = hi,
                                           .aggregators = aggregators,
                                           .unit = unit,
                                           .stripe = unit,
                                           .stripe_count = (int) unit_between(1, OWNERS + 2),
                                           .bins = bins,
                                           .given = given,
                                           .given_count = (int) unit_between(1, aggregators)};
    for (int b = 0; b < bins; ++b) {
        int64_t width = (hi - lo + bins - 1) / bins;
        bool inside = b * width < hi - lo;

        random->bytes[b] = inside && unit_below(2) ? unit_below(INT64_C(1) << unit_below(50)) : 0;
    }
    for (int i = 0; i < aggregators; ++i) {
        int at = (int) unit_below(i + 1);

        given[i].aggregator = given[at].aggregator;
        given[at].aggregator = i;
        given[i].window_bytes = 1 + i;
    }
    given[0].begin = lo;
    for (int i = 1; i < random->division.given_count; ++i) {
        given[i].begin = given[i - 1].begin + unit_below(hi - given[i - 1].begin + 1);
    }
}

static void check_even(const domains_t *domains, const collio_division_t *division)
{
    int64_t fair = (division->hi - domains->lo) / division->aggregators;

    for (int i = 0; i < division->aggregators && division->lo < division->hi; ++i) {
        int64_t size = collio_domains_size(domains, i), bound = domains->bound[i];

        unit_assert(0 == i || bound == division->hi || 0 == bound % division->unit);
        unit_assert(size <= fair + division->unit);
        unit_assert(size <= collio_domains_most(&collio_partition_even, division));
    }
}

static void check_cyclic(const domains_t *domains, const collio_division_t *division)
{
    bool grouped = &collio_partition_group_cyclic == domains->partition;
    int ring = grouped ? division->stripe_count : division->aggregators;

    if (grouped) {
        unit_equal(division->aggregators / ring < 1 ? 1 : division->aggregators / ring,
                   domains->parts);
    }
    for (int64_t at = division->lo; 0 == division->aggregators % ring && at < division->hi; ++at) {
        unit_equal(at / division->stripe % ring,
                   collio_domains_locate(domains, at).aggregator % ring);
    }
}

static void check_given(const domains_t *domains, const collio_division_t *division)
{
    for (int i = 0; i < division->given_count; ++i) {
        unit_equal(division->given[i].window_bytes,
                   collio_domains_window(domains, division->given[i].aggregator, 99));
    }
}

UNIT_TEST(domain_random)
{
    static const struct {
        const collio_partition_t *partition;
        bool by_bytes;
        /* a move that keeps the owner of each byte, in units; 0: one byte, -1: one ring */
        int units;
        void (*check)(const domains_t *, const collio_division_t *);
    } row[] = {
        {&collio_partition_even, false, 1, check_even},
        {&collio_partition_even, true, 1, NULL},
        {&collio_partition_static_cyclic, false, -1, check_cyclic},
        {&collio_partition_group_cyclic, false, 2520, check_cyclic}, /* all rings divide it */
        {&collio_partition_memory, false, 0, check_given},
    };

    for (int round = unit_rounds(500); 0 < round; --round) {
        for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); ++i) {
            int units = row[i].units;
            random_t random;
            domains_t domains;

            random_division(&random);
            random.division.bytes = row[i].by_bytes ? random.bytes : NULL;
            random.division.unit = 0 == units ? 1 : random.division.unit;
            unit_equal(0, collio_domains_make(row[i].partition, &random.division, &domains));
            check_domains(&domains);
            units = units < 0 ? random.division.aggregators : units;
            check_shift(&domains, 0 == units ? 1 : units * random.division.unit);
            if (NULL != row[i].check) {
                row[i].check(&domains, &random.division);
            }
            collio_domains_fini(&domains);
        }
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
            MAKE(static_cyclic, &domains, .lo = 33, .hi = LINE, .stripe = 10,
                 .aggregators = aggregators);
            for (int64_t at = 33; at < LINE; ++at) {
                unit_equal(at / 10 % stripes % aggregators,
                           collio_domains_locate(&domains, at).aggregator);
            }
            collio_domains_fini(&domains);
        }
    }
}

/* The only ranks with data have failed: nobody has bytes, so no node gets a part. */
UNIT_TEST(domain_memory_without_parts)
{
    collio_given_t none;
    domains_t domains;

    MAKE(memory, &domains, .lo = 10, .hi = 90, .aggregators = 3, .given = &none);
    ck_assert_int_eq(0, domains.parts);
    check_domains(&domains);
    collio_domains_fini(&domains);
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

/* A header at 0 and data 1 TiB past it: nobody is left with nothing but the hole. */
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

static int64_t most_even(int64_t lo, int64_t unit, int aggregators)
{
    return collio_domains_most(
        &collio_partition_even,
        &(collio_division_t){.lo = lo, .hi = INT64_MAX, .unit = unit, .aggregators = aggregators});
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
    ck_assert_int_le(collio_domains_size(&domains, 0), most_even(0, mib, 100000));
    collio_domains_fini(&domains);
    ck_assert_int_eq(INT64_MAX, most_even(0, 1, 1));
    ck_assert_int_eq(INT64_MAX, most_even(1, mib, 1));
    ck_assert_int_eq(INT64_MAX, most_even(7, INT64_MAX, 3));
    MAKE(static_cyclic, &domains, .lo = INT64_MAX - 5 * mib, .hi = INT64_MAX, .stripe = mib,
         .aggregators = 1000);
    place = collio_domains_locate(&domains, INT64_MAX - 1);
    ck_assert_int_eq((INT64_MAX - 1) / mib % 1000, place.aggregator);
    ck_assert_int_eq(INT64_MAX - 1,
                     collio_domains_offset(&domains, place.aggregator, place.local, &run));
    ck_assert_int_eq(1, run);
    collio_domains_fini(&domains);
}
