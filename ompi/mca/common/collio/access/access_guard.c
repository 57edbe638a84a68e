/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * The lock of a job as a whole.
 *
 *   start     wanted? one attempt
 *   test      wanted: another attempt, when one is due     held: to a thread of the pool
 *   thread    transfer, unlock, done
 *
 * A thread of the pool never waits for a lock: the holder may be a collective call whose own
 * windows wait for a thread of the pool. So a job gets its lock before a thread gets the job, by
 * attempts whenever the job is tested. The lock covers the whole job: exclusive for writes in
 * atomic mode and for jobs that may be sieved, else shared.
 *
 * Where locks make the caches of nodes coherent (NFS), every job has one. If another rank holds the
 * range for all of a collective call, the job locks a byte far past all data instead: any lock
 * on the file makes the client drop cached pages and write exact bytes.
 */
#include <errno.h>

#include "access/access_transfer.h"
#include "compat/clock.h"

static const int64_t far_byte = INT64_C(1) << 60; /* offset past all data */

bool collio_job_has_holes(const collio_job_t *job)
{
    if (NULL == job->segments) {
        return 1 < collio_buildio_pieces(job->file, job->first, job->bytes);
    }
    for (size_t i = 1; i < job->count; ++i) {
        const collio_segment_t *before = &job->segments[i - 1];

        if (job->segments[i].offset != before->offset + before->length) {
            return true;
        }
    }
    return false;
}

static bool job_is_empty(const collio_job_t *job)
{
    return NULL == job->segments ? 0 >= job->bytes || 0 == job->file->size : 0 == job->count;
}

static void job_span(const collio_job_t *job, int64_t *offset, int64_t *length)
{
    int64_t end;

    if (NULL != job->segments) {
        collio_access_span(job->segments, job->count, offset, length);
        return;
    }
    (void) collio_tiling_range(job->file, job->first, job->bytes, offset, &end); /* was checked */
    *length = end - *offset;
}

void collio_job_lock_init(collio_job_t *job)
{
    collio_access_t *access = job->access;
    collio_range_lock_t *lock = &job->lock;

    *lock = (collio_range_lock_t){.held = COLLIO_HELD_UNNEEDED};
    if (job_is_empty(job) || !collio_access_locks(access, job->write)) {
        return;
    }
    lock->wanted = true;
    lock->held = COLLIO_HELD_NONE;
    job_span(job, &lock->offset, &lock->length);
    if (access->locked) {
        lock->offset = far_byte;
        lock->length = 1;
    } else if (access->atomic) {
        lock->exclusive = job->write;
    } else {
        lock->exclusive = collio_sieve_possible(access, true, COLLIO_HELD_NONE)
                          && collio_job_has_holes(job);
    }
}

/* Ends the job with an error and without bytes. */
static void fail(collio_job_t *job, int error)
{
    int64_t length;

    job->outcome.error = error;
    job->outcome.bytes = 0;
    job_span(job, &job->outcome.stop_offset, &length);
}

/* Records the result of the attempts. HELD_EXCLUSIVE for every read: a shared lock is enough. */
static void end_attempts(collio_job_t *job, int rc)
{
    collio_range_lock_t *lock = &job->lock;

    lock->wanted = false;
    if (0 != rc) {
        fail(job, -rc);
    } else {
        lock->held = lock->exclusive || !job->write ? COLLIO_HELD_EXCLUSIVE : COLLIO_HELD_SHARED;
    }
}

int collio_job_lock_try(collio_job_t *job)
{
    collio_range_lock_t *lock = &job->lock;
    int rc;

    if (!collio_lock_due(&lock->retry)) {
        return -EAGAIN;
    }
    rc = collio_access_try_lock(job->access, lock->exclusive, lock->offset, lock->length);
    if (0 != rc && collio_lock_again(&lock->retry, rc, !job->access->atomic)) {
        return -EAGAIN;
    }
    end_attempts(job, rc);
    return rc;
}

/* An NFS client reports a full disk, a quota or an error of the server when it flushes, not when
 * pwrite puts the bytes in its cache. It stops at the error, and pages that it has not sent stay
 * dirty: an unlock waits for them until the kernel writes old pages back, 30 s later. So the flush
 * is repeated until nothing is left that could fail, for less than these 30 s: a server that does
 * not answer may delay each flush. */
static void guard_flush(collio_job_t *job)
{
    enum { REPEATS_MAX = 1000 };
    const uint64_t patience = UINT64_C(20000000000), since = collio_now(); /* ns */
    int error = collio_access_flush(job->access->fd);

    if (0 == error) {
        return;
    }
    if (0 == job->outcome.error) {
        fail(job, error);
    }
    for (int i = 0; i < REPEATS_MAX && collio_now() - since < patience
                    && COLLIO_COHERENCE_LOCK == job->access->coherence
                    && 0 != collio_access_flush(job->access->fd);
         ++i) {
    }
}

static bool is_held(const collio_job_t *job)
{
    return COLLIO_HELD_SHARED <= job->lock.held;
}

/* True if the job must flush, or drop pages. Where the caches of nodes differ, this makes the bytes
 * of a node visible to other nodes. A rank's own bytes stay in the cache of its node until the next
 * collective call (caches_flush), except in atomic mode: another rank may read them as soon as the
 * lock is free. */
static bool flushes(const collio_job_t *job)
{
    return (job->for_others || is_held(job)) && !job_is_empty(job)
           && COLLIO_COHERENCE_FLUSH == job->access->coherence;
}

void collio_job_refresh(collio_job_t *job)
{
    if (!job->write && flushes(job)) {
        (void) collio_access_refresh(job->access->fd);
    }
}

bool collio_job_lock_wait(collio_job_t *job)
{
    const collio_range_lock_t *lock = &job->lock;
    int rc;

    collio_job_lock_init(job);
    if (!lock->wanted) {
        return true;
    }
    rc = collio_access_lock(job->access, lock->exclusive, lock->offset, lock->length,
                            !job->access->atomic);
    end_attempts(job, rc);
    collio_job_refresh(job);
    return 0 == rc;
}

void collio_job_unlock(collio_job_t *job)
{
    bool held = is_held(job);

    if (job->write && (flushes(job) || (held && COLLIO_COHERENCE_LOCK == job->access->coherence))) {
        guard_flush(job);
    }
    if (!held) {
        return;
    }
    collio_access_unlock(job->access, job->lock.offset, job->lock.length);
    job->lock.held = COLLIO_HELD_NONE;
}
