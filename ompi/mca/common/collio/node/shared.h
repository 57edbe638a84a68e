/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_SHARED_H
#define COLLIO_SHARED_H

#include "compat/compat.h"
#include "node/shm.h"

#include <stdatomic.h>
#include <stdbool.h>

enum { COLLIO_CACHE_LINE = 64 };

/**
 * Memory that all ranks of a file on one node share: the collective buffers of the node's
 * aggregators, the grants that let a rank use a buffer, and the counts that show an aggregator that
 * all ranks have copied.
 *
 *   control of aggregator 0 | control of aggregator 1 | ... | region 0 | region 1 | ...
 *   control = arrived[2], limit[2], grant[local rank][2]: each in a cache line of its own, so that
 *   a write to one does not invalidate the line that another rank polls
 *
 * A pair (aggregator, rank) uses its windows in the same order on both sides. The k-th window of
 * the pair, counted over the file's life, is granted in grant[rank][k mod 2] as 2 * (k + 1) +
 * buffer number. No count is ever reset, so calls need no barrier between them.
 */
typedef struct collio_shared_control_t {
    /* for each buffer: requesters that have used it, counted over the file's life */
    _Alignas(COLLIO_CACHE_LINE) _Atomic uint64_t arrived[2];
    /* for each buffer, in reads: local coordinate where the data end */
    _Alignas(COLLIO_CACHE_LINE) _Atomic int64_t limit[2];
} collio_shared_control_t;

typedef enum collio_shared_state_t {
    COLLIO_SHARED_NONE = 0, /* no segment was requested */
    COLLIO_SHARED_NAMING,   /* the node's first rank creates the segment and sends its key */
    COLLIO_SHARED_MAPPING,  /* all ranks map the segment and agree whether all could */
    COLLIO_SHARED_READY,    /* all ranks have the segment */
    COLLIO_SHARED_FAILED    /* a segment could not be made; the file does not try again */
} collio_shared_state_t;

typedef struct collio_shared_t {
    collio_shared_state_t state; /* progress of creating the segment */
    collio_shm_t segment;        /* the segment in use */
    char *at;                    /* address of the segment */
    size_t bytes;                /* bytes of the segment */
    bool buffers;                /* true: collective buffers; false: staging of local aggregators */
    int owners;                  /* number of ranks of this node that grant: its aggregators */
    int regions;                 /* number of owners that have a region */
    int peers;                   /* number of ranks of all nodes that grant: entries of `taken` */
    int local_ranks;             /* number of ranks on this node: entries of `granted` */
    bool mine;                   /* this rank has a region */
    int64_t mine_bytes;   /* bytes of the segment that are accounted for as this rank's memory */
    int64_t region_bytes; /* bytes of each region */
    uint64_t *granted;    /* as aggregator: number of grants given to each local rank */
    uint64_t *taken;      /* as requester: number of grants used, for each of the `peers` */
    /* a segment that is being created */
    struct {
        collio_shm_t segment; /* the new segment, until all ranks of the node have mapped it */
        int64_t own[COLLIO_SHM_KEY]; /* NAMING: key of the segment; MAPPING: errno of this rank */
        int64_t all[COLLIO_SHM_KEY]; /* maxima of `own` over the node */
        int64_t region_bytes;        /* bytes of each region of the new segment */
        size_t bytes;                /* bytes of the new segment */
    } making;
} collio_shared_t;

struct collio_file_t;

/** Begins to create the node's collective buffers, with regions of at least region_bytes: one for
 *  each of the node's first `regions` aggregators (-1: for all). Collective on the node, by
 *  agreements; no other agreement may be active. */
void collio_shared_start(struct collio_file_t *file, collio_shared_t *shared, int64_t region_bytes,
                         int regions);

/** Begins to create any segment of the file. The caller has set owners, regions, peers, local_ranks
 *  and mine. Collective on the node, as collio_shared_start. */
void collio_shared_make(struct collio_file_t *file, collio_shared_t *shared, int64_t region_bytes);
/** Continues to create the segment. True when the state is READY or FAILED. Never blocks. */
bool collio_shared_poll(struct collio_file_t *file, collio_shared_t *shared);

/** Unmaps the segment and clears the struct. */
void collio_shared_fini(collio_shared_t *shared);
/** Frees the memory of the segment for all ranks of the node, then calls collio_shared_fini. No
 *  rank may use the segment again. */
void collio_shared_discard(collio_shared_t *shared);

collio_shared_control_t *collio_shared_control(const collio_shared_t *shared, int owner);

/** Grants buffer `number` of this owner to a rank of the node. */
void collio_shared_grant(collio_shared_t *shared, int owner, int local_rank, int number);
/** Returns the buffer number of the k-th grant of a pair, or -1 if it is not granted yet. */
int collio_shared_granted(const collio_shared_t *shared, int owner, int local_rank, uint64_t k);
char *collio_shared_region(const collio_shared_t *shared, int owner);

#endif /* COLLIO_SHARED_H */
