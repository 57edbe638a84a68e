/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef FAULT_H
#define FAULT_H

#include "../../ioprof/record/plain_libc.h"

#ifndef _GNU_SOURCE
#    define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What goes wrong: the words of fault.c, as numbers; 0 is off. */
typedef struct fault_plan {
    bool on, write, read;
    char match[128], lock_log[128];
    int64_t rank, short_bytes, third, eintr, eagain, error, at, times, after, from, to, delay_ms,
        jitter_ms, malloc_bytes, progress_us, kill_at, shm_errno, shm_bytes, zero_at,
        fallocate_errno, fallocate_most, fsync_eintr, stale, lock_errno, lock_skip, lock_count,
        uring, aio_submit, aio_eio, aio_short, queue_errno, queue_skip, exists, nolock;
} fault_plan;

extern fault_plan fault;
extern atomic_llong failed_calls, lock_calls;

/* True if the plan concerns this descriptor. */
bool concerns(int fd, bool write);
/* True if the plan refuses an allocation of this size. */
bool fault_refuses(size_t bytes);
/* The errno with which posix_fallocate fails for a file that grows to `end`; 0: it works. */
int fault_of_fallocate(off_t end);

#define EXPORT __attribute__((visibility("default")))
#define REAL(name, type) \
    static type real;    \
    real = NULL == real ? (type) dlsym(RTLD_NEXT, name) : real

#endif
