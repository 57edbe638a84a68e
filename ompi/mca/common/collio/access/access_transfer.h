/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_ACCESS_TRANSFER_H
#define COLLIO_ACCESS_TRANSFER_H

#include <sys/uio.h>

#include "access/access.h"

#include "compat/clock.h"

/** The lowest layer of file access: all transfers end in these calls. */

enum { COLLIO_IOV_MOST = 1024 }; /* Linux's IOV_MAX */

/** Adds to a counter that several threads may add to. */
static inline void collio_count(uint64_t *counter, uint64_t amount)
{
    __atomic_fetch_add(counter, amount, __ATOMIC_RELAXED);
}

/** Counts a transfer of a caller. */
static inline void collio_count_transfer(const collio_access_t *access, bool write, int64_t bytes)
{
    collio_access_stats_t *stats = access->stats;

    collio_count(write ? &stats->calls_write : &stats->calls_read, 1);
    collio_count(write ? &stats->bytes_written : &stats->bytes_read, (uint64_t) bytes);
}

/** Counts time inside system calls. */
static inline void collio_count_time(collio_access_stats_t *stats, bool write, uint64_t ns)
{
    collio_count(&stats->access_ns, ns);
    collio_count(write ? &stats->write_ns : &stats->read_ns, ns);
}

static inline void collio_outcome_init(collio_outcome_t *outcome)
{
    outcome->error = 0;
    outcome->bytes = 0;
    outcome->stop_offset = INT64_MAX;
}

/** Moves `bytes` bytes between the file from `offset` on and the vector, until all are transferred,
 *  the file ends (read) or an error occurs. Changes the vector. Returns the bytes moved; *error = 0
 *  or a positive errno. */
int64_t collio_transfer_vector(collio_access_t *access, bool write, int64_t offset,
                               struct iovec *iov, int count, int64_t bytes, int *error);

/** The same for one block of memory. */
int64_t collio_transfer_block(collio_access_t *access, bool write, int64_t offset, char *addr,
                              int64_t bytes, int *error);

/** Reads one block if it is all in the page cache. False: it is not, or that is not known; `addr`
 *  then holds anything. Never waits for a device. */
bool collio_transfer_cached(collio_access_t *access, int64_t offset, char *addr, int64_t bytes);

/** Fills the vector (of `iov_most` entries) with the segments that continue each other in the file,
 *  from the first on; those that also continue each other in memory share an entry. Returns the
 *  segments taken, at least 1; *bytes = their bytes. */
size_t collio_transfer_gather(const collio_segment_t *segments, size_t count, int iov_most,
                              struct iovec *iov, int *iov_count, int64_t *bytes);

/** Withdraws an advice that may be why a transfer failed with this errno. True: try again. */
static inline bool collio_transfer_withdraw(const collio_access_t *access, int error)
{
    return NULL != access->withdraw && access->withdraw(access->advice, error);
}

/** Drops the first `moved` bytes of a vector. */
void collio_transfer_skip(struct iovec **iov, int *count, size_t moved);

/** Segments one after the other, without sieving and without locks: neighbors in the file go in
 *  one vector. Adds to outcome->bytes; sets error and stop_offset when it stops. */
void collio_transfer_segments(collio_access_t *access, bool write, const collio_segment_t *segments,
                              size_t count, collio_outcome_t *outcome);

/** Transfers segments with sieving and locks as `access` says. `held`: what the caller holds on the
 *  whole range; with HELD_NONE the calling thread waits for locks, so it must not be one of the
 *  pool. Adds to outcome->bytes. */
void collio_access_segments(collio_access_t *access, bool write, collio_held_t held,
                            const collio_segment_t *segments, size_t count,
                            collio_outcome_t *outcome);

/** The part of access_run() for a job with tilings. */
void collio_access_run_request(collio_job_t *job);

/** First byte and length of the file range that a transfer touches. */
void collio_access_span(const collio_segment_t *segments, size_t count, int64_t *offset,
                        int64_t *length);

/** Is the job, which has tilings and bytes, one piece in the file and in memory? Then where. */
bool collio_job_is_piece(const collio_job_t *job, int64_t *offset, char **addr);

/** Is there a gap between the job's pieces of the file? */
bool collio_job_has_holes(const collio_job_t *job);

/** Must each transfer hold one lock from its first byte to its last? Otherwise locks are taken
 *  window by window, where they are needed. */
bool collio_access_locks_whole(const collio_access_t *access);

/** Determines the lock that a job needs on its whole range (job->lock.wanted): it will run on a
 *  thread that must not wait for locks. */
void collio_job_lock_init(collio_job_t *job);
/** One attempt to get it, if one is due. 0: it is held; -EAGAIN: not yet; else the job has failed
 *  with that -errno. */
int collio_job_lock_try(collio_job_t *job);
/** Determines the lock, too, and waits for it. False: the job has failed. */
bool collio_job_lock_wait(collio_job_t *job);
/** Before a transfer: drops what this node has cached where other nodes may have written since. */
void collio_job_refresh(collio_job_t *job);
/** After the transfer: sends what was written to the server where coherence needs that, then
 *  unlocks. After a failure no byte is counted: none is known to have arrived. */
void collio_job_unlock(collio_job_t *job);

/* ---- data sieving on a window of segments (sieve.c) ---- */

/** May segments be sieved at all? Writes need the agreement of all ranks of the handle, a readable
 *  descriptor, and that no other rank holds the lock for this one. */
bool collio_sieve_possible(const collio_access_t *access, bool write, collio_held_t held);

/** How many segments, from the first one on, fit in a window; *sieve = sieving pays for them.
 *  Returns the number, at least 1. */
size_t collio_sieve_window(collio_access_t *access, bool write, const collio_segment_t *segments,
                           size_t count, bool *sieve);

/** Transfers the segments through a window buffer, a write under a lock on just that window unless
 *  the caller holds one (then the calling thread must be able to wait: see lock_pause). Adds
 *  to outcome->bytes. False: nothing was done and the segments must be transferred one by one (no
 *  lock available, descriptor not readable, out of memory). */
bool collio_sieve_transfer(collio_access_t *access, bool write, collio_held_t held,
                           const collio_segment_t *segments, size_t count,
                           collio_outcome_t *outcome);

/* ---- buffers (access_buffer.c) ---- */

/** Pieces smaller than this are copied rather than put in a vector, bytes. */
enum { COLLIO_PACK_BELOW = 512 };

/** Page-aligned buffers that are kept between calls: a fresh one costs a page fault every 4 KiB.
 *  NULL if there is no memory. */
char *collio_buffer_get(size_t bytes);
void collio_buffer_put(char *buffer, size_t bytes);
void collio_buffer_drop_all(void);
void collio_buffer_forget(void); /* in a forked child */

#endif /* COLLIO_ACCESS_TRANSFER_H */
