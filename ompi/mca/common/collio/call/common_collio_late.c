/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/**
 * Late: direct calls without a meeting. A call that skips the exchange needs other ranks only to
 * learn whether they have failed. With `errors` = late a rank does not wait for that:
 *
 *   call        1       2     3     4     5     6       7
 *   rank 0      meets   own   own   own   own   own     meets
 *   rank 1      meets   own   own   own   FAILS own     meets    returns its error from call 5;
 *   rank 2      meets   own   own   own   own   own     meets    all return it from call 7
 *
 * Call 1 was agreed on, and skipped the exchange, so a run begins (node/common_collio_run.h says
 * how all ranks find the same end of it). In a run each rank accesses its own pieces, whatever
 * others do: that is always right, only perhaps slower than an exchange. It ends
 *
 *   - when a rank's request differs from its last one, or `auto` wants to try something: in this
 *     call, if no other rank has begun it; else the calls that others have begun, or may have
 *     begun, are direct, too
 *   - when a rank's access fails
 *   - at the first write after reads, and the first read after writes: a program that reads what
 *     others wrote in the call before gets it
 *   - at MPI_File_sync, set_size, preallocate, set_atomicity, close (late_meet)
 *
 * and the call after it is a meeting: a full agreement, which also carries the errors of the run,
 * and how many calls it had, because what `auto` has learnt must stay the same on all ranks.
 *
 * A meeting without a call (late_meet) is an operation without bytes. A rank that left its loop
 * after an error and closes the file therefore meets the others in whatever call they make.
 */
#include "call/common_collio_op.h"

#include "node/common_collio_run.h"
#include "tuner/common_collio_tuner.h"

bool mca_common_collio_late_allowed(const mca_common_collio_exchange_t *ex)
{
    int errors = ex->file->settings.errors;

    return !ex->atomic
           && (MCA_COMMON_COLLIO_ERRORS_LATE == errors
               || (MCA_COMMON_COLLIO_ERRORS_AUTO == errors && !ex->write));
}

bool mca_common_collio_late_direction_changes(const mca_common_collio_op_t *op)
{
    return op->was_ahead && op->ex.write != op->ex.file->run_writes;
}

static mca_common_collio_wish_t wish(mca_common_collio_op_t *op)
{
    /* settings, direction and what `auto` wants are the same on all ranks */
    if (op->meeting || op->ex.write != op->ex.file->run_writes
        || !mca_common_collio_late_allowed(&op->ex)
        || !mca_common_collio_tuner_last_was_direct(&op->ex)) {
        return MCA_COMMON_COLLIO_WISH_MEET;
    }
    return 0 == op->ex.error && mca_common_collio_tuner_unchanged(&op->ex)
               ? MCA_COMMON_COLLIO_WISH_GO
               : MCA_COMMON_COLLIO_WISH_CHANGE;
}

static void take_next_number(mca_common_collio_op_t *op)
{
    mca_common_collio_file_t *file = op->ex.file;

    OPAL_THREAD_LOCK(&file->lock);
    op->ex.sequence = file->sequence++;
    OPAL_THREAD_UNLOCK(&file->lock);
}

bool mca_common_collio_late_turn(mca_common_collio_op_t *op)
{
    mca_common_collio_file_t *file = op->ex.file;
    mca_common_collio_answer_t turn;

    if (!mca_common_collio_run_on(file)) {
        return true;
    }
    turn = mca_common_collio_run_turn(file, wish(op));
    while (op->meeting && MCA_COMMON_COLLIO_ANSWER_GO == turn) {
        /* others are ahead of a rank that has left its loop: it has nothing in those calls, but it
         * counts them, so that the meeting has the same number on all ranks */
        take_next_number(op);
        mca_common_collio_run_done(file);
        turn = mca_common_collio_run_turn(file, MCA_COMMON_COLLIO_WISH_MEET);
    }
    op->ahead = MCA_COMMON_COLLIO_ANSWER_GO == turn;
    op->was_ahead = MCA_COMMON_COLLIO_ANSWER_MEET == turn;
    return MCA_COMMON_COLLIO_ANSWER_WAIT != turn;
}

/* No queue, no steps: most calls of a run are small, and cost less than those would. */
static bool make_now(mca_common_collio_op_t *op)
{
    mca_common_collio_file_t *file = op->ex.file;

    if (!opal_list_is_empty(&file->ops) || !mca_common_collio_late_turn(op) || !op->ahead) {
        return false;
    }
    op->phase = MCA_COMMON_COLLIO_PHASE_AHEAD;
    file->writing = op->ex.write;
    file->access.atomic = op->ex.atomic;
    mca_common_collio_direct_start(op);
    if (!mca_common_collio_direct_poll(op)) {
        return false; /* it waits for a lock, or is left to an engine */
    }
    mca_common_collio_late_end(op);
    if (op->ex.blocking) { /* others are driven by whoever looks for messages */
        mca_common_collio_run_push(file);
    }
    return true;
}

bool mca_common_collio_late_at_once(mca_common_collio_op_t *op)
{
    mca_common_collio_file_t *file = op->ex.file;

    if (!mca_common_collio_run_on(file) || 0 != file->lost
        || atomic_flag_test_and_set_explicit(&file->progressing, memory_order_acquire)) {
        return false;
    }
    op->brief = make_now(op);
    atomic_flag_clear_explicit(&file->progressing, memory_order_release);
    return op->brief;
}

void mca_common_collio_late_end(mca_common_collio_op_t *op)
{
    mca_common_collio_file_t *file = op->ex.file;

    mca_common_collio_tuner_ahead(&op->ex);
    mca_common_collio_exchange_count(&op->ex, MCA_COMMON_COLLIO_STAT_calls_ahead, 1);
    if (0 != op->ex.error && file->size > 1) {
        file->ahead_error = 0 != file->ahead_error ? file->ahead_error : op->ex.error;
        mca_common_collio_run_stop(file);
    }
    mca_common_collio_run_done(file);
}

void mca_common_collio_late_tell(mca_common_collio_op_t *op)
{
    op->mine[MCA_COMMON_COLLIO_AGREE_AHEAD_ERROR] = op->ex.file->ahead_error;
    mca_common_collio_tuner_ahead_calls(op->ex.file,
                                        &op->mine[MCA_COMMON_COLLIO_AGREE_AHEAD_READS]);
}

void mca_common_collio_late_settle(mca_common_collio_op_t *op)
{
    op->told = (int) op->all[MCA_COMMON_COLLIO_AGREE_AHEAD_ERROR];
    op->ex.file->ahead_error = 0;
    mca_common_collio_tuner_ahead_settle(op->ex.file,
                                         &op->all[MCA_COMMON_COLLIO_AGREE_AHEAD_READS]);
}

/* Small calls are far apart from ranks that have no core for a moment, and gain by going on. Large
 * ones gain nothing, and an exchange that a rank asks for should not wait for many of them. The
 * same on all ranks. */
static uint32_t most_ahead(const mca_common_collio_exchange_t *ex)
{
    const int64_t most_bytes = INT64_C(8) << 20;
    int64_t most = ex->file->settings.ahead, bytes = ex->range.bytes / ex->file->size;

    if (bytes > 0 && most > most_bytes / bytes) {
        most = most_bytes / bytes;
    }
    return most > 1 ? (uint32_t) most : 1;
}

void mca_common_collio_late_begin(mca_common_collio_op_t *op)
{
    if (0 == op->told && 0 == op->ex.error && mca_common_collio_late_allowed(&op->ex)) {
        op->ex.file->run_writes = op->ex.write;
        mca_common_collio_run_begin(op->ex.file, most_ahead(&op->ex));
    }
}
