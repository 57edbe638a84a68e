/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/**
 * A library for LD_PRELOAD: files below BEESIM_DIR are on BeeGFS, as far as statfs and two ioctls
 * of its client go. Written after what a real BeeGFS 7.4.7 did:
 *
 *   GET_STRIPEINFO      on a file: pattern, chunk bytes, targets
 *   MKFILE_STRIPEHINTS  on a folder: a new file. 0 is the folder's default (512 KiB on 4 targets);
 *                       chunks are 2^n and at least 64 KiB, else EINVAL; more targets than there
 *                       are (BEESIM_TARGETS, 8) is all; EEXIST; no slash in the name
 *
 * The stripes of a file that was made in this way are kept in BEESIM_DIR/.beesim.INODE. Writes are
 * listed in BEESIM_LOG: process, offset, bytes. BEESIM_FAIL=E: MKFILE_STRIPEHINTS fails with errno
 * E.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#define MAGIC              0x19830326
#define GET_STRIPEINFO     0x800c6619ul
#define MKFILE_STRIPEHINTS 0x4018661bul

#define REAL(name) ((__typeof__(&name)) dlsym(RTLD_NEXT, #name))

static bool below(const char *path)
{
    const char *dir = getenv("BEESIM_DIR");
    size_t length = NULL == dir ? 0 : strlen(dir);

    return 0 < length && 0 == strncmp(path, dir, length)
           && ('/' == path[length] || '\0' == path[length]);
}

static bool inside(const char *path)
{
    char resolved[PATH_MAX];

    return NULL != realpath(path, resolved) && below(resolved);
}

static bool ours(int fd, char *path)
{
    char link[64];
    ssize_t length;

    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    length = readlink(link, path, PATH_MAX - 1);
    path[0 < length ? length : 0] = '\0';
    return below(path);
}

static void record_of(ino_t inode, char *path)
{
    snprintf(path, PATH_MAX, "%s/.beesim.%lu", getenv("BEESIM_DIR"), (unsigned long) inode);
}

static int get_info(int fd, void *argument)
{
    struct {
        unsigned pattern, chunk_bytes;
        uint16_t targets;
    } info = {1, 512 << 10, 4};
    char path[PATH_MAX];
    struct stat status;
    FILE *record;

    if (0 != fstat(fd, &status) || !S_ISREG(status.st_mode)) {
        errno = ENOTTY;
        return -1;
    }
    record_of(status.st_ino, path);
    record = fopen(path, "r");
    if (NULL != record) {
        if (2 != fscanf(record, "%hu %u", &info.targets, &info.chunk_bytes)) {
            abort();
        }
        fclose(record);
    }
    memcpy(argument, &info, 12);
    return 0;
}

typedef struct make_t {
    const char *name;
    unsigned mode, targets, chunk_bytes;
} make_t;

static int refused(const make_t *make)
{
    unsigned chunk = make->chunk_bytes;

    if (NULL != getenv("BEESIM_FAIL")) {
        return atoi(getenv("BEESIM_FAIL"));
    }
    return NULL != strchr(make->name, '/') || !S_ISREG(make->mode)
                   || (0 != chunk && (65536 > chunk || 0 != (chunk & (chunk - 1))))
               ? EINVAL
               : 0;
}

static int make_file(int folder, const make_t *make)
{
    unsigned most = NULL == getenv("BEESIM_TARGETS") ? 8
                                                     : (unsigned) atoi(getenv("BEESIM_TARGETS"));
    unsigned targets = 0 == make->targets ? 4 : make->targets < most ? make->targets : most;
    char path[PATH_MAX];
    struct stat status;
    FILE *record;
    int fd;

    errno = refused(make);
    if (0 != errno) {
        return -1;
    }
    fd = openat(folder, make->name, O_CREAT | O_EXCL | O_WRONLY, make->mode & 07777);
    if (0 > fd || 0 != fstat(fd, &status)) {
        return -1;
    }
    record_of(status.st_ino, path);
    record = fopen(path, "w");
    fprintf(record, "%u %u\n", targets, 0 == make->chunk_bytes ? 512 << 10 : make->chunk_bytes);
    fclose(record);
    return close(fd);
}

int ioctl(int fd, unsigned long request, ...)
{
    char path[PATH_MAX];
    va_list list;
    void *argument;

    va_start(list, request);
    argument = va_arg(list, void *);
    va_end(list);
    if (GET_STRIPEINFO == request && ours(fd, path)) {
        return get_info(fd, argument);
    }
    if (MKFILE_STRIPEHINTS == request && ours(fd, path)) {
        return make_file(fd, argument);
    }
    return REAL(ioctl)(fd, request, argument);
}

#define STATFS(name, type)                          \
    int name(const char *path, struct type *status) \
    {                                               \
        int rc = REAL(name)(path, status);          \
        if (0 == rc && inside(path)) {              \
            status->f_type = MAGIC;                 \
        }                                           \
        return rc;                                  \
    }
STATFS(statfs, statfs)
STATFS(statfs64, statfs64)

#define FSTATFS(name, type)               \
    int name(int fd, struct type *status) \
    {                                     \
        char path[PATH_MAX];              \
        int rc = REAL(name)(fd, status);  \
        if (0 == rc && ours(fd, path)) {  \
            status->f_type = MAGIC;       \
        }                                 \
        return rc;                        \
    }
FSTATFS(fstatfs, statfs)
FSTATFS(fstatfs64, statfs64)

static void list_write(int fd, off_t offset, int64_t bytes)
{
    const char *name = getenv("BEESIM_LOG");
    char path[PATH_MAX];
    FILE *log;

    if (NULL != name && ours(fd, path) && NULL == strstr(path, "/.beesim")) {
        log = fopen(name, "a");
        fprintf(log, "%ld %lld %lld\n", (long) getpid(), (long long) offset, (long long) bytes);
        fclose(log);
    }
}

ssize_t pwrite(int fd, const void *from, size_t length, off_t offset)
{
    list_write(fd, offset, (int64_t) length);
    return REAL(pwrite)(fd, from, length, offset);
}

ssize_t pwritev(int fd, const struct iovec *vector, int count, off_t offset)
{
    int64_t bytes = 0;

    for (int i = 0; i < count; ++i) {
        bytes += (int64_t) vector[i].iov_len;
    }
    list_write(fd, offset, bytes);
    return REAL(pwritev)(fd, vector, count, offset);
}
