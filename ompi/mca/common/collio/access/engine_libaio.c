/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Asynchronous jobs by the kernel's AIO (libaio). AIO is asynchronous only past the page cache, so
 * this engine takes a job if every offset, length and address is a multiple of the page size, and
 * the file can be opened once more with O_DIRECT; other jobs go to the threads. The second
 * descriptor lives as long as the job.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "access/engine_queue.h"

#if COLLIO_HAVE_LIBAIO

#    include <libaio.h>

enum { ALIGNMENT = 4096 };

static io_context_t context;

static int aio_open(void)
{
    context = NULL;
    return io_setup(COLLIO_QUEUE_DEPTH, &context);
}

static void aio_close(void)
{
    io_destroy(context);
}

static int open_direct(int fd)
{
    char path[64];
    int flags = fcntl(fd, F_GETFL);

    if (-1 == flags) {
        return -1;
    }
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    return open(path, (flags & O_ACCMODE) | O_DIRECT | O_CLOEXEC);
}

static size_t libaio_push(collio_kernel_op_t *ops, size_t count, bool write, int fd)
{
    struct iocb *controls[COLLIO_QUEUE_DEPTH];
    int taken;

    for (size_t i = 0; i < count; ++i) {
        controls[i] = ops[i].kernel;
        if (write) {
            io_prep_pwritev(controls[i], fd, ops[i].iov, ops[i].iov_count,
                            (long long) ops[i].offset);
        } else {
            io_prep_preadv(controls[i], fd, ops[i].iov, ops[i].iov_count,
                           (long long) ops[i].offset);
        }
        controls[i]->data = &ops[i];
    }
    taken = io_submit(context, (long) count, controls);
    return 0 < taken ? (size_t) taken : 0;
}

static bool libaio_pop(int64_t wait_ns, collio_kernel_op_t **op, int64_t *result)
{
    struct timespec limit = {.tv_sec = 0, .tv_nsec = wait_ns};
    struct io_event event;

    if (1 != io_getevents(context, 0 == wait_ns ? 0 : 1, 1, &event, &limit)) {
        return false;
    }
    *op = event.data;
    *result = (int64_t) (long) event.res;
    return true;
}

/* A container may allow the queue, but not its use: with requests in a queue whose completions
 * cannot be collected, nothing would end. (With a timeout of 0 libaio makes no system call.) */
static const char *probe_libaio(void)
{
    struct timespec shortest = {.tv_nsec = 1};
    io_context_t trial = NULL;
    struct io_event event;
    bool usable;

    if (0 != io_setup(1, &trial)) {
        return "the kernel refuses to make a queue (see /proc/sys/fs/aio-max-nr)";
    }
    usable = 0 == io_submit(trial, 0, NULL) && 0 == io_getevents(trial, 0, 1, &event, &shortest);
    io_destroy(trial);
    return usable ? NULL : "the kernel makes a queue, but does not let it be used";
}

/* Returns -1 if the segments are not aligned, or the file system has no direct I/O. */
static int descriptor(int fd, const collio_segment_t *segments, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        if (0 != segments[i].offset % ALIGNMENT || 0 != segments[i].length % ALIGNMENT
            || 0 != (uintptr_t) segments[i].addr % ALIGNMENT) {
            return -1;
        }
    }
    return open_direct(fd);
}

collio_kernel_queue_t collio_kernel_libaio = {
    .probe = probe_libaio,
    .descriptor = descriptor,
    .open = aio_open,
    .close = aio_close,
    .push = libaio_push,
    .pop = libaio_pop,
    .op_bytes = sizeof(struct iocb),
    .mutex = PTHREAD_MUTEX_INITIALIZER,
};

#endif /* COLLIO_HAVE_LIBAIO */
