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
 * aggregators, and the flags by which a rank learns that a buffer is ready for it and the
 * aggregator that all have copied.
 *
 *   control of aggregator 0 | control of aggregator 1 | ... | region 0 | region 1 | ...
 *   control = arrived[2], limit[2], grant[local rank][2]: each in a cache line of its own, so that
 *   a rank that waits for one of them is not disturbed by writes to another
 *
 * A pair (aggregator, rank) uses its windows in the same order on both sides. The k-th window of
 * the pair, counted over the file's life, is granted in grant[rank][k mod 2] as 2 * (k + 1) +
 * buffer number. No count is ever reset, so calls need no barrier between them.
 */
typedef struct collio_shared_control_t {
    /* requesters that have used a buffer, counted over the file's life */
    _Alignas(COLLIO_CACHE_LINE) _Atomic uint64_t arrived[2];
    /* reads: local coordinate from which there is no data */
    _Alignas(COLLIO_CACHE_LINE) _Atomic int64_t limit[2];
} collio_shared_control_t;

typedef enum collio_shared_state_t {
    COLLIO_SHARED_NONE = 0, /* nothing yet */
    COLLIO_SHARED_NAMING,   /* the node's first rank makes the segment and sends its key */
    COLLIO_SHARED_MAPPING,  /* all ranks map the segment and agree whether all could */
    COLLIO_SHARED_READY,    /* all ranks have the segment */
    COLLIO_SHARED_FAILED    /* there is no segment, and never will be for this file */
} collio_shared_state_t;

typedef struct collio_shared_t {
    collio_shared_state_t state; /* how far the segment is */
    collio_shm_t segment;        /* the segment */
    char *at;                    /* memory of the segment */
    size_t bytes;                /* size of the segment */
    bool buffers;             /* it has collective buffers, not the staging of local aggregators */
    int slots;                /* ranks of this node that grant: its aggregators */
    int regions;              /* slots that have a region */
    int peers;                /* ranks of all nodes that grant */
    int local_ranks;          /* ranks of this node */
    bool mine;                /* this rank has a region */
    int64_t mine_bytes;       /* bytes that are accounted for as this rank's memory */
    int64_t region_bytes;     /* bytes of each region */
    uint64_t *granted;        /* as aggregator: grants given to each local rank */
    uint64_t *taken;          /* as requester: grants used of each aggregator on the node */
    struct {                  /* a segment that is being made */
        collio_shm_t segment; /* the segment */
        int64_t said[3];      /* NAMING: key and errno of the maker; MAPPING: errno of this rank */
        int64_t all[3];       /* maxima of `said` over the node */
        int64_t region_bytes; /* bytes of each region */
        size_t bytes;         /* size of the segment */
    } making;
} collio_shared_t;

struct collio_file_t;

/** Begins to make the node's collective buffers, with regions of at least region_bytes: one for
 *  each of the node's first `regions` aggregators, or (-1) for all. Collective on the node, by
 *  agreements: no other may be under way. */
void collio_shared_start(struct collio_file_t *file, collio_shared_t *shared, int64_t region_bytes,
                         int regions);

/** The same for any segment of the file: slots, regions, peers, local_ranks and mine are set. */
void collio_shared_make(struct collio_file_t *file, collio_shared_t *shared, int64_t region_bytes);
/** Goes on; true when the state is READY or FAILED. Never blocks. */
bool collio_shared_poll(struct collio_file_t *file, collio_shared_t *shared);

void collio_shared_fini(collio_shared_t *shared);
/** The same, and gives the memory back for all ranks of the node: none of them uses it again. */
void collio_shared_discard(collio_shared_t *shared);

collio_shared_control_t *collio_shared_control(const collio_shared_t *shared, int slot);

/** Grants buffer `number` of `slot`, which is this rank's, to a rank of the node. */
void collio_shared_grant(collio_shared_t *shared, int slot, int local_rank, int number);
/** The number of the buffer that the k-th grant of a pair has given, or -1: not granted yet. */
int collio_shared_granted(const collio_shared_t *shared, int slot, int local_rank, uint64_t k);
char *collio_shared_region(const collio_shared_t *shared, int slot);

#endif /* COLLIO_SHARED_H */
