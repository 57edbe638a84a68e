/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_SHAREDFP_H
#define MCA_COMMON_COLLIO_SHAREDFP_H

/**
 * Keeps sharedfp/lockedfile from overrunning its buffer for long file names: it is asked only about
 * names that fit, and counts as not available for the others. Called from the init query of our
 * components, when all frameworks of file access are open and no file is. Local, idempotent.
 */
void mca_common_collio_sharedfp_guard(void);

#endif /* MCA_COMMON_COLLIO_SHAREDFP_H */
