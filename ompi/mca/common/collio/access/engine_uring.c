/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Asynchronous jobs by io_uring: one ring per process. Transfers of buffered files are asynchronous
 * as well: larger ones go to the kernel's own workers at once (IOSQE_ASYNC). Otherwise the
 * submitting call would copy a write into the page cache, and nothing would overlap.
 */
#include <errno.h>
#include <unistd.h>

#include "access/engine_queue.h"

#if COLLIO_HAVE_LIBURING

#    include <liburing.h>

static const int64_t inline_most = INT64_C(16) << 10; /* bytes that the submitting call may copy */

static struct io_uring ring;

static int ring_open(void)
{
    return io_uring_queue_init(COLLIO_QUEUE_DEPTH, &ring, 0);
}

static void ring_close(void)
{
    io_uring_queue_exit(&ring);
}

/* Submits all entries of the submission queue. Returns 0 or -errno. */
static int submit_all(void)
{
    while (0 < io_uring_sq_ready(&ring)) {
        int rc = io_uring_submit(&ring);

        if (0 >= rc && -EINTR != rc) {
            return 0 == rc ? -EAGAIN : rc;
        }
    }
    return 0;
}

static void uring_prepare(struct io_uring_sqe *sqe, collio_kernel_op_t *op, bool write, int fd)
{
    if (write) {
        io_uring_prep_writev(sqe, fd, op->iov, (unsigned) op->iov_count, (uint64_t) op->offset);
    } else {
        io_uring_prep_readv(sqe, fd, op->iov, (unsigned) op->iov_count, (uint64_t) op->offset);
    }
    io_uring_sqe_set_data(sqe, op);
    if (op->bytes > inline_most) {
        io_uring_sqe_set_flags(sqe, IOSQE_ASYNC);
    }
}

/* Entries that the kernel refuses cannot be removed from the ring, and the next submission will
 * include them, when the operations and the caller's memory may be freed: they become entries that
 * do nothing. */
static size_t uring_push(collio_kernel_op_t *ops, size_t count, bool write, int fd)
{
    struct io_uring_sqe *entry[COLLIO_QUEUE_DEPTH];
    size_t made = 0, refused;

    while (made < count) {
        entry[made] = io_uring_get_sqe(&ring);
        if (NULL == entry[made]) { /* full of entries that were refused earlier */
            break;
        }
        uring_prepare(entry[made], &ops[made], write, fd);
        ++made;
    }
    (void) submit_all();
    refused = (size_t) collio_min(io_uring_sq_ready(&ring), (int64_t) made);
    for (size_t i = made - refused; i < made; ++i) {
        io_uring_prep_nop(entry[i]);
        io_uring_sqe_set_data(entry[i], NULL);
    }
    return made - refused;
}

static bool uring_pop(int64_t wait_ns, collio_kernel_op_t **op, int64_t *result)
{
    struct __kernel_timespec limit = {.tv_sec = 0, .tv_nsec = wait_ns};
    struct io_uring_cqe *cqe;

    do { /* entries without an operation: see uring_push() */
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

/* The kernel, or a container, may refuse functions that the library has, or allow a ring but not
 * its use. */
static const char *probe_uring(void)
{
    struct io_uring trial;
    int rc = io_uring_queue_init(2, &trial, 0);

    if (0 == rc) {
        io_uring_prep_nop(io_uring_get_sqe(&trial));
        rc = 1 == io_uring_submit(&trial) ? 0 : -EACCES;
        io_uring_queue_exit(&trial);
    }
    if (0 == rc) {
        return NULL;
    }
    if (-EACCES == rc) {
        return "the kernel makes a ring, but does not let it be used";
    }
    if (-ENOSYS == rc) {
        return "this kernel has no io_uring";
    }
    return -EPERM == rc ? "io_uring is not permitted here" : "the kernel refuses to make a ring";
}

collio_kernel_queue_t collio_kernel_uring = {
    .probe = probe_uring,
    .open = ring_open,
    .close = ring_close,
    .push = uring_push,
    .pop = uring_pop,
    .interrupts = true,
    .mutex = PTHREAD_MUTEX_INITIALIZER,
};

#endif /* COLLIO_HAVE_LIBURING */
