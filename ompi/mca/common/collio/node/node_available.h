/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_NODE_AVAILABLE_H
#define COLLIO_NODE_AVAILABLE_H

#include <stdbool.h>
#include <stdint.h>

/** Returns the bytes that this process may still use: the minimum of MemAvailable, of the limits of
 *  its cgroup and all parents (version 2: memory.max and memory.high; version 1:
 *  memory.limit_in_bytes) minus their use, and of RLIMIT_AS minus the address space in use.
 *  INT64_MAX if no value can be read. `root` is a prefix for /proc and /sys; "" for the machine
 *  itself. Reads a dozen small files, about 50 us. */
int64_t collio_available_bytes(const char *root);

/** Rule of `auto`: true if the usable memory of a node is too small for the collective buffers of
 *  its aggregators. `usable` is half of the available memory: the other half is for the
 *  application, MPI and the page cache. */
static inline bool collio_available_short(int64_t usable, int64_t aggregators, int64_t buffer_bytes)
{
    return usable / (aggregators > 0 ? aggregators : 1) < buffer_bytes;
}

/** True if the node has lost the memory that a plan's buffers need. `exact`: `usable` is the total
 *  for buffers. Otherwise `usable` is measured beside existing buffers and varies from
 *  call to call, so the plan stays valid until `usable` is less than a quarter of its buffers. */
static inline bool collio_available_lost(int64_t usable, bool exact, int64_t announced)
{
    return usable < (exact ? announced : announced / 4);
}

#endif /* COLLIO_NODE_AVAILABLE_H */
