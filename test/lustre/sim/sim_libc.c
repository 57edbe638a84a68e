/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/**
 * The C library calls that the preloaded library stands in front of. Each does what its name says
 * on the real file, with the locks a Lustre client would hold around it.
 *
 * Not seen from here, and so without locks: mmap, io_uring and other raw system calls, stdio,
 * aio_*, transfers at the file's own pointer, and descriptors inherited over exec.
 */

#include "sim_preload.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/uio.h>
#include <unistd.h>

#pragma GCC visibility push(default) /* everything else of the library is hidden */

#define SUPER_MAGIC 0x0BD00BD0

/* ---- opening and closing ---- */

static mode_t mode_argument(int flags, va_list list)
{
    return 0 != (flags & (O_CREAT | __O_TMPFILE)) ? va_arg(list, mode_t) : 0;
}

static int truncated(int fd, int flags)
{
    sim_held_t held;

    if (0 <= fd && 0 != (flags & O_TRUNC)) {
        (void) sim_io_begin(&held, fd, 0, -1, SIM_WRITE);
        sim_io_end(&held);
    }
    return fd;
}

#define OPEN(name)                                   \
    int name(const char *path, int flags, ...)       \
    {                                                \
        va_list list;                                \
        mode_t mode;                                 \
        int fd;                                      \
        va_start(list, flags);                       \
        mode = mode_argument(flags, list);           \
        va_end(list);                                \
        if (sim_fault_interrupt(sim_inside(path))) { \
            return -1;                               \
        }                                            \
        fd = SIM_REAL(name)(path, flags, mode);      \
        sim_opened(fd, path, flags);                 \
        return truncated(fd, flags);                 \
    }
OPEN(open)
OPEN(open64)

int __open_2(const char *path, int flags);
int __open_2(const char *path, int flags)
{
    return open(path, flags);
}

int __open64_2(const char *path, int flags);
int __open64_2(const char *path, int flags)
{
    return open64(path, flags);
}

int close(int fd)
{
    int error = sim_fault_close(fd);
    int rc;

    sim_closed(fd);
    rc = SIM_REAL(close)(fd);
    if (0 == rc && 0 != error) {
        errno = error;
        return -1;
    }
    return rc;
}

#define SYNC(name)                                          \
    int name(int fd)                                        \
    {                                                       \
        int rc;                                             \
        if (sim_fault_interrupt(NULL != sim_open_of(fd))) { \
            return -1;                                      \
        }                                                   \
        rc = sim_sync(fd);                                  \
        if (0 != rc) {                                      \
            errno = -rc;                                    \
            return -1;                                      \
        }                                                   \
        return SIM_REAL(name)(fd);                          \
    }
SYNC(fsync)
SYNC(fdatasync)

int dup(int from)
{
    int to = SIM_REAL(dup)(from);

    sim_duplicated(from, to);
    return to;
}

int dup2(int from, int to)
{
    if (from != to) {
        sim_closed(to);
    }
    to = SIM_REAL(dup2)(from, to);
    if (from != to) {
        sim_duplicated(from, to);
    }
    return to;
}

#define FCNTL(name)                                             \
    int name(int fd, int command, ...)                          \
    {                                                           \
        va_list list;                                           \
        void *argument;                                         \
        int rc;                                                 \
        va_start(list, command);                                \
        argument = va_arg(list, void *);                        \
        va_end(list);                                           \
        rc = SIM_REAL(name)(fd, command, argument);             \
        if (F_DUPFD == command || F_DUPFD_CLOEXEC == command) { \
            sim_duplicated(fd, rc);                             \
        }                                                       \
        return rc;                                              \
    }
FCNTL(fcntl)
FCNTL(fcntl64)

static void forget(int dir, const char *path, int flags, int (*remove_it)(int, const char *, int),
                   int *rc)
{
    uint64_t birth = sim_birth(dir, path);
    struct stat status;
    bool ours = sim_inside(path) && 0 == SIM_REAL(fstatat)(dir, path, &status, AT_SYMLINK_NOFOLLOW);

    *rc = remove_it(dir, path, flags);
    if (0 == *rc && ours && S_ISREG(status.st_mode) && 1 == status.st_nlink) {
        sim_file_forget(sim_space(), status.st_dev, status.st_ino, birth);
    }
}

int unlinkat(int dir, const char *path, int flags)
{
    int rc;

    forget(dir, path, flags, SIM_REAL(unlinkat), &rc);
    return rc;
}

int unlink(const char *path)
{
    return unlinkat(AT_FDCWD, path, 0);
}

/* ---- transfers ---- */

/* `call` is the real transfer; the locks are held around it. */
#define AROUND(fd, offset, length, mode, type, call)            \
    do {                                                        \
        sim_held_t held;                                        \
        type done;                                              \
        int rc = sim_io_begin(&held, fd, offset, length, mode); \
        if (0 != rc) {                                          \
            sim_io_end(&held);                                  \
            errno = -rc;                                        \
            return -1;                                          \
        }                                                       \
        done = call;                                            \
        rc = errno;                                             \
        sim_io_end(&held);                                      \
        errno = rc;                                             \
        return done;                                            \
    } while (0)

static int64_t vector_bytes(const struct iovec *vector, int count)
{
    int64_t bytes = 0;

    for (int i = 0; i < count; ++i) {
        bytes += (int64_t) vector[i].iov_len;
    }
    return bytes;
}

#define PREAD(name, offset_t)                                      \
    ssize_t name(int fd, void *to, size_t length, offset_t offset) \
    {                                                              \
        AROUND(fd, offset, (int64_t) length, SIM_READ, ssize_t,    \
               SIM_REAL(name)(fd, to, length, offset));            \
    }
PREAD(pread, off_t)
PREAD(pread64, off64_t)

#define PWRITE(name, offset_t)                                             \
    ssize_t name(int fd, const void *from, size_t length, offset_t offset) \
    {                                                                      \
        AROUND(fd, offset, (int64_t) length, SIM_WRITE, ssize_t,           \
               SIM_REAL(name)(fd, from, length, offset));                  \
    }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

#define VECTOR(name, offset_t, mode)                                             \
    ssize_t name(int fd, const struct iovec *vector, int count, offset_t offset) \
    {                                                                            \
        AROUND(fd, offset, vector_bytes(vector, count), mode, ssize_t,           \
               SIM_REAL(name)(fd, vector, count, offset));                       \
    }
VECTOR(preadv, off_t, SIM_READ)
VECTOR(preadv64, off64_t, SIM_READ)
VECTOR(pwritev, off_t, SIM_WRITE)
VECTOR(pwritev64, off64_t, SIM_WRITE)

#define VECTOR2(name, offset_t, mode)                                                       \
    ssize_t name(int fd, const struct iovec *vector, int count, offset_t offset, int flags) \
    {                                                                                       \
        AROUND(fd, offset, vector_bytes(vector, count), mode, ssize_t,                      \
               SIM_REAL(name)(fd, vector, count, offset, flags));                           \
    }
VECTOR2(preadv2, off_t, SIM_READ)
VECTOR2(preadv64v2, off64_t, SIM_READ)
VECTOR2(pwritev2, off_t, SIM_WRITE)
VECTOR2(pwritev64v2, off64_t, SIM_WRITE)

#define FTRUNCATE(name, offset_t)                                       \
    int name(int fd, offset_t size)                                     \
    {                                                                   \
        if (sim_fault_interrupt(NULL != sim_open_of(fd))) {             \
            return -1;                                                  \
        }                                                               \
        AROUND(fd, size, -1, SIM_WRITE, int, SIM_REAL(name)(fd, size)); \
    }
FTRUNCATE(ftruncate, off_t)
FTRUNCATE(ftruncate64, off64_t)

/* With modelled times, ranks that poll would take the processor from those that work. */
int sched_yield(void)
{
    static int us = -1;

    if (0 > us) {
        const char *text = getenv("LUSTRESIM_IDLE_US");
        us = NULL == text ? 0 : atoi(text);
    }
    return 0 < us ? usleep((useconds_t) us) : SIM_REAL(sched_yield)();
}

/* ---- what the file system says of itself ---- */

#define STATFS(name, type)                          \
    int name(const char *path, struct type *status) \
    {                                               \
        int rc = SIM_REAL(name)(path, status);      \
        if (0 == rc && sim_inside(path)) {          \
            status->f_type = SUPER_MAGIC;           \
        }                                           \
        return rc;                                  \
    }
STATFS(statfs, statfs)
STATFS(statfs64, statfs64)

#define FSTATFS(name, type)                       \
    int name(int fd, struct type *status)         \
    {                                             \
        int rc = SIM_REAL(name)(fd, status);      \
        if (0 == rc && NULL != sim_open_of(fd)) { \
            status->f_type = SUPER_MAGIC;         \
        }                                         \
        return rc;                                \
    }
FSTATFS(fstatfs, statfs)
FSTATFS(fstatfs64, statfs64)

/* A client is a mount, and a mount has a device of its own. */
int statx(int dir, const char *path, int flags, unsigned mask, struct statx *status)
{
    int rc = SIM_REAL(statx)(dir, path, flags, mask, status);
    sim_open_t *open = '\0' == *path ? sim_open_of(dir) : NULL;

    if (0 == rc && NULL != open) {
        status->stx_dev_minor = 1000 + open->client;
    }
    return rc;
}

static void ask_size(int fd)
{
    sim_open_t *open = sim_open_of(fd);
    int kept = errno;

    if (NULL != open) {
        sim_glimpse(sim_space(), open->client, open->file);
    }
    errno = kept;
}

#define FSTAT(name, type)                  \
    int name(int fd, struct type *status)  \
    {                                      \
        ask_size(fd);                      \
        return SIM_REAL(name)(fd, status); \
    }
FSTAT(fstat, stat)
FSTAT(fstat64, stat64)

#define LSEEK(name, offset_t)                          \
    offset_t name(int fd, offset_t offset, int whence) \
    {                                                  \
        if (SEEK_END == whence) {                      \
            ask_size(fd);                              \
        }                                              \
        return SIM_REAL(name)(fd, offset, whence);     \
    }
LSEEK(lseek, off_t)
LSEEK(lseek64, off64_t)

int ioctl(int fd, unsigned long request, ...)
{
    sim_open_t *open = sim_open_of(fd);
    va_list list;
    void *argument;

    va_start(list, request);
    argument = va_arg(list, void *);
    va_end(list);
    if (NULL != open && 'f' == _IOC_TYPE(request)) {
        return sim_ioctl(open, fd, request, argument);
    }
    return SIM_REAL(ioctl)(fd, request, argument);
}
