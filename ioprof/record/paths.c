/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* POSIX: functions that take a path, and mmap. */
#include "record/posix.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/** The end of a call with a path. Keeps errno. */
static void end_path(const struct ioprof_posix *p, enum ioprof_id id, const char *path, bool failed)
{
    uint64_t end = ioprof_now();
    int saved = errno;

    if (NULL == path || !ioprof_path_excluded(path)) {
        ioprof_end(p, id, ioprof_file_find(path), end, IOPROF_UNSET, 0, failed);
    }
    errno = saved;
}

#define ON_PATH(name, id, PARAMS, ARGS)                          \
    IOPROF_POSIX(int, name, PARAMS, ARGS, ioprof_begin_path(&p), \
                 end_path(&p, IOPROF_ID_##id, path, result < 0))

#define ON_FD(name, id, PARAMS, ARGS)                           \
    IOPROF_POSIX(int, name, PARAMS, ARGS, ioprof_begin(&p, fd), \
                 ioprof_end_other(&p, IOPROF_ID_##id, 0, result < 0))

/* Before glibc 2.33 stat() and its kin were inline calls of these. */
int __xstat(int version, const char *path, struct stat *st);
int __xstat64(int version, const char *path, struct stat64 *st);
int __lxstat(int version, const char *path, struct stat *st);
int __lxstat64(int version, const char *path, struct stat64 *st);
int __fxstat(int version, int fd, struct stat *st);
int __fxstat64(int version, int fd, struct stat64 *st);
int __fxstatat(int version, int folder, const char *path, struct stat *st, int flags);
int __fxstatat64(int version, int folder, const char *path, struct stat64 *st, int flags);

ON_PATH(__xstat, stat, (int version, const char *path, struct stat *st), (version, path, st))
ON_PATH(__xstat64, stat, (int version, const char *path, struct stat64 *st), (version, path, st))
ON_PATH(__lxstat, lstat, (int version, const char *path, struct stat *st), (version, path, st))
ON_PATH(__lxstat64, lstat, (int version, const char *path, struct stat64 *st), (version, path, st))
ON_FD(__fxstat, fstat, (int version, int fd, struct stat *st), (version, fd, st))
ON_FD(__fxstat64, fstat, (int version, int fd, struct stat64 *st), (version, fd, st))
ON_PATH(__fxstatat, fstatat,
        (int version, int folder, const char *path, struct stat *st, int flags),
        (version, folder, path, st, flags))
ON_PATH(__fxstatat64, fstatat,
        (int version, int folder, const char *path, struct stat64 *st, int flags),
        (version, folder, path, st, flags))
ON_PATH(stat, stat, (const char *path, struct stat *st), (path, st))
ON_PATH(stat64, stat, (const char *path, struct stat64 *st), (path, st))
ON_PATH(lstat, lstat, (const char *path, struct stat *st), (path, st))
ON_PATH(lstat64, lstat, (const char *path, struct stat64 *st), (path, st))
ON_FD(fstat, fstat, (int fd, struct stat *st), (fd, st))
ON_FD(fstat64, fstat, (int fd, struct stat64 *st), (fd, st))
ON_PATH(fstatat, fstatat, (int folder, const char *path, struct stat *st, int flags),
        (folder, path, st, flags))
ON_PATH(fstatat64, fstatat, (int folder, const char *path, struct stat64 *st, int flags),
        (folder, path, st, flags))
ON_PATH(statx, statx, (int folder, const char *path, int flags, unsigned mask, struct statx *st),
        (folder, path, flags, mask, st))
ON_PATH(truncate, truncate, (const char *path, off_t to), (path, to))
ON_PATH(truncate64, truncate, (const char *path, off64_t to), (path, to))
ON_PATH(unlink, unlink, (const char *path), (path))
ON_PATH(unlinkat, unlinkat, (int folder, const char *path, int flags), (folder, path, flags))
ON_PATH(remove, remove, (const char *path), (path))
ON_PATH(rename, rename, (const char *path, const char *to), (path, to))
ON_PATH(renameat, renameat, (int folder, const char *path, int to_folder, const char *to),
        (folder, path, to_folder, to))
ON_PATH(renameat2, renameat2,
        (int folder, const char *path, int to_folder, const char *to, unsigned flags),
        (folder, path, to_folder, to, flags))

#define MMAP(name, TYPE)                                                                   \
    IOPROF_POSIX(void *, name,                                                             \
                 (void *at, size_t bytes, int protection, int flags, int fd, TYPE offset), \
                 (at, bytes, protection, flags, fd, offset),                               \
                 fd >= 0 && 0 == (flags & MAP_ANONYMOUS) && ioprof_begin(&p, fd),          \
                 ioprof_end_other(&p, IOPROF_ID_mmap, MAP_FAILED == result ? 0 : bytes,    \
                                  MAP_FAILED == result))
MMAP(mmap, off_t)
MMAP(mmap64, off64_t)
