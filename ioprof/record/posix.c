/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* POSIX: descriptors, and reads and writes. */
#include "record/posix.h"

#include <fcntl.h>
#include <stdarg.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

void ioprof_end(const struct ioprof_posix *p, enum ioprof_id id, int file, uint64_t end,
                uint64_t offset, uint64_t bytes, bool failed)
{
    ioprof_record(&(struct ioprof_call){.id = id,
                                        .file = file,
                                        .inside = p->inside,
                                        .failed = failed,
                                        .begin = p->begin,
                                        .end = end,
                                        .offset = offset,
                                        .bytes = bytes});
}

void ioprof_end_data(const struct ioprof_posix *p, enum ioprof_id id, int fd, int64_t offset,
                     ssize_t n)
{
    uint64_t end = ioprof_now(), bytes = n < 0 ? 0 : (uint64_t) n;
    int saved = errno;

    if (IOPROF_POSITION == offset) {
        offset = __atomic_fetch_add(&p->fd->position, bytes, __ATOMIC_RELAXED);
        if (p->fd->append && n > 0 && IOPROF_WRITE == ioprof_function(id, 0)->kind) {
            int64_t after = syscall(SYS_lseek, fd, 0, SEEK_CUR);

            __atomic_store_n(&p->fd->position, after, __ATOMIC_RELAXED);
            offset = after >= n ? after - n : (int64_t) IOPROF_UNSET;
        }
    }
    ioprof_end(p, id, p->fd->file, end, (uint64_t) offset, bytes, n < 0);
    errno = saved;
}

void ioprof_end_other(const struct ioprof_posix *p, enum ioprof_id id, uint64_t bytes, bool failed)
{
    int saved = errno;

    ioprof_end(p, id, NULL == p->fd ? IOPROF_NO_FILE : p->fd->file, ioprof_now(), IOPROF_UNSET,
               bytes, failed);
    errno = saved;
}

void ioprof_end_open(const struct ioprof_posix *p, bool counted, enum ioprof_id id,
                     const char *path, int fd, int flags)
{
    uint64_t end = ioprof_now();
    int saved = errno;
    struct ioprof_fd *opened = ioprof_fd_opened(fd, flags);

    if (counted && (NULL != opened || (fd < 0 && NULL != path && !ioprof_path_excluded(path)))) {
        ioprof_end(p, id, NULL == opened ? IOPROF_NO_FILE : opened->file, end, IOPROF_UNSET, 0,
                   fd < 0);
    }
    errno = saved;
}

#define MODE_OF(flags, last)                                                \
    ({                                                                      \
        mode_t mode_ = 0;                                                   \
        if (0 != ((flags) &O_CREAT) || O_TMPFILE == ((flags) &O_TMPFILE)) { \
            va_list args_;                                                  \
            va_start(args_, last);                                          \
            mode_ = va_arg(args_, mode_t);                                  \
            va_end(args_);                                                  \
        }                                                                   \
        mode_;                                                              \
    })

#define OPEN(name, id, PARAMS, ARGS, MODE)                             \
    IOPROF_EXPORT int name PARAMS                                      \
    {                                                                  \
        struct ioprof_posix p;                                         \
        MODE;                                                          \
        bool counted = ioprof_begin_path(&p);                          \
        int fd = IOPROF_NEXT(name) ARGS;                               \
                                                                       \
        ioprof_end_open(&p, counted, IOPROF_ID_##id, path, fd, flags); \
        return fd;                                                     \
    }

/* Checked variants of glibc's headers; they have no prototypes. */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int folder, const char *path, int flags);
int __openat64_2(int folder, const char *path, int flags);
ssize_t __read_chk(int fd, void *buf, size_t n, size_t room);
ssize_t __pread_chk(int fd, void *buf, size_t n, off_t offset, size_t room);
ssize_t __pread64_chk(int fd, void *buf, size_t n, off64_t offset, size_t room);

OPEN(open, open, (const char *path, int flags, ...), (path, flags, mode),
     mode_t mode = MODE_OF(flags, flags))
OPEN(open64, open, (const char *path, int flags, ...), (path, flags, mode),
     mode_t mode = MODE_OF(flags, flags))
OPEN(openat, openat, (int folder, const char *path, int flags, ...), (folder, path, flags, mode),
     mode_t mode = MODE_OF(flags, flags))
OPEN(openat64, openat, (int folder, const char *path, int flags, ...), (folder, path, flags, mode),
     mode_t mode = MODE_OF(flags, flags))
OPEN(__open_2, open, (const char *path, int flags), (path, flags), )
OPEN(__open64_2, open, (const char *path, int flags), (path, flags), )
OPEN(__openat_2, openat, (int folder, const char *path, int flags), (folder, path, flags), )
OPEN(__openat64_2, openat, (int folder, const char *path, int flags), (folder, path, flags), )
OPEN(creat, creat, (const char *path, mode_t mode), (path, mode), int flags = O_WRONLY)
OPEN(creat64, creat, (const char *path, mode_t mode), (path, mode), int flags = O_WRONLY)

/** The entry goes first: once it is closed, another thread may get the same number. */
IOPROF_EXPORT int close(int fd)
{
    struct ioprof_posix p;
    bool counted = ioprof_begin(&p, fd);
    int file = counted ? p.fd->file : IOPROF_NO_FILE, rc;
    struct ioprof_fd gone = {.file = file};

    if (counted) {
        ioprof_fd_closing(fd);
        p.begin = ioprof_now();
    }
    ioprof_fd_closed(fd);
    rc = IOPROF_NEXT(close)(fd);
    if (counted) {
        p.fd = &gone;
        ioprof_end_other(&p, IOPROF_ID_close, 0, rc < 0);
    }
    return rc;
}

#define DATA(name, id, PARAMS, ARGS, offset)                        \
    IOPROF_POSIX(ssize_t, name, PARAMS, ARGS, ioprof_begin(&p, fd), \
                 ioprof_end_data(&p, IOPROF_ID_##id, fd, offset, result))

DATA(read, read, (int fd, void *buf, size_t n_), (fd, buf, n_), IOPROF_POSITION)
DATA(__read_chk, read, (int fd, void *buf, size_t n_, size_t room), (fd, buf, n_, room),
     IOPROF_POSITION)
DATA(write, write, (int fd, const void *buf, size_t n_), (fd, buf, n_), IOPROF_POSITION)
DATA(pread, pread, (int fd, void *buf, size_t n_, off_t at), (fd, buf, n_, at), at)
DATA(pread64, pread, (int fd, void *buf, size_t n_, off64_t at), (fd, buf, n_, at), at)
DATA(__pread_chk, pread, (int fd, void *buf, size_t n_, off_t at, size_t room),
     (fd, buf, n_, at, room), at)
DATA(__pread64_chk, pread, (int fd, void *buf, size_t n_, off64_t at, size_t room),
     (fd, buf, n_, at, room), at)
DATA(pwrite, pwrite, (int fd, const void *buf, size_t n_, off_t at), (fd, buf, n_, at), at)
DATA(pwrite64, pwrite, (int fd, const void *buf, size_t n_, off64_t at), (fd, buf, n_, at), at)
DATA(readv, readv, (int fd, const struct iovec *iov, int n_), (fd, iov, n_), IOPROF_POSITION)
DATA(writev, writev, (int fd, const struct iovec *iov, int n_), (fd, iov, n_), IOPROF_POSITION)
DATA(preadv, preadv, (int fd, const struct iovec *iov, int n_, off_t at), (fd, iov, n_, at), at)
DATA(preadv64, preadv, (int fd, const struct iovec *iov, int n_, off64_t at), (fd, iov, n_, at), at)
DATA(pwritev, pwritev, (int fd, const struct iovec *iov, int n_, off_t at), (fd, iov, n_, at), at)
DATA(pwritev64, pwritev, (int fd, const struct iovec *iov, int n_, off64_t at), (fd, iov, n_, at),
     at)
DATA(preadv2, preadv2, (int fd, const struct iovec *iov, int n_, off_t at, int flags),
     (fd, iov, n_, at, flags), at)
DATA(preadv64v2, preadv2, (int fd, const struct iovec *iov, int n_, off64_t at, int flags),
     (fd, iov, n_, at, flags), at)
DATA(pwritev2, pwritev2, (int fd, const struct iovec *iov, int n_, off_t at, int flags),
     (fd, iov, n_, at, flags), at)
DATA(pwritev64v2, pwritev2, (int fd, const struct iovec *iov, int n_, off64_t at, int flags),
     (fd, iov, n_, at, flags), at)
/* What is copied counts where it is written, if that is a file. */
DATA(sendfile, sendfile, (int fd, int in, off_t *at, size_t n_), (fd, in, at, n_), IOPROF_POSITION)
DATA(sendfile64, sendfile, (int fd, int in, off64_t *at, size_t n_), (fd, in, at, n_),
     IOPROF_POSITION)
DATA(copy_file_range, copy_file_range,
     (int in, off64_t *in_at, int fd, off64_t *at, size_t n_, unsigned flags),
     (in, in_at, fd, at, n_, flags), NULL == at ? IOPROF_POSITION : *at - (result > 0 ? result : 0))

static void end_seek(const struct ioprof_posix *p, int64_t at)
{
    if (at >= 0) {
        __atomic_store_n(&p->fd->position, at, __ATOMIC_RELAXED);
    }
    ioprof_end_other(p, IOPROF_ID_lseek, 0, at < 0);
}

#define SEEK(name, TYPE)                                                              \
    IOPROF_POSIX(TYPE, name, (int fd, TYPE offset, int whence), (fd, offset, whence), \
                 ioprof_begin(&p, fd), end_seek(&p, result))
SEEK(lseek, off_t)
SEEK(lseek64, off64_t)

#define ON_FD(name, id, PARAMS, ARGS)                           \
    IOPROF_POSIX(int, name, PARAMS, ARGS, ioprof_begin(&p, fd), \
                 ioprof_end_other(&p, IOPROF_ID_##id, 0, 0 != result))
ON_FD(fsync, fsync, (int fd), (fd))
ON_FD(fdatasync, fdatasync, (int fd), (fd))
ON_FD(ftruncate, ftruncate, (int fd, off_t to), (fd, to))
ON_FD(ftruncate64, ftruncate, (int fd, off64_t to), (fd, to))
ON_FD(fallocate, fallocate, (int fd, int mode, off_t at, off_t n), (fd, mode, at, n))
ON_FD(fallocate64, fallocate, (int fd, int mode, off64_t at, off64_t n), (fd, mode, at, n))
ON_FD(posix_fallocate, posix_fallocate, (int fd, off_t at, off_t n), (fd, at, n))
ON_FD(posix_fallocate64, posix_fallocate, (int fd, off64_t at, off64_t n), (fd, at, n))

IOPROF_EXPORT int dup(int fd)
{
    int copy = IOPROF_NEXT(dup)(fd);

    ioprof_fd_dup(fd, copy);
    return copy;
}

IOPROF_EXPORT int dup2(int fd, int copy)
{
    int rc = IOPROF_NEXT(dup2)(fd, copy);

    ioprof_fd_dup(fd, rc);
    return rc;
}

IOPROF_EXPORT int dup3(int fd, int copy, int flags)
{
    int rc = IOPROF_NEXT(dup3)(fd, copy, flags);

    ioprof_fd_dup(fd, rc);
    return rc;
}

/* The third argument is an int or a pointer; a pointer holds both in every ABI of Linux. */
#define FCNTL(name)                                                \
    IOPROF_EXPORT int name(int fd, int command, ...)               \
    {                                                              \
        va_list args;                                              \
        void *value;                                               \
        int rc;                                                    \
                                                                   \
        va_start(args, command);                                   \
        value = va_arg(args, void *);                              \
        va_end(args);                                              \
        rc = IOPROF_NEXT(name)(fd, command, value);                \
        if (F_DUPFD == command || F_DUPFD_CLOEXEC == command) {    \
            ioprof_fd_dup(fd, rc);                                 \
        } else if (F_SETFL == command && rc >= 0) {                \
            struct ioprof_fd *file = ioprof_fd_get(fd);            \
                                                                   \
            if (NULL != file) {                                    \
                file->append = 0 != ((intptr_t) value & O_APPEND); \
            }                                                      \
        }                                                          \
        return rc;                                                 \
    }
FCNTL(fcntl)
FCNTL(fcntl64)

static void closed_from(unsigned first, unsigned last)
{
    for (unsigned fd = first; fd <= last && fd < 65536; fd++) {
        ioprof_fd_closed((int) fd);
    }
}

/* glibc 2.34; without it nobody calls these */
int close_range(unsigned first, unsigned last, int flags);
IOPROF_EXPORT int close_range(unsigned first, unsigned last, int flags)
{
    int rc = IOPROF_NEXT(close_range)(first, last, flags);

    if (0 == rc && 0 == (flags & 4)) { /* CLOSE_RANGE_CLOEXEC closes later */
        closed_from(first, last);
    }
    return rc;
}

void closefrom(int first);
IOPROF_EXPORT void closefrom(int first)
{
    IOPROF_NEXT(closefrom)(first);
    closed_from(first < 0 ? 0 : (unsigned) first, 65535);
}
