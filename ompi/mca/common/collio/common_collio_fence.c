/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/**
 * Put and fence: the cycles of a blocking call whose data moves in fence epochs. A fence is
 * collective over all ranks, so here, and only here, the ranks step through numbered rounds
 * together: round i is the i-th cycle of every owner. An owner tells its requesters once per plan
 * in which rounds their windows come.
 *
 *   round i:   fence | every requester puts (gets) what round i of each owner takes | fence
 *
 * A fence waits by nature, so overlap comes from the access being asynchronous (write, write_comm,
 * write_comm2), or from opening the next epoch before the last one is closed (comm).
 */
#include "common_collio_op.h"

#include <errno.h>
#include <stdlib.h>

static const mca_common_collio_share_t *share_at(const mca_common_collio_op_t *op, size_t i)
{
    return &op->plan->split.share[i];
}

/* Before READY, so that a rank without memory leaves nobody in the numbering. */
int mca_common_collio_fence_prepare(mca_common_collio_plan_t *plan)
{
    if (NULL != plan->ordinal) {
        return 0;
    }
    plan->ordinal = calloc(plan->split.window_count + 1, sizeof(*plan->ordinal));
    plan->turn = calloc(3 * plan->split.share_count + 1, sizeof(*plan->turn));
    plan->told = calloc(plan->collect.source_count + 1, sizeof(*plan->told));
    plan->told_first = calloc(plan->requester_count + 1, sizeof(*plan->told_first));
    plan->telling = calloc(plan->requester_count + plan->split.share_count + 1,
                           sizeof(*plan->telling));
    return NULL == plan->ordinal || NULL == plan->turn || NULL == plan->told
                   || NULL == plan->told_first || NULL == plan->telling
               ? -ENOMEM
               : 0;
}

/* The round of each requester's windows, requester by requester. */
static void number_rounds(mca_common_collio_plan_t *plan)
{
    for (size_t r = 0; r < plan->requester_count; ++r) {
        plan->told_first[r + 1] = plan->told_first[r] + plan->requests[r].window_count;
    }
    for (size_t c = 0; c < plan->collect.cycle_count; ++c) {
        const mca_common_collio_cycle_t *cycle = &plan->collect.cycle[c];

        for (size_t s = cycle->source; s < cycle->source + cycle->source_count; ++s) {
            const mca_common_collio_source_t *source = &plan->collect.source[s];

            plan->told[plan->told_first[source->requester] + source->window] = (int64_t) c;
        }
    }
}

/* Owners tell, requesters listen; everybody is in here, so waiting is safe. */
int mca_common_collio_fence_number(mca_common_collio_op_t *op)
{
    mca_common_collio_plan_t *plan = op->plan;
    int tag = mca_common_collio_op_tag(op, MCA_COMMON_COLLIO_TAG_GRANT);
    size_t count = 0;
    int rc = OMPI_SUCCESS;

    number_rounds(plan);
    for (size_t s = 0; OMPI_SUCCESS == rc && s < plan->split.share_count; ++s) {
        const mca_common_collio_share_t *share = share_at(op, s);

        rc = mca_common_collio_irecv(&plan->ordinal[share->first], share->count * sizeof(int64_t),
                                     op->file->aggregators[share->owner], tag, op->file->comm,
                                     &plan->telling[count++]);
    }
    for (size_t r = 0; OMPI_SUCCESS == rc && r < plan->requester_count; ++r) {
        rc = mca_common_collio_isend(
            &plan->told[plan->told_first[r]], plan->requests[r].window_count * sizeof(int64_t),
            plan->requester[r], tag, false, op->file->comm, &plan->telling[count++]);
    }
    if (OMPI_SUCCESS == rc) {
        rc = ompi_request_wait_all(count, plan->telling, MPI_STATUSES_IGNORE);
    }
    plan->numbered = OMPI_SUCCESS == rc;
    return rc;
}

enum { NO_WINDOW = -1 };

/* This rank's windows of a round: at most one per owner. */
typedef struct turn_t {
    int64_t *next;      /* per share: its first window that was not moved yet */
    int64_t *moving[2]; /* per buffer, per share: the window of the open round, or NO_WINDOW */
    int64_t staging_used[2];
} turn_t;

static int64_t window_of(const mca_common_collio_op_t *op, const turn_t *turn, size_t s,
                         size_t round)
{
    const mca_common_collio_share_t *share = share_at(op, s);
    int64_t window = (int64_t) share->first + turn->next[s];

    return turn->next[s] < (int64_t) share->count && op->plan->ordinal[window] == (int64_t) round
               ? window
               : NO_WINDOW;
}

static void move_window(mca_common_collio_op_t *op, turn_t *turn, size_t window, int number)
{
    const mca_common_collio_window_t *what = &op->plan->split.window[window];
    const mca_common_collio_piece_t *piece = &op->plan->split.piece[what->first];
    char *message = op->write ? mca_common_collio_message_in_memory(op, window) : NULL;

    if (NULL == message) {
        message = op->file->staging.at + number * op->plan->fence_bytes
                  + turn->staging_used[number];
        turn->staging_used[number] += what->bytes + (int64_t) sizeof(int64_t);
        if (op->write) {
            (void) mca_common_collio_copy_message(op, what, piece, message, what->bytes);
            mca_common_collio_file_count(op->file, MCA_COMMON_COLLIO_STAT_copied_bytes,
                                         (uint64_t) what->bytes);
        }
    }
    if (mca_common_collio_put_window(op, window, number, INT64_MAX, message) < 0) {
        mca_common_collio_op_fail(op, EIO);
    }
    if (!op->write) { /* how much of it is data, just behind it */
        int owner = op->plan->split.share[op->plan->share_of[window]].owner;

        (void) mca_common_collio_win_get(message + what->bytes, sizeof(int64_t),
                                         op->file->aggregators[owner], op->file->put.slot_bytes,
                                         op->file->put.win[number]);
    }
}

/* A fence, then everything of mine in this round. */
static void open_round(mca_common_collio_op_t *op, turn_t *turn, size_t round, int number)
{
    if (op->file->my_owner >= 0 && round < op->plan->collect.cycle_count) {
        if (op->write) {
            mca_common_collio_cycles_enter(op, round);
        }
        memcpy(op->slot[number].buffer + op->file->put.slot_bytes, &op->slot[number].limit,
               sizeof(int64_t));
    }
    turn->staging_used[number] = 0;
    if (OMPI_SUCCESS != mca_common_collio_win_fence(0, op->file->put.win[number])) {
        mca_common_collio_op_fail(op, EIO);
    }
    for (size_t s = 0; s < op->plan->split.share_count; ++s) {
        int64_t window = window_of(op, turn, s, round);

        turn->moving[number][s] = window;
        if (NO_WINDOW != window) {
            ++turn->next[s];
            move_window(op, turn, (size_t) window, number);
        }
    }
}

/* Bytes of a window below the limit, in packed order up to the first that is missing. */
static int64_t valid_prefix(const mca_common_collio_window_t *what,
                            const mca_common_collio_piece_t *piece, int64_t limit)
{
    int64_t bytes = 0;

    for (size_t i = 0; i < what->count; ++i) {
        int64_t left = limit - piece[i].offset;

        if (left < piece[i].length) {
            return bytes + (left > 0 ? left : 0);
        }
        bytes += piece[i].length;
    }
    return bytes;
}

/* The closing fence; what was got is now here, and goes to the user. */
static void close_round(mca_common_collio_op_t *op, const turn_t *turn, int number)
{
    int64_t used = 0;

    if (OMPI_SUCCESS != mca_common_collio_win_fence(0, op->file->put.win[number])) {
        mca_common_collio_op_fail(op, EIO);
    }
    for (size_t s = 0; !op->write && s < op->plan->split.share_count; ++s) {
        int64_t window = turn->moving[number][s];

        if (NO_WINDOW != window) {
            const mca_common_collio_window_t *what = &op->plan->split.window[window];
            const mca_common_collio_piece_t *piece = &op->plan->split.piece[what->first];
            char *message = op->file->staging.at + number * op->plan->fence_bytes + used;
            int64_t limit, bytes;

            memcpy(&limit, message + what->bytes, sizeof(limit));
            bytes = valid_prefix(what, piece, limit);
            op->done_bytes += mca_common_collio_copy_message(op, what, piece, message, bytes);
            mca_common_collio_file_count(op->file, MCA_COMMON_COLLIO_STAT_copied_bytes,
                                         (uint64_t) bytes);
            used += what->bytes + (int64_t) sizeof(int64_t);
        }
    }
}

static bool mine(const mca_common_collio_op_t *op, size_t round)
{
    return op->file->my_owner >= 0 && round < op->plan->collect.cycle_count;
}

static void access_wait(mca_common_collio_op_t *op, size_t round)
{
    if (mine(op, round)) {
        mca_common_collio_cycles_access_wait(op, round);
    }
}

static void access_start(mca_common_collio_op_t *op, size_t round)
{
    if (mine(op, round)) {
        if (!op->write) {
            mca_common_collio_cycles_enter(op, round);
        }
        mca_common_collio_cycles_access_start(op, round);
    }
}

/* Shuffle feeds access. With two buffers round i + 1 uses the other one, once the access of round
 * i - 1 has left it. */
static void write_rounds(mca_common_collio_op_t *op, turn_t *turn)
{
    size_t rounds = op->plan->rounds, buffers = (size_t) op->schedule->buffers;
    bool open_early = buffers > 1 && !op->schedule->asynchronous;

    for (size_t i = 0; i < rounds; ++i) {
        if (i >= buffers) {
            access_wait(op, i - buffers);
        }
        if (!open_early || 0 == i) {
            open_round(op, turn, i, (int) (i % buffers));
        }
        if (open_early && i + 1 < rounds) {
            open_round(op, turn, i + 1, (int) ((i + 1) % buffers));
        }
        close_round(op, turn, (int) (i % buffers));
        access_start(op, i);
    }
    for (size_t i = rounds > buffers ? rounds - buffers : 0; i < rounds; ++i) {
        access_wait(op, i);
    }
}

/* Access feeds shuffle: the next window is read while this one is got. */
static void read_rounds(mca_common_collio_op_t *op, turn_t *turn)
{
    size_t rounds = op->plan->rounds, buffers = (size_t) op->schedule->buffers;

    access_start(op, 0);
    for (size_t i = 0; i < rounds; ++i) {
        access_wait(op, i);
        if (buffers > 1 && i + 1 < rounds) {
            access_start(op, i + 1);
        }
        open_round(op, turn, i, (int) (i % buffers));
        close_round(op, turn, (int) (i % buffers));
        if (1 == buffers && i + 1 < rounds) {
            access_start(op, i + 1);
        }
    }
}

void mca_common_collio_fence_cycles(mca_common_collio_op_t *op)
{
    size_t shares = op->plan->split.share_count;
    turn_t turn = {.next = op->plan->turn,
                   .moving = {op->plan->turn + shares, op->plan->turn + 2 * shares}};

    memset(op->plan->turn, 0, shares * sizeof(*op->plan->turn));
    if (op->write) {
        write_rounds(op, &turn);
    } else {
        read_rounds(op, &turn);
    }
}
