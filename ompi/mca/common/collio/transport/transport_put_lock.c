/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Put under a shared lock. The aggregator grants its buffer. The requester locks (shared, so all
 * requesters at once), puts, unlocks (the bytes are then in the buffer) and sends an arrival, which
 * the aggregator waits for. No rank waits for ranks without data in the window.
 *
 *   aggregator   --- grant (buffer, limit) --->  requester: lock, put or get, unlock
 *   aggregator   <-------- arrived -----------
 *
 * A packed message (put_pack.c) is gathered before the grant of a read, scattered after the arrival
 * of a write.
 */
#include "transport/put.h"

#include "transport/transport.h"

#include <errno.h>

#include "core/number.h"

enum { WAITING = 0, MOVED = 1 }; /* values of move->state; see COLLIO_MOVE_COUNTED */

/* Returns the tag of an arrival, which contains the buffer number: a pair of ranks may have a
 * window in each buffer, and the two windows may end in either order. */
static int arrival_tag(int64_t number)
{
    return 0 == number ? COLLIO_TAG_DATA : COLLIO_TAG_DATA_1;
}

/* Posts the receive of the arrival before it sends the grant, so that the arrival is never
 * unexpected. After a lost message there are no grants: the next one would be taken for it. */
static void put_lock_owner_start(collio_exchange_t *ex, collio_slot_t *slot, collio_move_t *move)
{
    if (0 != ex->file->lost) {
        move->done = true;
        return;
    }
    if (!ex->write) {
        collio_put_copy(ex, slot, (size_t) (move - slot->move));
    }
    move->grant.number = slot->number;
    move->grant.limit = slot->buffer.limit;
    collio_message_receive(ex, move, arrival_tag(slot->number), NULL, 0);
    if (OMPI_SUCCESS
        != collio_isend(&move->grant, sizeof(move->grant), move->peer,
                        collio_exchange_tag(ex, COLLIO_TAG_GRANT), false, ex->file->context->comm,
                        &move->grant_request)) {
        collio_exchange_lose(ex);
        move->done = true;
    }
}

static bool put_lock_owner_test(collio_exchange_t *ex, collio_slot_t *slot, collio_move_t *move)
{
    if (!move->done && NULL != move->grant_request
        && collio_request_done(ex->file, &move->grant_request, NULL)) {
        move->grant_request = NULL;
    }
    if (!move->done && NULL == move->grant_request) {
        move->done = collio_request_done(ex->file, &move->request, NULL);
        if (move->done && ex->write) {
            collio_put_copy(ex, slot, (size_t) (move - slot->move));
        }
    }
    return move->done;
}

static void put_lock_requester_start(collio_exchange_t *ex, collio_move_t *move)
{
    collio_message_receive(ex, move, COLLIO_TAG_GRANT, &move->grant, sizeof(move->grant));
}

/* Checks the buffer number, which comes from another process. */
static bool grant_fits(const collio_exchange_t *ex, const collio_move_t *move)
{
    return move->grant.number >= 0 && move->grant.number < ex->file->context->kept->put.buffers;
}

static void put_lock_transfer(collio_exchange_t *ex, collio_move_t *move)
{
    collio_win_t *win = grant_fits(ex, move) ? ex->file->context->kept->put.win[move->grant.number]
                                             : NULL;
    char *message = collio_move_pack(ex, move);
    int64_t bytes = -1;

    if (NULL != win
        && OMPI_SUCCESS == win->w_osc_module->osc_lock(MPI_LOCK_SHARED, move->peer, 0, win)) {
        bytes = collio_put_window(ex, move->window, move->grant.number, move->grant.limit, message);
        if (OMPI_SUCCESS != win->w_osc_module->osc_unlock(move->peer, win)) {
            bytes = -1;
        }
    }
    move->bytes = collio_max(bytes, 0);
    if (bytes < 0) {
        collio_exchange_lose(ex);
    } else {
        collio_move_unpack(ex, move, bytes);
    }
}

static bool put_lock_requester_test(collio_exchange_t *ex, collio_move_t *move)
{
    if (move->done) {
        return true;
    }
    if (WAITING == move->state) {
        if (!collio_request_done(ex->file, &move->request, NULL)) {
            return false;
        }
        if (0 == ex->file->lost) { /* otherwise there may be no grant */
            put_lock_transfer(ex, move);
        }
        if (0 != ex->file->lost) { /* the bytes have not arrived */
            move->done = true;
            return true;
        }
        move->state = MOVED;
        if (OMPI_SUCCESS
            != collio_isend(NULL, 0, move->peer,
                            collio_exchange_tag(ex, arrival_tag(move->grant.number)), false,
                            ex->file->context->comm, &move->request)) {
            collio_exchange_lose(ex);
            move->done = true;
            return true;
        }
    }
    move->done = collio_request_done(ex->file, &move->request, NULL);
    return move->done;
}

const collio_transport_t collio_transport_put_lock = {
    .name = "put_lock",
    .can = {.buffers = COLLIO_BUFFERS_WINDOW, .waits = true, .requester_packed = true},
    .owner_start = put_lock_owner_start,
    .owner_test = put_lock_owner_test,
    .requester_start = put_lock_requester_start,
    .requester_test = put_lock_requester_test,
};
