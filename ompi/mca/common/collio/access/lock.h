/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_LOCK_H
#define COLLIO_LOCK_H

#include "access/access.h"

/** Is it time for another attempt? For callers that are polled and must not wait. */
bool collio_lock_due(collio_lock_retry_t *retry);

/** After a failed attempt: true = try again when due, false = it is an error. `patient`: a lock
 *  manager without locks (ENOLCK) is asked again for about a second. */
bool collio_lock_again(collio_lock_retry_t *retry, int rc, bool patient);

/** Makes MPI progress, then sleeps until the next attempt is due. Not from threads of the pool. */
void collio_lock_pause(const collio_lock_retry_t *retry);

/** Does the file system give locks on this file? Also true if somebody else holds one. */
bool collio_lock_works(collio_access_t *access);

/** What a waiting caller does between two attempts: opal_progress(). None until it is set. */
void collio_lock_set_idle(void (*function)(void));

/** After fork(): the child holds nothing. */
void collio_lock_forget(void);

#endif /* COLLIO_LOCK_H */
