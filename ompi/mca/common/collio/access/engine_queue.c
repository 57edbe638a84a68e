/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Jobs on a queue of the kernel.
 *
 *   job: segments  |###|##|    |####|     |##|
 *        operations   op 0      op 1      op 2       one vector each, submitted in order
 *
 * One system call submits all operations for which the queue has room. If the queue is full,
 * submission waits until half of it is free, so that the next call submits many again. The rest of
 * an incomplete operation (a short count, or see not_the_file()) is transferred at once by the code
 * of blocking transfers, so a job ends complete, at end of file or with an errno. This is rare, and
 * short.
 *
 * The kernel may refuse a submission at any time and with any errno (memory, limits, a filter of a
 * container). That says nothing about the file: a job of which no operation was submitted goes to
 * the threads, and the rest of a job that was submitted in part is transferred in the calling
 * thread.
 *
 * Jobs that need a flush for other nodes are refused: only a thread flushes. Jobs that need a
 * byte-range lock are refused: the lock would be held until the caller collects completions, and
 * two processes that collect none could wait for each other forever.
 */
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "access/access_transfer.h"
#include "access/engine_queue.h"

enum {
    PIECES_MAX = 4096, /* pieces of a whole request; more need Build-IO by threads */
    /* operations of a write that `auto` gives to a queue: io_uring's workers write the pieces of a
     * buffered file one after the other, which costs more than system calls of a thread (64-byte
     * pieces on ext4, io_uring and thread: 16 pieces 31 and 25 us, 2,048 pieces 4.1 and 2.1 ms) */
    AUTO_OPS_MAX = 16
};
static const int64_t wait_slice_ns = 1000000;
/* a queue of which no completion was collected for so long is not used for further operations: the
 * disk is slow, or a filter refuses the call that collects */
static const uint64_t stuck_ns = 1000000000;

typedef struct kernel_job_t {
    collio_job_t *job;        /* the job of the caller */
    size_t count;             /* number of operations */
    size_t pending;           /* operations in flight, plus 1 while the job is being submitted */
    int fd;                   /* descriptor for the operations */
    uint64_t start_ns;        /* time of the start */
    collio_kernel_op_t ops[]; /* operations, then their kernel memory, vectors and segments */
} kernel_job_t;

/* Returns an upper bound of the job's segments; 0: the queue cannot take the job. Build-IO of a few
 * large pieces in ascending order is quick enough for the caller's thread. */
static size_t segments_most(const collio_job_t *job)
{
    int64_t file_pieces, memory_pieces;

    if (NULL != job->segments) {
        return job->count;
    }
    file_pieces = collio_buildio_pieces(job->file, job->first, job->bytes);
    memory_pieces = collio_buildio_pieces(job->memory, 0, job->bytes);
    if (0 >= file_pieces || 0 >= memory_pieces || PIECES_MAX < file_pieces + memory_pieces
        || !job->file->ascending
        || (1 < memory_pieces && job->bytes / memory_pieces < COLLIO_PACK_BELOW)) {
        return 0;
    }
    return (size_t) (file_pieces + memory_pieces);
}

/* GlusterFS never answers some fcntl() locks that are interrupted (gluster/glusterfs#4371), and a
 * rank may lock any of its files: so no transfer there interrupts a lock. */
static bool suits(const collio_kernel_queue_t *queue, const collio_job_t *job)
{
    const collio_access_t *access = job->access;

    return !collio_access_locks(access, job->write)
           && !(queue->interrupts && collio_file_system_interruptible(access->file_system))
           && !(job->for_others && COLLIO_COHERENCE_FLUSH == access->coherence)
           && !(collio_sieve_possible(access, job->write, COLLIO_HELD_NONE)
                && collio_job_has_holes(job));
}

/* Makes one operation for each run of neighbors; `most`: from segments_most(). Returns 0, or
 * -EINVAL if the queue cannot take these segments. */
static int make_ops(const collio_kernel_queue_t *queue, kernel_job_t *own, size_t most)
{
    const collio_job_t *job = own->job;
    const collio_segment_t *segments = job->segments;
    char *kernel = (char *) &own->ops[most];
    struct iovec *iov = (struct iovec *) (void *) (kernel + most * queue->op_bytes);
    size_t count = job->count;

    if (NULL == segments) {
        collio_segment_t *built = (collio_segment_t *) (void *) &iov[most];
        collio_buildio_t build;

        collio_buildio_init(&build, job->file, job->first, job->memory, 0, job->base, job->bytes);
        count = collio_buildio_next(&build, built, most);
        segments = built;
    }
    if (NULL != queue->descriptor) {
        own->fd = queue->descriptor(job->access->fd, segments, count);
        if (-1 == own->fd) {
            return -EINVAL;
        }
    }
    for (size_t at = 0; at < count;) {
        collio_kernel_op_t *op = &own->ops[own->count];
        size_t room = count - at < COLLIO_IOV_MAX ? count - at : COLLIO_IOV_MAX;

        op->owner = own;
        op->offset = segments[at].offset;
        op->iov = iov;
        op->kernel = kernel + own->count * queue->op_bytes;
        at += collio_transfer_gather(&segments[at], count - at, (int) room, iov, &op->iov_count,
                                     &op->bytes);
        iov += op->iov_count;
        if (0 < op->bytes) {
            own->count += 1;
        }
    }
    return 0;
}

static void free_job(kernel_job_t *own)
{
    if (-1 != own->fd && own->fd != own->job->access->fd) {
        close(own->fd);
    }
    free(own);
}

/* Fills the outcome: counts the bytes up to the point where the first operation stopped short. */
static void finish_job(kernel_job_t *own)
{
    collio_job_t *job = own->job;

    collio_outcome_init(&job->outcome);
    for (size_t i = 0; i < own->count && INT64_MAX == job->outcome.stop_offset; ++i) {
        const collio_kernel_op_t *op = &own->ops[i];

        job->outcome.bytes += op->moved;
        if (op->moved < op->bytes) {
            job->outcome.error = op->error;
            job->outcome.stop_offset = op->offset + op->moved;
        }
    }
    job->busy_ns = collio_now() - own->start_ns;
    collio_count_transfer(job->access, job->write, job->outcome.bytes);
    COLLIO_COUNT(job->access, pieces_out, own->count);
    collio_count_time(job->access, job->write, job->busy_ns);
    free_job(own);
    atomic_store(&job->done, 1);
}

/* True if the operation may have ended for a reason that does not concern the file. ECANCELED: the
 * thread that submitted the operation has ended. Others: the kernel does not let the queue carry
 * out this operation. If the file is the reason, the ordinary call ends with the same errno. */
static bool not_the_file(int error)
{
    return EINTR == error || EAGAIN == error || ECANCELED == error || ENOSYS == error
           || EOPNOTSUPP == error || EPERM == error || EINVAL == error;
}

/* Evaluates the result of an operation, and transfers the rest of an incomplete one. */
static void settle(collio_kernel_op_t *op, int64_t result)
{
    const collio_job_t *job = op->owner->job;
    int error = 0 > result ? (int) -result : 0;

    if (0 < result) {
        op->moved = result;
        collio_transfer_skip(&op->iov, &op->iov_count, (size_t) result);
    } else if (0 != error && !not_the_file(error)
               && !collio_transfer_has_old_size(job->access, job->write, result)
               && !collio_transfer_withdraw(job->access, error)) {
        op->error = error;
        return;
    }
    if (op->moved < op->bytes) {
        COLLIO_COUNT(job->access, retries, 1);
        op->moved += collio_transfer_vector(job->access, job->write, op->offset + op->moved,
                                            op->iov, op->iov_count, op->bytes - op->moved,
                                            &op->error);
    }
}

static void release(kernel_job_t *own)
{
    own->pending -= 1;
    if (0 == own->pending) {
        finish_job(own);
    }
}

static bool collect_one(collio_kernel_queue_t *queue, int64_t wait_ns)
{
    collio_kernel_op_t *op;
    int64_t result;

    if (0 == queue->in_flight || !queue->pop(wait_ns, &op, &result)) {
        return false;
    }
    queue->in_flight -= 1;
    settle(op, result);
    release(op->owner);
    return true;
}

static int open_queue(collio_kernel_queue_t *queue)
{
    int rc;

    if (queue->is_open) {
        return 0;
    }
    rc = queue->open();
    queue->is_open = 0 == rc;
    return rc;
}

/* Collects completions until fewer than `most` operations are in flight. Returns false if none
 * completes for long. */
static bool make_room(collio_kernel_queue_t *queue, size_t most)
{
    uint64_t since = collio_now();

    while (queue->in_flight >= most) {
        if (collect_one(queue, wait_slice_ns)) {
            since = collio_now();
        } else if (collio_now() - since >= stuck_ns) {
            return false;
        }
    }
    return true;
}

/* Submits the operations in order until the kernel refuses one, or the queue is full for long.
 * Returns the number of submitted operations. */
static size_t submit(collio_kernel_queue_t *queue, kernel_job_t *own)
{
    bool write = own->job->write;
    size_t done = 0, room, taken;

    own->pending = 1;
    do {
        if (!make_room(queue, 0 == done ? COLLIO_QUEUE_DEPTH : COLLIO_QUEUE_DEPTH / 2)) {
            break;
        }
        room = (size_t) collio_min((int64_t) (own->count - done),
                                   (int64_t) (COLLIO_QUEUE_DEPTH - queue->in_flight));
        taken = queue->push(&own->ops[done], room, write, own->fd);
        done += taken;
        own->pending += taken;
        queue->in_flight += taken;
        COLLIO_COUNT(own->job->access, syscalls, 1);
    } while (taken == room && done < own->count);
    return done;
}

int collio_kernel_start(collio_kernel_queue_t *queue, collio_job_t *job)
{
    size_t most = segments_most(job), submitted;
    kernel_job_t *own;
    int rc;

    if (0 == most || !suits(queue, job)) {
        return -EINVAL;
    }
    own = calloc(1, sizeof(*own)
                        + most
                              * (sizeof(own->ops[0]) + queue->op_bytes + sizeof(struct iovec)
                                 + sizeof(collio_segment_t)));
    if (NULL == own) {
        return -ENOMEM;
    }
    own->job = job;
    own->fd = job->access->fd;
    own->start_ns = collio_now();
    rc = make_ops(queue, own, most);
    if (0 == rc && job->write && COLLIO_ENGINE_AUTO == job->access->tuning.engine
        && AUTO_OPS_MAX < own->count) {
        rc = -EINVAL;
    }
    if (0 != rc) {
        goto err_free;
    }
    pthread_mutex_lock(&queue->mutex);
    rc = open_queue(queue);
    submitted = 0 == rc ? submit(queue, own) : 0;
    pthread_mutex_unlock(&queue->mutex);
    if (0 == rc && 0 == submitted && 0 < own->count) {
        rc = -EAGAIN;
    }
    if (0 != rc) {
        goto err_free;
    }
    COLLIO_COUNT(job->access, pieces_in, own->count);
    for (size_t i = submitted; i < own->count; ++i) {
        settle(&own->ops[i], -EAGAIN);
    }
    pthread_mutex_lock(&queue->mutex);
    release(own);
    pthread_mutex_unlock(&queue->mutex);
    return 0;
err_free:
    free_job(own);
    return rc;
}

void collio_kernel_drive(collio_kernel_queue_t *queue, bool wait)
{
    if (0 != pthread_mutex_trylock(&queue->mutex)) { /* another thread collects */
        if (wait) {
            sched_yield();
        }
        return;
    }
    if (wait) {
        collect_one(queue, wait_slice_ns);
    }
    while (collect_one(queue, 0)) {
    }
    pthread_mutex_unlock(&queue->mutex);
}

void collio_kernel_finalize(collio_kernel_queue_t *queue)
{
    pthread_mutex_lock(&queue->mutex);
    if (queue->is_open && make_room(queue, 1)) {
        queue->close();
        queue->is_open = false;
    }
    pthread_mutex_unlock(&queue->mutex);
}
