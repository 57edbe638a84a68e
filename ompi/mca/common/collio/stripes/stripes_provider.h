/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_STRIPES_PROVIDER_H
#define COLLIO_STRIPES_PROVIDER_H

#include "stripes/stripes.h"

/** A file system with stripes. */
typedef struct collio_stripes_provider_t {
    uint32_t magic; /* magic number of the file system */
    /** Reads the stripes of an open file. False: they cannot be read. */
    bool (*read)(int fd, collio_stripes_t *stripes);
    /** Creates the file with the wanted stripes, exclusively if flags say so; without O_EXCL a file
     *  that has appeared meanwhile is opened as it is. A descriptor or -errno. If the
     *  stripes are refused, sets *why_not, and the file has the default ones. */
    int (*create)(const char *path, int flags, int perm, collio_stripes_t *wanted,
                  const char **why_not);
} collio_stripes_provider_t;

extern const collio_stripes_provider_t collio_stripes_lustre;
extern const collio_stripes_provider_t collio_stripes_beegfs;

/** open(2): a descriptor or -errno. */
int collio_stripes_open_plain(const char *path, int flags, int perm);

/** The directory of a path. False if the path is too long. */
bool collio_stripes_directory(const char *path, char *directory, unsigned size);

#endif /* COLLIO_STRIPES_PROVIDER_H */
