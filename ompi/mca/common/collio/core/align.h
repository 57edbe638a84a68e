/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_ALIGN_H
#define COLLIO_ALIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Alignment: domains and windows begin at multiples of a unit. If two aggregators write parts of
 * one block, network file systems pass locks or tokens back and forth (GPFS), read a block to
 * change a part of it, or keep a stale part of a page in the other node's cache (NFS, FUSE).
 */

enum { COLLIO_ALIGN_MIN = 4096 }; /* bytes of a page, the unit of a node's cache */

/** Where the unit comes from. */
typedef enum collio_align_source_t {
    COLLIO_ALIGN_NONE = 0, /* a local file system: the unit is 1 */
    COLLIO_ALIGN_BLOCK,    /* st_blksize, or a page if st_blksize is not plausible */
    COLLIO_ALIGN_STRIPE,   /* the stripe of the file */
    COLLIO_ALIGN_SET       /* a value that the user has set */
} collio_align_source_t;

/** Facts about a file that determine its alignment. */
typedef struct collio_align_facts_t {
    uint32_t file_system; /* magic number, as statfs returns it; 0: unknown */
    bool striped;         /* the file has stripes (Lustre, BeeGFS) of stripe_bytes */
    int64_t stripe_bytes; /* bytes of a stripe; 0: unknown */
    int64_t block_bytes;  /* st_blksize; 0: unknown */
    int64_t set_bytes;    /* unit that the user has set; 0: not set, 1: no alignment */
} collio_align_facts_t;

typedef struct collio_align_t {
    int64_t unit;                 /* bytes of the unit, at least 1 */
    collio_align_source_t source; /* where the unit comes from */
    /** A plan that moves must stay aligned, otherwise a new plan is made. False: only new plans are
     *  aligned, because reuse of a plan saves more than alignment. */
    bool strict;
} collio_align_t;

/**
 * Chooses the alignment of a file:
 *
 *   the user has set a unit        this unit, strict
 *   the file has stripes           the stripe, strict: each stripe has a server, on Lustre a lock
 *   other network file systems     the stripe if one was named, else st_blksize; both must be whole
 *                                  pages and at most 64 MiB, else a page
 *   local file systems             none: one page cache serves all ranks
 */
collio_align_t collio_align_choose(const collio_align_facts_t *facts);

/** Returns the unit of domains for a request of `span` bytes. A unit that is not strict is halved,
 *  down to a page, until an aggregator has at least four units: no domain then exceeds the average
 *  by more than a quarter. */
int64_t collio_align_domains(const collio_align_t *align, int64_t span, int aggregators);

/** Returns the size of the largest window within `bytes`, at least 1: whole units, or whole pages
 *  without a unit. If no unit fits, the largest half, quarter, ... of a unit that fits, so that
 *  windows do not cross borders of units; if no page fits, `bytes`. */
int64_t collio_align_window(const collio_align_t *align, int64_t bytes);

/** Packs an alignment into one number. The maximum over ranks with different facts is the alignment
 *  with the largest unit. */
int64_t collio_align_pack(const collio_align_t *align);
collio_align_t collio_align_unpack(int64_t packed);

/** For reports: "131072 bytes, the file system's block", "none, a local file system". */
void collio_align_format(const collio_align_t *align, char *text, size_t size);

#endif /* COLLIO_ALIGN_H */
