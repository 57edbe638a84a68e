/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Selects the file system of a file: one row for each file system with stripes. See stripes.h.
 */
#include "stripes/stripes.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "compat/repeat.h"

static const collio_stripes_provider_t *const providers[] = {&collio_stripes_lustre,
                                                             &collio_stripes_beegfs};

static const collio_stripes_provider_t *provider_of(uint32_t magic)
{
    for (size_t i = 0; i < sizeof(providers) / sizeof(providers[0]); ++i) {
        if (providers[i]->magic == magic) {
            return providers[i];
        }
    }
    return NULL;
}

bool collio_stripes_read(int fd, uint32_t file_system, collio_stripes_t *stripes)
{
    const collio_stripes_provider_t *provider = provider_of(file_system);

    *stripes = COLLIO_STRIPES_NONE;
    if (NULL == provider || !provider->read(fd, stripes) || 0 >= stripes->count
        || 0 >= stripes->bytes || INT_MAX < stripes->count) {
        *stripes = COLLIO_STRIPES_NONE;
        return false;
    }
    return true;
}

bool collio_stripes_directory(const char *path, char *directory, unsigned size)
{
    const char *slash = strrchr(path, '/');
    int length = 1;

    if (NULL == slash) {
        path = ".";
    } else if (slash != path) {
        length = (int) (slash - path);
    }
    return (int) size > snprintf(directory, size, "%.*s", length, path);
}

uint32_t collio_stripes_system(const char *path)
{
    char directory[PATH_MAX];
    struct statfs about;

    if (0 != statfs(path, &about)
        && (!collio_stripes_directory(path, directory, sizeof(directory))
            || 0 != statfs(directory, &about))) {
        return 0;
    }
    return (uint32_t) about.f_type;
}

int collio_stripes_open_plain(const char *path, int flags, int perm)
{
    int fd;

    COLLIO_REPEAT(fd, open(path, flags, perm));
    return 0 > fd ? -errno : fd;
}

static bool any(const collio_stripes_t *wanted)
{
    return 0 != wanted->count || 0 != wanted->bytes || 0 <= wanted->first
           || '\0' != wanted->pool[0];
}

int collio_stripes_open(const char *path, int flags, int perm, collio_stripes_t *wanted,
                        const char **why_not)
{
    const collio_stripes_provider_t *provider;
    collio_stripes_t chosen = *wanted;
    int fd;

    *why_not = NULL;
    *wanted = COLLIO_STRIPES_NONE;
    if (0 == (flags & O_CREAT) || !any(&chosen) || 0 == access(path, F_OK)) {
        return collio_stripes_open_plain(path, flags, perm);
    }
    provider = provider_of(collio_stripes_system(path));
    if (NULL == provider) {
        *why_not = "its file system has none that can be chosen";
        return collio_stripes_open_plain(path, flags, perm);
    }
    fd = provider->create(path, flags, perm, &chosen, why_not);
    if (0 <= fd && NULL == *why_not) {
        *wanted = chosen;
    }
    return fd;
}
