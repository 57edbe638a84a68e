/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Shared memory: each rank copies its bytes straight between its own memory and the collective
 * buffer of an aggregator on its node. One copy, no message.
 *
 *   aggregator:   grant[requester] = buffer number   ...     arrived == expected: all done
 *   requester:                       finds the grant, copies, arrived += 1
 */
#include "transport/transport.h"

static bool serves(const collio_exchange_t *ex, int aggregator, int requester)
{
    const collio_nodes_t *nodes = &ex->file->nodes;

    return collio_node_of(nodes, aggregator) == collio_node_of(nodes, requester)
           && COLLIO_SHARED_READY == ex->file->context->kept->shared.state;
}

static int my_slot(const collio_exchange_t *ex)
{
    return ex->file->derived.aggregator_slot[ex->file->derived.my_aggregator];
}

static void shm_aggregator_start(collio_exchange_t *ex, collio_slot_t *slot, collio_move_t *move)
{
    collio_shared_t *shared = &ex->file->context->kept->shared;
    collio_shared_control_t *control = collio_shared_control(shared, my_slot(ex));

    atomic_store_explicit(&control->limit[slot->number], slot->limit, memory_order_relaxed);
    ++slot->arrived;
    collio_shared_grant(shared, my_slot(ex), collio_node_local(&ex->file->nodes, move->peer),
                        slot->number);
}

/* All requesters add to one counter: all moves of the window are done at the same time. */
static bool shm_aggregator_test(collio_exchange_t *ex, collio_slot_t *slot, collio_move_t *move)
{
    collio_shared_control_t *control = collio_shared_control(&ex->file->context->kept->shared,
                                                             my_slot(ex));

    move->done = atomic_load_explicit(&control->arrived[slot->number], memory_order_acquire)
                 == slot->arrived;
    return move->done;
}

static void shm_requester_start(collio_exchange_t *ex, collio_delivery_t *delivery)
{
    delivery->move.ticket = ex->file->context->kept->shared.taken[delivery->aggregator]++;
}

/* Copies between the collective buffer and user memory, or the staging of a local aggregator.
 * Returns the bytes copied. */
static int64_t copy(collio_exchange_t *ex, const collio_delivery_t *delivery, char *buffer,
                    int64_t limit)
{
    const collio_move_t *move = &delivery->move;
    int64_t local = move->what.window->index * collio_plan_window(ex->plan, delivery->aggregator);

    if (!move->relayed) {
        return collio_copy_window(ex, &move->what, buffer, local, limit);
    }
    if (ex->write) {
        return collio_copy_scatter(ex, &move->what, buffer, local, move->staging);
    }
    return collio_copy_gather(ex, &move->what, buffer, local, limit, move->staging);
}

static bool shm_requester_test(collio_exchange_t *ex, collio_delivery_t *delivery)
{
    collio_file_t *file = ex->file;
    collio_shared_t *shared = &file->context->kept->shared;
    collio_move_t *move = &delivery->move;
    int slot = file->derived.aggregator_slot[delivery->aggregator];
    collio_shared_control_t *control = collio_shared_control(shared, slot);
    int number = collio_shared_granted(shared, slot, collio_node_local(&file->nodes, file->rank),
                                       move->ticket);
    int64_t copied;

    if (number < 0) {
        return false;
    }
    copied = copy(ex, delivery, collio_shared_region(shared, slot) + number * ex->buffer_bytes,
                  atomic_load_explicit(&control->limit[number], memory_order_relaxed));
    atomic_fetch_add_explicit(&control->arrived[number], 1, memory_order_release);
    move->bytes = copied;
    collio_file_count(file, COLLIO_STAT_SHM_BYTES, (uint64_t) copied);
    move->done = true;
    return true;
}

const collio_transport_t collio_transport_shm = {
    .name = "shm",
    .can = {.buffers = COLLIO_BUFFERS_SHARED},
    .serves = serves,
    .aggregator_start = shm_aggregator_start,
    .aggregator_test = shm_aggregator_test,
    .requester_start = shm_requester_start,
    .requester_test = shm_requester_test,
};
