/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_SIEVE_H
#define MCA_COMMON_COLLIO_SIEVE_H

#include "access/common_collio_access.h"

/** Data sieving on a window of segments. */

/** May segments be sieved at all? Writes need the agreement of all ranks of the handle, a readable
 *  descriptor, and that no other rank holds the lock for this one. */
bool mca_common_collio_sieve_possible(const mca_common_collio_access_t *access, bool write,
                                      mca_common_collio_held_t held);

/** Looks at the segments from the first one on: how many fit in a window, and shall they be
 *  sieved? Returns the number, at least 1. */
size_t mca_common_collio_sieve_window(mca_common_collio_access_t *access, bool write,
                                      const mca_common_collio_segment_t *segments, size_t count,
                                      bool *sieve);

/** Transfers the segments through a window buffer, a write under a lock on just that window unless
 *  the caller holds one (then the calling thread must be able to wait: see lock_pause). Adds
 *  to outcome->bytes. False: nothing was done and the segments must go one by one (no lock to be
 *  had, the descriptor cannot be read, no memory). */
bool mca_common_collio_sieve_transfer(mca_common_collio_access_t *access, bool write,
                                      mca_common_collio_held_t held,
                                      const mca_common_collio_segment_t *segments, size_t count,
                                      mca_common_collio_outcome_t *outcome);

#endif /* MCA_COMMON_COLLIO_SIEVE_H */
