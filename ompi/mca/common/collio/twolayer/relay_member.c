/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * A member's turns. A turn is a round in which the member has bytes: it hands them over to its
 * local aggregator, or gets them from there. Two turns may be under way.
 *
 *   shm     waits for the grant, copies its bytes to (from) their places, counts itself as arrived
 *   isend   one message, packed in the order of the places; none where memory has that order
 */
#include "twolayer/relay.h"

#include "cycles/cycles.h"

#include <errno.h>

typedef collio_relay_t relay_t;
typedef collio_turn_t turn_t;

static void count_copy(collio_exchange_t *ex, int64_t bytes)
{
    collio_file_count(ex->file, COLLIO_STAT_COPIED_BYTES, (uint64_t) bytes);
}

static char *room(const collio_exchange_t *ex, size_t number)
{
    return ex->file->kept->relay.at + (number % 2) * (size_t) ex->plan->layer1.relay->message_bytes;
}

/* The turn's bytes in my memory, when they lie there as the message has them. */
static char *in_memory(const collio_exchange_t *ex, const turn_t *turn)
{
    const collio_piece_t *piece = &ex->plan->layer1.relay->mine.piece[turn->piece];
    collio_cursor_t cursor;
    int64_t offset, run;

    if (!turn->consecutive) {
        return NULL;
    }
    collio_cursor_seek(&cursor, &ex->request.memory->tiling, piece->stream);
    offset = collio_cursor_run(&cursor, &run);
    return run >= turn->bytes ? ex->request.base + offset : NULL;
}

static int send_turn(collio_exchange_t *ex, size_t number)
{
    relay_t *relay = ex->plan->layer1.relay;
    const turn_t *turn = &relay->mine.turn[number];
    char *message = in_memory(ex, turn);

    if (NULL == message) {
        collio_window_t all = {.count = turn->piece_count, .bytes = turn->bytes};

        message = room(ex, number);
        count_copy(ex, collio_copy_message(ex, &all, &relay->mine.piece[turn->piece], message,
                                           turn->bytes));
    }
    collio_count_message(ex, relay->aggregator, turn->bytes);
    return collio_isend(message, (size_t) turn->bytes, relay->aggregator,
                        collio_exchange_tag(ex, COLLIO_TAG_RELAY), ex->way.synchronous_sends,
                        ex->file->comm, &relay->request[number % 2]);
}

static void start_turn(collio_exchange_t *ex, size_t number)
{
    relay_t *relay = ex->plan->layer1.relay;
    const turn_t *turn = &relay->mine.turn[number];
    int rc;

    relay->turn_done[number % 2] = false;
    if (relay->shared) {
        int slot = ex->file->nodes.local_rank[relay->aggregator];

        relay->ticket[number % 2] = ex->file->kept->relay_shared.taken[slot]++;
        relay->turn_window[number % 2] = 0;
        return;
    }
    if (ex->write) {
        rc = send_turn(ex, number);
    } else {
        rc = collio_irecv(room(ex, number), (size_t) collio_turn_room(turn), relay->aggregator,
                          collio_exchange_tag(ex, COLLIO_TAG_RELAY), ex->file->comm,
                          &relay->request[number % 2]);
    }
    if (OMPI_SUCCESS != rc) {
        collio_exchange_lose(ex);
        relay->turn_done[number % 2] = true;
    }
}

/* In a message that is longer than its data, the lengths of the data per window follow the data. */
static void unpack_turn(collio_exchange_t *ex, size_t number, int64_t bytes)
{
    const collio_part_t *mine = &ex->plan->layer1.relay->mine;
    const turn_t *turn = &mine->turn[number];
    char *message = room(ex, number);
    bool whole = bytes == turn->bytes;
    int64_t at = 0;

    if (!whole && bytes != collio_turn_room(turn)) {
        collio_exchange_lose(ex);
        return;
    }
    for (size_t i = 0; i < turn->window_count; ++i) {
        const collio_window_t *window = &mine->window[turn->window + i];
        int64_t valid = window->bytes, copied;

        if (!whole) {
            memcpy(&valid, message + turn->bytes + i * sizeof(valid), sizeof(valid));
            valid = valid < 0 || valid > window->bytes ? 0 : valid;
        }
        copied = collio_copy_message(ex, window, &mine->piece[window->first], message + at, valid);
        collio_exchange_received(ex, copied);
        count_copy(ex, copied);
        at += window->bytes;
    }
}

static bool message_over(collio_exchange_t *ex, size_t number)
{
    relay_t *relay = ex->plan->layer1.relay;
    int64_t bytes = 0;

    if (!collio_request_done(ex->file, &relay->request[number % 2], &bytes)) {
        return false;
    }
    if (!ex->write && 0 == ex->file->lost) {
        unpack_turn(ex, number, bytes);
    }
    return true;
}

static bool copy_over(collio_exchange_t *ex, size_t number)
{
    relay_t *relay = ex->plan->layer1.relay;
    const collio_shared_t *shared = &ex->file->kept->relay_shared;
    const turn_t *turn = &relay->mine.turn[number];
    const int *local_rank = ex->file->nodes.local_rank;
    int slot = local_rank[relay->aggregator];
    uint64_t ticket = relay->ticket[number % 2];
    uint64_t grant = atomic_load_explicit(
        collio_shared_grant(shared, slot, local_rank[ex->file->rank], ticket),
        memory_order_acquire);
    int half = (int) (grant & 1);
    size_t *next = &relay->turn_window[number % 2];

    if (grant >> 1 != ticket + 1) {
        return false;
    }
    for (; *next < turn->window_count; ++*next) {
        const collio_window_t *window = &relay->mine.window[turn->window + *next];
        int64_t copied, limit = INT64_MAX;

        if (!ex->write) {
            limit = atomic_load_explicit(&collio_relay_limits(ex, half)[window->index],
                                         memory_order_acquire);
        }
        if (COLLIO_LIMIT_PENDING == limit) {
            return false;
        }
        copied = collio_copy_window(ex, window, &relay->mine.piece[window->first],
                                    collio_relay_shared(ex, half), 0, limit);
        collio_exchange_received(ex, copied);
        count_copy(ex, copied);
        collio_file_count(ex->file, COLLIO_STAT_SHM_BYTES, (uint64_t) copied);
    }
    atomic_fetch_add_explicit(&collio_shared_control(shared, slot)->arrived[half], 1,
                              memory_order_release);
    return true;
}

bool collio_relay_member(collio_exchange_t *ex, bool *moved)
{
    relay_t *relay = ex->plan->layer1.relay;

    for (size_t number = relay->first_turn; number < relay->started_turn; ++number) {
        bool *done = &relay->turn_done[number % 2];

        if (!*done) {
            *done = relay->shared ? copy_over(ex, number) : message_over(ex, number);
            *moved |= *done;
        }
    }
    while (relay->first_turn < relay->started_turn && relay->turn_done[relay->first_turn % 2]) {
        ++relay->first_turn;
    }
    while (relay->started_turn < relay->mine.turn_count
           && relay->started_turn < relay->first_turn + 2) {
        start_turn(ex, relay->started_turn++);
        *moved = true;
    }
    return relay->first_turn == relay->mine.turn_count;
}
