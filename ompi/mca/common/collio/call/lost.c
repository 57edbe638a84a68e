/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Failures after which the ranks cannot agree: an MPI call or request failed, or a process died and
 * the launcher did not end the job.
 *
 *   the rank that finds it  leaves the call with an error, sends a notice to every other rank, and
 *                           refuses later collective calls on this file
 *   a rank that waits       checks every second or two whether a process of its node has ended or
 *                           a notice has arrived (collio_agreement_check), and then leaves its call
 *
 * The first check follows a second of waiting. It finds processes of the same node that have ended;
 * notices reach all nodes. Two failures remain undetected if the MPI library returns no error (Open
 * MPI 4.1): all processes of a node die at once, or a link stops without an error. Only the setting
 * `timeout` ends a call in these cases; its default is no limit.
 *
 * Messages may still arrive for an abandoned call. Therefore its buffers, its plan and the
 * communicator stay allocated until the process ends. Receives into the user buffer are cancelled.
 */
#include "call/op.h"

#include "compat/verbose.h"

/* True if the call can be abandoned. A rank's own file access must end first; it does not wait for
 * other ranks. */
static bool can_leave(const collio_op_t *op)
{
    return COLLIO_PHASE_DIRECT != op->phase || 0 != op->job.done;
}

bool collio_op_lost(collio_op_t *op)
{
    collio_file_t *file = op->ex.file;
    uint64_t now, check_ns;

    if (!can_leave(op)) {
        if (NULL != file->hang) {
            collio_hang_note(op, op->phase, op->phase_ns);
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
        op->waits_ns = now; /* no thread drove the call until now: the program computed */
    }
    file->checked_ns = now;
    if (NULL != file->hang) {
        collio_hang_note(op, op->phase, op->phase_ns);
    }
    collio_agreement_check(file);
    if (0 == file->lost && 0 != file->settings.timeout
        && now - op->waits_ns > UINT64_C(1000000000) * (uint64_t) file->settings.timeout) {
        collio_help_rank(file->component->title, file->fh->f_filename, file->rank,
                         COLLIO_HELP_TIMEOUT, op->ex.sequence, collio_phase_name(op->phase),
                         file->settings.timeout);
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

/* Reads without staging receive into the user buffer, which the program may free after the call. */
static void cancel_receives(collio_op_t *op)
{
    collio_requester_t *requester = &op->ex.requester[COLLIO_DIRECT];

    for (size_t i = requester->first; !op->ex.write && i < requester->next; ++i) {
        collio_move_t *move = &requester->move[i];

        if (!move->done && NULL == move->staging && NULL != move->request
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
    if (0 != op->ex.file->settings.timeout) { /* the timeout of a rank may have passed */
        collio_hang_write(op);
    }
    if (NULL != op->ex.file->hang) {
        collio_hang_note(op, COLLIO_PHASE_DONE, collio_now());
    }
    collio_shm_unlink(&op->ex.file->context->kept->shared.making.segment);
    collio_shm_unlink(&op->ex.file->context->kept->relay_shared.making.segment);
    if (COLLIO_PHASE_CYCLES == op->phase) {
        end_accesses(op);
        cancel_receives(op);
    }
    op->ex.error = op->ex.file->lost;
    if (op->ex.write && op->ex.way.exchange) {
        op->ex.done_bytes = 0; /* the ranks cannot agree on the bytes that were written */
    }
    op->phase = COLLIO_PHASE_DONE;
    op->phase_ns = collio_now();
}
