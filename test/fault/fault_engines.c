/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* libfault: byte-range locks and the kernel's asynchronous engines; see fault.c. */
#include "fault.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <time.h>

atomic_llong lock_calls;

static bool sets_lock(int fd, int command)
{
    return (F_SETLK == command || F_SETLKW == command || F_OFD_SETLK == command
            || F_OFD_SETLKW == command)
           && concerns(fd, true);
}

/* For commands that set a lock. */
static bool lock_fails(int command)
{
    long long turn;

    if (F_OFD_SETLK != command && F_OFD_SETLKW != command) {
        return 0 != fault.lock_errno; /* a lock of another library */
    }
    turn = lock_calls++;
    return 0 != fault.lock_errno && turn >= fault.lock_skip
           && (0 == fault.lock_count || turn < fault.lock_skip + fault.lock_count);
}

static int faulty_fcntl(int fd, int command, void *argument)
{
    typedef int (*fcntl_t)(int, int, void *);

    REAL("fcntl", fcntl_t);
    if (!sets_lock(fd, command)) {
        return real(fd, command, argument);
    }
    if (lock_fails(command)) {
        errno = (int) fault.lock_errno;
        return -1;
    }
    return 0 != fault.nolock ? 0 : real(fd, command, argument);
}

#define FCNTL(name)                                 \
    EXPORT int name(int fd, int command, ...)       \
    {                                               \
        va_list args;                               \
        void *argument;                             \
                                                    \
        va_start(args, command);                    \
        argument = va_arg(args, void *);            \
        va_end(args);                               \
        return faulty_fcntl(fd, command, argument); \
    }

FCNTL(fcntl)
FCNTL(fcntl64)

/* True in every n-th call. */
static bool turn_of(atomic_llong *calls, int64_t nth)
{
    return fault.on && 0 < nth && 0 == ++*calls % nth;
}

/* The result of a submission: refused in every n-th call after the first ones; 0: it works. */
static int refused(atomic_llong *calls, int64_t nth)
{
    long long turn = fault.on && 0 < nth ? ++*calls - fault.queue_skip : 0;

    if (0 >= turn || 0 != turn % nth) {
        return 0;
    }
    return 0 == fault.queue_errno ? -ENOMEM : -(int) fault.queue_errno;
}

struct io_uring;
int io_uring_queue_init(unsigned entries, struct io_uring *ring, unsigned flags);
int io_uring_submit(struct io_uring *ring);

EXPORT int io_uring_queue_init(unsigned entries, struct io_uring *ring, unsigned flags)
{
    typedef int (*init_t)(unsigned, struct io_uring *, unsigned);

    REAL("io_uring_queue_init", init_t);
    return 0 == fault.uring || NULL == real ? -ENOSYS : real(entries, ring, flags);
}

EXPORT int io_uring_submit(struct io_uring *ring)
{
    typedef int (*submit_t)(struct io_uring *);
    static atomic_llong calls;
    int rc = refused(&calls, fault.uring);

    REAL("io_uring_submit", submit_t);
    return 0 != rc ? rc : real(ring);
}

struct io_context;
struct iocb;
struct aio_event { /* as libaio's struct io_event on 64 bits */
    void *data, *request;
    unsigned long result, result2;
};
int io_setup(int maxevents, struct io_context **context);
int io_submit(struct io_context *context, long count, struct iocb **requests);
int io_getevents(struct io_context *context, long least, long most, struct aio_event *events,
                 struct timespec *timeout);

EXPORT int io_setup(int maxevents, struct io_context **context)
{
    typedef int (*setup_t)(int, struct io_context **);

    REAL("io_setup", setup_t);
    return 0 == fault.aio_submit + fault.aio_eio + fault.aio_short || NULL == real
               ? -ENOSYS
               : real(maxevents, context);
}

EXPORT int io_submit(struct io_context *context, long count, struct iocb **requests)
{
    typedef int (*submit_t)(struct io_context *, long, struct iocb **);
    static atomic_llong calls;
    int rc = refused(&calls, fault.aio_submit);

    REAL("io_submit", submit_t);
    return 0 != rc ? rc : real(context, count, requests);
}

EXPORT int io_getevents(struct io_context *context, long least, long most, struct aio_event *events,
                        struct timespec *timeout)
{
    typedef int (*events_t)(struct io_context *, long, long, struct aio_event *, struct timespec *);
    static atomic_llong failing, shortened;
    int count;

    REAL("io_getevents", events_t);
    count = real(context, least, most, events, timeout);
    for (int i = 0; i < count; ++i) {
        if (turn_of(&failing, fault.aio_eio)) {
            events[i].result = (unsigned long) -EIO;
        } else if (turn_of(&shortened, fault.aio_short) && 4096 < (long) events[i].result) {
            events[i].result -= 4096;
        }
    }
    return count;
}
