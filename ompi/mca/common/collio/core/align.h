/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_ALIGN_H
#define COLLIO_ALIGN_H

#include <stdbool.h>
#include <stdint.h>

/**
 * Alignment: at multiples of which unit domains and windows begin. Two aggregators that write parts
 * of one block make network file systems pass locks or tokens back and forth (GPFS), read a block
 * to change a part of it, or keep a stale part of a page in the other node's cache (NFS, FUSE).
 */

enum { COLLIO_ALIGN_LEAST = 4096 }; /* a page: what nodes cache */

/** Where the unit comes from. */
typedef enum collio_align_source_t {
    COLLIO_ALIGN_NONE = 0, /* a local file system: the unit is 1 */
    COLLIO_ALIGN_BLOCK,    /* st_blksize, or a page if that cannot be right */
    COLLIO_ALIGN_STRIPE,   /* the stripe of the file */
    COLLIO_ALIGN_SET       /* a value that the user has set */
} collio_align_source_t;

/** What is known of a file. */
typedef struct collio_align_facts_t {
    uint32_t file_system; /* magic number, as statfs returns it; 0 = not known */
    bool striped;         /* the file has stripes (Lustre, BeeGFS): stripe_bytes is true */
    int64_t stripe_bytes; /* bytes of a stripe; 0 = not known */
    int64_t block_bytes;  /* st_blksize; 0 = not known */
    int64_t set_bytes;    /* what the user has set; 0 = nothing, 1 = no alignment */
} collio_align_facts_t;

typedef struct collio_align_t {
    int64_t unit;                 /* bytes of the unit, at least 1 */
    collio_align_source_t source; /* where the unit comes from */
    /** A plan that moves must stay aligned, or is made again. False: new plans are aligned, and to
     *  reuse a plan is worth more than its alignment. */
    bool strict;
} collio_align_t;

/**
 *   the user has set it            that, strictly
 *   the file has stripes           the stripe, strictly: each has a server, on Lustre with a lock
 *   other network file systems     the stripe if one was named, else st_blksize; both must be whole
 *                                  pages and at most 64 MiB, else a page
 *   local file systems             none: one page cache serves all ranks
 */
collio_align_t collio_align_choose(const collio_align_facts_t *facts);

/** The unit of domains for a request of `span` bytes. What is not strict is halved, but not below
 *  a page, until an aggregator has four units or more: no domain is then larger than the average by
 *  more than a quarter. */
int64_t collio_align_domains(const collio_align_t *align, int64_t span, int aggregators);

/** The largest window of at most `bytes` bytes, at least 1: whole units; if not even one fits, the
 *  largest half, quarter, ... of a unit that does, so that borders of windows and units still
 *  meet; below a page, `bytes`. Without a unit: whole pages. */
int64_t collio_align_window(const collio_align_t *align, int64_t bytes);

/** All of it in one number, for a maximum over ranks that see the file differently: the largest
 *  unit wins. */
int64_t collio_align_pack(const collio_align_t *align);
collio_align_t collio_align_unpack(int64_t packed);

/** For reports: "the file system's block". */
const char *collio_align_source_name(collio_align_source_t source);

#endif /* COLLIO_ALIGN_H */
