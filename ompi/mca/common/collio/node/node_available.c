/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Reads the kernel's files about memory; core/available.c parses their text.
 */
#include "node/node_available.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/available.h"
#include "core/number.h"

enum { TEXT_BYTES = 8192, PATH_BYTES = 4096 };

/* Returns the text of a small file; "" if it cannot be read. */
static const char *read_text(const char *path, char *text)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t bytes = 0, got = 1;

    while (fd >= 0 && got > 0 && bytes < TEXT_BYTES - 1) {
        got = read(fd, text + bytes, (size_t) (TEXT_BYTES - 1 - bytes));
        bytes += got > 0 ? got : 0;
    }
    if (fd >= 0) {
        close(fd);
    }
    text[bytes] = '\0';
    return text;
}

static const char *read_in(const char *folder, const char *name, char *text)
{
    char path[PATH_BYTES + 64];

    text[0] = '\0';
    if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int) sizeof(path)) {
        return text;
    }
    return read_text(path, text);
}

/* Bytes that the limits of one cgroup leave. */
static int64_t left_in(const char *folder, bool version2)
{
    char text[TEXT_BYTES];
    int64_t limit, used, cache;

    if (version2) {
        limit = collio_available_limit(read_in(folder, "memory.max", text));
        limit = collio_min(limit, collio_available_limit(read_in(folder, "memory.high", text)));
    } else {
        limit = collio_available_limit(read_in(folder, "memory.limit_in_bytes", text));
    }
    if (COLLIO_AVAILABLE_MOST == limit) {
        return limit;
    }
    used = collio_available_limit(
        read_in(folder, version2 ? "memory.current" : "memory.usage_in_bytes", text));
    used = COLLIO_AVAILABLE_MOST == used ? 0 : used;
    cache = collio_available_stat(read_in(folder, "memory.stat", text),
                                  version2 ? "inactive_file" : "total_inactive_file");
    return collio_available_left(limit, used, cache);
}

/* Bytes that the cgroups of the process leave, from its own cgroup to the root. In a container the
 * path may be a path of the host; then the root of the mount is the container's cgroup. */
static int64_t left_in_chain(const char *root, const char *cgroups, bool version2)
{
    char path[PATH_BYTES / 2], folder[PATH_BYTES];
    int64_t left = COLLIO_AVAILABLE_MOST;

    if (!collio_available_cgroup(cgroups, version2, path, sizeof(path))) {
        return left;
    }
    do {
        if (snprintf(folder, sizeof(folder), "%s/sys/fs/cgroup%s%s", root,
                     version2 ? "" : "/memory", path)
            < (int) sizeof(folder)) {
            left = collio_min(left, left_in(folder, version2));
        }
    } while (collio_available_parent(path));
    return left;
}

/* Bytes that RLIMIT_AS leaves to this process. Does not depend on `root`. */
static int64_t left_by_rlimit(void)
{
    char text[TEXT_BYTES];
    struct rlimit limit;
    long long pages = 0;

    if (0 != getrlimit(RLIMIT_AS, &limit) || RLIM_INFINITY == limit.rlim_cur
        || limit.rlim_cur > INT64_MAX
        || 1 != sscanf(read_in("", "proc/self/statm", text), "%lld", &pages)) {
        return COLLIO_AVAILABLE_MOST;
    }
    return collio_available_left((int64_t) limit.rlim_cur, (int64_t) pages * sysconf(_SC_PAGESIZE),
                                 0);
}

int64_t collio_available_bytes(const char *root)
{
    char text[TEXT_BYTES];
    int64_t left = collio_available_meminfo(read_in(root, "proc/meminfo", text));

    (void) read_in(root, "proc/self/cgroup", text);
    left = collio_min(left, left_in_chain(root, text, true));
    left = collio_min(left, left_in_chain(root, text, false));
    return collio_min(left, left_by_rlimit());
}
