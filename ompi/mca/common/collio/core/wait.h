/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_WAIT_H
#define COLLIO_WAIT_H

#include <stdbool.h>
#include <stdint.h>

/** For a rank that waits while ranks outnumber cores. Returns the maximum nanoseconds to sleep, or
 *  0: yield the core and check again.
 *    waited   nanoseconds that this wait has lasted
 *    last     nanoseconds of the last wait of this scope
 *    crowd    ranks per core, at least 1
 *    behind   other calls of this rank may be in progress: the rank must check every 1 ms */
int64_t collio_wait_sleep(int64_t waited, int64_t last, int crowd, bool behind);

/** Has agreement number `round`, counted from 0, reached a point (all contributions reduced, or
 *  result available)? `word` is in shared memory and has the number of agreements, modulo 2^32,
 *  that have reached the point. It may lag by several, because agreements may skip a point. */
bool collio_wait_reached(uint32_t word, uint32_t round);

#endif /* COLLIO_WAIT_H */
