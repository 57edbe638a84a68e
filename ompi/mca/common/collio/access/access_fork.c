/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Forked children. Only the forking thread exists in the child, so whatever other threads held or
 * did there is gone: locks, queues and buffers of the parent are forgotten, not released. Each
 * module says how, when it is first used.
 */
#include <pthread.h>

#include "access/access_transfer.h"

enum { MOST = 8 };

static void (*forget[MOST])(void);
static size_t count;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void forget_all(void)
{
    pthread_mutex_init(&mutex, NULL);
    for (size_t i = 0; i < count; ++i) {
        forget[i]();
    }
}

void collio_access_at_fork(void (*callback)(void))
{
    bool known = false;

    pthread_mutex_lock(&mutex);
    if (0 == count) {
        pthread_atfork(NULL, NULL, forget_all);
    }
    for (size_t i = 0; i < count; ++i) {
        known |= callback == forget[i];
    }
    if (!known && count < MOST) {
        forget[count++] = callback;
    }
    pthread_mutex_unlock(&mutex);
}
