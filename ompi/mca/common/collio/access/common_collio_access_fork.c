/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Forked children. Only the forking thread exists in the child, so whatever other threads held or did
 * there is gone: locks, queues and buffers of the parent are forgotten, not released.
 */
#include <pthread.h>

#include "access/common_collio_access_transfer.h"
#include "access/common_collio_engine.h"
#include "access/common_collio_lock.h"
#include "access/common_collio_pool.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void forget(void)
{
    mca_common_collio_pool_forget();
    mca_common_collio_lock_forget();
    mca_common_collio_buffer_forget();
    mca_common_collio_engine_forget();
}

static void watch(void)
{
    pthread_atfork(NULL, NULL, forget);
}

void mca_common_collio_access_watch_fork(void)
{
    pthread_once(&once, watch);
}
