/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Jobs in the calling thread. This file decides which segments are sieved, which are transferred
 * as they are, and under which lock.
 *
 *   segments   |##.##.##.##|........|######|....|##.##.##|
 *              sieved window        plain       sieved window
 *
 * Bytes between segments are never written, unless all ranks of the file handle agreed on sieving
 * writes (access->sieve_writes). Then every write of the handle is locked: a window that is read,
 * changed and written back exclusively, a plain write SHARED on its span. Shared locks do not
 * block each other, but they block sieving writers, which would undo a plain write into one of
 * their holes. A plain write that cannot get its lock fails: without the lock it could be undone.
 */
#include <errno.h>

#include "access/access.h"
#include "access/access_transfer.h"

#include "core/debug_assert.h"

/* True if plain writes must take a lock, so that a sieving write of another rank cannot undo them.
 */
static bool guarded_writes(const collio_access_t *access, bool write)
{
    return write && access->sieve_writes && !access->locked;
}

bool collio_access_locks_whole(const collio_access_t *access)
{
    return (access->atomic && !access->locked) || COLLIO_COHERENCE_LOCK == access->coherence;
}

bool collio_access_locks(const collio_access_t *access, bool write)
{
    return collio_access_locks_whole(access) || guarded_writes(access, write);
}

void collio_access_span(const collio_segment_t *segments, size_t count, int64_t *offset,
                        int64_t *length)
{
    int64_t hi = segments[0].offset;

    *offset = segments[0].offset;
    for (size_t i = 0; i < count; ++i) { /* sorted; reads may overlap */
        int64_t end = segments[i].offset + segments[i].length;

        hi = collio_max(end, hi);
    }
    *length = hi - *offset;
}

static void go_plain(collio_access_t *access, bool write, collio_held_t held,
                     const collio_segment_t *segments, size_t count, collio_outcome_t *outcome)
{
    bool guarded = COLLIO_HELD_NONE == held && guarded_writes(access, write);
    int64_t lo, length;

    if (0 == count || 0 != outcome->error) {
        return;
    }
    if (!guarded) {
        collio_transfer_segments(access, write, segments, count, outcome);
        return;
    }
    collio_access_span(segments, count, &lo, &length);
    outcome->error = -collio_access_lock(access, false, lo, length, true);
    if (0 != outcome->error) {
        outcome->stop_offset = lo;
        return;
    }
    collio_transfer_segments(access, write, segments, count, outcome);
    collio_access_unlock(access, lo, length);
}

void collio_access_segments(collio_access_t *access, bool write, collio_held_t held,
                            const collio_segment_t *segments, size_t count,
                            collio_outcome_t *outcome)
{
    size_t plain = 0; /* segments from `plain` to `at` wait for a plain transfer */
    size_t at = 0;

    if (2 > count || !collio_sieve_possible(access, write, held)) {
        go_plain(access, write, held, segments, count, outcome);
        return;
    }
    while (at < count && 0 == outcome->error && segments[at].offset < outcome->stop_offset) {
        bool sieve;
        size_t taken = collio_sieve_window(access, write, &segments[at], count - at, &sieve);

        if (sieve) {
            go_plain(access, write, held, &segments[plain], at - plain, outcome);
            if (0 != outcome->error) {
                return;
            }
            plain = at;
            if (collio_sieve_transfer(access, write, held, &segments[at], taken, outcome)) {
                plain = at + taken;
            }
        }
        at += taken;
    }
    go_plain(access, write, held, &segments[plain], at - plain, outcome);
}

/* True if the segments ascend, and the segments of a write are disjoint. */
static bool segments_hold(const collio_segment_t *segments, size_t count, bool write)
{
    for (size_t i = 0; i < count; ++i) {
        if (0 > segments[i].length
            || (0 < i
                && segments[i].offset
                       < segments[i - 1].offset + (write ? segments[i - 1].length : 0))) {
            return false;
        }
    }
    return true;
}

/* Transfers the segments of a job, under one lock if the file requires that. */
static void run_segments(collio_job_t *job)
{
    COLLIO_ASSERT(segments_hold(job->segments, job->count, job->write));
    if (COLLIO_HELD_NONE == job->lock.held && collio_access_locks_whole(job->access)
        && !collio_job_lock_wait(job)) {
        return;
    }
    collio_access_segments(job->access, job->write, job->lock.held, job->segments, job->count,
                           &job->outcome);
    COLLIO_ASSERT(0 == job->outcome.error || INT64_MAX != job->outcome.stop_offset);
    COLLIO_COUNT(job->access, pieces_in, job->count);
    collio_count_transfer(job->access, job->write, job->outcome.bytes);
}

void collio_access_run(collio_job_t *job)
{
    collio_outcome_init(&job->outcome);
    collio_job_refresh(job);
    if (NULL != job->segments) {
        run_segments(job);
    } else {
        collio_access_run_request(job);
    }
    collio_job_unlock(job);
}
