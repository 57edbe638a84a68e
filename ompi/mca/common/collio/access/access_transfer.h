/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_ACCESS_TRANSFER_H
#define COLLIO_ACCESS_TRANSFER_H

#include <sys/uio.h>

#include "access/access.h"

#include "compat/clock.h"

/** The lowest layer of file access: all transfers end in these calls. */

enum { COLLIO_IOV_MAX = 1024 }; /* Linux's IOV_MAX */

/** Adds to a counter, unless nobody reads the counters. Several threads may add. */
#define COLLIO_COUNT(access, counter, amount)                                          \
    do {                                                                               \
        if (NULL != (access)->stats) {                                                 \
            __atomic_fetch_add(&(access)->stats->counter, (amount), __ATOMIC_RELAXED); \
        }                                                                              \
    } while (0)

/** Returns the time for a counter; 0 if nobody reads the counters. */
static inline uint64_t collio_count_now(const collio_access_t *access)
{
    return NULL == access->stats ? 0 : collio_now();
}

/** Counts one read or write that a caller requested. */
static inline void collio_count_transfer(const collio_access_t *access, bool write, int64_t bytes)
{
    COLLIO_COUNT(access, calls[write], 1);
    COLLIO_COUNT(access, bytes[write], (uint64_t) bytes);
}

/** Counts time inside system calls. */
static inline void collio_count_time(const collio_access_t *access, bool write, uint64_t ns)
{
    COLLIO_COUNT(access, access_ns, ns);
    COLLIO_COUNT(access, moving_ns[write], ns);
}

static inline void collio_outcome_init(collio_outcome_t *outcome)
{
    outcome->error = 0;
    outcome->bytes = 0;
    outcome->stop_offset = INT64_MAX;
}

/** True if this result of a read may come from an old size of the file in the cache of this node.
 *  Linux's CephFS client (seen with 6.1) returns "cached size - offset" from a read that begins
 *  past the cached size: a negative number, no errno. The read is repeated with the new size. */
bool collio_transfer_has_old_size(const collio_access_t *access, bool write, int64_t moved);
/** Moves `bytes` bytes between the file at `offset` and the vector, until all are transferred,
 *  the file ends (read) or an error occurs. Changes the vector. Returns the bytes moved; *error = 0
 *  or a positive errno. */
int64_t collio_transfer_vector(collio_access_t *access, bool write, int64_t offset,
                               struct iovec *iov, int count, int64_t bytes, int *error);

/** The same for one block of memory. */
int64_t collio_transfer_block(collio_access_t *access, bool write, int64_t offset, char *addr,
                              int64_t bytes, int *error);

/** Reads one block if the page cache has all of it. Returns false if the page cache does not, or if
 *  that is unknown; the content of `addr` is then undefined. Never waits for a device. */
bool collio_transfer_cached(collio_access_t *access, int64_t offset, char *addr, int64_t bytes);

/** Fills the vector (of `iov_most` entries) with the segments that continue each other in the file,
 *  in order; segments that also continue each other in memory share an entry. Returns the
 *  number of segments taken, at least 1; *bytes = their bytes. */
size_t collio_transfer_gather(const collio_segment_t *segments, size_t count, int iov_most,
                              struct iovec *iov, int *iov_count, int64_t *bytes);

/** Withdraws an advice that may have caused a failure with this errno. True: try again. */
static inline bool collio_transfer_withdraw(const collio_access_t *access, int error)
{
    return NULL != access->withdraw && access->withdraw(access->advice, error);
}

/** Drops the first `moved` bytes of a vector. */
void collio_transfer_skip(struct iovec **iov, int *count, size_t moved);

/** Transfers segments one after the other, without sieving and without locks; neighbors in the file
 *  share one vector. Adds to outcome->bytes; sets error and stop_offset if a transfer is short. */
void collio_transfer_segments(collio_access_t *access, bool write, const collio_segment_t *segments,
                              size_t count, collio_outcome_t *outcome);

/** Transfers segments, with the sieving and the locks that `access` requires. `held`: lock of the
 *  caller on the whole range; with HELD_NONE the calling thread waits for locks, so it must not be
 *  a thread of the pool. Adds to outcome->bytes. */
void collio_access_segments(collio_access_t *access, bool write, collio_held_t held,
                            const collio_segment_t *segments, size_t count,
                            collio_outcome_t *outcome);

/** The part of access_run() for a job with tilings. */
void collio_access_run_request(collio_job_t *job);

/** First byte and length of the file range that a transfer touches. */
void collio_access_span(const collio_segment_t *segments, size_t count, int64_t *offset,
                        int64_t *length);

/** True if the job, which has tilings and bytes, is one piece in the file and in memory. If so,
 *  sets *offset and *addr. */
bool collio_job_is_piece(const collio_job_t *job, int64_t *offset, char **addr);

/** True if there is a hole between the job's pieces of the file. */
bool collio_job_has_holes(const collio_job_t *job);

/** True if each transfer must hold one lock from its first byte to its last. Otherwise locks are
 *  taken window by window, where they are needed. */
bool collio_access_locks_whole(const collio_access_t *access);

/** Determines the lock that a job needs on its whole range (job->lock.wanted), for a job that will
 *  run on a thread that must not wait for locks. */
void collio_job_lock_init(collio_job_t *job);
/** Makes one attempt to get the lock of the job, if an attempt is due. Returns 0: the job holds the
 *  lock; -EAGAIN: not yet; another -errno: the job has failed with that error. */
int collio_job_lock_try(collio_job_t *job);
/** Determines the lock of the job and waits for it. Returns false if the job has failed. */
bool collio_job_lock_wait(collio_job_t *job);
/** Before a read: drops this node's cache of the file if other nodes may have written since. */
void collio_job_refresh(collio_job_t *job);
/** After the transfer: sends written bytes to the server where coherence requires that, then
 *  unlocks. If sending fails, the job counts no byte, because none is known to have arrived. */
void collio_job_unlock(collio_job_t *job);

/* ---- data sieving on a window of segments (sieve.c) ---- */

/** True if sieving is allowed. Sieved writes require the agreement of all ranks of the handle, a
 *  readable descriptor, and that no other rank holds the lock for this rank. */
bool collio_sieve_possible(const collio_access_t *access, bool write, collio_held_t held);

/** Returns the number of segments, starting at the first, that fit in a window: at least 1.
 *  *sieve = sieving pays for these segments. */
size_t collio_sieve_window(collio_access_t *access, bool write, const collio_segment_t *segments,
                           size_t count, bool *sieve);

/** Transfers the segments through a sieve buffer. A write takes a lock on the window unless the
 *  caller holds an exclusive one; the calling thread then waits (see lock_pause). Adds to
 *  outcome->bytes. Returns false if nothing was done and the segments must be transferred one by
 *  one (no lock available, descriptor not readable, out of memory). */
bool collio_sieve_transfer(collio_access_t *access, bool write, collio_held_t held,
                           const collio_segment_t *segments, size_t count,
                           collio_outcome_t *outcome);

/** Pieces smaller than this are copied rather than put in a vector, bytes. */
enum { COLLIO_PACK_BELOW = 512 };

#endif /* COLLIO_ACCESS_TRANSFER_H */
