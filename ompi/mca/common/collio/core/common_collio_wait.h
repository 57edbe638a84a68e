/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_WAIT_H
#define MCA_COMMON_COLLIO_WAIT_H

#include <stdbool.h>
#include <stdint.h>

/** For a rank that can do nothing but wait for others, where ranks outnumber cores: nanoseconds
 *  that it should sleep now unless it is woken, or 0: it should hand the core on and look again.
 *  waited: so far; last: how long the last wait of this kind was; crowd: ranks per core, at least
 *  1; behind: other calls of this rank may be under way, so that it should look every 1 ms. */
int64_t mca_common_collio_wait_sleep(int64_t waited, int64_t last, int crowd, bool behind);

/** A word counts the meetings that have come to some point (all lines reduced, result there),
 *  modulo 2^32. Has meeting number `round`, counted from 0, come to it? The word may be behind by
 *  several: not every meeting passes every point. */
bool mca_common_collio_wait_reached(uint32_t word, uint32_t round);

#endif /* MCA_COMMON_COLLIO_WAIT_H */
