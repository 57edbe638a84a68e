/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_DOMAIN_H
#define COLLIO_DOMAIN_H

#include "extent.h"

#include <stdbool.h>

typedef enum collio_partition_t {
    COLLIO_PARTITION_EVEN = 0,      /* one contiguous part each */
    COLLIO_PARTITION_STATIC_CYCLIC, /* stripe i belongs to aggregator i mod count */
    COLLIO_PARTITION_GROUP_CYCLIC,  /* contiguous parts for groups of aggregators,
                                                  static cyclic inside a group */
    COLLIO_PARTITION_MEMORY         /* contiguous parts, each for the aggregator that
                                                  has memory for it; see memory.h */
} collio_partition_t;

/**
 * File domains: which aggregator owns which byte of [lo, hi), and the aggregator's *local*
 * coordinates, in which its domain is one contiguous line that collective buffers mirror.
 *
 *   even            0000000011111111          local = offset - bound[aggregator]
 *   static_cyclic   0011001100110011          local = the aggregator's stripes, put end to end
 *   memory          2222000000011111          local = offset - bound[part of the aggregator]
 *
 * Everything that is planned later (pieces, windows, cycles) is in local coordinates, so a plan
 * stays valid when the whole request moves in the file: only `lo`, `hi` and the bounds move.
 */
typedef struct collio_domains_t {
    collio_partition_t partition;
    int64_t lo;   /* true lowest offset of the request, rounded down to the unit */
    int64_t hi;   /* end of the highest byte */
    int64_t unit; /* stripe or alignment; 1 = none */
    int64_t step; /* moves in the file are multiples of this: the unit, unless the maker says 1 */
    int aggregators; /* number of aggregators */
    int groups;      /* group_cyclic: aggregators / stripe count, at least 1 */
    int parts;       /* memory: contiguous parts, at most one per aggregator */
    int64_t *bound; /* ascending: even aggregators + 1, group_cyclic groups + 1, memory parts + 1 */
    int *aggregator_of;    /* memory: per part */
    int *part_of;          /* memory: per aggregator; -1: it has none */
    int64_t *window_bytes; /* memory: per aggregator, what fits its node; NULL: the same for all */
} collio_domains_t;

/** Even split of [lo, hi) with boundaries on multiples of `unit` (measured from offset 0, as
 *  stripes are). Some domains may be empty when there are more aggregators than units. 0 or
 *  -ENOMEM. */
int collio_domains_even(int64_t lo, int64_t hi, int64_t unit, int aggregators,
                        collio_domains_t *domains);
/** No domain of such a split is larger than this. */
int64_t collio_domains_even_most(int64_t lo, int64_t hi, int64_t unit, int aggregators);

/** Even by BYTES instead of by span: `bytes[b]` is what all ranks together want in bin b of
 *  [lo, hi) cut in `bins` equal bins (the last may be shorter). For sparse requests: a header at 0
 *  and data at 1 TiB. A bin's bytes count as spread evenly over it; boundaries are rounded down to
 *  the unit. No bytes at all: as even. 0 or -ENOMEM. */
int collio_domains_by_bytes(int64_t lo, int64_t hi, int64_t unit, int aggregators,
                            const int64_t *bytes, int bins, collio_domains_t *domains);

/** static_cyclic: stripe number (offset / unit) mod aggregators; so the aggregator of a byte is the
 *  same in every call on the file (that is what "static" means: one aggregator per OST). */
int collio_domains_static_cyclic(int64_t lo, int64_t hi, int64_t unit, int aggregators,
                                 collio_domains_t *domains);

/** group_cyclic with groups of `stripe_count` aggregators; the rest is spread over them. */
int collio_domains_group_cyclic(int64_t lo, int64_t hi, int64_t unit, int aggregators,
                                int stripe_count, collio_domains_t *domains);

/** memory: part i is [bound[i], bound[i + 1]) and belongs to aggregator[i], which works in windows
 *  of window_bytes[i]; bound[1 .. parts) are multiples of unit, the first part begins where the
 *  unit of lo does, the last one ends at hi; none has two parts. 0 or -ENOMEM. */
int collio_domains_memory(int64_t lo, int64_t hi, int64_t unit, int aggregators, int parts,
                          const int64_t *bound, const int *aggregator, const int64_t *window_bytes,
                          collio_domains_t *domains);

/** The window of an aggregator: its own, or the one of all. */
static inline int64_t collio_domains_window(const collio_domains_t *domains, int aggregator,
                                            int64_t window_bytes)
{
    return NULL == domains->window_bytes ? window_bytes : domains->window_bytes[aggregator];
}

/** The smallest window of an aggregator that has a part. */
int64_t collio_domains_least_window(const collio_domains_t *domains, int64_t window_bytes);

void collio_domains_fini(collio_domains_t *domains);

/** Where a byte of [lo, hi) belongs. */
typedef struct collio_place_t {
    int aggregator;
    int64_t local; /* in the aggregator's coordinates, >= 0, ascending with the offset */
    int64_t
        run; /* bytes from here that stay with this aggregator, contiguous in file and in local */
} collio_place_t;

collio_place_t collio_domains_locate(const collio_domains_t *domains, int64_t offset);

/** The inverse: file offset of an aggregator's local byte; *run as above. */
int64_t collio_domains_offset(const collio_domains_t *domains, int aggregator, int64_t local,
                              int64_t *run);

/** Bytes of local coordinates that `aggregator` has in all (its domain's size; 0 = empty). */
int64_t collio_domains_size(const collio_domains_t *domains, int aggregator);

/** Can the domains move by `delta`? Not when that would break the alignment: delta not a multiple
 *  of the unit (cyclic: of unit * aggregators, or of the aggregators in each group, so that
 *  aggregators keep their stripes), lo would become negative, or hi pass INT64_MAX. */
bool collio_domains_can_shift(const collio_domains_t *domains, int64_t delta);

/** Moves all domains by `delta`. Returns false, and changes nothing, when they cannot. */
bool collio_domains_shift(collio_domains_t *domains, int64_t delta);

#endif /* COLLIO_DOMAIN_H */
