/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * An owner's own data: one copy between user memory and its buffer, no message. The
 * copy is made in slices, one per poll, after the receives of other ranks' messages are posted, so
 * that the aggregator handles arrivals and finished accesses between slices.
 */
#include "transport/transport.h"

#include "core/number.h"

enum { SLICE_BYTES = 1 << 20 }; /* takes 0.1 ms, or 4 ms if all pieces are single bytes */

static void self_owner_start(collio_exchange_t *ex, collio_slot_t *slot, collio_move_t *move)
{
    (void) ex;
    slot->own_window = 0;
    slot->own = collio_reader(move->what.split, move->what.window);
    move->done = slot->in_order; /* apply_in_order copies after all messages have arrived */
}

static bool self_owner_test(collio_exchange_t *ex, collio_slot_t *slot, collio_move_t *move)
{
    int64_t left = SLICE_BYTES;

    while (!move->done && 0 < left) {
        const collio_window_t *window = &move->what.window[slot->own_window];
        int64_t bytes = collio_min(slot->own.left, left);

        (void) collio_copy_some(ex, window, &slot->own, bytes, &slot->buffer);
        left -= bytes;
        if (0 == slot->own.left) {
            move->done = ++slot->own_window == move->what.windows;
            if (!move->done) {
                slot->own = collio_reader(move->what.split, window + 1);
            }
        }
    }
    return move->done;
}

static void self_requester_start(collio_exchange_t *ex, collio_move_t *move)
{
    (void) ex;
    move->done = true;
}

static bool self_requester_test(collio_exchange_t *ex, collio_move_t *move)
{
    (void) ex;
    (void) move;
    return true;
}

const collio_transport_t collio_transport_self = {
    .name = "self",
    .owner_start = self_owner_start,
    .owner_test = self_owner_test,
    .requester_start = self_requester_start,
    .requester_test = self_requester_test,
};
