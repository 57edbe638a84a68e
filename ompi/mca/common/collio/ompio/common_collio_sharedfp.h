/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_SHAREDFP_H
#define MCA_COMMON_COLLIO_SHAREDFP_H

#include <stdbool.h>

/**
 * Who keeps the shared file pointers. OMPIO asks all sharedfp components at every open, before any
 * entry of ours runs, and some of the stock ones do a lot to find an answer.
 */

/** Keeps stock components from being asked in vain: sharedfp/lockedfile about names that overrun
 *  its buffer, and those that make test files when ours will be chosen anyway. Called from the init
 *  query of our components, when all frameworks of file access are open and no file is. Local,
 *  idempotent. */
void mca_common_collio_sharedfp_guard(void);

/** From sharedfp/ondemand: tells the priority that it will answer. NULL: it is gone. */
void mca_common_collio_sharedfp_offer(int (*priority)(void));

/** Will an fcoll of ours serve the next file? None but ours is allowed, or ours has a priority
 *  above all others. Local. */
bool mca_common_collio_fcoll_is_chosen(void);

#endif /* MCA_COMMON_COLLIO_SHAREDFP_H */
