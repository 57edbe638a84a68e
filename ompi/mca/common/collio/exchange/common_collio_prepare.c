/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/**
 * Prepare: the memory of the cycles, taken before the first one and kept with the plan and the
 * file. So nothing can fail for want of memory once ranks wait for each other, and a call that
 * reuses a plan finds everything in place.
 *
 *   owner       collective buffers (shared segment, one-sided window, or its own), a place for
 *               messages beside each, a move per source, segments of the access
 *   requester   a delivery per window, a place for the messages of two rounds
 */
#include "call/common_collio_op.h"

#include <errno.h>
#include <stdlib.h>

bool mca_common_collio_is_owner(const mca_common_collio_op_t *op)
{
    return op->file->my_owner >= 0 && op->plan->collect.cycle_count > 0;
}

/* Segments of a cycle: its runs, cut where the file's order is not the domain's (stripes). */
static size_t segments_max(const mca_common_collio_op_t *op)
{
    const mca_common_collio_plan_t *plan = op->plan;
    size_t stripes = 1;

    if (MCA_COMMON_COLLIO_PARTITION_EVEN != plan->domains.partition) {
        stripes += (size_t) (op->slot_bytes / plan->domains.unit) + 1;
    }
    return plan->runs_max + stripes;
}

/* Where a collective buffer lies: in the node's shared segment, in a one-sided window, or (NULL) in
 * memory of this rank alone. */
static char *foreign_buffer(const mca_common_collio_op_t *op, int number)
{
    mca_common_collio_file_t *file = op->file;

    switch (op->transport) {
    case MCA_COMMON_COLLIO_TRANSPORT_SHM:
        return MCA_COMMON_COLLIO_SHARED_READY == file->shared.state
                   ? mca_common_collio_shared_region(&file->shared,
                                                     file->owner_slot[file->my_owner])
                         + number * op->slot_bytes
                   : NULL;
    case MCA_COMMON_COLLIO_TRANSPORT_PUT_FENCE:
    case MCA_COMMON_COLLIO_TRANSPORT_PUT_LOCK:
        return file->put.base[number];
    default:
        return NULL;
    }
}

static int64_t reserve_slots(mca_common_collio_op_t *op, bool foreign)
{
    mca_common_collio_file_t *file = op->file;
    int buffers = op->schedule->buffers;
    int64_t grown;

    op->staging_bytes = op->plan->source_bytes;
    if (op->staging_bytes < op->slot_bytes) {
        op->staging_bytes = op->slot_bytes;
    }
    if (foreign && (1 == file->nodes.nodes || MCA_COMMON_COLLIO_TRANSPORT_SHM != op->transport)) {
        op->staging_bytes = 0; /* nobody sends a message */
    }
    grown = mca_common_collio_arena_reserve(
        &file->buffers, buffers * ((foreign ? 0 : op->slot_bytes) + op->staging_bytes));
    if (grown > 0) {
        mca_common_collio_file_memory(file, grown);
    }
    return grown;
}

static int prepare_slot(mca_common_collio_op_t *op, int number)
{
    mca_common_collio_file_t *file = op->file;
    mca_common_collio_plan_t *plan = op->plan;
    mca_common_collio_slot_t *slot = &op->slot[number];
    char *foreign = foreign_buffer(op, number);
    int64_t stride = (NULL != foreign ? 0 : op->slot_bytes) + op->staging_bytes;
    size_t moves = plan->sources_max + 1, segments = segments_max(op);

    if (NULL == plan->move[number]) {
        plan->move[number] = calloc(moves, sizeof(*slot->move));
        plan->segments[number] = malloc(segments * sizeof(*slot->segments));
        plan->memory_bytes += (int64_t) (moves * sizeof(*slot->move)
                                         + segments * sizeof(*slot->segments));
    }
    slot->number = number;
    slot->buffer = NULL != foreign ? foreign : file->buffers.at + number * stride;
    slot->staging = file->buffers.at + number * stride + (NULL != foreign ? 0 : op->slot_bytes);
    slot->move = plan->move[number];
    slot->segments = plan->segments[number];
    return NULL == slot->move || NULL == slot->segments ? -ENOMEM : 0;
}

static int64_t prepare_owner(mca_common_collio_op_t *op)
{
    int64_t rc = reserve_slots(op, NULL != foreign_buffer(op, 0));

    for (int i = 0; rc >= 0 && i < op->schedule->buffers; ++i) {
        rc = prepare_slot(op, i);
    }
    return rc;
}

/* Most bytes of a round, which is all windows of one index, that may be staged: those that leave
 * the node's memory. (Whether they are depends on the user's memory too, which no plan knows.) */
static int64_t round_staging(const mca_common_collio_op_t *op)
{
    const mca_common_collio_plan_t *plan = op->plan;
    const mca_common_collio_split_t *split = &plan->split;
    int64_t largest = 0, bytes = 0, index = -1;

    for (size_t i = 0; i < split->window_count; ++i) {
        const mca_common_collio_window_t *window = &split->window[plan->order[i]];
        int owner = split->share[plan->share_of[plan->order[i]]].owner;
        const mca_common_collio_transport_t *transport;

        if (window->index != index) {
            index = window->index;
            bytes = 0;
        }
        transport = mca_common_collio_transport_pick(op, owner, op->file->rank);
        if (!mca_common_collio_relay_window(plan, plan->order[i])
            && &mca_common_collio_transport_self != transport
            && &mca_common_collio_transport_shm != transport) {
            bytes += window->bytes;
        }
        largest = bytes > largest ? bytes : largest;
    }
    return largest;
}

static int64_t prepare_requester(mca_common_collio_op_t *op)
{
    mca_common_collio_plan_t *plan = op->plan;
    size_t windows = plan->split.window_count + 1;
    bool fence = MCA_COMMON_COLLIO_TRANSPORT_PUT_FENCE == op->transport;
    int64_t grown;

    op->round_bytes = fence ? plan->fence_bytes : round_staging(op);
    grown = mca_common_collio_arena_reserve(&op->file->staging,
                                            (fence ? op->schedule->buffers : 2) * op->round_bytes);
    if (grown > 0) {
        mca_common_collio_file_memory(op->file, grown);
    }
    if (NULL == plan->deliveries) {
        plan->deliveries = calloc(windows, sizeof(*plan->deliveries));
        plan->memory_bytes += (int64_t) (windows * sizeof(*plan->deliveries));
    }
    op->deliveries = plan->deliveries;
    return NULL == op->deliveries ? -ENOMEM : grown;
}

/* A way of doing the cycles; all ranks choose the same one. */
static unsigned way_of(const mca_common_collio_op_t *op)
{
    return 1u << (2 * op->transport + op->schedule->buffers - 1);
}

bool mca_common_collio_cycles_prepared(const mca_common_collio_op_t *op)
{
    return 0 != (op->plan->prepared & way_of(op));
}

void mca_common_collio_cycles_prepare(mca_common_collio_op_t *op)
{
    mca_common_collio_plan_t *plan = op->plan;
    int64_t before = plan->memory_bytes, rc = 0;

    op->stop_local = INT64_MAX;
    op->synchronous_sends = MCA_COMMON_COLLIO_SETTING_ON == op->file->settings.sync_send
                            || (MCA_COMMON_COLLIO_SETTING_AUTO == op->file->settings.sync_send
                                && plan->domains.hi - plan->domains.lo
                                       > plan->window_bytes * plan->domains.owners);
    if (0 == plan->prepared) {
        plan->shared_failed = mca_common_collio_shared_failed(op->file);
    }
    plan->prepared |= way_of(op);
    if (mca_common_collio_is_owner(op)) {
        rc = prepare_owner(op);
    }
    if (rc >= 0) {
        rc = prepare_requester(op);
    }
    if (rc >= 0) {
        rc = mca_common_collio_relay_prepare(op);
    }
    if (rc >= 0 && MCA_COMMON_COLLIO_TRANSPORT_PUT_FENCE == op->transport) {
        rc = mca_common_collio_fence_prepare(plan);
    }
    if (rc >= 0 && mca_common_collio_op_puts(op) && plan->packed) {
        rc = mca_common_collio_put_prepare_places(plan);
    }
    mca_common_collio_file_memory(op->file, plan->memory_bytes - before);
    if (rc < 0) {
        mca_common_collio_op_fail(op, (int) -rc);
    }
}
