/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_AVAILABLE_H
#define COLLIO_AVAILABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * How much memory a process may still use, from the text of the kernel's files, and two rules about
 * it. node/available.c reads the files.
 */

/** No limit. */
#define COLLIO_AVAILABLE_MOST INT64_MAX

/** MemAvailable of /proc/meminfo in bytes; MOST if it is not there. */
int64_t collio_available_meminfo(const char *text);

/** The process's own cgroup, from /proc/self/cgroup: of version 2 (line 0::) or of version 1's
 *  memory controller. False if there is none, or it does not fit. */
bool collio_available_cgroup(const char *text, bool version2, char *path, size_t room);

/** Makes a cgroup's path its parent's. False at the root. */
bool collio_available_parent(char *path);

/** A limit file (memory.max, memory.high, memory.limit_in_bytes) in bytes; MOST for "max", for
 *  version 1's "unlimited" (2^63 rounded down to a page) and for no number. */
int64_t collio_available_limit(const char *text);

/** A field of memory.stat, such as "inactive_file"; 0 if it is not there. */
int64_t collio_available_stat(const char *text, const char *field);

/** What is left below a limit: page cache that is not in use can be reclaimed. */
int64_t collio_available_left(int64_t limit, int64_t used, int64_t cache);

/** Rule of `auto`: do the collective buffers that are asked for fit a node's memory? Half of what
 *  is available is left to the application, MPI and the page cache. */
static inline bool collio_available_short(int64_t usable, int64_t aggregators, int64_t buffer_bytes)
{
    return usable / (aggregators > 0 ? aggregators : 1) < buffer_bytes;
}

/** Rule for a plan: has the node lost the memory that the plan's buffers need? `exact`: `usable` is
 *  what the buffers may have in all; else it is what is left beside them, and the plan stays until
 *  that is less than a quarter of them, because what is left varies from call to call. */
static inline bool collio_available_lost(int64_t usable, bool exact, int64_t announced)
{
    return usable < (exact ? announced : announced / 4);
}

#endif /* COLLIO_AVAILABLE_H */
