/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * An aggregator's own data: one copy between user memory and collective buffer, no message. The
 * copy is made in slices, one per poll, after the receives of other ranks' messages are posted, so
 * that the aggregator handles arrivals and finished accesses between slices.
 */
#include "transport/transport.h"

#include "core/debug_assert.h"
#include "core/number.h"

enum { SLICE_BYTES = 1 << 20 }; /* takes 0.1 ms, or 4 ms if all pieces are single bytes */

/* Returns this rank's own window of that index, which must exist. It is a window of plan->split,
 * whose pieces have streams (positions in user memory); streams of merged lists have no meaning. */
static const collio_window_t *own_window(const collio_exchange_t *ex, int64_t index)
{
    const collio_split_t *split = &ex->plan->split;
    const collio_share_t *share = split->share;
    size_t low, high;

    for (; share->aggregator != ex->file->derived.my_aggregator; ++share) {
        COLLIO_ASSERT(share + 1 < split->share + split->share_count);
    }
    for (low = share->first, high = low + share->count; low < high;) {
        size_t middle = (low + high) / 2;

        if (split->window[middle].index < index) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    COLLIO_ASSERT(low < share->first + share->count && index == split->window[low].index);
    return &split->window[low];
}

static void self_aggregator_start(collio_exchange_t *ex, collio_slot_t *slot, collio_move_t *move)
{
    move->what = collio_content(&ex->plan->split, own_window(ex, slot->cycle->index));
    slot->own = collio_reader(move->what.split, move->what.window);
    move->done = slot->in_order; /* apply_in_order copies after all messages have arrived */
}

static bool self_aggregator_test(collio_exchange_t *ex, collio_slot_t *slot, collio_move_t *move)
{
    if (!move->done) {
        (void) collio_copy_some(ex, move->what.window, &slot->own,
                                collio_min(slot->own.left, SLICE_BYTES), slot->buffer, slot->local,
                                slot->limit);
        move->done = 0 == slot->own.left;
    }
    return move->done;
}

static void self_requester_start(collio_exchange_t *ex, collio_delivery_t *delivery)
{
    (void) ex;
    delivery->move.done = true;
}

static bool self_requester_test(collio_exchange_t *ex, collio_delivery_t *delivery)
{
    (void) ex;
    (void) delivery;
    return true;
}

const collio_transport_t collio_transport_self = {
    .name = "self",
    .aggregator_start = self_aggregator_start,
    .aggregator_test = self_aggregator_test,
    .requester_start = self_requester_start,
    .requester_test = self_requester_test,
};
