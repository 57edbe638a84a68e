/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_CHOICE_H
#define COLLIO_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reason.h"

/**
 * What `auto` tries, and how it decides: a few ways to do a call, each measured on the first calls
 * of its kind, the fastest kept. Kinds are the direction and the average piece size. Everything is
 * a function of values that all ranks have agreed on, so all ranks choose alike.
 */
typedef enum collio_way_t {
    COLLIO_WAY_DIRECT = 0,        /* no exchange: each rank its own pieces */
    COLLIO_WAY_SHM,               /* exchange, shared memory on a node; no overlap */
    COLLIO_WAY_SHM_WRITE_COMM2,   /* exchange, shared memory on a node; schedule write_comm2 */
    COLLIO_WAY_SHM_WRITE_COMM,    /* exchange, shared memory on a node; schedule write_comm */
    COLLIO_WAY_ISEND,             /* exchange by messages only; no overlap */
    COLLIO_WAY_ISEND_WRITE_COMM2, /* exchange by messages only; schedule write_comm2 */
    COLLIO_WAY_ISEND_WRITE_COMM,  /* exchange by messages only; schedule write_comm */
    COLLIO_WAYS
} collio_way_t;

/** How a way overlaps exchange and file access. */
typedef enum collio_overlap_t {
    COLLIO_OVERLAP_NONE = 0,
    COLLIO_OVERLAP_WRITE_COMM2,
    COLLIO_OVERLAP_WRITE_COMM,
    COLLIO_OVERLAPS
} collio_overlap_t;

/** The overlap of a way; direct access has none. */
collio_overlap_t collio_choice_overlap(collio_way_t way);
/** False for the ways that exchange by messages only. */
bool collio_choice_shares(collio_way_t way);

/** What is known of a call before it is done. */
typedef struct collio_facts_t {
    bool write;
    int64_t bytes; /* of all ranks */
    int64_t pieces;
    int64_t span;  /* highest - lowest offset */
    int64_t spans; /* sum of the ranks' own spans: above `span` they interleave */
    int ranks;
    int nodes;
    bool in_memory;    /* tmpfs or ramfs: a write is little more than a copy */
    bool one_machine;  /* several nodes on a local file system, so they are containers of one
                         machine and share its page cache, but exchange by messages */
    bool contended;    /* direct accesses of several clients would take locks from each other, or
                          ask for one lock each: pieces that interleave are exchanged */
    bool sieve_writes; /* writes may read, change and write whole windows: the gaps do not cost a
                          system call each */
    bool many_cycles;  /* more data than the aggregators' buffers: schedules matter */
    bool may_skip;     /* direct access is allowed by the settings */
    bool may_exchange;
    bool may_overlap; /* schedule auto */
    bool may_shm;     /* transport auto or shm */
    bool may_isend;   /* transport auto or isend */
} collio_facts_t;

/** What is to be tried for a call. */
typedef struct collio_candidates_t {
    unsigned ways;      /* bit w is set when way w is worth trying; never 0 */
    collio_way_t first; /* the one to begin with */
    int patience;       /* calls served by `first` before others are tried */
} collio_candidates_t;

collio_candidates_t collio_choice_candidates(const collio_facts_t *facts);

/** What was learnt about one kind of call. All-zero at first. */
typedef struct collio_learnt_t {
    int64_t best[COLLIO_WAYS]; /* least nanoseconds per MiB, 0 = never tried */
    int64_t hideable;          /* most per MiB, in exchanges without overlap */
    int tried[COLLIO_WAYS];
    int served; /* calls in which nothing was tried */
} collio_learnt_t;

/** The way to go now; *probing = it is being measured. Each way is tried twice (the first time pays
 *  for plans and fresh memory), a way that loses by 2x is not tried again. Overlap is tried only
 *  where an exchange without it has shown time that could be hidden, and write_comm only where
 *  write_comm2 was faster than no overlap. */
collio_way_t collio_choice_next(const collio_learnt_t *learnt,
                                const collio_candidates_t *candidates, bool *probing);

/** Records the time of a call, and the access time that could have overlapped with the exchange. */
void collio_choice_learn(collio_learnt_t *learnt, collio_way_t way, int64_t bytes,
                         int64_t nanoseconds, int64_t hideable);

/** Is a request of one rank like its last one, so that what was chosen for that may serve it, too?
 *  It is if it has the same bytes and pieces, or pieces of about the same size that are not tiny:
 *  the variables of a program differ in the number of their components, and blocks by a row. */
bool collio_choice_alike(int64_t bytes, int64_t pieces, int64_t last_bytes, int64_t last_pieces);

/** Why `auto` came to this way, for each part: exchange or not, the transport, the schedule. */
collio_reason_t collio_choice_why_exchange(const collio_facts_t *facts,
                                           const collio_learnt_t *learnt, collio_way_t way,
                                           bool probing);
collio_reason_t collio_choice_why_transport(const collio_facts_t *facts,
                                            const collio_learnt_t *learnt, collio_way_t way,
                                            bool probing);
collio_reason_t collio_choice_why_schedule(const collio_facts_t *facts,
                                           const collio_learnt_t *learnt, collio_way_t way,
                                           bool probing);

enum { COLLIO_KINDS = 16 };

/** 0 .. KINDS - 1. */
int collio_choice_kind(const collio_facts_t *facts);

#endif /* COLLIO_CHOICE_H */
