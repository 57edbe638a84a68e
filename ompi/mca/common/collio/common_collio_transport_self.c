/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/**
 * An owner's own data: one copy between user memory and collective buffer, nothing moves.
 */
#include "common_collio_op.h"

/* My window of that index: as owner I know the requester's split in local coordinates only, as
 * requester I know the streams too. */
static const mca_common_collio_window_t *own_window(const mca_common_collio_op_t *op, int64_t index)
{
    const mca_common_collio_split_t *split = &op->plan->split;

    for (size_t s = 0; s < split->share_count; ++s) {
        const mca_common_collio_window_t *window = &split->window[split->share[s].first];
        size_t low = 0, high = split->share[s].count;

        if (split->share[s].owner != op->file->my_owner) {
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

static void owner_start(mca_common_collio_op_t *op, mca_common_collio_slot_t *slot,
                        mca_common_collio_move_t *move)
{
    move->done = true;
    if (!slot->in_order) {
        mca_common_collio_copy_own(op, slot);
    }
}

void mca_common_collio_copy_own(mca_common_collio_op_t *op, mca_common_collio_slot_t *slot)
{
    const mca_common_collio_window_t *window = own_window(op, slot->cycle->index);
    int64_t copied = mca_common_collio_copy_window(
        op, window, &op->plan->split.piece[window->first], slot->buffer,
        slot->cycle->index * op->plan->window_bytes, slot->limit);

    if (!op->write) {
        op->done_bytes += copied;
    }
    mca_common_collio_file_count(op->file, MCA_COMMON_COLLIO_STAT_copied_bytes, (uint64_t) copied);
}

static bool owner_test(mca_common_collio_op_t *op, mca_common_collio_slot_t *slot,
                       mca_common_collio_move_t *move)
{
    (void) op;
    (void) slot;
    return move->done;
}

static void requester_start(mca_common_collio_op_t *op, mca_common_collio_delivery_t *delivery)
{
    (void) op;
    delivery->move.done = true;
}

static bool requester_test(mca_common_collio_op_t *op, mca_common_collio_delivery_t *delivery)
{
    (void) op;
    (void) delivery;
    return true;
}

const mca_common_collio_transport_t mca_common_collio_transport_self = {
    .name = "self",
    .owner_start = owner_start,
    .owner_test = owner_test,
    .requester_start = requester_start,
    .requester_test = requester_test,
};
