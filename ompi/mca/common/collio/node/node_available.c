/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Available memory, from the kernel's files.
 *
 * Problem: a process may use less memory than its node has: batch systems put jobs into cgroups,
 *          and the limit of every parent cgroup applies as well.
 * Method:  a missing or unreadable value is no limit.
 */
#include "node/node_available.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/number.h"

enum {
    PATH_BYTES = 4096,
    LARGEST_PAGE = 1 << 16 /* bytes: version 1's "unlimited" is 2^63 rounded down to a page */
};

#define NO_LIMIT INT64_MAX

static FILE *open_in(const char *folder, const char *name)
{
    char path[PATH_BYTES + 64];

    if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int) sizeof(path)) {
        return NULL;
    }
    return fopen(path, "re");
}

/* Returns the number in the line of a file that begins with `field`, or in the first line; `none`:
 * there is no such number. */
static int64_t number_in(const char *folder, const char *name, const char *field, int64_t none)
{
    FILE *file = open_in(folder, name);
    size_t length = strlen(field);
    int64_t number = none;
    char line[256];

    while (NULL != file && NULL != fgets(line, sizeof(line), file)) {
        char *at = line + length, *end;
        long long value;

        if (0 == strncmp(line, field, length) && (0 == length || ' ' == *at || ':' == *at)) {
            at += length > 0;
            value = strtoll(at, &end, 10);
            if (end != at && value >= 0) {
                number = value;
            }
            break;
        }
    }
    if (NULL != file) {
        fclose(file);
    }
    return number;
}

/* Returns the bytes left below a limit; `cache`, unused page cache, counts as free. */
static int64_t left_below(int64_t limit, int64_t used, int64_t cache)
{
    return collio_max(0, limit - (used - collio_min(cache, used)));
}

/* Returns the bytes that the limits of one cgroup leave. */
static int64_t left_in(const char *folder, bool version2)
{
    int64_t limit, used, cache;

    if (version2) {
        limit = collio_min(number_in(folder, "memory.max", "", NO_LIMIT),
                           number_in(folder, "memory.high", "", NO_LIMIT));
    } else {
        limit = number_in(folder, "memory.limit_in_bytes", "", NO_LIMIT);
    }
    if (limit > NO_LIMIT - LARGEST_PAGE) {
        return NO_LIMIT;
    }
    used = number_in(folder, version2 ? "memory.current" : "memory.usage_in_bytes", "", 0);
    cache = number_in(folder, "memory.stat", version2 ? "inactive_file" : "total_inactive_file", 0);
    return left_below(limit, used, cache);
}

/* True if memory is one of the controllers of a list such as "cpu,memory". */
static bool has_memory(const char *list)
{
    static const char memory[] = "memory";

    for (; '\0' != *list; list += strcspn(list, ","), list += ',' == *list) {
        if (sizeof(memory) - 1 == strcspn(list, ",")
            && 0 == memcmp(list, memory, sizeof(memory) - 1)) {
            return true;
        }
    }
    return false;
}

/* Stores the path of the process's own cgroup: of version 2 (line "0::/path"), or of version 1's
 * memory controller (line "4:cpu,memory:/path"). False: there is none, or it is too long. */
static bool find_cgroup(const char *root, bool version2, char path[PATH_BYTES])
{
    FILE *file = open_in(root, "proc/self/cgroup");
    bool found = false;

    while (!found && NULL != file && NULL != fgets(path, PATH_BYTES, file)) {
        char *list = strchr(path, ':'), *colon = NULL == list ? NULL : strchr(list + 1, ':');

        if (NULL == colon || PATH_BYTES - 1 == strlen(path)) {
            break;
        }
        *colon++ = '\0';
        colon[strcspn(colon, "\n")] = '\0';
        found = version2 ? '\0' == list[1] : has_memory(list + 1);
        memmove(path, colon, strlen(colon) + 1);
    }
    if (NULL != file) {
        fclose(file);
    }
    return found;
}

/* Returns the bytes that the cgroups of the process leave, from its own cgroup to the root. In a
 * container the path may be a path of the host; then the root of the mount is the container's
 * cgroup. */
static int64_t left_in_chain(const char *root, bool version2)
{
    char path[PATH_BYTES], folder[PATH_BYTES];
    int64_t left = NO_LIMIT;
    char *slash;

    if (!find_cgroup(root, version2, path)) {
        return left;
    }
    for (;;) {
        if (snprintf(folder, sizeof(folder), "%s/sys/fs/cgroup%s%s", root,
                     version2 ? "" : "/memory", path)
            < (int) sizeof(folder)) {
            left = collio_min(left, left_in(folder, version2));
        }
        slash = strrchr(path, '/');
        if (NULL == slash) {
            return left;
        }
        *slash = '\0';
    }
}

/* Returns the bytes that RLIMIT_AS leaves to this process. Does not depend on `root`. */
static int64_t left_by_rlimit(void)
{
    struct rlimit limit;
    int64_t pages;

    if (0 != getrlimit(RLIMIT_AS, &limit) || RLIM_INFINITY == limit.rlim_cur
        || limit.rlim_cur > INT64_MAX) {
        return NO_LIMIT;
    }
    pages = number_in("/proc/self", "statm", "", -1);
    if (pages < 0) {
        return NO_LIMIT;
    }
    return left_below((int64_t) limit.rlim_cur, pages * sysconf(_SC_PAGESIZE), 0);
}

int64_t collio_available_bytes(const char *root)
{
    int64_t kib = number_in(root, "proc/meminfo", "MemAvailable", NO_LIMIT);
    int64_t left = kib > NO_LIMIT / 1024 ? NO_LIMIT : kib * 1024;
    left = collio_min(left, left_in_chain(root, true));
    left = collio_min(left, left_in_chain(root, false));
    return collio_min(left, left_by_rlimit());
}
