/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Direct: every rank accesses its own pieces without an exchange, with the packing and the sieving
 * of individual access. `auto` chooses this where an exchange is not faster, for example where the
 * page cache of one node takes all writes.
 */
#include "call/op.h"

#include "access/access_transfer.h"

enum { SMALL = 64 << 10 }; /* bytes up to which an access may run in the calling thread */

/* True if the access is short enough to run inside a nonblocking call. A small write into the page
 * cache of this node, or a small read from a file system in memory, costs less than starting an
 * engine and testing for its end. */
static bool is_brief(const collio_op_t *op)
{
    const collio_access_t *access = &op->ex.file->access;

    return !collio_access_locks(access, op->ex.write) && (op->ex.write || access->in_memory)
           && !access->network && op->ex.request.bytes <= SMALL
           && 1
                  == collio_tiling_piece_bound(&op->ex.request.view, op->ex.request.stream,
                                               op->ex.request.bytes);
}

static bool at_once(const collio_op_t *op)
{
    /* an access that needs a lock must not wait for it, so it cannot run at once */
    return op->ex.blocking ? !collio_access_locks(&op->ex.file->access, op->ex.write)
                           : is_brief(op);
}

/* Records the end of an access that ran in this thread. */
static void note_done(collio_op_t *op)
{
    op->clock_ns = collio_now();
    op->job.busy_ns = op->clock_ns - op->phase_ns;
    op->job.done = 1;
}

/* Makes a small read in this thread if the page cache has all its bytes. False: an engine must make
 * the read, because it would wait for a device. */
static bool read_cached(collio_op_t *op)
{
    collio_job_t *job = &op->job;
    int64_t offset;
    char *addr;

    if (job->write || job->bytes > SMALL || job->access->network || 0 == job->file->size
        || 0 == job->memory->size || collio_access_locks(job->access, false)) {
        return false;
    }
    if (!collio_job_is_piece(job, &offset, &addr)
        || !collio_transfer_cached(job->access, offset, addr, job->bytes)) {
        return false;
    }
    job->outcome.bytes = job->bytes;
    note_done(op);
    return true;
}

bool collio_direct_is_stale(const collio_op_t *op)
{
    const collio_file_t *file = op->ex.file;

    return !op->ex.write && file->stale && COLLIO_COHERENCE_FLUSH == file->access.coherence;
}

void collio_direct_start(collio_op_t *op)
{
    collio_job_t *job = &op->job;

    collio_file_count(op->ex.file, COLLIO_STAT_CALLS_DIRECT, 1);
    memset(job, 0, sizeof(*job));
    if (0 == op->ex.request.bytes) {
        job->done = 1;
        return;
    }
    op->ex.file->unflushed |= op->ex.write;
    if (collio_direct_is_stale(op)) {
        (void) collio_access_refresh(op->ex.file->access.fd);
        op->ex.file->stale = false;
    }
    collio_request_job(&op->ex.request, op->ex.file->fh, op->ex.write, &op->ex.file->access,
                       &op->ex.file->context->kept->covered, job);
    job->caller_waits = op->ex.blocking;
    if (!at_once(op) && (read_cached(op) || 0 == collio_access_start(job))) {
        return;
    }
    collio_access_run(job);
    note_done(op);
}

bool collio_direct_poll(collio_op_t *op)
{
    if (!op->job.done && !collio_access_test(&op->job)) {
        return false;
    }
    collio_file_count(op->ex.file, COLLIO_STAT_TIME_IO, op->job.busy_ns);
    op->ex.done_bytes = op->job.outcome.bytes;
    if (0 != op->job.outcome.error) {
        collio_exchange_fail(&op->ex, op->job.outcome.error);
    }
    return true;
}
