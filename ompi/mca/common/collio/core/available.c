/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * Available memory, from the text of the kernel's files.
 *
 * Problem: a process may use less memory than its node has: batch systems put jobs into cgroups,
 *          and the limit of every parent cgroup applies as well.
 * Method:  parsers that never fail: a missing or unreadable value is no limit.
 * Cost:    linear in the length of the text.
 */
#include "available.h"

#include "number.h"

#include <stdlib.h>
#include <string.h>

/* Returns the next line, or NULL. */
static const char *next_line(const char *line)
{
    const char *end = strchr(line, '\n');

    return NULL == end ? NULL : end + 1;
}

/* Returns the number after "name" at the beginning of a line; -1: none. */
static int64_t field_of(const char *text, const char *name)
{
    size_t length = strlen(name);

    for (const char *line = text; NULL != line; line = next_line(line)) {
        const char *rest = line + length;
        char *end;
        long long value;

        if (0 != strncmp(line, name, length) || (' ' != *rest && ':' != *rest)) {
            continue;
        }
        value = strtoll(rest + 1, &end, 10);
        if (end != rest + 1 && value >= 0) {
            return value;
        }
    }
    return -1;
}

int64_t collio_available_meminfo(const char *text)
{
    int64_t kib = field_of(text, "MemAvailable");

    if (kib < 0 || kib > INT64_MAX / 1024) {
        return COLLIO_AVAILABLE_MOST;
    }
    return kib * 1024;
}

/* Is `name` one of the controllers of a line "4:cpu,memory:/path"? */
static bool has_controller(const char *list, const char *end, const char *name)
{
    size_t length = strlen(name);

    while (list < end) {
        const char *comma = memchr(list, ',', (size_t) (end - list));
        const char *stop = NULL == comma ? end : comma;

        if ((size_t) (stop - list) == length && 0 == memcmp(list, name, length)) {
            return true;
        }
        list = stop + 1;
    }
    return false;
}

bool collio_available_cgroup(const char *text, bool version2, char *path, size_t room)
{
    for (const char *line = text; NULL != line; line = next_line(line)) {
        const char *list = strchr(line, ':');
        const char *colon = NULL == list ? NULL : strchr(list + 1, ':');
        size_t length;

        if (NULL == colon) {
            return false;
        }
        if (version2 ? colon != list + 1 : !has_controller(list + 1, colon, "memory")) {
            continue;
        }
        length = strcspn(colon + 1, "\n");
        if (length >= room) {
            return false;
        }
        memcpy(path, colon + 1, length);
        path[length] = '\0';
        return true;
    }
    return false;
}

bool collio_available_parent(char *path)
{
    char *slash = strrchr(path, '/');

    if (NULL == slash || '\0' == path[1]) {
        return false;
    }
    slash[slash == path] = '\0';
    return true;
}

int64_t collio_available_limit(const char *text)
{
    enum { PAGES = 1 << 16 }; /* bytes of the largest page */
    char *end;
    long long value = strtoll(text, &end, 10);

    if (end == text || value < 0 || value > INT64_MAX - PAGES) {
        return COLLIO_AVAILABLE_MOST;
    }
    return value;
}

int64_t collio_available_stat(const char *text, const char *field)
{
    int64_t value = field_of(text, field);

    return value < 0 ? 0 : value;
}

int64_t collio_available_left(int64_t limit, int64_t used, int64_t cache)
{
    if (COLLIO_AVAILABLE_MOST == limit) {
        return limit;
    }
    used -= collio_min(cache, used);
    return limit > used ? limit - used : 0;
}
