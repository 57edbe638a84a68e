/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_STRIPES_H
#define COLLIO_STRIPES_H

#include <stdbool.h>
#include <stdint.h>

/**
 * stripes/: number and size of the stripes in which a file system distributes a file over servers.
 * One interface reads the stripes of a file and creates a file with chosen stripes; each file
 * system is one file (stripes_lustre.c, stripes_beegfs.c) and one row of the table in stripes.c.
 * The directory is plain C without MPI, so that tools can use it; all functions are local.
 */
typedef struct collio_stripes_t {
    int64_t count; /* number of stripes. 0: unknown, or the default of the directory; -1: all */
    int64_t bytes; /* bytes of one stripe. 0: unknown, or the default of the directory */
    int64_t first; /* Lustre: index of the first OST of a new file; -1: any */
    char pool[64]; /* Lustre: name of the pool of a new file; "": none */
} collio_stripes_t;

/** Stripes without a requested or a known value. */
#define COLLIO_STRIPES_NONE ((collio_stripes_t){.first = -1})

/** Reads count and bytes of an open file; `file_system`: magic number. Returns false, with both 0,
 *  if they cannot be read. */
bool collio_stripes_read(int fd, uint32_t file_system, collio_stripes_t *stripes);

/** Opens a path as open(2); a file that the call creates (flags with O_CREAT; the path does not
 *  exist) gets the wanted stripes. Returns a descriptor or -errno.
 *  *why_not = NULL: no stripes were wanted, or a new file has them, or the file existed before the
 *  call; else the reason why the file has the default stripes instead.
 *  *wanted: on return the stripes that the file was created with; NONE if it was not. */
int collio_stripes_open(const char *path, int flags, int perm, collio_stripes_t *wanted,
                        const char **why_not);

/** Returns the magic number of the file system of the file, or of its directory if the file does
 *  not exist; 0 if unknown. */
uint32_t collio_stripes_system(const char *path);

enum {
    COLLIO_STRIPES_LUSTRE = 0x0bd00bd0, /* magic numbers */
    COLLIO_STRIPES_BEEGFS = 0x19830326
};

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

#endif /* COLLIO_STRIPES_H */
