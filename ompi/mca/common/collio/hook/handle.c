/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * The records of open handles. A process has few of them, so a list is enough. Several threads may
 * open files while other threads walk the list to make progress. A record with visitors stays in
 * the list, so that the walk can continue from that record.
 */
#include "hook/handle.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "core/debug_assert.h"

typedef collio_handle_t handle_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static handle_t *handles;

static _Atomic(void *) kept[COLLIO_SPARES]; /* NULL: in use */

void collio_spare_fill(void)
{
    for (int i = 0; i < COLLIO_SPARES; ++i) {
        if (NULL == kept[i]) {
            free(atomic_exchange(&kept[i], calloc(1, COLLIO_SPARE_BYTES)));
        }
    }
}

void *collio_spare_take(size_t bytes)
{
    void *record = calloc(1, bytes);

    COLLIO_ASSERT(bytes <= COLLIO_SPARE_BYTES);
    if (NULL != record) {
        collio_spare_fill();
        return record;
    }
    for (int i = 0; i < COLLIO_SPARES && NULL == record; ++i) {
        record = atomic_exchange(&kept[i], NULL);
    }
    return record;
}

void collio_spare_drop(void)
{
    for (int i = 0; i < COLLIO_SPARES; ++i) {
        free(atomic_exchange(&kept[i], NULL));
    }
}

/* Cache of the last lookup of this thread: a call looks its record up several times. The cache is
 * valid while no record has been removed. The record is read only for the same handle, which no
 * thread closes while it is in use. */
static _Thread_local struct {
    const ompio_file_t *fh; /* the handle */
    handle_t *handle;       /* the record of the handle */
    unsigned removals;      /* value of the global `removals` at the lookup */
} lately;
static _Atomic unsigned removals;

/* Returns the link to the record, or the end of the list. The caller holds the lock. */
static handle_t **link_of(const ompio_file_t *fh)
{
    handle_t **at = &handles;

    while (NULL != *at && fh != (*at)->fh) {
        at = &(*at)->next;
    }
    return at;
}

handle_t *collio_handle_find(const ompio_file_t *fh)
{
    handle_t *handle;

    if (NULL != lately.handle && fh == lately.fh
        && lately.removals == atomic_load_explicit(&removals, memory_order_acquire)) {
        return lately.handle;
    }
    pthread_mutex_lock(&lock);
    handle = *link_of(fh);
    if (NULL != handle) {
        lately.fh = fh;
        lately.handle = handle;
        lately.removals = atomic_load_explicit(&removals, memory_order_relaxed);
    }
    pthread_mutex_unlock(&lock);
    return handle;
}

handle_t *collio_handle_take(ompio_file_t *fh)
{
    handle_t **at, *handle;

    pthread_mutex_lock(&lock);
    at = link_of(fh);
    if (NULL == *at) {
        *at = collio_spare_take(sizeof(handle_t));
        if (NULL != *at) {
            (*at)->fh = fh;
        }
    }
    handle = *at;
    pthread_mutex_unlock(&lock);
    return handle;
}

static bool has_clients(handle_t *handle)
{
    for (int i = 0; i < COLLIO_PLACES; ++i) {
        if (NULL != handle->place[i]) {
            return true;
        }
    }
    return false;
}

void collio_handle_clear(ompio_file_t *fh, collio_client_t client)
{
    handle_t **at, *handle;

    pthread_mutex_lock(&lock);
    while (NULL != (handle = *(at = link_of(fh))) && 0 < handle->visitors) {
        pthread_mutex_unlock(&lock);
        sched_yield();
        pthread_mutex_lock(&lock);
    }
    if (NULL != handle) {
        handle->place[client] = NULL;
        if (has_clients(handle)) {
            handle = NULL;
        } else {
            *at = handle->next;
            atomic_fetch_add_explicit(&removals, 1, memory_order_release);
        }
    }
    pthread_mutex_unlock(&lock);
    free(handle);
}

/* Returns the next record to visit, or NULL at the end of the list. The caller holds the lock. */
static handle_t *visit_next(handle_t *handle, collio_client_t client)
{
    handle_t *next = NULL == handle ? handles : handle->next;

    while (NULL != next && NULL == next->place[client]) {
        next = next->next;
    }
    if (NULL != handle) {
        --handle->visitors;
    }
    if (NULL != next) {
        ++next->visitors;
    }
    return next;
}

void collio_handle_for_each(collio_client_t client, void (*each)(void *value, void *data),
                            void *data)
{
    handle_t *handle = NULL;

    for (;;) {
        pthread_mutex_lock(&lock);
        handle = visit_next(handle, client);
        pthread_mutex_unlock(&lock);
        if (NULL == handle) {
            return;
        }
        each(handle->place[client], data);
    }
}
