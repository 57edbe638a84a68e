/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_STRIPES_PROVIDER_H
#define COLLIO_STRIPES_PROVIDER_H

#include "stripes/stripes.h"

/** A file system with stripes. */
typedef struct collio_stripes_provider_t {
    uint32_t magic; /* magic number of the file system */
    /** Reads the stripes of an open file. Returns false if they cannot be read. */
    bool (*read)(int fd, collio_stripes_t *stripes);
    /** Creates the file with the wanted stripes, exclusively with O_EXCL; without O_EXCL a file
     *  that another process has created meanwhile is opened as it is. Returns a descriptor or
     *  -errno. If the stripes are refused, sets *why_not, and the file has the default stripes. */
    int (*create)(const char *path, int flags, int perm, collio_stripes_t *wanted,
                  const char **why_not);
} collio_stripes_provider_t;

extern const collio_stripes_provider_t collio_stripes_lustre;
extern const collio_stripes_provider_t collio_stripes_beegfs;

/** Calls open(2). Returns a descriptor or -errno. */
int collio_stripes_open_plain(const char *path, int flags, int perm);

/** Writes the directory of a path to `directory`. Returns false if the path is too long. */
bool collio_stripes_directory(const char *path, char *directory, unsigned size);

#endif /* COLLIO_STRIPES_PROVIDER_H */
