/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Failures after which ranks cannot agree any more: an MPI call or request failed, or a process
 * died and the launcher let the others live.
 *
 *   a rank that notices     leaves the call with an error, sends every other rank a notice, and
 *                           from then on refuses collective calls on this file
 *   a rank that waits       checks every second or two (collio_agreement_check): has a process of
 *                           this node ended, has a notice come? Then it leaves, too.
 *
 * The first check comes after a second of waiting. It finds processes of the same node that have
 * ended; notices reach all nodes. What neither covers: all processes of a node die at once, or a
 * link goes silent, and the MPI library returns no error (Open MPI 4.1). Only a limit on time
 * (`timeout`) ends a call then; there is none unless it is set.
 *
 * Messages may still arrive for a call that was left. So its buffers, its plan and the communicator
 * stay allocated until the process ends. Receives into the user's memory are cancelled.
 */
#include "call/hang.h"

#include "compat/error.h"
#include "compat/verbose.h"

/* A rank's own file access ends by itself, and must not be left before. */
static bool can_leave(const collio_op_t *op)
{
    return COLLIO_PHASE_DIRECT == op->phase ? 0 != op->job.done : COLLIO_PHASE_DONE != op->phase;
}

bool collio_op_lost(collio_op_t *op)
{
    collio_file_t *file = op->ex.file;
    uint64_t now, check_ns;

    if (!can_leave(op)) {
        if (NULL != file->hang && COLLIO_PHASE_DIRECT == op->phase) {
            collio_hang_wait(op);
        }
        return false;
    }
    if (0 != file->lost) {
        return true;
    }
    now = collio_now();
    check_ns = collio_agreement_check_ns(file);
    if (now - op->phase_ns < check_ns || now - file->checked_ns < check_ns) {
        return false;
    }
    if (op->waits_ns < op->phase_ns || now - file->checked_ns > 3 * check_ns) {
        op->waits_ns = now; /* before, nobody drove this call: the program did something else */
    }
    file->checked_ns = now;
    if (NULL != file->hang) {
        collio_hang_wait(op);
    }
    collio_agreement_check(file);
    if (0 == file->lost && 0 != file->settings.timeout
        && now - op->waits_ns > UINT64_C(1000000000) * (uint64_t) file->settings.timeout) {
        collio_file_help(file, file->rank, COLLIO_HELP_TIMEOUT, op->ex.sequence,
                         collio_phase_name(op->phase), file->settings.timeout);
        collio_file_fail(file, MPI_ERR_OTHER);
    }
    return 0 != file->lost;
}

static void end_accesses(collio_op_t *op)
{
    for (size_t i = op->ex.aggregator.progress.accesses_done;
         i < op->ex.aggregator.progress.accesses_started; ++i) {
        collio_cycles_access_end(&op->ex, i);
    }
}

/* Reads without staging receive into the user's buffer, which may be freed after the call. */
static void cancel_receives(collio_op_t *op)
{
    for (size_t i = op->ex.requester.first; !op->ex.write && i < op->ex.requester.end; ++i) {
        collio_delivery_t *delivery = &op->ex.requester.deliveries[i];
        collio_move_t *move = &delivery->move;

        if (delivery->started && !move->done && NULL == move->staging && NULL != move->request
            && MPI_REQUEST_NULL != move->request) {
            (void) ompi_request_cancel(move->request);
        }
    }
}

void collio_op_abandon(collio_op_t *op)
{
    if (COLLIO_VERBOSE(fcoll, PHASE)) {
        collio_op_show_phase(op, COLLIO_PHASE_DONE, collio_now());
    }
    if (0 != op->ex.file->settings.timeout) { /* it, or that of another rank, may have passed */
        collio_hang_write(op);
    }
    if (NULL != op->ex.file->hang) {
        collio_hang_enter(op, COLLIO_PHASE_DONE, collio_now());
    }
    collio_shm_unlink(&op->ex.file->kept->shared.making.segment);
    collio_shm_unlink(&op->ex.file->kept->relay_shared.making.segment);
    if (COLLIO_PHASE_CYCLES == op->phase) {
        end_accesses(op);
        cancel_receives(op);
    }
    op->ex.error = op->ex.file->lost;
    if (op->ex.write && op->ex.way.exchange) {
        op->ex.done_bytes = 0; /* how far the aggregators came is not known */
    }
    op->phase = COLLIO_PHASE_DONE;
    op->phase_ns = collio_now();
}
