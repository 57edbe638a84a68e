/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_WAIT_H
#define COLLIO_WAIT_H

#include <stdbool.h>
#include <stdint.h>

/** For a rank that waits for others where ranks outnumber cores: nanoseconds to sleep now unless it
 *  is woken, or 0: yield the core and check again.
 *  waited: so far; last: how long the last wait of this kind was; crowd: ranks per core, at least
 *  1; behind: other calls of this rank may be in progress, so it should check every 1 ms. */
int64_t collio_wait_sleep(int64_t waited, int64_t last, int crowd, bool behind);

/** A word in shared memory counts, modulo 2^32, the agreements of a node that have reached some
 *  point (all contributions reduced, result available). Has agreement number `round`, counted from
 *  0, reached it? The word may lag by several, as not every agreement passes every point. */
bool collio_wait_reached(uint32_t word, uint32_t round);

#endif /* COLLIO_WAIT_H */
