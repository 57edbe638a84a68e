/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Byte-range locks between processes AND between threads.
 *
 * Problem: a record lock of the kernel belongs to the open file description (OFD), so it does not
 * keep two threads with one descriptor apart, and the unlock of one would drop what the other
 * still holds where their ranges overlap.
 * Method: this process keeps a list of the ranges it holds. A thread first waits here for ranges
 * of its own process, then in the kernel for those of others. At unlock only the parts that no
 * other thread holds go back to the kernel:
 *
 *   thread A  shared   |=========|
 *   thread B  shared        |=========|
 *   A unlocks          |----|              goes to the kernel; the rest stays locked for B
 *
 * Shared locks come from plain writers, exclusive ones from sieving and atomic mode. Cost: two
 * system calls a lock; the list has one entry per thread in a transfer.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "access/common_collio_lock.h"

struct range {
    struct range *next;
    int fd;
    bool exclusive;
    int64_t lo;
    int64_t hi;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct range *held;

bool mca_common_collio_lock_usable(mca_common_collio_access_t *access)
{
    return __atomic_load_n(&access->locks_work, __ATOMIC_RELAXED);
}

static bool file_system_has_none(int error)
{
    return ENOLCK == error || ENOSYS == error || EOPNOTSUPP == error || ENOTSUP == error
           || EINVAL == error;
}

/* OFD locks; POSIX locks where the kernel has none (before Linux 3.15). 0 or a positive errno;
 * without `wait` that is EAGAIN or EACCES when somebody else holds it. */
static int kernel_lock(int fd, short type, int64_t lo, int64_t hi, bool wait)
{
    struct flock range = {
        .l_type = type, .l_whence = SEEK_SET, .l_start = (off_t) lo, .l_len = (off_t) (hi - lo)};
    int rc;

#ifdef F_OFD_SETLKW
    do {
        range.l_pid = 0;
        rc = fcntl(fd, wait ? F_OFD_SETLKW : F_OFD_SETLK, &range);
    } while (-1 == rc && EINTR == errno);
    if (0 == rc || EINVAL != errno) {
        return 0 == rc ? 0 : errno;
    }
#endif
    do {
        rc = fcntl(fd, wait ? F_SETLKW : F_SETLK, &range);
    } while (-1 == rc && EINTR == errno);
    return 0 == rc ? 0 : errno;
}

static bool conflicts(int fd, bool exclusive, int64_t lo, int64_t hi)
{
    for (const struct range *other = held; NULL != other; other = other->next) {
        if (fd == other->fd && lo < other->hi && other->lo < hi
            && (exclusive || other->exclusive)) {
            return true;
        }
    }
    return false;
}

static void unlink_range(struct range *range)
{
    struct range **at = &held;

    while (range != *at) {
        at = &(*at)->next;
    }
    *at = range->next;
}

static int take(mca_common_collio_access_t *access, bool write, int64_t offset, int64_t length,
                bool wait)
{
    struct range *range;
    int error;

    if (0 >= length) {
        return 0;
    }
    range = malloc(sizeof(*range));
    if (NULL == range) {
        return -ENOMEM;
    }
    range->fd = access->fd;
    range->exclusive = write;
    range->lo = offset;
    range->hi = offset + length;
    pthread_mutex_lock(&mutex);
    while (conflicts(range->fd, write, range->lo, range->hi)) {
        if (!wait) {
            pthread_mutex_unlock(&mutex);
            free(range);
            return -EAGAIN;
        }
        pthread_cond_wait(&changed, &mutex);
    }
    range->next = held;
    held = range;
    pthread_mutex_unlock(&mutex);

    error = kernel_lock(access->fd, write ? F_WRLCK : F_RDLCK, range->lo, range->hi, wait);
    if (0 == error) {
        __atomic_fetch_add(&access->stats->locks, 1, __ATOMIC_RELAXED);
        return 0;
    }
    if (file_system_has_none(error)) {
        __atomic_store_n(&access->locks_work, false, __ATOMIC_RELAXED);
    }
    pthread_mutex_lock(&mutex);
    unlink_range(range);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
    free(range);
    return EACCES == error && !wait ? -EAGAIN : -error;
}

int mca_common_collio_access_lock(mca_common_collio_access_t *access, bool write, int64_t offset,
                                  int64_t length)
{
    return take(access, write, offset, length, true);
}

int mca_common_collio_access_try_lock(mca_common_collio_access_t *access, bool write,
                                      int64_t offset, int64_t length)
{
    return take(access, write, offset, length, false);
}

/* Unlocks what of [lo, hi) no other thread holds. The mutex is held, or a thread could take a
 * range between the look and the unlock. */
static int unlock_free_parts(int fd, int64_t lo, int64_t hi)
{
    int error = 0;

    while (lo < hi && 0 == error) {
        int64_t busy_lo = hi, busy_hi = hi;

        for (const struct range *other = held; NULL != other; other = other->next) {
            if (fd == other->fd && other->lo < busy_lo && lo < other->hi) {
                busy_lo = other->lo;
                busy_hi = other->hi;
            }
        }
        if (lo < busy_lo) {
            error = kernel_lock(fd, F_UNLCK, lo, busy_lo, true);
        }
        lo = busy_hi;
    }
    return -error;
}

int mca_common_collio_access_unlock(mca_common_collio_access_t *access, int64_t offset,
                                    int64_t length)
{
    struct range *range;
    int rc;

    if (0 >= length) {
        return 0;
    }
    pthread_mutex_lock(&mutex);
    for (range = held; NULL != range; range = range->next) {
        if (access->fd == range->fd && offset == range->lo && offset + length == range->hi) {
            break;
        }
    }
    if (NULL == range) {
        pthread_mutex_unlock(&mutex);
        return -ENOENT;
    }
    unlink_range(range);
    rc = unlock_free_parts(range->fd, range->lo, range->hi);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
    free(range);
    return rc;
}

void mca_common_collio_lock_forget(void)
{
    pthread_mutex_init(&mutex, NULL);
    pthread_cond_init(&changed, NULL);
    held = NULL;
}
