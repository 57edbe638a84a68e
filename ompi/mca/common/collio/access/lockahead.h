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
    COLLIO_LOCKAHEAD_STRIPE,  /* collective: each stripe of it, in one call */
    COLLIO_LOCKAHEAD_CYCLE,   /* collective: each window, before its access */
    COLLIO_LOCKAHEAD_ELEMENT, /* individual: each transfer of a call */
    COLLIO_LOCKAHEAD_VIEW     /* individual: each piece of the view, at the first access */
} collio_lockahead_mode_t;

typedef struct collio_lockahead_t {
    collio_lockahead_mode_t collective; /* mode in force for collective access */
    collio_lockahead_mode_t individual; /* mode in force for individual access */
    bool reported_many;                 /* a line about too many pieces was printed */
    bool async;                         /* requests with time to spare do not wait */
    /** Requests locks that will be used for writing or reading; ranges are sorted. `now`: the
     *  access follows at once, so the request waits for the lock even if `async` is set. An access
     *  right behind its own asynchronous request does not find the lock yet and asks the server
     *  again, which is worse than no lockahead. Errors are counted and reported by the provider;
     *  the caller goes on in any case. Local. */
    void (*request)(struct collio_lockahead_t *self, const collio_extent_t *ranges, size_t count,
                    bool write, bool now);
    /** Takes back what was advised for the whole descriptor, if that can be why an access failed
     *  with this errno. True: the access is worth a second try. Local, from any thread. */
    bool (*withdraw)(struct collio_lockahead_t *self, int error);
} collio_lockahead_t;

/** The file's provider, or NULL. */
collio_lockahead_t *collio_lockahead_of(ompio_file_t *fh);

/** Accesses of the file that fail because of an advice are made once more without it. */
void collio_lockahead_guard(ompio_file_t *fh, collio_access_t *access);

/** Before the cycles of a collective call: modes `global` (the aggregator's whole domain) and
 *  `stripe` (the stripes in which it has `runs`, in local coordinates). Asynchronous: all but the
 *  first of its `count` windows, whose access may follow too soon. Nothing for the other modes. */
void collio_lockahead_domain(collio_lockahead_t *lockahead, const collio_domains_t *domains,
                             int aggregator, const collio_extents_t *runs,
                             const collio_cycle_t *cycle, size_t count, bool write);

/** Mode `cycle`, just before window `number` of `count` is accessed; whole stripes. Synchronous:
 *  that window. Asynchronous: the next one, so that its locks arrive while this one is accessed
 *  (and the first window synchronously). Nothing for the other modes. */
void collio_lockahead_window(collio_lockahead_t *lockahead, const collio_domains_t *domains,
                             int aggregator, const collio_cycle_t *cycle, size_t number,
                             size_t count, bool write);

/** What mode `view` has requested of a file; all-zero to begin with. */
typedef struct collio_lockahead_covered_t {
    int64_t base;   /* displacement of the view */
    int64_t extent; /* extent of the view */
    int64_t size;   /* bytes of one repetition of the view */
    size_t count;   /* pieces of one repetition of the view */
    bool write;     /* the locks are for writing */
    int64_t from;   /* first stream position that was requested */
    int64_t to;     /* first stream position behind those that were requested */
} collio_lockahead_covered_t;

/** Individual access to stream range [first, first + bytes) of a view, before it begins. Mode
 *  `element`: its pieces. Mode `view`: all pieces of the repetitions of the view it lies in, at the
 *  first access that needs them, because only then it is known whether they are written or read;
 *  those that later accesses use may be requested asynchronously. Nothing where there is no
 *  lockahead. */
void collio_lockahead_pieces(ompio_file_t *fh, const collio_tiling_t *file, int64_t first,
                             int64_t bytes, bool write, collio_lockahead_covered_t *covered);

/** The same for a list of transfers; both modes ask for what is transferred. */
void collio_lockahead_segments(ompio_file_t *fh, const collio_segment_t *segments, size_t count,
                               bool write);

#endif /* COLLIO_LOCKAHEAD_H */
