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

#endif /* MCA_COMMON_COLLIO_WAIT_H */
