/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_DOMAIN_H
#define COLLIO_DOMAIN_H

#include "extent.h"

#include <stdbool.h>

/** A contiguous part of the file that is given to one aggregator. */
typedef struct collio_given_t {
    int64_t begin;        /* first byte; the first part begins where the unit of `lo` does */
    int aggregator;       /* owner; none owns two parts */
    int64_t window_bytes; /* window of that aggregator */
} collio_given_t;

/** What is to be divided, and what a partitioning may divide it by. */
typedef struct collio_division_t {
    int64_t lo;                  /* first byte of the request */
    int64_t hi;                  /* end of the request */
    int aggregators;             /* number of aggregators */
    int64_t unit;                /* contiguous parts begin at multiples of this */
    bool loose;                  /* contiguous parts may move by less than a unit */
    int64_t stripe;              /* cyclic parts change hands at multiples of this */
    int stripe_count;            /* group_cyclic: aggregators of a group; 0: one group */
    const int64_t *bytes;        /* even: bytes that all ranks want, per bin; NULL: not known */
    int bins;                    /* number of equal bins of [lo, hi); the last may be shorter */
    const collio_given_t *given; /* memory: the parts, ascending */
    int given_count;             /* memory: number of parts */
} collio_division_t;

/** Where a byte of [lo, hi) belongs. */
typedef struct collio_place_t {
    int aggregator; /* its owner */
    int64_t local;  /* the owner's coordinate of it, 0 or more; ascends with the offset */
    int64_t run;    /* bytes from here that stay with this owner, contiguous in file and local */
} collio_place_t;

struct collio_domains_t;

/**
 * A partitioning: which aggregator owns which byte of [lo, hi), and the owner's *local*
 * coordinates, in which its domain is one contiguous line that collective buffers mirror. It is one
 * row of functions; other code asks the row and never compares partitionings.
 *
 *   even            0000000011111111          local = offset - bound[aggregator]
 *   static_cyclic   0011001100110011          local = the aggregator's stripes, put end to end
 *   group_cyclic    0101010123232323          as static_cyclic, inside a group
 *   memory          2222000000011111          local = offset - bound[part of the aggregator]
 */
typedef struct collio_partition_t {
    const char *name; /* value of the setting `partition` */
    const char *help; /* what ompi_info says of that value */
    bool contiguous;  /* an aggregator has one contiguous part at most */
    bool ascending;   /* the owner's number ascends with the offset */
    bool by_bytes;    /* sparse requests are divided by wanted bytes instead of by span */
    bool by_memory;   /* parts follow the memory of the nodes, which is measured for each plan */
    /** Fills in the bounds: 0 or -ENOMEM. */
    int (*make)(const collio_division_t *division, struct collio_domains_t *domains);
    /** No domain is larger than this. NULL: the whole range may be one. */
    int64_t (*most)(const collio_division_t *division);
    collio_place_t (*locate)(const struct collio_domains_t *domains, int64_t offset);
    /** The inverse of locate: the offset of a local byte, and its run. */
    int64_t (*offset)(const struct collio_domains_t *domains, int aggregator, int64_t local,
                      int64_t *run);
    int64_t (*size)(const struct collio_domains_t *domains, int aggregator);
    /** Has every byte the same owner after a move by `delta`, a multiple of the unit? NULL: yes. */
    bool (*keeps)(const struct collio_domains_t *domains, int64_t delta);
} collio_partition_t;

/** Every partitioning, in the order of the values of the setting: core/domain_<family>.c has the
 *  rows. */
#define COLLIO_PARTITION_LIST(each) each(even) each(static_cyclic) each(group_cyclic) each(memory)

#define COLLIO_PARTITION_DECLARE(name) extern const collio_partition_t collio_partition_##name;
COLLIO_PARTITION_LIST(COLLIO_PARTITION_DECLARE)

/** NULL behind the last. */
extern const collio_partition_t *const collio_partitions[];

/**
 * File domains. Everything that is planned later (pieces, windows, cycles) is in local coordinates,
 * so a plan stays valid when the whole request moves in the file: only `lo`, `hi` and the bounds
 * move.
 */
typedef struct collio_domains_t {
    const collio_partition_t *partition;
    int64_t lo;            /* lowest offset of the request, rounded down to the unit */
    int64_t hi;            /* end of the highest byte */
    int64_t unit;          /* stripe or alignment; 1: none */
    int64_t step;          /* moves in the file are multiples of this */
    int aggregators;       /* number of aggregators */
    int parts;             /* contiguous: parts; cyclic: groups, each of which is a part */
    int64_t *bound;        /* part i is [bound[i], bound[i + 1]) */
    int *aggregator_of;    /* memory: per part */
    int *part_of;          /* memory: per aggregator; -1: it has none */
    int64_t *window_bytes; /* memory: per aggregator, what fits its node; NULL: the same for all */
} collio_domains_t;

/** Divides; boundaries are multiples of the unit or stripe, counted from offset 0. Some domains may
 *  be empty. 0 or -ENOMEM. */
int collio_domains_make(const collio_partition_t *partition, const collio_division_t *division,
                        collio_domains_t *domains);
void collio_domains_fini(collio_domains_t *domains);

/** An upper bound of every domain's size, for ranks that have no memory for the domains. */
int64_t collio_domains_most(const collio_partition_t *partition, const collio_division_t *division);

/** The window of an aggregator: its own, or the one of all. */
static inline int64_t collio_domains_window(const collio_domains_t *domains, int aggregator,
                                            int64_t window_bytes)
{
    return NULL == domains->window_bytes ? window_bytes : domains->window_bytes[aggregator];
}

/** The smallest window of an aggregator that has a part. */
int64_t collio_domains_least_window(const collio_domains_t *domains, int64_t window_bytes);

static inline collio_place_t collio_domains_locate(const collio_domains_t *domains, int64_t offset)
{
    return domains->partition->locate(domains, offset);
}

static inline int64_t collio_domains_offset(const collio_domains_t *domains, int aggregator,
                                            int64_t local, int64_t *run)
{
    return domains->partition->offset(domains, aggregator, local, run);
}

/** Bytes of local coordinates that `aggregator` has in all; 0: its domain is empty. */
static inline int64_t collio_domains_size(const collio_domains_t *domains, int aggregator)
{
    return domains->partition->size(domains, aggregator);
}

/** Can the domains move by `delta`? Not when that would break the alignment, give bytes to other
 *  aggregators, or pass 0 or INT64_MAX. */
bool collio_domains_can_shift(const collio_domains_t *domains, int64_t delta);

/** Moves all domains by `delta`. Returns false, and changes nothing, when they cannot. */
bool collio_domains_shift(collio_domains_t *domains, int64_t delta);

/* For the rows. */

/** floor(total * i / parts) without overflow; 0 <= i <= parts < 2^31. */
static inline int64_t collio_domains_portion(int64_t total, int64_t i, int64_t parts)
{
    return total / parts * i + total % parts * i / parts;
}

/** Allocates the bounds of `parts` parts, the first and the last set. 0 or -ENOMEM. */
int collio_domains_bounds(collio_domains_t *domains, int parts);
/** Cuts [lo, hi) in `parts` parts of equal numbers of units. 0 or -ENOMEM. */
int collio_domains_cut(collio_domains_t *domains, int parts);
/** The part that holds `offset`. */
int collio_domains_part(const collio_domains_t *domains, int64_t offset);

#endif /* COLLIO_DOMAIN_H */
