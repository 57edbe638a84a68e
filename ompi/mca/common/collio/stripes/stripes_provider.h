/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_STRIPES_PROVIDER_H
#define COLLIO_STRIPES_PROVIDER_H

#include "stripes/stripes.h"

/** What a file system with stripes can do. */
typedef struct collio_stripes_provider_t {
    uint32_t magic;
    bool (*read)(int fd, collio_stripes_t *stripes);
    /** Creates the file with the wanted stripes, exclusively if flags say so; without O_EXCL a file
     *  that has appeared meanwhile is opened as it is. A descriptor or -errno. An error that is the
     *  stripes' fault leaves no file behind, or an empty one, and sets *why_not. */
    int (*create)(const char *path, int flags, int perm, collio_stripes_t *wanted,
                  const char **why_not);
} collio_stripes_provider_t;

extern const collio_stripes_provider_t collio_stripes_lustre;
extern const collio_stripes_provider_t collio_stripes_beegfs;

/** open(2): a descriptor or -errno. */
int collio_stripes_open_plain(const char *path, int flags, int perm);

/** The folder that a path is in. False if the path is too long. */
bool collio_stripes_folder(const char *path, char *folder, unsigned size);

#endif /* COLLIO_STRIPES_PROVIDER_H */
