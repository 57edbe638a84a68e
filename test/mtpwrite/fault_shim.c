/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * A library for LD_PRELOAD that makes pread/pwrite(v) and fcntl behave badly, for files whose name
 * contains FAULT_NAME:
 *
 *   FAULT_SHORT=1      every transfer moves a part of what was asked for
 *   FAULT_EINTR=n      every n-th call is interrupted         FAULT_EAGAIN=n   ... refused
 *   FAULT_ERRNO=e FAULT_FROM=a FAULT_TO=b   writes that touch file bytes [a, b) fail with errno e
 *   FAULT_LOCK=e       byte-range locks fail with errno e; with FAULT_LOCK_SKIP=s the first s of
 *                      them work, with FAULT_LOCK_COUNT=c only c fail then
 *   FAULT_URING=n      every n-th submission to io_uring fails with ENOMEM, whatever the file
 *   FAULT_AIO_SUBMIT=n every n-th submission to libaio fails with ENOMEM; FAULT_AIO_EIO=n: every
 *                      n-th request ends with EIO, FAULT_AIO_SHORT=n: with 4096 bytes less
 *   FAULT_COUNT=file   at the end: "locks N" in this file, the OFD locks that were tried
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static long long number(const char *name)
{
    const char *text = getenv(name);

    return NULL == text ? 0 : atoll(text);
}

static int ours(int fd)
{
    const char *name = getenv("FAULT_NAME");
    char link[64], path[4096];
    ssize_t length;

    if (NULL == name) {
        return 0;
    }
    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    length = readlink(link, path, sizeof(path) - 1);
    if (0 >= length) {
        return 0;
    }
    path[length] = '\0';
    return NULL != strstr(path, name);
}

/* 0: go on, with *count bytes at most; else errno is set. */
static int disturb(int fd, int write_it, off_t offset, size_t *count)
{
    static _Atomic long long calls;
    long long turn, eintr = number("FAULT_EINTR"), eagain = number("FAULT_EAGAIN");

    if (!ours(fd)) {
        return 0;
    }
    turn = ++calls;
    if (write_it && 0 != number("FAULT_ERRNO") && offset < number("FAULT_TO")
        && offset + (long long) *count > number("FAULT_FROM")) {
        if (offset >= number("FAULT_FROM")) {
            errno = (int) number("FAULT_ERRNO");
            return -1;
        }
        *count = (size_t) (number("FAULT_FROM") - offset);
    }
    if (0 < eintr && 0 == turn % eintr) {
        errno = EINTR;
        return -1;
    }
    if (0 < eagain && 0 == turn % eagain) {
        errno = EAGAIN;
        return -1;
    }
    if (0 != number("FAULT_SHORT") && 1 < *count) {
        *count = 1 + *count / 3;
    }
    return 0;
}

ssize_t pwrite(int fd, const void *buf, size_t count, off_t offset)
{
    static ssize_t (*real)(int, const void *, size_t, off_t);

    real = NULL == real ? (ssize_t(*)(int, const void *, size_t, off_t)) dlsym(RTLD_NEXT, "pwrite")
                        : real;
    return 0 != disturb(fd, 1, offset, &count) ? -1 : real(fd, buf, count, offset);
}

ssize_t pread(int fd, void *buf, size_t count, off_t offset)
{
    static ssize_t (*real)(int, void *, size_t, off_t);

    real = NULL == real ? (ssize_t(*)(int, void *, size_t, off_t)) dlsym(RTLD_NEXT, "pread") : real;
    return 0 != disturb(fd, 0, offset, &count) ? -1 : real(fd, buf, count, offset);
}

static ssize_t vector(int fd, int write_it, const struct iovec *iov, int entries, off_t offset)
{
    size_t count = 0, all;
    ssize_t total = 0;

    for (int i = 0; i < entries; ++i) {
        count += iov[i].iov_len;
    }
    all = count;
    if (0 != disturb(fd, write_it, offset, &count)) {
        return -1;
    }
    (void) all;
    for (int i = 0; i < entries && (size_t) total < count; ++i) {
        size_t length = iov[i].iov_len < count - (size_t) total ? iov[i].iov_len
                                                                : count - (size_t) total;
        long moved = write_it ? syscall(18, fd, iov[i].iov_base, length, offset + total)
                              : syscall(17, fd, iov[i].iov_base, length, offset + total);

        if (0 > moved) {
            return 0 < total ? total : -1;
        }
        total += moved;
        if ((size_t) moved < length) {
            break;
        }
    }
    return total;
}

ssize_t pwritev(int fd, const struct iovec *iov, int entries, off_t offset)
{
    return vector(fd, 1, iov, entries, offset);
}

ssize_t preadv(int fd, const struct iovec *iov, int entries, off_t offset)
{
    return vector(fd, 0, iov, entries, offset);
}

ssize_t pwrite64(int fd, const void *buf, size_t count, off64_t offset)
{
    return pwrite(fd, buf, count, offset);
}

ssize_t pread64(int fd, void *buf, size_t count, off64_t offset)
{
    return pread(fd, buf, count, offset);
}

ssize_t pwritev64(int fd, const struct iovec *iov, int entries, off64_t offset)
{
    return vector(fd, 1, iov, entries, offset);
}

ssize_t preadv64(int fd, const struct iovec *iov, int entries, off64_t offset)
{
    return vector(fd, 0, iov, entries, offset);
}

static _Atomic long long lock_calls;

static int lock_fails(int fd, int command)
{
    long long skip = number("FAULT_LOCK_SKIP"), count = number("FAULT_LOCK_COUNT"), turn;

    if (!ours(fd)) {
        return 0;
    }
    if (F_OFD_SETLK != command && F_OFD_SETLKW != command) {
        return 0 != number("FAULT_LOCK"); /* not one of ours */
    }
    turn = lock_calls++;
    return 0 != number("FAULT_LOCK") && turn >= skip && (0 == count || turn < skip + count);
}

__attribute__((destructor)) static void tell(void)
{
    const char *name = getenv("FAULT_COUNT");
    FILE *out = NULL == name ? NULL : fopen(name, "a");

    if (NULL != out) {
        fprintf(out, "locks %lld\n", (long long) lock_calls);
        fclose(out);
    }
}

struct io_uring;
int io_uring_submit(struct io_uring *ring);

int io_uring_submit(struct io_uring *ring)
{
    static int (*real)(struct io_uring *);
    static _Atomic long long calls;
    long long nth = number("FAULT_URING");

    real = NULL == real ? (int (*)(struct io_uring *)) dlsym(RTLD_NEXT, "io_uring_submit") : real;
    return 0 < nth && 0 == ++calls % nth ? -ENOMEM : real(ring);
}

struct io_context;
struct iocb;
struct aio_event { /* as libaio's struct io_event on 64 bits */
    void *data, *request;
    unsigned long result, result2;
};
int io_submit(struct io_context *context, long count, struct iocb **requests);
int io_getevents(struct io_context *context, long least, long most, struct aio_event *events,
                 struct timespec *timeout);

int io_submit(struct io_context *context, long count, struct iocb **requests)
{
    static int (*real)(struct io_context *, long, struct iocb **);
    static _Atomic long long calls;
    long long nth = number("FAULT_AIO_SUBMIT");

    real = NULL == real
               ? (int (*)(struct io_context *, long, struct iocb **)) dlsym(RTLD_NEXT, "io_submit")
               : real;
    return 0 < nth && 0 == ++calls % nth ? -ENOMEM : real(context, count, requests);
}

int io_getevents(struct io_context *context, long least, long most, struct aio_event *events,
                 struct timespec *timeout)
{
    static int (*real)(struct io_context *, long, long, struct aio_event *, struct timespec *);
    static _Atomic long long ended;
    long long fails = number("FAULT_AIO_EIO"), is_short = number("FAULT_AIO_SHORT");
    int count;

    real = NULL == real ? (int (*)(struct io_context *, long, long, struct aio_event *,
                                   struct timespec *)) dlsym(RTLD_NEXT, "io_getevents")
                        : real;
    count = real(context, least, most, events, timeout);
    for (int i = 0; i < count; ++i) {
        long long turn = ++ended;

        if (0 < fails && 0 == turn % fails) {
            events[i].result = (unsigned long) -EIO;
        } else if (0 < is_short && 0 == turn % is_short && 4096 < (long) events[i].result) {
            events[i].result -= 4096;
        }
    }
    return count;
}

int fcntl(int fd, int command, ...)
{
    static int (*real)(int, int, void *);
    va_list args;
    void *argument;

    va_start(args, command);
    argument = va_arg(args, void *);
    va_end(args);
    real = NULL == real ? (int (*)(int, int, void *)) dlsym(RTLD_NEXT, "fcntl") : real;
    if ((F_SETLK == command || F_SETLKW == command || F_OFD_SETLK == command
         || F_OFD_SETLKW == command)
        && lock_fails(fd, command)) {
        errno = (int) number("FAULT_LOCK");
        return -1;
    }
    return real(fd, command, argument);
}

int fcntl64(int fd, int command, ...)
{
    va_list args;
    void *argument;

    va_start(args, command);
    argument = va_arg(args, void *);
    va_end(args);
    return fcntl(fd, command, argument);
}
