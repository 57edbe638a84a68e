/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_LOCK_H
#define COLLIO_LOCK_H

#include "access/access.h"

/** Is it time for another attempt? For callers that are polled and must not wait. */
bool collio_lock_due(collio_lock_retry_t *retry);

/** After a failed attempt: returns true if the caller must try again when due, false if `rc` is an
 *  error. `patient`: retries ENOLCK (the lock manager has no locks) for about a second. */
bool collio_lock_again(collio_lock_retry_t *retry, int rc, bool patient);

/** Makes MPI progress, then sleeps until the next attempt is due. Not for threads of the pool. */
void collio_lock_pause(const collio_lock_retry_t *retry);

/** Does the file system grant locks on this file? Also true if another process holds one. */
bool collio_lock_works(collio_access_t *access);

/** Sets the function that a waiting caller calls between two attempts: opal_progress(). */
void collio_lock_set_idle(void (*function)(void));

/** In a forked child: empties the list of locks, because the child holds none. */
void collio_lock_atfork(void);

#endif /* COLLIO_LOCK_H */
