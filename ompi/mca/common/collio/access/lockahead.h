/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_LOCKAHEAD_H
#define COLLIO_LOCKAHEAD_H

#include "access/access.h"
#include "compat/compat.h"
#include "core/cycle.h"
#include "core/domain.h"

/**
 * Lustre lock-ahead for the fcolls and fbtl/mtpwrite, which do not include fs/lustre_lla: that
 * component stores a provider in fh->f_fs_ptr. This file decides which ranges are requested before
 * an access; the provider makes the requests.
 */

typedef enum collio_lockahead_mode_t {
    COLLIO_LOCKAHEAD_OFF = 0,
    COLLIO_LOCKAHEAD_GLOBAL,  /* collective: the aggregator's whole file domain */
    COLLIO_LOCKAHEAD_STRIPE,  /* collective: the stripes of the file domain that have data */
    COLLIO_LOCKAHEAD_CYCLE,   /* collective: each window, before its access */
    COLLIO_LOCKAHEAD_ELEMENT, /* individual: each piece of an access */
    COLLIO_LOCKAHEAD_VIEW     /* individual: each piece of the view, when it is set */
} collio_lockahead_mode_t;

typedef struct collio_lockahead_t {
    collio_lockahead_mode_t collective; /* mode in force for collective access */
    collio_lockahead_mode_t individual; /* mode in force for individual access */
    bool reported_many;                 /* a line about too many pieces was printed */
    bool async_collective;              /* collective requests may be asynchronous */
    bool async_individual;              /* individual requests may be asynchronous */
    /** Requests locks that will be used for writing or reading; ranges are sorted. `now`: the
     *  request waits for the locks. Callers set it unless requests may be asynchronous and the
     *  access follows later: an access right after its own asynchronous request does not find the
     *  lock yet and requests it again, which is slower than no lock-ahead. The provider counts and
     *  reports errors; the caller continues in any case. Local. */
    void (*request)(struct collio_lockahead_t *self, const collio_extent_t *ranges, size_t count,
                    bool write, bool now);
    /** Withdraws the advice for the whole descriptor if the advice may have caused a failure with
     *  this errno. True: repeat the access. Local, may run on any thread. */
    bool (*withdraw)(void *self, int error);
} collio_lockahead_t;

/** Registers the fs component whose files have a provider in f_fs_ptr, in its register function. */
void collio_lockahead_register(const mca_base_component_t *component);

/** Returns the provider of the file, or NULL. */
collio_lockahead_t *collio_lockahead_of(ompio_file_t *fh);

/** Sets access->withdraw, so that an access that fails because of an advice is repeated without the
 *  advice. */
void collio_lockahead_guard(ompio_file_t *fh, collio_access_t *access);

/** Requests locks before the cycles of a collective call, in modes `global` (the aggregator's whole
 *  file domain) and `stripe` (the stripes that contain `runs`, in local coordinates). With
 *  `async_collective`, the request waits only for the first of the `count` windows, whose access
 *  follows at once. Does nothing in the other modes. */
void collio_lockahead_domain(collio_lockahead_t *lockahead, const collio_domains_t *domains,
                             int aggregator, const collio_extents_t *runs,
                             const collio_cycle_t *cycle, size_t count, bool write);

/** Mode `cycle`: requests whole stripes just before window `number` of `count` is accessed.
 *  Synchronous: the stripes of window `number`. With `async_collective`: the stripes of the next
 *  window, whose locks arrive during the access to window `number`; window 0 is requested
 *  synchronously. Does nothing in the other modes. */
void collio_lockahead_window(collio_lockahead_t *lockahead, const collio_domains_t *domains,
                             int aggregator, const collio_cycle_t *cycle, size_t number,
                             size_t count, bool write);

/** Locks of a file that mode `view` has requested; all-zero at the start. */
typedef struct collio_lockahead_covered_t {
    int64_t base;   /* displacement of the view */
    int64_t extent; /* extent of the view */
    int64_t size;   /* bytes of one repetition of the view */
    size_t count;   /* pieces of one repetition of the view */
    bool write;     /* the locks are for writing */
    int64_t from;   /* first stream position that was requested */
    int64_t to;     /* first stream position past the requested range */
} collio_lockahead_covered_t;

/** Requests locks before an individual access to the range of a job, a whole request. Mode
 *  `element`: the pieces of the access. Mode `view`: all pieces of the repetitions of the view that
 *  contain the range, unless they were requested before. With `async_individual`, the request waits
 *  only for the pieces that are accessed first. Does nothing without lock-ahead. */
void collio_lockahead_pieces(ompio_file_t *fh, const collio_job_t *job,
                             collio_lockahead_covered_t *covered);

/** True if MPI_File_set_view requests the locks of the first repetition of a view: mode `view`. */
bool collio_lockahead_at_view(ompio_file_t *fh);

/** Requests locks before an individual access to a list of segments, in both modes. Waits for all
 *  of them: OMPIO has cut the access into lists, each of which is accessed at once. */
void collio_lockahead_segments(ompio_file_t *fh, const collio_segment_t *segments, size_t count,
                               bool write);

#endif /* COLLIO_LOCKAHEAD_H */
