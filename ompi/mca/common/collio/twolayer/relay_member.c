/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * A member's turns. A turn is a round in which the member has bytes: the member hands them over to
 * its local aggregator (write), or receives them from it (read). Two turns may be under way.
 *
 *   shm     waits for the grant, copies the bytes to (from) their places, counts the arrival
 *   isend   one message, packed in the order of the places; no copy if memory has that order
 */
#include "twolayer/relay.h"

#include "cycles/cycles.h"

#include <errno.h>

typedef collio_relay_t relay_t;
typedef collio_turn_t turn_t;

static char *relay_member_room(const collio_exchange_t *ex, size_t number)
{
    return ex->file->context->kept->relay.at
           + (number % 2) * (size_t) ex->plan->layer1.relay->message_bytes;
}

static void start_turn(collio_exchange_t *ex, size_t number)
{
    relay_t *relay = ex->plan->layer1.relay;
    const turn_t *turn = &relay->mine.turn[number];
    collio_delivery_t *delivery = &relay->turn[number % 2];
    collio_move_t *move = &delivery->move;

    *delivery = (collio_delivery_t){.started = true,
                                    .move = {.transport = &collio_transport_isend,
                                             .what = collio_turn_content(&relay->mine, turn),
                                             .peer = relay->aggregator,
                                             .tag = COLLIO_TAG_RELAY,
                                             .extra = collio_turn_room(turn) - turn->bytes,
                                             .synchronous = 0 < ex->way.synchronous_each,
                                             .relayed = !ex->write}};
    if (relay->shared) {
        int slot = collio_node_local(&ex->file->nodes, relay->aggregator);

        move->ticket = ex->file->context->kept->relay_shared.taken[slot]++;
        return;
    }
    if (!ex->write || NULL == collio_message_in_memory(ex, &move->what)) {
        move->staging = relay_member_room(ex, number);
    }
    move->transport->requester_start(ex, delivery);
}

/* Unpacks the message of a read. If it is longer than the turn's bytes, it ends with the length of
 * the data of each window. */
static void unpack_turn(collio_exchange_t *ex, size_t number, int64_t bytes)
{
    const collio_part_t *mine = &ex->plan->layer1.relay->mine;
    const turn_t *turn = &mine->turn[number];
    char *message = relay_member_room(ex, number);
    bool whole = bytes == turn->bytes;
    int64_t at = 0;

    if (!whole && bytes != collio_turn_room(turn)) {
        collio_exchange_lose(ex);
        return;
    }
    for (size_t i = 0; i < turn->window_count; ++i) {
        const collio_window_t *window = &mine->list.window[turn->window + i];
        collio_content_t what = collio_content(&mine->list, window);
        int64_t valid = window->bytes;

        if (!whole) {
            memcpy(&valid, message + turn->bytes + i * sizeof(valid), sizeof(valid));
            valid = valid < 0 || valid > window->bytes ? 0 : valid;
        }
        (void) collio_copy_message(ex, &what, message + at, valid);
        at += window->bytes;
    }
}

static bool message_over(collio_exchange_t *ex, size_t number)
{
    collio_delivery_t *delivery = &ex->plan->layer1.relay->turn[number % 2];

    if (!delivery->move.transport->requester_test(ex, delivery)) {
        return false;
    }
    if (!ex->write && 0 == ex->file->lost) {
        unpack_turn(ex, number, delivery->move.bytes);
    }
    return true;
}

static bool copy_over(collio_exchange_t *ex, size_t number)
{
    relay_t *relay = ex->plan->layer1.relay;
    const collio_shared_t *shared = &ex->file->context->kept->relay_shared;
    const collio_nodes_t *nodes = &ex->file->nodes;
    int slot = collio_node_local(nodes, relay->aggregator);
    collio_delivery_t *delivery = &relay->turn[number % 2];
    int half = collio_shared_granted(shared, slot, collio_node_local(nodes, ex->file->rank),
                                     delivery->move.ticket);

    if (half < 0 || !collio_relay_copy(ex, half, &relay->mine.turn[number], &delivery->window)) {
        return false;
    }
    atomic_fetch_add_explicit(&collio_shared_control(shared, slot)->arrived[half], 1,
                              memory_order_release);
    return true;
}

bool collio_relay_member(collio_exchange_t *ex, bool *moved)
{
    relay_t *relay = ex->plan->layer1.relay;

    for (size_t number = relay->mine.next; number < relay->started_turn; ++number) {
        int *state = &relay->turn[number % 2].move.state;

        if (COLLIO_MOVE_COUNTED != *state
            && (relay->shared ? copy_over(ex, number) : message_over(ex, number))) {
            *state = COLLIO_MOVE_COUNTED;
            *moved = true;
        }
    }
    while (relay->mine.next < relay->started_turn
           && COLLIO_MOVE_COUNTED == relay->turn[relay->mine.next % 2].move.state) {
        ++relay->mine.next;
    }
    while (relay->started_turn < relay->mine.turn_count
           && relay->started_turn < relay->mine.next + 2) {
        start_turn(ex, relay->started_turn++);
        *moved = true;
    }
    return relay->mine.next == relay->mine.turn_count;
}
