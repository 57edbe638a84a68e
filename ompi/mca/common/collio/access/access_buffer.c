/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Staging and sieve buffers, kept between calls. The kernel supplies a buffer of some MiB page by
 * page, zeroed, which is as much work as filling the buffer; so a few buffers are kept. Sizes are
 * rounded up to powers of two, so that requests of similar sizes find a kept buffer.
 */
#include <pthread.h>
#include <stdlib.h>

#include "access/access_transfer.h"

enum { KEPT = 16 };
static const size_t keep_most = (size_t) 64 << 20; /* limit for the bytes of all kept buffers */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static size_t kept_bytes;
static struct {
    char *buffer;
    size_t bytes;
} kept[KEPT];

static size_t round_up(size_t bytes)
{
    size_t rounded = 4096;

    while (rounded < bytes && rounded <= SIZE_MAX / 2) {
        rounded *= 2;
    }
    return rounded < bytes ? bytes : rounded;
}

char *collio_buffer_get(size_t bytes)
{
    size_t rounded = round_up(bytes);
    void *found = NULL;

    pthread_mutex_lock(&mutex);
    for (size_t i = 0; NULL == found && i < KEPT; ++i) {
        if (NULL != kept[i].buffer && rounded == kept[i].bytes) {
            found = kept[i].buffer;
            kept[i].buffer = NULL;
            kept_bytes -= rounded;
        }
    }
    pthread_mutex_unlock(&mutex);
    if (NULL == found && 0 != posix_memalign(&found, 4096, rounded)) {
        return NULL;
    }
    return found;
}

void collio_buffer_put(char *buffer, size_t bytes)
{
    size_t rounded = round_up(bytes);

    pthread_mutex_lock(&mutex);
    for (size_t i = 0; NULL != buffer && i < KEPT && kept_bytes + rounded <= keep_most; ++i) {
        if (NULL == kept[i].buffer) {
            kept[i].buffer = buffer;
            kept[i].bytes = rounded;
            kept_bytes += rounded;
            buffer = NULL;
        }
    }
    pthread_mutex_unlock(&mutex);
    free(buffer);
}

void collio_buffer_drop_all(void)
{
    pthread_mutex_lock(&mutex);
    for (size_t i = 0; i < KEPT; ++i) {
        free(kept[i].buffer);
        kept[i].buffer = NULL;
    }
    kept_bytes = 0;
    pthread_mutex_unlock(&mutex);
}

void collio_buffer_atfork(void)
{
    /* a thread that the child does not have may have been changing the list at the fork */
    pthread_mutex_init(&mutex, NULL);
    for (size_t i = 0; i < KEPT; ++i) {
        kept[i].buffer = NULL;
    }
    kept_bytes = 0;
}
