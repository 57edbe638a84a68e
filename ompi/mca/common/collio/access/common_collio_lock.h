/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_LOCK_H
#define MCA_COMMON_COLLIO_LOCK_H

#include "access/common_collio_access.h"

/** Is it time for another attempt? For callers that are polled and must not wait. */
bool mca_common_collio_lock_due(mca_common_collio_lock_retry_t *retry);

/** After a failed attempt: true = try again when due, false = it is an error. `patient`: a lock
 *  manager without locks (ENOLCK) is asked again for about a second. */
bool mca_common_collio_lock_again(mca_common_collio_lock_retry_t *retry, int rc, bool patient);

/** Makes MPI progress, then sleeps until the next attempt is due. Not from threads of the pool. */
void mca_common_collio_lock_pause(const mca_common_collio_lock_retry_t *retry);

/** Does the file system give locks on this file? Also true if somebody else holds one. */
bool mca_common_collio_lock_works(mca_common_collio_access_t *access);

/** What a waiting caller does between two attempts: opal_progress(). None until it is set. */
void mca_common_collio_lock_set_idle(void (*function)(void));

/** After fork(): the child holds nothing. */
void mca_common_collio_lock_forget(void);

#endif /* MCA_COMMON_COLLIO_LOCK_H */
