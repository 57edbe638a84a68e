/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * relax: a preload that makes many more MPI ranks than cores bearable.
 *
 * An MPI rank that waits polls, and with dozens of ranks on two cores nearly all processor time
 * goes to ranks that have nothing to do. Open MPI with mpi_yield_when_idle calls sched_yield()
 * after each round of polling that found nothing; here that call becomes a short sleep:
 *
 *     poll, poll, poll            the first few yields stay yields: answers often come at once
 *     nap 16 us, 32 us, 64 us ..  then each nap is twice the one before, up to a ceiling
 *
 * A nap waits on the rank's own epoll set, so a message by TCP ends it at once; one by shared
 * memory is seen when the nap is over. Real work between two yields (seen in the thread's processor
 * time, because wall time also passes while others run) starts the row of naps anew.
 *
 * The ceiling adapts: a nap that ends late by more than half its length says that the cores are
 * taken, and the ceiling doubles (all ranks back off together); each nap in time lowers it by a
 * sixteenth. MPI_Init and MPI_Finalize wait with usleep(100): such sleeps get the ceiling's length.
 *
 * RELAX_MAX_US caps the ceiling (default 20000), RELAX_MIN_US is what it never falls below (250):
 * on a slow-motion cluster longer naps lose nothing and leave the cores idle. Not for measuring
 * latencies.
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    FREE_YIELDS = 4, /* yields before the first nap */
    FIRST_NAP_NS = 16 * 1000,
    LOWEST_CEILING_US = 250,
    PUNCTUAL_NS = 150 * 1000, /* timers are that late on idle cores too */
    WORK_NS = 50 * 1000,      /* this much processor time between two yields is work */
    LAZY_WAIT_US = 100,       /* what MPI_Init and MPI_Finalize sleep */
    LAZY_NAP_NS = 1000 * 1000
};

typedef int (*epoll_wait_fn_t)(int, struct epoll_event *, int, int);

static __thread int polled_fd = -1; /* the epoll set that this thread polls */
static __thread unsigned idle_yields;
static __thread int64_t cpu_at_last_yield;
static __thread int64_t ceiling_ns = 2000 * LOWEST_CEILING_US;

static int64_t now_ns(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (int64_t) t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t highest_ceiling_ns, lowest_ceiling_ns;

static int64_t variable_ns(const char *name, int64_t otherwise_us)
{
    const char *text = getenv(name);
    int64_t us = NULL == text ? 0 : strtoll(text, NULL, 10);

    return 1000 * (us > 0 ? us : otherwise_us);
}

__attribute__((constructor)) static void read_limits(void)
{
    highest_ceiling_ns = variable_ns("RELAX_MAX_US", 20000);
    lowest_ceiling_ns = variable_ns("RELAX_MIN_US", LOWEST_CEILING_US);
}

static void adapt_ceiling(int64_t asked_ns, int64_t slept_ns)
{
    if (slept_ns - asked_ns > asked_ns / 2 + PUNCTUAL_NS) {
        ceiling_ns *= 2;
    } else {
        ceiling_ns -= ceiling_ns / 16;
    }
    if (ceiling_ns < lowest_ceiling_ns) {
        ceiling_ns = lowest_ceiling_ns;
    }
    if (ceiling_ns > highest_ceiling_ns) {
        ceiling_ns = highest_ceiling_ns;
    }
}

/* Returns nonzero if an event ended the nap. */
static int nap(int64_t ns, int fd)
{
    struct timespec t = {ns / 1000000000, ns % 1000000000};
    struct pollfd p = {fd, POLLIN, 0};
    int64_t start = now_ns(CLOCK_MONOTONIC);
    int woken = ppoll(&p, fd >= 0 ? 1 : 0, &t, NULL) != 0;

    if (!woken) {
        adapt_ceiling(ns, now_ns(CLOCK_MONOTONIC) - start);
    }
    return woken;
}

int epoll_wait(int fd, struct epoll_event *events, int count, int timeout_ms)
{
    static epoll_wait_fn_t real;

    if (NULL == real) {
        real = (epoll_wait_fn_t) dlsym(RTLD_NEXT, "epoll_wait");
    }
    if (0 == timeout_ms) {
        polled_fd = fd;
    }
    return real(fd, events, count, timeout_ms);
}

int sched_yield(void)
{
    if (now_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_at_last_yield > WORK_NS) {
        idle_yields = 0;
    }
    if (idle_yields < FREE_YIELDS) {
        idle_yields++;
        syscall(SYS_sched_yield);
    } else {
        unsigned doublings = idle_yields - FREE_YIELDS;
        int64_t ns = (int64_t) FIRST_NAP_NS << (doublings < 16 ? doublings : 16);
        if (ns > ceiling_ns) {
            ns = ceiling_ns;
        }
        idle_yields = nap(ns, polled_fd) ? FREE_YIELDS / 2 : idle_yields + 1;
    }
    cpu_at_last_yield = now_ns(CLOCK_THREAD_CPUTIME_ID);
    return 0;
}

int usleep(useconds_t us)
{
    if (us > LAZY_WAIT_US) {
        struct timespec t = {us / 1000000, (long) (us % 1000000) * 1000};
        return nanosleep(&t, NULL);
    }
    nap(ceiling_ns > LAZY_NAP_NS ? ceiling_ns : LAZY_NAP_NS, -1);
    return 0;
}
