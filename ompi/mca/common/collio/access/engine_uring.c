/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Asynchronous jobs by io_uring: one ring per process. Transfers of buffered files are asynchronous
 * as well: larger ones go to the kernel's own workers at once (IOSQE_ASYNC). Otherwise the
 * submitting call would copy a write into the page cache, and nothing would overlap.
 */
#include <errno.h>
#include <sched.h>
#include <unistd.h>

#include "access/engine_queue.h"

#if COLLIO_HAVE_LIBURING

#    include <liburing.h>

static const int64_t inline_most = INT64_C(16) << 10; /* bytes that the submitting call may copy */

enum { SUBMIT_MOST = 5000 }; /* attempts while the kernel is short of memory */

static struct io_uring ring;

static int ring_open(int depth)
{
    return io_uring_queue_init((unsigned) depth, &ring, 0);
}

static void ring_close(void)
{
    io_uring_queue_exit(&ring);
}

/* Submits all entries of the submission queue. Retries EAGAIN (short of memory) and EBUSY. Returns
 * 0 or -errno. */
static int submit_all(void)
{
    int rc, again = 0;

    do {
        rc = io_uring_submit(&ring);
        if (-EAGAIN == rc || -EBUSY == rc) {
            ++again;
            sched_yield();
        } else if (0 > rc && -EINTR != rc) {
            return rc;
        }
    } while (0 < io_uring_sq_ready(&ring) && again < SUBMIT_MOST);
    return 0 < io_uring_sq_ready(&ring) ? -EAGAIN : 0;
}

static int push(collio_kernel_op_t *op, bool write, int fd)
{
    struct io_uring_sqe *sqe = io_uring_get_sqe(&ring);
    int rc;

    if (NULL == sqe) { /* full of entries that could not be submitted earlier */
        rc = submit_all();
        sqe = io_uring_get_sqe(&ring);
        if (NULL == sqe) {
            return 0 == rc ? -EAGAIN : rc;
        }
    }
    if (write) {
        io_uring_prep_writev(sqe, fd, op->iov, (unsigned) op->iov_count, (uint64_t) op->offset);
    } else {
        io_uring_prep_readv(sqe, fd, op->iov, (unsigned) op->iov_count, (uint64_t) op->offset);
    }
    io_uring_sqe_set_data(sqe, op);
    if (op->bytes > inline_most) {
        io_uring_sqe_set_flags(sqe, IOSQE_ASYNC);
    }
    rc = submit_all();
    if (0 != rc) {
        /* the entry cannot be removed, and the next submission will include it, when the operation
         * and the caller's memory may be freed: make it an entry that does nothing */
        io_uring_prep_nop(sqe);
        io_uring_sqe_set_data(sqe, NULL);
    }
    return rc;
}

static bool pop(int64_t wait_ns, collio_kernel_op_t **op, int64_t *result)
{
    struct __kernel_timespec limit = {.tv_sec = 0, .tv_nsec = wait_ns};
    struct io_uring_cqe *cqe;

    do { /* entries without an operation: see push() */
        int rc;

        cqe = NULL;
        rc = 0 == wait_ns ? io_uring_peek_cqe(&ring, &cqe)
                          : io_uring_wait_cqe_timeout(&ring, &cqe, &limit);
        if (0 != rc || NULL == cqe) {
            return false;
        }
        *op = io_uring_cqe_get_data(cqe);
        *result = cqe->res;
        io_uring_cqe_seen(&ring, cqe);
    } while (NULL == *op);
    return true;
}

/* The kernel, or a container, may refuse functions that the library has. */
static const char *probe(void)
{
    struct io_uring trial;
    int rc = io_uring_queue_init(2, &trial, 0);

    if (0 == rc) {
        io_uring_queue_exit(&trial);
        return NULL;
    }
    if (-ENOSYS == rc) {
        return "this kernel has no io_uring";
    }
    return -EPERM == rc ? "io_uring is not permitted here" : "the kernel refuses to make a ring";
}

collio_kernel_queue_t collio_kernel_uring = {
    .probe = probe,
    .open = ring_open,
    .close = ring_close,
    .push = push,
    .pop = pop,
    .mutex = PTHREAD_MUTEX_INITIALIZER,
};

#endif /* COLLIO_HAVE_LIBURING */
