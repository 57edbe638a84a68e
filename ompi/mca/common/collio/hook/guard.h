/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_GUARD_H
#define COLLIO_GUARD_H

#include "access/access.h"
#include "compat/compat.h"

/**
 * Data sieving of writes, per file handle. A sieved write puts back bytes that it has read, so it
 * is correct only if every writer of the handle takes locks: the fcoll's collective calls and all
 * accesses of the fbtl. Rule: writes are sieved if on ALL ranks a parameter or hint requests it,
 * fbtl/mtpwrite serves the handle, and the file system grants locks that reach all nodes. The ranks
 * agree when fcoll/overlap or fcoll/tam attaches to the handle; with another fcoll there is no
 * agreement, and only a handle of a single process can sieve writes.
 */

typedef struct collio_guard_t {
    bool requested;                    /* a parameter or hint requests sieved writes */
    bool settled;                      /* the decision `on` was made */
    bool on;                           /* writes are sieved */
    uint64_t flushed;                  /* bytes of individual writes at the last flush */
    collio_tuning_t tuning;            /* settings of the fbtl */
    const collio_access_t *individual; /* access of the fbtl; NULL before its first transfer */
} collio_guard_t;

/** fbtl/mtpwrite calls this when it is selected for a handle. requested: a parameter or hint
 *  requests sieved writes. tuning: settings of the fbtl, which are copied to every access struct
 *  of the handle, including the one of direct collective calls. Returns 0 or -ENOMEM. Local. */
int collio_guard_offer(ompio_file_t *fh, bool requested, const collio_tuning_t *tuning);
/** Removes the guard of a handle that is being closed. */
void collio_guard_end(ompio_file_t *fh);

enum { COLLIO_GUARD_FIELDS = 2 };
/** Fills the contribution of this rank to an agreement by MPI_MAX. Local. */
void collio_guard_request(ompio_file_t *fh, collio_access_t *access,
                          int64_t fields[COLLIO_GUARD_FIELDS]);
/** Sets access->sieve_writes from the maxima of the contributions. Collective over fh->f_comm.
 *  Returns NULL, or the reason why writes are not sieved although a rank requested it. */
const char *collio_guard_settle(ompio_file_t *fh, collio_access_t *access,
                                const int64_t fields[COLLIO_GUARD_FIELDS]);

/** Does fbtl/mtpwrite serve the handle on all ranks, according to the maxima? */
bool collio_guard_serves_all(const int64_t fields[COLLIO_GUARD_FIELDS]);

/** For the access struct of the fbtl, at its first transfer: sets access->sieve_writes from the
 *  decision. Returns NULL, or once the reason why writes are not sieved although this rank
 *  requested it. */
const char *collio_guard_use(ompio_file_t *fh, collio_access_t *access);

/* Coherence between the caches of nodes on file systems that do not provide it. The file system of
 * a handle and the nodes of the job determine the method (core/file_system.h). */

/** Fills the access struct of a handle from its descriptor, the settings of the fbtl and the nodes
 *  of the job. Local. */
void collio_caches_open(ompio_file_t *fh, collio_access_t *access);

/** Sends the bytes of individual writes on this node to the servers if collective accesses of other
 *  ranks would otherwise miss them. Does nothing without individual writes since the last flush.
 *  Local. Returns 0 or a positive errno. */
int collio_caches_flush(ompio_file_t *fh, const collio_access_t *access);

/** After a collective write in which aggregators of other nodes wrote for this rank: updates the
 *  cache of this node, so that individual reads return these bytes. Local. */
void collio_caches_written(const ompio_file_t *fh, const collio_access_t *access);

/** For MPI_File_sync: updates the cache of this node, so that later reads return the bytes that
 *  other nodes had written and flushed. Local. */
void collio_caches_refresh(ompio_file_t *fh);

#endif /* COLLIO_GUARD_H */
