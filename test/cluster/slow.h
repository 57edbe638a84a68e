/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef VCLUSTER_SLOW_H
#define VCLUSTER_SLOW_H

#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SLOW_SERVERS = 64, SLOW_RANKS = 1024 };

/** The file "costs" of a virtual cluster, mapped by the switch and by every process that uses the
 *  storage. collio_bench maps the first word (bench/src/system.c). */
typedef struct slow_costs_t {
    _Atomic int32_t active;                   /* costs apply while it is above 0 */
    _Atomic int64_t busy_until[SLOW_SERVERS]; /* nanoseconds of CLOCK_MONOTONIC, each server */
    _Atomic int64_t
        rank_until[2][SLOW_RANKS]; /* the same of messages inside nodes: sender, receiver */
} slow_costs_t;

static inline slow_costs_t *slow_map(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    slow_costs_t *costs = MAP_FAILED;

    if (fd >= 0 && 0 == ftruncate(fd, sizeof(*costs))) {
        costs = mmap(NULL, sizeof(*costs), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    }
    if (fd >= 0) {
        close(fd);
    }
    return MAP_FAILED == (void *) costs ? NULL : costs;
}

#endif
