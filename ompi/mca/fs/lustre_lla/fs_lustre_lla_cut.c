/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/** Cuts ranges into pieces for lock-ahead, in one walk over the ranges. Allocates nothing. */

#include "fs_lustre_lla_cut.h"

#include "ompi/mca/common/collio/core/number.h"

static int64_t round_down(int64_t value, int64_t unit)
{
    return value - value % unit;
}

/* Returns the exclusive end of the unit that contains byte `value`; at most INT64_MAX. */
static int64_t unit_end(int64_t value, int64_t unit)
{
    int64_t start = round_down(value, unit);

    return INT64_MAX - start < unit ? INT64_MAX : start + unit;
}

int mca_fs_lustre_lla_cut_part(const collio_lustre_part_t *part, size_t part_count, int64_t offset)
{
    for (size_t p = 0; p < part_count; ++p) {
        if (part[p].start <= offset && offset < part[p].end) {
            return (int) p;
        }
    }
    return -1;
}

/* Returns the exclusive end of the longest piece that begins at `offset`. A part with one stripe is
 * one object, and is not cut. */
static int64_t piece_end(const collio_lustre_part_t *parts, size_t count, int64_t offset,
                         bool stripes)
{
    int number = mca_fs_lustre_lla_cut_part(parts, count, offset);
    const collio_lustre_part_t *part;
    int64_t end;

    if (0 > number) {
        return INT64_MAX;
    }
    part = &parts[number];
    if (!stripes || 0 >= part->stripe_bytes || 1 == part->stripe_count) {
        return part->end;
    }
    end = unit_end(offset, part->stripe_bytes);
    return collio_min(end, part->end);
}

bool mca_fs_lustre_lla_cut_next(mca_fs_lustre_lla_cut_t *cut, int64_t *first, int64_t *last)
{
    while (cut->next < cut->range_count) {
        const collio_extent_t *range = &cut->range[cut->next];
        int64_t start = collio_max(cut->from, range->offset);
        int64_t end = range->offset + range->length; /* exclusive */

        if (start >= end) {
            cut->from = 0;
            ++cut->next;
            continue;
        }
        cut->from = piece_end(cut->part, cut->part_count, start, cut->stripes);
        end = collio_min(cut->from, end);
        start = round_down(start, cut->page_bytes);
        start = collio_max(cut->done, start);
        end = unit_end(end - 1, cut->page_bytes);
        if (start < end) {
            cut->done = end;
            *first = start;
            *last = end - 1;
            return true;
        }
    }
    return false;
}

bool mca_fs_lustre_lla_cut_is_single(const collio_lustre_part_t *part, size_t part_count,
                                     int64_t first, int64_t last)
{
    return last < piece_end(part, part_count, first, true);
}
