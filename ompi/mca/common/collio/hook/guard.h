/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_GUARD_H
#define COLLIO_GUARD_H

#include "access/access.h"
#include "compat/compat.h"

/**
 * Data sieving of writes, per file handle. A sieved write puts back bytes that it has read, so it
 * is correct only if every writer of the file takes locks: the fcoll's collective calls and all
 * accesses of the fbtl. So it requires the consent of the user:
 *
 *   sieve_write=on          the user promises that every handle of the file has this setting. All
 *                           writes of the handle take locks starting at the open.
 *   MPI_MODE_UNIQUE_OPEN    MPI's promise that the file is not open elsewhere. Locks begin with the
 *                           first view whose pieces are so small that sieving pays; until then no
 *                           write takes a lock. sieve_write=off declines.
 *
 * and that fbtl/mtpwrite serves the handle on all ranks, and that the file system grants locks that
 * reach all nodes. The ranks agree when fcoll/overlap or fcoll/tam attaches to the handle, and in
 * MPI_File_set_view; with another fcoll there is no agreement, and only a handle of a single
 * process can sieve writes.
 */

typedef struct collio_guard_t {
    int sieve_write;             /* the setting: COLLIO_SETTING_AUTO, _ON or _OFF */
    bool settled;                /* the decision `on` was made, for now or for good */
    bool at_view;                /* a view of small pieces may still switch sieving on */
    bool on;                     /* writes are sieved, and all writes take locks */
    uint64_t flushed;            /* bytes of individual writes at the last flush */
    collio_tuning_t tuning;      /* settings of the fbtl */
    collio_access_t *individual; /* access of the fbtl; NULL before its first transfer */
} collio_guard_t;

/** fbtl/mtpwrite calls this when it is selected for a handle. sieve_write, tuning: settings of the
 *  fbtl; `tuning` is copied to every access struct of the handle, including the one of direct
 *  collective calls. Returns 0 or -ENOMEM. Local. */
int collio_guard_offer(ompio_file_t *fh, int sieve_write, const collio_tuning_t *tuning);
/** Removes the guard of a handle that is being closed. */
void collio_guard_end(ompio_file_t *fh);

/** Returns the contribution of this rank to an agreement by MPI_MAX. Local. */
int64_t collio_guard_request(ompio_file_t *fh, collio_access_t *access);
/** Sets access->sieve_writes from the maximum of the contributions. Collective over fh->f_comm.
 *  Returns NULL, or the reason why writes are not sieved although this rank requested it. */
const char *collio_guard_settle(ompio_file_t *fh, collio_access_t *access, int64_t all);
/** True if fbtl/mtpwrite serves the handle on all ranks, according to the maximum. */
bool collio_guard_serves_all(int64_t all);

/** For MPI_File_set_view, after the view was set: switches sieving on if the handle waits for a
 *  view of small pieces and this is one. `collective`: access struct of the fcoll, or NULL. `set`:
 *  false on a rank that could not set its view; then sieving stays off. Collective over fh->f_comm;
 *  communicates only for handles that wait. Returns OMPI_SUCCESS, or the error of a
 *  communication. */
int collio_guard_view(ompio_file_t *fh, collio_access_t *collective, bool set);

/** For the access struct of the fbtl, at its first transfer: sets access->sieve_writes from the
 *  decision. Returns NULL, or once the reason why writes are not sieved although this rank
 *  requested it. */
const char *collio_guard_use(ompio_file_t *fh, collio_access_t *access);

/* Coherence between the caches of nodes on file systems that do not provide it. The file system of
 * a handle and the nodes of the job determine the method (core/file_system.h). */

/** Fills the access struct of a handle from its descriptor, the settings of the fbtl and the nodes
 *  of the job. Local. */
void collio_caches_open(ompio_file_t *fh, collio_access_t *access);

/** Lets callers of this process that wait for a lock make MPI progress, from now on. For users of
 *  locks that wait before the access struct of a handle is filled. Local. */
void collio_locks_progress(void);

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
