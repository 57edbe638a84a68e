/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_STRIPES_H
#define COLLIO_STRIPES_H

#include <stdbool.h>
#include <stdint.h>

/**
 * Stripes: over how many servers a file is spread, and in pieces of which size. One interface to
 * read the stripes of a file and to create a file with chosen ones; each file system that has
 * stripes is one file (stripes_lustre.c, stripes_beegfs.c) and one row of the table in stripes.c.
 * Plain C: no MPI, so that tools can use it. Everything is local to the calling process.
 */
typedef struct collio_stripes_t {
    int64_t count; /* number of stripes. 0: not known, or the default of the directory; -1: all */
    int64_t bytes; /* bytes of one stripe. 0: not known, or the default of the directory */
    int64_t first; /* Lustre: index of the first OST of a new file; -1: any */
    char pool[64]; /* Lustre: name of the pool of a new file; "": none */
} collio_stripes_t;

/** Nothing wanted, nothing known. */
#define COLLIO_STRIPES_NONE ((collio_stripes_t){.first = -1})

/** Reads count and bytes of an open file. False: they cannot be read, and are 0. */
bool collio_stripes_read(int fd, collio_stripes_t *stripes);

/** open(2) of a path, where a file that it creates gets the wanted stripes (flags with O_CREAT; the
 *  path does not exist). Returns a descriptor or -errno.
 *  *why_not = NULL: nothing was wanted, or a new file has the stripes, or the file existed before.
 *  Else the stripes could not be given for this reason, and the file has the default ones.
 *  *wanted: on return what the file was created with; NONE if it was not created with it. */
int collio_stripes_open(const char *path, int flags, int perm, collio_stripes_t *wanted,
                        const char **why_not);

/** The magic number of the file system that the file, or the directory it would be in, is on; 0 if
 *  that is not known. */
uint32_t collio_stripes_system(const char *path);

enum {
    COLLIO_STRIPES_LUSTRE = 0x0bd00bd0, /* magic numbers */
    COLLIO_STRIPES_BEEGFS = 0x19830326
};

#endif /* COLLIO_STRIPES_H */
