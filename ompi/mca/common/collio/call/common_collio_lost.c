/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/**
 * Failures after which ranks cannot agree any more: an MPI call or request failed, or a process
 * died and the launcher let the others live.
 *
 *   a rank that notices     leaves the call with an error, sends every other rank a notice, and
 *                           from then on refuses collective calls on this file
 *   a rank that waits       looks every second or two: has a process of this node ended
 *                           (node/process), has a notice come? Then it leaves too.
 *
 * The look costs a system call for each rank of the node, after a second of waiting. So a process
 * that dies is noticed on its own node, and by notices everywhere. What neither covers: all
 * processes of a node die at once, and the MPI library does not tell (Open MPI 4.1).
 *
 * Messages may still arrive for a call that was left. So its buffers, its plan and the communicator
 * stay allocated until the process ends. Receives into the user's memory are cancelled.
 */
#include "call/common_collio_op.h"

#include "compat/common_collio_error.h"

enum { LOOK_MS = 1000, STAGGER_MS = 16, STAGGERED = 64 };

/* Time from look to look. The ranks of a node take turns: the first to notice a failure sends the
 * notices, and the others need not look, nor say, for themselves. */
static uint64_t look_ns(const mca_common_collio_file_t *file)
{
    return UINT64_C(1000000) * (uint64_t) (LOOK_MS + STAGGER_MS * (file->meet.me % STAGGERED));
}

/* To all: which of them still wait is not known here. Nobody waits for these messages. */
static void send_notices(mca_common_collio_file_t *file)
{
    ompi_request_t *request;

    file->noticed = file->lost;
    for (int i = 0; i < file->size; ++i) {
        if (i != file->rank
            && OMPI_SUCCESS
                   == mca_common_collio_isend(&file->noticed, sizeof(file->noticed), i,
                                              MCA_COMMON_COLLIO_TAG_NOTICE, false, file->comm,
                                              &request)) {
            ompi_request_free(&request);
        }
    }
}

/* False if it was lost already. */
static bool set_lost(mca_common_collio_file_t *file, int class)
{
    int none = 0;

    if (!atomic_compare_exchange_strong(&file->lost, &none, class)) {
        return false;
    }
    file->refused = class;
    mca_common_collio_shm_unlink(&file->shared.making.segment);
    mca_common_collio_shm_unlink(&file->relay_shared.making.segment);
    return true;
}

void mca_common_collio_file_lose(mca_common_collio_file_t *file, int error)
{
    int class = mca_common_collio_error_class_of_mpi(error);

    if (set_lost(file, class)) {
        mca_common_collio_file_say(file,
                                   "rank %d: a process has died or communication has failed (error "
                                   "class %d). Collective calls on this file fail from now on.",
                                   file->rank, class);
        send_notices(file);
    }
}

/* A notice names the error class, so that all ranks end with the same one. */
static void look_for_notice(mca_common_collio_file_t *file)
{
    ompi_status_public_t status;
    int matched = 0, error = MPI_SUCCESS;

    if (NULL == file->notice
        && (OMPI_SUCCESS
                != mca_common_collio_iprobe(MCA_COMMON_COLLIO_TAG_NOTICE, file->comm, &matched,
                                            &status)
            || !matched
            || OMPI_SUCCESS
                   != mca_common_collio_irecv(&file->noticed, sizeof(file->noticed),
                                              status.MPI_SOURCE, MCA_COMMON_COLLIO_TAG_NOTICE,
                                              file->comm, &file->notice))) {
        file->notice = NULL;
        return;
    }
    if (mca_common_collio_request_test(&file->notice, NULL, &error)) {
        file->notice = NULL;
        (void) set_lost(file, MPI_SUCCESS == error ? file->noticed : MPI_ERR_OTHER);
    }
}

/* A rank's own file access ends by itself, and must not be left before. */
static bool can_leave(const mca_common_collio_op_t *op)
{
    switch (op->phase) {
    case MCA_COMMON_COLLIO_PHASE_EARLY:
    case MCA_COMMON_COLLIO_PHASE_DIRECT:
        return 0 != op->job.done;
    default:
        return MCA_COMMON_COLLIO_PHASE_DONE != op->phase;
    }
}

bool mca_common_collio_op_lost(mca_common_collio_op_t *op)
{
    mca_common_collio_file_t *file = op->file;
    uint64_t now;

    if (!can_leave(op)) {
        return false;
    }
    if (0 != file->lost) {
        return true;
    }
    now = mca_common_collio_now();
    if (now - op->phase_ns < look_ns(file) || now - file->looked_ns < look_ns(file)) {
        return false;
    }
    file->looked_ns = now;
    look_for_notice(file);
    if (0 == file->lost && mca_common_collio_meet_peer_ended(file)) {
        mca_common_collio_file_lose(file, MCA_COMMON_COLLIO_ERR_PROCESS);
    }
    return 0 != file->lost;
}

static void end_accesses(mca_common_collio_op_t *op)
{
    for (size_t i = op->progress.accesses_done; i < op->progress.accesses_started; ++i) {
        mca_common_collio_cycles_access_end(op, i);
    }
}

/* Reads without staging receive into the user's buffer, which may be freed after the call. */
static void cancel_receives(mca_common_collio_op_t *op)
{
    for (size_t i = op->delivery_first; !op->write && i < op->delivery_end; ++i) {
        mca_common_collio_delivery_t *delivery = &op->deliveries[i];
        mca_common_collio_move_t *move = &delivery->move;

        if (delivery->started && !move->done && NULL == move->staging && NULL != move->request
            && MPI_REQUEST_NULL != move->request) {
            (void) ompi_request_cancel(move->request);
        }
    }
}

void mca_common_collio_op_abandon(mca_common_collio_op_t *op)
{
    if (MCA_COMMON_COLLIO_PHASE_CYCLES == op->phase) {
        end_accesses(op);
        cancel_receives(op);
    }
    op->error = op->file->lost;
    if (op->write && op->exchange) {
        op->done_bytes = 0; /* how far the aggregators came is not known */
    }
    op->phase = MCA_COMMON_COLLIO_PHASE_DONE;
}
