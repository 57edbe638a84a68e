/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#include "align.h"

#include "file_system.h"
#include "number.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    PAGE = COLLIO_ALIGN_MIN,
    MOST = 64 << 20,          /* bytes: larger block sizes are not plausible */
    UNITS_PER_AGGREGATOR = 4, /* a unit that is not strict is halved until there are four */
    SOURCE_BITS = 2           /* bits of the source in a packed alignment */
};

#define SET_MAX (INT64_C(1) << 50) /* bytes: larger than any file, and fits a packed alignment */

static bool align_possible(int64_t bytes)
{
    return bytes >= PAGE && bytes <= MOST && 0 == bytes % PAGE;
}

collio_align_t collio_align_choose(const collio_align_facts_t *facts)
{
    if (facts->set_bytes > 0) {
        int64_t unit = collio_min(facts->set_bytes, SET_MAX);

        return (collio_align_t){unit, COLLIO_ALIGN_SET, true};
    }
    if (facts->striped && facts->stripe_bytes > 0) {
        return (collio_align_t){facts->stripe_bytes, COLLIO_ALIGN_STRIPE, true};
    }
    if (!collio_file_system_on_network(facts->file_system)) {
        return (collio_align_t){1, COLLIO_ALIGN_NONE, false};
    }
    if (align_possible(facts->stripe_bytes)) {
        return (collio_align_t){facts->stripe_bytes, COLLIO_ALIGN_STRIPE, false};
    }
    return (collio_align_t){align_possible(facts->block_bytes) ? facts->block_bytes : PAGE,
                            COLLIO_ALIGN_BLOCK, false};
}

/* True if half of the unit is a number of whole pages. */
static bool can_halve(int64_t unit)
{
    return 0 == unit % (2 * PAGE);
}

int64_t collio_align_domains(const collio_align_t *align, int64_t span, int aggregators)
{
    int64_t unit = align->unit;

    while (!align->strict && can_halve(unit)
           && span / unit < (int64_t) UNITS_PER_AGGREGATOR * aggregators) {
        unit /= 2;
    }
    return unit;
}

int64_t collio_align_window(const collio_align_t *align, int64_t bytes)
{
    int64_t unit = align->unit > 1 ? align->unit : PAGE;

    while (unit > bytes && can_halve(unit)) {
        unit /= 2;
    }
    if (bytes > unit) {
        return bytes / unit * unit;
    }
    return bytes > 0 ? bytes : 1;
}

int64_t collio_align_pack(const collio_align_t *align)
{
    return (align->unit << SOURCE_BITS | (int64_t) align->source) << 1 | align->strict;
}

collio_align_t collio_align_unpack(int64_t packed)
{
    return (collio_align_t){
        .unit = packed >> (SOURCE_BITS + 1),
        .source = (collio_align_source_t) (packed >> 1 & ((1 << SOURCE_BITS) - 1)),
        .strict = 0 != (packed & 1)};
}

void collio_align_format(const collio_align_t *align, char *text, size_t size)
{
    static const char *const source[] = {[COLLIO_ALIGN_NONE] = "a local file system",
                                         [COLLIO_ALIGN_BLOCK] = "the file system's block",
                                         [COLLIO_ALIGN_STRIPE] = "the file's stripe",
                                         [COLLIO_ALIGN_SET] = "as it was set"};

    if (1 == align->unit) {
        snprintf(text, size, "none, %s", source[align->source]);
    } else {
        snprintf(text, size, "%" PRId64 " bytes, %s", align->unit, source[align->source]);
    }
}
