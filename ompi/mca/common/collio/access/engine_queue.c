/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Jobs on a queue of the kernel.
 *
 *   job: segments  |###|##|    |####|     |##|
 *        operations   op 0      op 1      op 2       one vector each
 *                      |          |         |
 *        kernel    [ op 0 ]  [ op 1 ]       |        at most `depth` in flight, of all jobs
 *                                        waits       submitted when one of them has finished
 *
 * A short completion is submitted again for the rest, so that a job ends complete, at end of file
 * or with an errno, like a blocking transfer. After an error no more of the job is submitted.
 *
 * Jobs that need a flush for other nodes are not taken: only a thread makes it. Jobs that need a
 * byte-range lock are not taken: the lock would be held until somebody looks for
 * completions, and two processes that do not look could wait for each other for ever.
 */
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "access/access_transfer.h"
#include "access/engine_queue.h"
#include "access/pool.h"
#include "access/sieve.h"

enum {
    DEPTH = 128,        /* operations in flight, unless queue_depth says otherwise */
    PIECES_MOST = 4096, /* of a whole request: more need Build-IO by threads */
    AGAIN_MOST = 5000   /* EAGAIN in a row before it is an error */
};
static const int64_t wait_slice_ns = 1000000;

static bool accepts_request(const collio_job_t *job)
{
    int64_t file_pieces, memory_pieces;

    if (0 >= job->bytes || 0 == job->file->size || 0 == job->memory->size) {
        return false;
    }
    file_pieces = collio_buildio_pieces(job->file, job->first, job->bytes);
    memory_pieces = collio_buildio_pieces(job->memory, 0, job->bytes);
    if (file_pieces + memory_pieces > PIECES_MOST || !job->file->ascending
        || (1 < memory_pieces && job->bytes / memory_pieces < COLLIO_PACK_BELOW)) {
        return false;
    }
    return 1 == file_pieces || !collio_sieve_possible(job->access, job->write, COLLIO_HELD_NONE);
}

bool collio_kernel_accepts(const collio_kernel_queue_t *queue, const collio_job_t *job)
{
    collio_access_t *access = job->access;
    bool taken;

    if (collio_access_locks(access, job->write)
        || (job->for_others && COLLIO_COHERENCE_FLUSH == access->coherence)) {
        return false;
    }
    if (NULL == job->segments) {
        taken = accepts_request(job);
    } else {
        taken = 0 < job->count
                && (!collio_sieve_possible(access, job->write, COLLIO_HELD_NONE)
                    || !collio_job_has_holes(job));
    }
    return taken && (NULL == queue->backend->accepts || queue->backend->accepts(job));
}

/* The segments of a whole request. */
static int build_segments(collio_kernel_job_t *own, const collio_segment_t **segments,
                          size_t *count)
{
    const collio_job_t *job = own->job;
    collio_buildio_t build;

    *segments = job->segments;
    *count = job->count;
    if (NULL != job->segments) {
        return 0;
    }
    own->built = malloc(PIECES_MOST * sizeof(*own->built));
    if (NULL == own->built) {
        return -ENOMEM;
    }
    collio_buildio_init(&build, job->file, job->first, job->memory, 0, job->base, job->bytes);
    *segments = own->built;
    *count = collio_buildio_next(&build, own->built, PIECES_MOST);
    return 0;
}

/* One operation for each run of neighbours. */
static int make_ops(collio_kernel_queue_t *queue, collio_kernel_job_t *own)
{
    const collio_segment_t *segments;
    struct iovec *iov;
    size_t count, at = 0;
    int rc = build_segments(own, &segments, &count);

    if (0 != rc) {
        return rc;
    }
    own->iov = malloc(count * sizeof(*own->iov));
    own->ops = calloc(count, sizeof(*own->ops) + queue->backend->kernel_bytes);
    if (NULL == own->iov || NULL == own->ops) {
        return -ENOMEM;
    }
    iov = own->iov;
    while (at < count) {
        collio_kernel_op_t *op = &own->ops[own->count];
        size_t room = count - at < COLLIO_IOV_MOST ? count - at : COLLIO_IOV_MOST;

        op->owner = own;
        op->offset = segments[at].offset;
        op->iov = iov;
        op->kernel = (char *) &own->ops[count] + own->count * queue->backend->kernel_bytes;
        at += collio_transfer_gather(&segments[at], count - at, (int) room, iov, &op->iov_count,
                                     &op->left);
        iov += op->iov_count;
        own->count += 0 < op->left ? 1 : 0;
    }
    return 0;
}

static void free_job(collio_kernel_job_t *own)
{
    if (NULL != own) {
        free(own->built);
        free(own->iov);
        free(own->ops);
        free(own);
    }
}

/* What the operations moved, before the first that did not move all. */
static void sum_up(const collio_kernel_job_t *own)
{
    collio_outcome_t *outcome = &own->job->outcome;

    collio_outcome_init(outcome);
    for (size_t i = 0; i < own->count; ++i) {
        outcome->bytes += own->ops[i].moved;
        if (0 < own->ops[i].left) {
            outcome->error = own->ops[i].error;
            outcome->stop_offset = own->ops[i].offset;
            break;
        }
    }
    collio_count_transfer(own->job->access, own->job->write, outcome->bytes);
    collio_count(&own->job->access->stats->pieces_out, own->count);
}

static void finish_job(collio_kernel_queue_t *queue, collio_kernel_job_t *own)
{
    collio_job_t *job = own->job;

    sum_up(own);
    job->busy_ns = collio_now() - own->start_ns;
    collio_count(&job->access->stats->access_ns, job->busy_ns);
    collio_count(job->write ? &job->access->stats->write_ns : &job->access->stats->read_ns,
                 job->busy_ns);
    if (NULL != queue->backend->release) {
        queue->backend->release(own);
    }
    free_job(own);
    job->engine_data = NULL;
    atomic_store(&job->done, 1);
}

static bool job_over(const collio_kernel_job_t *own)
{
    return own->finished == own->submitted && (own->failed || own->submitted == own->count);
}

/* Submits what waits, as long as there is room. */
static void submit_waiting(collio_kernel_queue_t *queue)
{
    while (NULL != queue->first && queue->in_flight < queue->depth) {
        collio_kernel_job_t *own = queue->first;

        if (!own->failed && own->submitted < own->count) {
            collio_kernel_op_t *op = &own->ops[own->submitted];

            op->error = -queue->backend->push(op, own->job->write, own->fd);
            own->submitted += 1;
            if (0 == op->error) {
                queue->in_flight += 1;
                collio_count(&own->job->access->stats->syscalls, 1);
            } else {
                own->finished += 1;
                own->failed = true;
            }
        }
        if (own->failed || own->submitted == own->count) {
            own->queued = false;
            queue->first = own->next;
            queue->last = NULL == queue->first ? NULL : queue->last;
            if (job_over(own)) {
                finish_job(queue, own);
            }
        }
    }
}

/* Is the operation that failed with this errno worth a second try? */
static bool try_again(collio_kernel_op_t *op, int error)
{
    if (EINTR == error) {
        return true;
    }
    if (EAGAIN == error) {
        return AGAIN_MOST >= ++op->again;
    }
    if (op->withdrawn) {
        return false;
    }
    op->withdrawn = collio_transfer_withdraw(op->owner->job->access, error);
    return op->withdrawn;
}

/* True: the operation is over. False: the rest was submitted again. */
static bool settle(collio_kernel_queue_t *queue, collio_kernel_op_t *op, int64_t result)
{
    collio_kernel_job_t *own = op->owner;

    if (0 < result) {
        op->moved += result;
        op->offset += result;
        op->left -= result;
        op->again = 0;
        collio_transfer_skip(&op->iov, &op->iov_count, (size_t) result);
    } else if (0 == result) {
        op->error = own->job->write ? EIO : 0;
        return true;
    } else if (!try_again(op, (int) -result)) {
        op->error = (int) -result;
        return true;
    }
    if (0 == op->left) {
        return true;
    }
    collio_count(&own->job->access->stats->retries, 1);
    op->error = -queue->backend->push(op, own->job->write, own->fd);
    return 0 != op->error;
}

static bool collect_one(collio_kernel_queue_t *queue, int64_t wait_ns)
{
    collio_kernel_op_t *op;
    collio_kernel_job_t *own;
    int64_t result;

    if (0 == queue->in_flight || !queue->backend->pop(wait_ns, &op, &result)) {
        return false;
    }
    if (!settle(queue, op, result)) {
        return true;
    }
    own = op->owner;
    queue->in_flight -= 1;
    own->finished += 1;
    own->failed = own->failed || 0 < op->left;
    if (!own->queued && job_over(own)) { /* else submit_waiting() comes by */
        finish_job(queue, own);
    }
    submit_waiting(queue);
    return true;
}

static int open_queue(collio_kernel_queue_t *queue, int depth)
{
    int rc;

    if (queue->open) {
        return 0;
    }
    queue->depth = 0 < depth ? depth : DEPTH;
    rc = queue->backend->open(queue->depth);
    queue->open = 0 == rc;
    return rc;
}

/* A full queue waits. */
static void enqueue(collio_kernel_queue_t *queue, collio_kernel_job_t *own)
{
    while (queue->in_flight >= queue->depth) {
        collect_one(queue, wait_slice_ns);
    }
    if (NULL == queue->last) {
        queue->first = own;
    } else {
        queue->last->next = own;
    }
    queue->last = own;
    own->queued = true;
    submit_waiting(queue);
}

int collio_kernel_start(collio_kernel_queue_t *queue, collio_job_t *job)
{
    collio_kernel_job_t *own = calloc(1, sizeof(*own));
    int rc;

    if (NULL == own) {
        return -ENOMEM;
    }
    own->job = job;
    own->start_ns = collio_now();
    rc = make_ops(queue, own);
    if (0 != rc) {
        goto err_free;
    }
    collio_count(&job->access->stats->pieces_in, own->count);
    pthread_mutex_lock(&queue->mutex);
    rc = open_queue(queue, job->access->queue_depth);
    if (0 == rc) {
        own->fd = NULL == queue->backend->descriptor ? job->access->fd
                                                     : queue->backend->descriptor(own);
        job->engine_data = own;
        enqueue(queue, own);
    }
    pthread_mutex_unlock(&queue->mutex);
    if (0 == rc) {
        return 0;
    }
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
    if (queue->open) {
        while (0 < queue->in_flight) {
            collect_one(queue, wait_slice_ns);
        }
        queue->backend->close();
        queue->open = false;
    }
    pthread_mutex_unlock(&queue->mutex);
}

void collio_kernel_forget(collio_kernel_queue_t *queue)
{
    pthread_mutex_init(&queue->mutex, NULL);
    if (queue->open) {
        queue->backend->forget();
    }
    queue->open = false;
    queue->in_flight = 0;
    queue->first = NULL;
    queue->last = NULL;
}
