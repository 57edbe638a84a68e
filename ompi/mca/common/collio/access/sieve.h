/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_SIEVE_H
#define COLLIO_SIEVE_H

#include "access/access.h"

/** Data sieving on a window of segments. */

/** May segments be sieved at all? Writes need the agreement of all ranks of the handle, a readable
 *  descriptor, and that no other rank holds the lock for this one. */
bool collio_sieve_possible(const collio_access_t *access, bool write, collio_held_t held);

/** Looks at the segments from the first one on: how many fit in a window, and shall they be
 *  sieved? Returns the number, at least 1. */
size_t collio_sieve_window(collio_access_t *access, bool write, const collio_segment_t *segments,
                           size_t count, bool *sieve);

/** Transfers the segments through a window buffer, a write under a lock on just that window unless
 *  the caller holds one (then the calling thread must be able to wait: see lock_pause). Adds
 *  to outcome->bytes. False: nothing was done and the segments must be transferred one by one (no
 *  lock available, descriptor not readable, out of memory). */
bool collio_sieve_transfer(collio_access_t *access, bool write, collio_held_t held,
                           const collio_segment_t *segments, size_t count,
                           collio_outcome_t *outcome);

#endif /* COLLIO_SIEVE_H */
