/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_DOMAIN_H
#define COLLIO_DOMAIN_H

#include "extent.h"

#include <stdbool.h>

/** A contiguous part of the file that is given to one aggregator. */
typedef struct collio_given_t {
    int64_t begin;        /* offset of the first byte; part 0 begins at domains->lo instead */
    int aggregator;       /* owner of the part; an aggregator owns at most one part */
    int64_t window_bytes; /* bytes of a window of this aggregator */
} collio_given_t;

/** The range of a request, and the facts by which a partitioning divides it. */
typedef struct collio_division_t {
    int64_t lo;                  /* first byte of the request */
    int64_t hi;                  /* end of the request */
    int aggregators;             /* number of aggregators */
    int64_t unit;                /* contiguous parts begin at multiples of this */
    bool loose;                  /* contiguous parts may move by less than a unit */
    int64_t stripe;              /* cyclic: the owner changes at multiples of this */
    int stripe_count;            /* group_cyclic: aggregators of a group; 0: one group */
    const int64_t *bytes;        /* even: requested bytes of all ranks per bin; NULL: unknown */
    int bins;                    /* number of equal bins of [lo, hi); the last may be shorter */
    const collio_given_t *given; /* memory: the parts, ascending; the caller owns them */
    int given_count;             /* memory: number of parts */
} collio_division_t;

/** The place of a byte of [lo, hi). */
typedef struct collio_place_t {
    int aggregator; /* owner of the byte */
    int64_t local;  /* local coordinate of the byte, at least 0; ascends with the offset */
    int64_t run;    /* bytes starting here with one owner, contiguous in file and local */
} collio_place_t;

struct collio_domains_t;

/**
 * A partitioning: which aggregator owns which byte of [lo, hi), and the owner's *local*
 * coordinates, in which its domain is one contiguous line that collective buffers mirror. It is one
 * row of functions; other code calls the row and never compares partitionings.
 *
 *   even            0000000011111111          local = offset - bound[aggregator]
 *   static_cyclic   0011001100110011          local = the aggregator's stripes, put end to end
 *   group_cyclic    0101010123232323          as static_cyclic, inside a group
 *   memory          2222000000011111          local = offset - bound[part of the aggregator]
 */
typedef struct collio_partition_t {
    const char *name; /* value of the setting `partition` */
    bool contiguous;  /* an aggregator has one contiguous part at most */
    bool ascending;   /* the owner's number ascends with the offset */
    /** Parts of the file ascend with the aggregators, which are then listed by rank: data that
     *  ascends with the ranks stays on its node. A part does not go to the node with most of its
     *  bytes, because the bytes of each node and part are not agreed values; partition memory
     *  reduces them for each new plan (bench/records/2026-11-domains.md). */
    bool by_rank;
    bool by_bytes;  /* sparse requests are divided by requested bytes instead of by span */
    bool by_memory; /* parts follow the memory of the nodes, which is measured for each plan */
    /** Fills in the bounds: 0 or -ENOMEM. */
    int (*make)(const collio_division_t *division, struct collio_domains_t *domains);
    /** Returns an upper bound of the size of a domain. NULL: the whole range is the bound. */
    int64_t (*most)(const collio_division_t *division);
    /** Returns the place of a byte. */
    collio_place_t (*locate)(const struct collio_domains_t *domains, int64_t offset);
    /** The inverse of locate: returns the offset of a local byte; *run = its run. */
    int64_t (*offset)(const struct collio_domains_t *domains, int aggregator, int64_t local,
                      int64_t *run);
    /** Returns the bytes of an aggregator's domain. */
    int64_t (*size)(const struct collio_domains_t *domains, int aggregator);
    /** True if every byte has the same owner after a move by `delta`, a multiple of the unit. NULL:
     *  always. */
    bool (*keeps)(const struct collio_domains_t *domains, int64_t delta);
} collio_partition_t;

/** Every partitioning, in the order of the values of the setting: core/domain_<family>.c has the
 *  rows. */
#define COLLIO_PARTITION_LIST(each) each(even) each(static_cyclic) each(group_cyclic) each(memory)

#define COLLIO_PARTITION_DECLARE(name) extern const collio_partition_t collio_partition_##name;
COLLIO_PARTITION_LIST(COLLIO_PARTITION_DECLARE)

/** All partitionings; NULL ends the list. */
extern const collio_partition_t *const collio_partitions[];

/**
 * File domains. Pieces, windows and cycles of a plan are in local coordinates, so a plan stays
 * valid when the whole request moves in the file: only `lo`, `hi` and the bounds move.
 */
typedef struct collio_domains_t {
    const collio_partition_t *partition; /* the partitioning */
    int64_t lo;                          /* lowest offset of the request, rounded down to a unit */
    int64_t hi;                          /* end of the highest byte of the request */
    int64_t unit;                        /* bytes of a stripe or of the alignment; 1: none */
    int64_t step;                        /* moves in the file are multiples of this */
    int aggregators;                     /* number of aggregators */
    int parts;                           /* number of parts; cyclic: number of groups */
    int64_t *bound;                      /* part i is [bound[i], bound[i + 1]) */
    collio_given_t *given;               /* memory: owner and window of each part; others: NULL */
    int *part_of;                        /* memory: part of each aggregator or -1; others: NULL */
} collio_domains_t;

/** Makes the domains. Boundaries are multiples of the unit or stripe, counted from offset 0. Some
 *  domains may be empty. 0 or -ENOMEM. */
int collio_domains_make(const collio_partition_t *partition, const collio_division_t *division,
                        collio_domains_t *domains);
void collio_domains_fini(collio_domains_t *domains);

/** Returns an upper bound of the size of a domain, even for ranks that cannot allocate domains. */
int64_t collio_domains_most(const collio_partition_t *partition, const collio_division_t *division);

/** Returns the window of an aggregator; `window_bytes` is the window of all if there is one. */
static inline int64_t collio_domains_window(const collio_domains_t *domains, int aggregator,
                                            int64_t window_bytes)
{
    if (NULL == domains->given) {
        return window_bytes;
    }
    return domains->part_of[aggregator] < 0
               ? 1
               : domains->given[domains->part_of[aggregator]].window_bytes;
}

static inline collio_place_t collio_domains_locate(const collio_domains_t *domains, int64_t offset)
{
    return domains->partition->locate(domains, offset);
}

static inline int64_t collio_domains_offset(const collio_domains_t *domains, int aggregator,
                                            int64_t local, int64_t *run)
{
    return domains->partition->offset(domains, aggregator, local, run);
}

/** Returns the bytes of an aggregator's domain; 0: it is empty. */
static inline int64_t collio_domains_size(const collio_domains_t *domains, int aggregator)
{
    return domains->partition->size(domains, aggregator);
}

/** True if the domains can move by `delta`. False if the move would break the alignment, give bytes
 *  to other aggregators, or pass 0 or INT64_MAX. */
bool collio_domains_can_shift(const collio_domains_t *domains, int64_t delta);

/** Moves all domains by `delta`. Returns false, and changes nothing, if they cannot move. */
bool collio_domains_shift(collio_domains_t *domains, int64_t delta);

/* For the rows of functions. */

/** floor(total * i / parts) without overflow; 0 <= i <= parts < 2^31. */
static inline int64_t collio_domains_portion(int64_t total, int64_t i, int64_t parts)
{
    return total / parts * i + total % parts * i / parts;
}

/** Allocates the bounds of `parts` parts, and sets the first and the last bound. 0 or -ENOMEM. */
int collio_domains_bounds(collio_domains_t *domains, int parts);
/** Cuts [lo, hi) into `parts` parts of equal numbers of units. 0 or -ENOMEM. */
int collio_domains_cut(collio_domains_t *domains, int parts);
/** Returns the part that has `offset`. */
int collio_domains_part(const collio_domains_t *domains, int64_t offset);

#endif /* COLLIO_DOMAIN_H */
