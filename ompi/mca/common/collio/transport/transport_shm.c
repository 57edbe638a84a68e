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

static void shm_owner_start(collio_exchange_t *ex, collio_slot_t *slot, collio_move_t *move)
{
    collio_owner_t *owner = slot->owner;
    collio_shared_control_t *control = collio_shared_control(owner->shared, owner->number);

    atomic_store_explicit(&control->limit[slot->number], slot->buffer.limit, memory_order_relaxed);
    ++slot->arrived;
    collio_shared_grant(owner->shared, owner->number,
                        collio_node_local(&ex->file->nodes, move->peer), slot->number);
}

/* All requesters add to one counter: all moves of the window are done at the same time. */
static bool shm_owner_test(collio_exchange_t *ex, collio_slot_t *slot, collio_move_t *move)
{
    collio_shared_control_t *control = collio_shared_control(slot->owner->shared,
                                                             slot->owner->number);

    (void) ex;
    move->done = atomic_load_explicit(&control->arrived[slot->number], memory_order_acquire)
                 == slot->arrived;
    return move->done;
}

/* The owner that a requester's move goes to, or comes from. */
typedef struct target_t {
    collio_shared_t *shared; /* segment of its buffers */
    int number;              /* its number in the segment */
    int taken;               /* its number in shared->taken */
} target_t;

static target_t target_of(const collio_exchange_t *ex, const collio_move_t *move)
{
    int aggregator = move->aggregator;

    if (0 > aggregator) {
        return (target_t){ex->local.shared, ex->local.number, ex->local.number};
    }
    return (target_t){&ex->file->context->kept->shared,
                      ex->file->derived.aggregator_owner[aggregator], aggregator};
}

static void shm_requester_start(collio_exchange_t *ex, collio_move_t *move)
{
    target_t target = target_of(ex, move);

    move->ticket = target.shared->taken[target.taken]++;
}

/* Returns the owner's buffer of that number, which is granted. */
static collio_buffer_t buffer_of(const collio_exchange_t *ex, const collio_move_t *move,
                                 const target_t *target, int number)
{
    collio_shared_control_t *control = collio_shared_control(target->shared, target->number);

    if (0 > move->aggregator) {
        return ex->local.slot[number].buffer;
    }
    return (collio_buffer_t){
        .at = collio_shared_region(target->shared, target->number) + number * ex->buffer_bytes,
        .local = move->what.window->index * collio_plan_window(ex->plan, move->aggregator),
        .limit = atomic_load_explicit(&control->limit[number], memory_order_relaxed)};
}

/* Copies between the owner's buffer and user memory, or the buffer of a local aggregator. Returns
 * the bytes copied. */
static int64_t copy(collio_exchange_t *ex, const collio_move_t *move, const collio_content_t *what,
                    const collio_buffer_t *buffer)
{
    if (!move->forwarded) {
        return collio_copy_window(ex, what, buffer);
    }
    return ex->write ? collio_copy_scatter(ex, what, buffer, move->staging)
                     : collio_copy_gather(ex, what, buffer, move->staging);
}

/* Copies windows until one has not arrived. Returns true when all are copied. */
static bool copy_windows(collio_exchange_t *ex, collio_move_t *move, const collio_buffer_t *buffer)
{
    for (; move->copied < move->what.windows; ++move->copied) {
        collio_content_t what = collio_content(move->what.split, &move->what.window[move->copied]);
        int64_t copied;

        if (COLLIO_LIMIT_PENDING == collio_buffer_limit(buffer, what.window)) {
            return false;
        }
        copied = copy(ex, move, &what, buffer);
        move->bytes += copied;
        collio_file_count(ex->file, COLLIO_STAT_SHM_BYTES, (uint64_t) copied);
    }
    return true;
}

static bool shm_requester_test(collio_exchange_t *ex, collio_move_t *move)
{
    target_t target = target_of(ex, move);
    int local = collio_node_local(&ex->file->nodes, ex->file->rank);
    int number = collio_shared_granted(target.shared, target.number, local, move->ticket);
    collio_buffer_t buffer;

    if (number < 0) {
        return false;
    }
    buffer = buffer_of(ex, move, &target, number);
    if (!copy_windows(ex, move, &buffer)) {
        return false;
    }
    atomic_fetch_add_explicit(&collio_shared_control(target.shared, target.number)->arrived[number],
                              1, memory_order_release);
    move->done = true;
    return true;
}

const collio_transport_t collio_transport_shm = {
    .name = "shm",
    .can = {.buffers = COLLIO_BUFFERS_SHARED},
    .serves = serves,
    .owner_start = shm_owner_start,
    .owner_test = shm_owner_test,
    .requester_start = shm_requester_start,
    .requester_test = shm_requester_test,
};
