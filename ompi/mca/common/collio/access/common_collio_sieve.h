/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_SIEVE_H
#define MCA_COMMON_COLLIO_SIEVE_H

#include "access/common_collio_access.h"

/** Data sieving on a window of segments. */

/** Is sieving on for this direction: asked for, or automatic where locks are cheap? */
bool mca_common_collio_sieve_on(const mca_common_collio_access_t *access, bool write);

/** May segments be sieved at all? (Writes need a readable descriptor and working locks, unless the
 *  caller holds the lock.) */
bool mca_common_collio_sieve_possible(mca_common_collio_access_t *access, bool write, bool locked);

/** Looks at the segments from the first one on: how many fit in a window, and shall they be
 *  sieved? Returns the number, at least 1. */
size_t mca_common_collio_sieve_window(mca_common_collio_access_t *access, bool write,
                                      const mca_common_collio_segment_t *segments, size_t count,
                                      bool *sieve);

/** Transfers the segments through a window buffer, a write under a lock on just that window. Adds
 *  to outcome->bytes. False: nothing was done and the segments must go one by one (no lock to be
 *  had, the descriptor cannot be read, no memory). */
bool mca_common_collio_sieve_transfer(mca_common_collio_access_t *access, bool write, bool locked,
                                      const mca_common_collio_segment_t *segments, size_t count,
                                      mca_common_collio_outcome_t *outcome);

#endif /* MCA_COMMON_COLLIO_SIEVE_H */
