/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* Asynchronous I/O as far as user space sees it: POSIX aio and libaio are counted when their
 * result is fetched, io_uring when it is submitted (inline code reads results from memory). */
#include "record/posix.h"

#include "collio_config.h"

#include <aio.h>
#include <string.h>
#include <sys/uio.h>
#if COLLIO_HAVE_LIBAIO
#    include <libaio.h>
#endif
#if COLLIO_HAVE_LIBURING
#    include <liburing.h>
#endif

/* When a control block was submitted, and by whom. A block that finds no place has no span. */
#define PENDING 1024
static struct {
    const void *block;
    uint64_t begin;
    bool inside;
} pending[PENDING];

static void remember(const void *block, uint64_t begin, bool inside)
{
    unsigned at = (unsigned) ((uintptr_t) block / 64 % PENDING);

    for (int tries = 0; tries < 16; tries++, at = (at + 1) % PENDING) {
        const void *none = NULL;

        if (__atomic_compare_exchange_n(&pending[at].block, &none, block, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED)) {
            pending[at].begin = begin;
            pending[at].inside = inside;
            return;
        }
    }
}

static uint64_t recall(const void *block, uint64_t otherwise, bool *inside)
{
    unsigned at = (unsigned) ((uintptr_t) block / 64 % PENDING);

    for (int tries = 0; tries < 16; tries++, at = (at + 1) % PENDING) {
        if (block == __atomic_load_n(&pending[at].block, __ATOMIC_ACQUIRE)) {
            uint64_t begin = pending[at].begin;

            *inside = *inside || pending[at].inside;
            __atomic_store_n(&pending[at].block, NULL, __ATOMIC_RELEASE);
            return begin;
        }
    }
    return otherwise;
}

/** An asynchronous transfer is complete: one call, whose time is a span. */
static void completed(enum ioprof_id id, const void *block, int fd, int64_t offset, int64_t result)
{
    uint64_t now = ioprof_now();
    struct ioprof_fd *file = ioprof_fd_get(fd);
    bool inside;
    struct ioprof_call call = {.id = id,
                               .file = NULL == file ? IOPROF_NO_FILE : file->file,
                               .failed = result < 0,
                               .end = now,
                               .offset = (uint64_t) offset,
                               .bytes = result < 0 ? 0 : (uint64_t) result};

    if (NULL == file || !ioprof_counts(file, &inside)) {
        return;
    }
    call.begin = recall(block, now, &inside);
    call.inside = inside;
    ioprof_record(&call);
}

#define SUBMIT(name, TYPE)                                                                \
    IOPROF_POSIX(int, name, (TYPE * block), (block), ioprof_begin(&p, block->aio_fildes), \
                 0 == result ? remember(block, p.begin, p.inside) : (void) 0)
SUBMIT(aio_read, struct aiocb)
SUBMIT(aio_read64, struct aiocb64)
SUBMIT(aio_write, struct aiocb)
SUBMIT(aio_write64, struct aiocb64)

#define LIST(name, TYPE)                                                                 \
    IOPROF_EXPORT int name(int mode, TYPE *const *blocks, int n, struct sigevent *event) \
    {                                                                                    \
        struct ioprof_posix p;                                                           \
                                                                                         \
        for (int i = 0; i < n; i++) {                                                    \
            if (NULL != blocks[i] && LIO_NOP != blocks[i]->aio_lio_opcode                \
                && ioprof_begin(&p, blocks[i]->aio_fildes)) {                            \
                remember(blocks[i], p.begin, p.inside);                                  \
            }                                                                            \
        }                                                                                \
        return IOPROF_NEXT(name)(mode, blocks, n, event);                                \
    }
LIST(lio_listio, struct aiocb)
LIST(lio_listio64, struct aiocb64)

/* glibc notes in the block what it is asked to do. */
#define RETURN(name, TYPE)                                                                \
    IOPROF_EXPORT ssize_t name(TYPE *block)                                               \
    {                                                                                     \
        ssize_t n = IOPROF_NEXT(name)(block);                                             \
        int saved = errno, what = block->aio_lio_opcode & 127;                            \
                                                                                          \
        if (LIO_READ == what || LIO_WRITE == what) {                                      \
            completed(LIO_READ == what ? IOPROF_ID_aio_read : IOPROF_ID_aio_write, block, \
                      block->aio_fildes, block->aio_offset, n);                           \
        }                                                                                 \
        errno = saved;                                                                    \
        return n;                                                                         \
    }
RETURN(aio_return, struct aiocb)
RETURN(aio_return64, struct aiocb64)

#define AIO_FSYNC(name, TYPE)                                   \
    IOPROF_POSIX(int, name, (int op, TYPE *block), (op, block), \
                 ioprof_begin(&p, block->aio_fildes),           \
                 ioprof_end_other(&p, IOPROF_ID_aio_fsync, 0, result < 0))
AIO_FSYNC(aio_fsync, struct aiocb)
AIO_FSYNC(aio_fsync64, struct aiocb64)

#if COLLIO_HAVE_LIBAIO
IOPROF_EXPORT int io_submit(io_context_t context, long n, struct iocb **blocks)
{
    struct ioprof_posix p = {0}, first = {0};
    bool counted = false;
    int rc;

    for (long i = 0; i < n; i++) {
        if (ioprof_begin(&p, blocks[i]->aio_fildes)) {
            if (!counted) {
                first = p;
            }
            counted = true;
            remember(blocks[i], p.begin, p.inside);
        }
    }
    rc = IOPROF_NEXT(io_submit)(context, n, blocks);
    if (counted) {
        ioprof_end_other(&first, IOPROF_ID_io_submit, 0, rc < 0);
    }
    return rc;
}

static void fetched(const struct io_event *event)
{
    const struct iocb *block = event->obj;
    int64_t result = (int64_t) event->res;

    switch (block->aio_lio_opcode) {
    case IO_CMD_PREAD:
    case IO_CMD_PREADV:
        completed(IOPROF_ID_libaio_read, block, block->aio_fildes, block->u.c.offset, result);
        break;
    case IO_CMD_PWRITE:
    case IO_CMD_PWRITEV:
        completed(IOPROF_ID_libaio_write, block, block->aio_fildes, block->u.c.offset, result);
        break;
    default:
        break;
    }
}

IOPROF_EXPORT int io_getevents(io_context_t context, long least, long most, struct io_event *events,
                               struct timespec *timeout)
{
    struct ioprof_posix p;
    bool counted = ioprof_begin_path(&p);
    int rc = IOPROF_NEXT(io_getevents)(context, least, most, events, timeout);

    if (counted) {
        ioprof_end_other(&p, IOPROF_ID_io_getevents, 0, rc < 0);
    }
    for (int i = 0; i < rc; i++) {
        fetched(&events[i]);
    }
    return rc;
}
#endif

#if COLLIO_HAVE_LIBURING
static uint64_t vector_bytes(const struct iovec *vector, unsigned n)
{
    uint64_t bytes = 0;

    for (unsigned i = 0; i < n; i++) {
        bytes += vector[i].iov_len;
    }
    return bytes;
}

/** A request of the submission queue. Registered files are numbers of a table, not descriptors. */
static void submitted(const struct io_uring_sqe *sqe, uint64_t now)
{
    struct ioprof_fd *fd = 0 == (sqe->flags & IOSQE_FIXED_FILE) ? ioprof_fd_get(sqe->fd) : NULL;
    struct ioprof_call call = {.id = IOPROF_ID_io_uring_read,
                               .file = NULL == fd ? IOPROF_NO_FILE : fd->file,
                               .begin = now,
                               .end = now,
                               .offset = sqe->off,
                               .bytes = sqe->len};

    switch (sqe->opcode) {
    case IORING_OP_WRITE:
    case IORING_OP_WRITE_FIXED:
        call.id = IOPROF_ID_io_uring_write;
        break;
    case IORING_OP_WRITEV:
        call.id = IOPROF_ID_io_uring_write;
        call.bytes = vector_bytes((const struct iovec *) (uintptr_t) sqe->addr, sqe->len);
        break;
    case IORING_OP_READV:
        call.bytes = vector_bytes((const struct iovec *) (uintptr_t) sqe->addr, sqe->len);
        break;
    case IORING_OP_READ:
    case IORING_OP_READ_FIXED:
        break;
    default:
        return;
    }
    if ((NULL != fd || 0 != (sqe->flags & IOSQE_FIXED_FILE)) && ioprof_counts(fd, &call.inside)) {
        ioprof_record(&call);
    }
}

static void look_at_queue(struct io_uring *ring)
{
    const struct io_uring_sq *sq = &ring->sq;
    uint64_t now = ioprof_now();

    for (unsigned i = sq->sqe_head; i != sq->sqe_tail; i++) {
        submitted(&sq->sqes[i & *sq->kring_mask], now);
    }
}

#    define URING(name, PARAMS, ARGS)                                                       \
        IOPROF_POSIX(int, name, PARAMS, ARGS, (look_at_queue(ring), ioprof_begin_path(&p)), \
                     ioprof_end_other(&p, IOPROF_ID_io_uring_submit, 0, result < 0))
URING(io_uring_submit, (struct io_uring * ring), (ring))
URING(io_uring_submit_and_wait, (struct io_uring * ring, unsigned n), (ring, n))
#endif
