/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Byte-range locks between processes AND between threads.
 *
 * Problem: a record lock of the kernel belongs to the open file description (OFD), so it does not
 * exclude two threads with one descriptor, and the unlock of one thread would drop the lock of the
 * other where their ranges overlap.
 * Method: this process keeps a list of the ranges it holds. A range that conflicts with the list is
 * refused; otherwise the kernel decides. At unlock only the parts that no other thread holds are
 * unlocked in the kernel:
 *
 *   thread A  shared   |=========|
 *   thread B  shared        |=========|
 *   A unlocks          |----|              unlocked in the kernel; the rest stays locked for B
 *
 * No attempt ever blocks. The holder may be a collective call of this very process, which ends only
 * if MPI makes progress, so a caller that waits makes progress between two attempts (idle), and
 * jobs and collective calls try again when they are polled. Pauses grow to PAUSE_MAX, so that a
 * waiter does not take the core from the holder. Cost: two system calls per lock.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "access/access_transfer.h"

enum {
    PAUSE_MIN = 10000,       /* first pause between two attempts, ns */
    PAUSE_MAX = 500000,      /* longest pause between two attempts, ns */
    REFUSED_PAUSE = 5000000, /* pause after ENOLCK, ns */
    REFUSED_MAX = 200,       /* attempts that may fail with ENOLCK: about a second */
    COURTESY_MAX = 250000    /* longest pause of let_others(), ns */
};

struct range {
    struct range *next; /* next range that this process holds */
    int fd;             /* descriptor of the file */
    bool exclusive;     /* an exclusive lock */
    int64_t lo;         /* first byte */
    int64_t hi;         /* first byte past the range */
    uint64_t since_ns;  /* time of the lock */
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct range *held;   /* all ranges of this process */
static uint64_t released_ns; /* time of the last unlock of an exclusive lock */
static uint64_t was_held_ns; /* time for which that exclusive lock was held */
static void (*idle)(void);   /* function that waiting callers call between two attempts */

void collio_lock_set_idle(void (*function)(void))
{
    __atomic_store_n(&idle, function, __ATOMIC_RELEASE);
}

#ifndef F_OFD_SETLK
#    define F_OFD_SETLK F_SETLK
#endif

/* Locks or unlocks in the kernel: OFD locks, or POSIX locks before Linux 3.15. Returns 0 or a
 * positive errno; EAGAIN or EACCES: another process holds a conflicting lock. */
static int kernel_lock(int fd, short type, int64_t lo, int64_t hi)
{
    struct flock range = {
        .l_type = type, .l_whence = SEEK_SET, .l_start = (off_t) lo, .l_len = (off_t) (hi - lo)};
    int command = F_OFD_SETLK;

    while (0 != fcntl(fd, command, &range)) {
        if (EINVAL == errno && F_SETLK != command) {
            command = F_SETLK;
        } else if (EINTR != errno) {
            return errno;
        }
    }
    return 0;
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

int collio_access_try_lock(collio_access_t *access, bool write, int64_t offset, int64_t length)
{
    /* the kernel refuses shared locks on a descriptor that cannot be read */
    bool exclusive = write || !__atomic_load_n(&access->can_read, __ATOMIC_RELAXED);
    struct range *range;
    int error = EAGAIN;

    if (0 >= length) {
        return 0;
    }
    range = malloc(sizeof(*range));
    if (NULL == range) {
        return -ENOMEM;
    }
    *range = (struct range){.fd = access->fd,
                            .exclusive = exclusive,
                            .lo = offset,
                            .hi = offset + length,
                            .since_ns = collio_now()};
    pthread_mutex_lock(&mutex);
    if (!conflicts(range->fd, exclusive, range->lo, range->hi)) {
        error = kernel_lock(access->fd, exclusive ? F_WRLCK : F_RDLCK, range->lo, range->hi);
    }
    if (0 == error) {
        range->next = held;
        held = range;
    }
    pthread_mutex_unlock(&mutex);
    if (0 == error) {
        COLLIO_COUNT(access, locks, 1);
        return 0;
    }
    free(range);
    return EACCES == error ? -EAGAIN : -error;
}

bool collio_lock_due(collio_lock_retry_t *retry)
{
    return collio_now() >= retry->next_ns;
}

bool collio_lock_again(collio_lock_retry_t *retry, int rc, bool patient)
{
    uint64_t now = collio_now();

    if (-EAGAIN == rc) {
        retry->pause_ns = 0 == retry->pause_ns ? PAUSE_MIN : 2 * retry->pause_ns;
        retry->pause_ns = retry->pause_ns > PAUSE_MAX ? PAUSE_MAX : retry->pause_ns;
        /* half of the pause is random, so that two waiters do not stay synchronized */
        retry->next_ns = now + retry->pause_ns / 2 + now % (retry->pause_ns / 2);
        return true;
    }
    retry->next_ns = now + REFUSED_PAUSE;
    return -ENOLCK == rc && patient && ++retry->refused <= REFUSED_MAX;
}

void collio_lock_pause(const collio_lock_retry_t *retry)
{
    void (*function)(void) = __atomic_load_n(&idle, __ATOMIC_ACQUIRE);
    uint64_t now;

    if (NULL != function) {
        function();
    }
    now = collio_now();
    if (now < retry->next_ns) {
        struct timespec pause = {.tv_nsec = (long) (retry->next_ns - now)};

        nanosleep(&pause, NULL);
    }
}

/* Fairness: a process that held a lock for long and requests a lock at once would win against all
 * waiters, which pause between attempts. So the process pauses once, for an eighth of that time. */
static void let_others(void)
{
    uint64_t now = collio_now();
    uint64_t courtesy = __atomic_load_n(&was_held_ns, __ATOMIC_RELAXED) / 8;
    uint64_t until;

    courtesy = courtesy < COURTESY_MAX ? courtesy : COURTESY_MAX;
    until = __atomic_load_n(&released_ns, __ATOMIC_RELAXED) + courtesy;
    if (courtesy >= COURTESY_MAX / 4 && now < until) {
        collio_lock_retry_t pause = {.next_ns = until};

        collio_lock_pause(&pause);
    }
}

int collio_access_lock(collio_access_t *access, bool write, int64_t offset, int64_t length,
                       bool patient)
{
    collio_lock_retry_t retry = {0};
    int rc;

    if (write) {
        let_others();
    }
    for (;;) {
        rc = collio_access_try_lock(access, write, offset, length);
        if (0 == rc || !collio_lock_again(&retry, rc, patient)) {
            return rc;
        }
        collio_lock_pause(&retry);
    }
}

/* Unlocks the parts of [lo, hi) that no other thread holds. The caller holds the mutex; otherwise a
 * thread could take a range between the check and the unlock. */
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
            error = kernel_lock(fd, F_UNLCK, lo, busy_lo);
        }
        lo = busy_hi;
    }
    return -error;
}

int collio_access_unlock(collio_access_t *access, int64_t offset, int64_t length)
{
    struct range **at = &held, *range;
    int rc = 0;

    if (0 >= length) {
        return 0;
    }
    pthread_mutex_lock(&mutex);
    while (NULL != *at
           && (access->fd != (*at)->fd || offset != (*at)->lo || offset + length != (*at)->hi)) {
        at = &(*at)->next;
    }
    range = *at;
    if (NULL != range) {
        *at = range->next;
        rc = unlock_free_parts(range->fd, range->lo, range->hi);
    }
    pthread_mutex_unlock(&mutex);
    if (NULL == range) {
        return -ENOENT;
    }
    if (range->exclusive) {
        uint64_t now = collio_now();

        __atomic_store_n(&released_ns, now, __ATOMIC_RELAXED);
        __atomic_store_n(&was_held_ns, now - range->since_ns, __ATOMIC_RELAXED);
    }
    free(range);
    return rc;
}

bool collio_lock_works(collio_access_t *access)
{
    int rc = collio_access_try_lock(access, false, 0, 1);

    if (0 == rc) {
        (void) collio_access_unlock(access, 0, 1);
    }
    return 0 == rc || -EAGAIN == rc;
}
