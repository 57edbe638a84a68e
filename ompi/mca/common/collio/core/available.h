/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_AVAILABLE_H
#define COLLIO_AVAILABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Memory that a process may still use, parsed from the text of the kernel's files, and two rules
 * about available memory. node/node_available.c reads the files.
 */

/** No limit. */
#define COLLIO_AVAILABLE_MOST INT64_MAX

/** Returns MemAvailable of /proc/meminfo in bytes; MOST if the field is missing. */
int64_t collio_available_meminfo(const char *text);

/** Stores the path of the process's own cgroup, from /proc/self/cgroup: of version 2 (line 0::) or
 *  of version 1's memory controller. False if there is none, or if it does not fit in `room`. */
bool collio_available_cgroup(const char *text, bool version2, char *path, size_t room);

/** Replaces the path of a cgroup by the path of its parent. False at the root. */
bool collio_available_parent(char *path);

/** Returns the limit in a file such as memory.max, memory.high or memory.limit_in_bytes, in bytes;
 *  MOST for "max", for version 1's "unlimited" (2^63 rounded down to a page) and for no number. */
int64_t collio_available_limit(const char *text);

/** Returns a field of memory.stat, such as "inactive_file"; 0 if the field is missing. */
int64_t collio_available_stat(const char *text, const char *field);

/** Returns the bytes left below a limit; `cache`, unused page cache, counts as free. */
int64_t collio_available_left(int64_t limit, int64_t used, int64_t cache);

/** Rule of `auto`: is the usable memory of a node too small for the collective buffers of its
 *  aggregators? `usable` is half of the available memory: the other half is for the application,
 *  MPI and the page cache. */
static inline bool collio_available_short(int64_t usable, int64_t aggregators, int64_t buffer_bytes)
{
    return usable / (aggregators > 0 ? aggregators : 1) < buffer_bytes;
}

/** Rule for a plan: has the node lost the memory that the plan's buffers need? `exact`: `usable` is
 *  the total for buffers. Otherwise `usable` is measured beside existing buffers and varies from
 *  call to call, so the plan stays valid until `usable` is less than a quarter of its buffers. */
static inline bool collio_available_lost(int64_t usable, bool exact, int64_t announced)
{
    return usable < (exact ? announced : announced / 4);
}

#endif /* COLLIO_AVAILABLE_H */
