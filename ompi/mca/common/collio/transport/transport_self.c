/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * An aggregator's own data: one copy between user memory and collective buffer, no message. The
 * copy is made in slices, one per poll, after the receives of other ranks' messages are posted, so
 * that the aggregator handles arrivals and finished accesses between slices.
 */
#include "transport/transport.h"

#include "core/number.h"

enum { SLICE_BYTES = 1 << 20 }; /* takes 0.1 ms, or 4 ms if all pieces are single bytes */

/* Returns this rank's own window of that index from plan->split, whose pieces have streams
 * (positions in user memory). The pieces of the aggregator's merged lists have none. */
static const collio_window_t *own_window(const collio_exchange_t *ex, int64_t index)
{
    const collio_split_t *split = &ex->plan->split;

    for (size_t s = 0; s < split->share_count; ++s) {
        const collio_window_t *window = &split->window[split->share[s].first];
        size_t low = 0, high = split->share[s].count;

        if (split->share[s].aggregator != ex->file->derived.my_aggregator) {
            continue;
        }
        while (low < high) {
            size_t middle = (low + high) / 2;

            if (window[middle].index < index) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return &window[low];
    }
    return NULL;
}

static void aggregator_start(collio_exchange_t *ex, collio_slot_t *slot, collio_move_t *move)
{
    move->window = own_window(ex, slot->cycle->index);
    move->piece = &ex->plan->split.piece[move->window->first];
    move->done = slot->in_order; /* apply_in_order calls copy_own after all messages have arrived */
    slot->own_left = move->done ? 0 : move->window->bytes;
}

/* Copies the next slice: as many whole pieces as fit, or a part of a large piece. Returns the bytes
 * of the slice. */
static int64_t copy_slice(collio_exchange_t *ex, const collio_slot_t *slot, collio_move_t *move)
{
    collio_window_t part = {.index = move->window->index};
    collio_piece_t cut = *move->piece;
    const collio_piece_t *piece = move->piece;

    if (piece->length - move->bytes > SLICE_BYTES || move->bytes > 0) {
        cut.offset += move->bytes;
        cut.stream += move->bytes;
        cut.length = collio_min(piece->length - move->bytes, SLICE_BYTES);
        part.count = 1;
        part.bytes = cut.length;
        move->bytes += cut.length;
        if (move->bytes == piece->length) {
            move->bytes = 0;
            ++move->piece;
        }
        piece = &cut;
    } else {
        while (part.bytes < slot->own_left
               && part.bytes + piece[part.count].length <= SLICE_BYTES) {
            part.bytes += piece[part.count++].length;
        }
        move->piece += part.count;
    }
    (void) collio_copy_window(ex, &part, piece, slot->buffer, slot->local, slot->limit);
    return part.bytes;
}

void collio_copy_own(collio_exchange_t *ex, collio_slot_t *slot, collio_move_t *move)
{
    slot->own_left = move->window->bytes;
    while (slot->own_left > 0) {
        slot->own_left -= copy_slice(ex, slot, move);
    }
}

static bool aggregator_test(collio_exchange_t *ex, collio_slot_t *slot, collio_move_t *move)
{
    if (!move->done) {
        slot->own_left -= copy_slice(ex, slot, move);
        move->done = 0 == slot->own_left;
    }
    return move->done;
}

static void requester_start(collio_exchange_t *ex, collio_delivery_t *delivery)
{
    (void) ex;
    delivery->move.done = true;
}

static bool requester_test(collio_exchange_t *ex, collio_delivery_t *delivery)
{
    (void) ex;
    (void) delivery;
    return true;
}

const collio_transport_t collio_transport_self = {
    .name = "self",
    .aggregator_start = aggregator_start,
    .aggregator_test = aggregator_test,
    .requester_start = requester_start,
    .requester_test = requester_test,
};
