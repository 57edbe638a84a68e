/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_CHOICE_H
#define COLLIO_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedule.h"
#include "transport_rule.h"

/**
 * The decisions of `auto`: the first calls of a kind measure a few ways to carry out a call, and
 * later calls use the fastest way. The kind of a call is its direction and its average piece size.
 * Every decision is a function of agreed values, so all ranks choose the same way.
 */

/** A way to carry out a call: direct access, or the sum of a transport and the place of a schedule
 *  in the list of schedules. */
typedef enum collio_candidate_t {
    COLLIO_CANDIDATE_DIRECT = 0, /* no exchange: each rank accesses its own pieces */
    COLLIO_CANDIDATE_SHM = 1,    /* exchange, shared memory on a node */
    /* exchange by messages only */
    COLLIO_CANDIDATE_ISEND = COLLIO_CANDIDATE_SHM + COLLIO_SCHEDULES,
    COLLIO_CANDIDATES = COLLIO_CANDIDATE_ISEND + COLLIO_SCHEDULES
} collio_candidate_t;

/** Returns the schedule of a candidate; `none` for direct access. */
const collio_schedule_t *collio_choice_schedule(collio_candidate_t candidate);
/** Returns the collective buffers of a candidate; PRIVATE for direct access. */
collio_buffers_t collio_choice_buffers(collio_candidate_t candidate);
/** Returns the candidate with this schedule and these buffers. */
collio_candidate_t collio_choice_candidate(collio_buffers_t buffers,
                                           const collio_schedule_t *schedule);

/** Agreed facts about a call and its file, from which `auto` decides. */
typedef struct collio_facts_t {
    bool write;       /* the call writes */
    int64_t bytes;    /* bytes of all ranks */
    int64_t pieces;   /* pieces of all ranks */
    int64_t spans;    /* bytes from first to last byte of each rank, summed */
    int ranks;        /* number of ranks */
    int nodes;        /* number of nodes */
    bool interleaved; /* the ranges of the ranks interleave (core/interleave.h) */
    bool in_memory;   /* tmpfs or ramfs: a write is little more than a copy */
    /** Several nodes on a local file system: containers of one machine, which share its page cache
     *  but exchange by messages. */
    bool one_machine;
    /** Direct accesses of several clients would revoke each other's locks, or request one lock
     *  each: interleaved pieces are exchanged. */
    bool contended;
    bool locks;        /* every access takes a lock of the server: two messages more (NFS) */
    bool sieve_writes; /* data sieving of writes is on: holes do not cost a system call each */
    bool many_cycles;  /* an aggregator has more data than a window: the schedule matters */
    bool may_skip;     /* the settings allow direct access */
    bool may_exchange; /* the settings allow an exchange */
    bool may_overlap;  /* the setting schedule is auto */
    bool may_shm;      /* shared memory may be used: transport auto or shm, not in atomic mode */
    bool may_isend;    /* messages may be used, or stand for a transport that is not measured */
} collio_facts_t;

/** The candidates that are worth a measurement for a call. */
typedef struct collio_candidates_t {
    unsigned set;             /* bit c is set if candidate c is worth a measurement; never 0 */
    collio_candidate_t first; /* candidate to begin with */
    int patience;             /* calls that `first` serves before other candidates are measured */
} collio_candidates_t;

collio_candidates_t collio_choice_candidates(const collio_facts_t *facts);

/** Measurements of one kind of call. Initially all zero. */
typedef struct collio_measured_t {
    int64_t best[COLLIO_CANDIDATES]; /* minimum nanoseconds per MiB; 0: never measured */
    int64_t hideable; /* maximum nanoseconds per MiB that an overlap could have hidden */
    int tried[COLLIO_CANDIDATES]; /* number of measurements */
    int served;                   /* calls without a measurement */
} collio_measured_t;

/** Returns the candidate for the next call; *probing = the call is measured. Each is measured
 *  twice, because the first call pays for plans and fresh memory. A candidate that is more than
 *  twice as slow as the best is not measured again, nor is a schedule that uses the plan of another
 *  one and is more than 1/8 slower. Overlap is measured only if an exchange without overlap had
 *  time to hide, and each schedule under the condition in its row (core/schedule.c). If shared
 *  memory and messages are both candidates, messages are measured with the schedule that was
 *  fastest in shared memory. */
collio_candidate_t collio_choice_next(const collio_measured_t *measured,
                                      const collio_candidates_t *candidates, bool *probing);

/** Records the time of a call, and the access time that could have overlapped with the exchange. */
void collio_choice_record(collio_measured_t *measured, collio_candidate_t candidate, int64_t bytes,
                          int64_t nanoseconds, int64_t hideable);

/** True if a request of a rank is similar to its last one, so that the same candidate may serve it.
 *  Requests are similar if they have the same bytes and pieces, or pieces of about the same size
 *  that are not tiny: variables of a program differ in the number of their components, and blocks
 *  by a row. */
bool collio_choice_alike(int64_t bytes, int64_t pieces, int64_t last_bytes, int64_t last_pieces);

/** Return the reason for each part of a candidate: exchange or not, the transport, the schedule. */
collio_reason_t collio_choice_why_exchange(const collio_facts_t *facts,
                                           const collio_measured_t *measured,
                                           collio_candidate_t candidate, bool probing);
collio_reason_t collio_choice_why_transport(const collio_facts_t *facts,
                                            const collio_measured_t *measured,
                                            collio_candidate_t candidate, bool probing);
collio_reason_t collio_choice_why_schedule(const collio_facts_t *facts,
                                           const collio_measured_t *measured,
                                           collio_candidate_t candidate, bool probing);

enum { COLLIO_KINDS = 16 };

/** Returns the kind of a call, 0 to COLLIO_KINDS - 1. */
int collio_choice_kind(const collio_facts_t *facts);

#endif /* COLLIO_CHOICE_H */
