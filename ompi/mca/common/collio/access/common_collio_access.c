/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Segments: which of them are sieved, which go as they are, and under which lock.
 *
 *   segments   |##.##.##.##|........|######|....|##.##.##|
 *              sieved window        plain       sieved window
 *
 * Plain writes to a file that other processes have open too take a SHARED lock on their span:
 * shared locks do not hinder each other, but they keep out sieving writers, whose windows are
 * locked exclusively (they read the holes, and write them back later). Without this a plain write
 * into somebody's hole would be undone. It costs two system calls a request, and is left out when
 * sieving writes are off, or the file system has no locks (then nobody sieves).
 */
#include <errno.h>

#include "access/common_collio_access.h"
#include "access/common_collio_access_transfer.h"
#include "access/common_collio_lock.h"
#include "access/common_collio_sieve.h"

bool mca_common_collio_access_guarded(mca_common_collio_access_t *access, bool write, bool locked)
{
    return write && !locked && !access->alone && mca_common_collio_sieve_on(access, true)
           && mca_common_collio_lock_usable(access);
}

static void go_plain(mca_common_collio_access_t *access, bool write, bool locked,
                     const mca_common_collio_segment_t *segments, size_t count,
                     mca_common_collio_outcome_t *outcome)
{
    int64_t lo, span;
    bool guarded, exclusive;

    if (0 == count || 0 != outcome->error) {
        return;
    }
    lo = segments[0].offset;
    span = segments[count - 1].offset + segments[count - 1].length - lo;
    /* a descriptor that cannot be read cannot be locked shared */
    exclusive = !__atomic_load_n(&access->can_read, __ATOMIC_RELAXED);
    guarded = mca_common_collio_access_guarded(access, write, locked)
              && 0 == mca_common_collio_access_lock(access, exclusive, lo, span);
    mca_common_collio_transfer_segments(access, write, segments, count, outcome);
    if (guarded) {
        mca_common_collio_access_unlock(access, lo, span);
    }
}

void mca_common_collio_access_segments(mca_common_collio_access_t *access, bool write, bool locked,
                                       const mca_common_collio_segment_t *segments, size_t count,
                                       mca_common_collio_outcome_t *outcome)
{
    size_t plain = 0; /* segments from here to `at` wait to go as they are */
    size_t at = 0;

    if (2 > count || !mca_common_collio_sieve_possible(access, write, locked)) {
        go_plain(access, write, locked, segments, count, outcome);
        return;
    }
    while (at < count && 0 == outcome->error && segments[at].offset < outcome->stop_offset) {
        bool sieve;
        size_t taken = mca_common_collio_sieve_window(access, write, &segments[at], count - at,
                                                      &sieve);

        if (sieve) {
            go_plain(access, write, locked, &segments[plain], at - plain, outcome);
            if (0 != outcome->error) {
                return;
            }
            plain = at;
            if (mca_common_collio_sieve_transfer(access, write, locked, &segments[at], taken,
                                                 outcome)) {
                plain = at + taken;
            }
        }
        at += taken;
    }
    go_plain(access, write, locked, &segments[plain], at - plain, outcome);
}

/* Atomic mode: one lock around everything. */
static void go_atomic(mca_common_collio_access_t *access, bool write,
                      const mca_common_collio_segment_t *segments, size_t count,
                      mca_common_collio_outcome_t *outcome)
{
    int64_t lo = segments[0].offset;
    int64_t hi = lo;

    for (size_t i = 0; i < count; ++i) {
        hi = segments[i].offset + segments[i].length > hi ? segments[i].offset + segments[i].length
                                                          : hi;
    }
    outcome->error = -mca_common_collio_access_lock(access, write, lo, hi - lo);
    if (0 != outcome->error) {
        outcome->stop_offset = lo;
        return;
    }
    mca_common_collio_access_segments(access, write, true, segments, count, outcome);
    mca_common_collio_access_unlock(access, lo, hi - lo);
}

static void go(mca_common_collio_access_t *access, bool write,
               const mca_common_collio_segment_t *segments, size_t count,
               mca_common_collio_outcome_t *outcome)
{
    mca_common_collio_outcome_init(outcome);
    if (access->atomic && !access->locked && 0 < count) {
        go_atomic(access, write, segments, count, outcome);
    } else {
        mca_common_collio_access_segments(access, write, access->locked, segments, count, outcome);
    }
    mca_common_collio_count(&access->stats->pieces_in, count);
    mca_common_collio_count(write ? &access->stats->bytes_written : &access->stats->bytes_read,
                            (uint64_t) outcome->bytes);
}

void mca_common_collio_access_write(mca_common_collio_access_t *access,
                                    const mca_common_collio_segment_t *segments, size_t count,
                                    mca_common_collio_outcome_t *outcome)
{
    go(access, true, segments, count, outcome);
}

void mca_common_collio_access_read(mca_common_collio_access_t *access,
                                   const mca_common_collio_segment_t *segments, size_t count,
                                   mca_common_collio_outcome_t *outcome)
{
    go(access, false, segments, count, outcome);
}
