/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_LOCK_H
#define MCA_COMMON_COLLIO_LOCK_H

#include "access/common_collio_access.h"

/** May a lock be tried on this file? (False after the file system said that it has none.) */
bool mca_common_collio_lock_usable(mca_common_collio_access_t *access);

/** After fork(): the child holds nothing. */
void mca_common_collio_lock_forget(void);

#endif /* MCA_COMMON_COLLIO_LOCK_H */
