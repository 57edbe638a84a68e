/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Messages. A window's bytes travel as one message, packed in the order of the requester's pieces.
 *
 *   requester                                     aggregator
 *   user memory --(pack)--> message  ==========>  message --(scatter)--> collective buffer
 *
 * The requester does not copy if its bytes are contiguous in memory in the packed order; the
 * aggregator does not copy if the window is one piece. An aggregator posts the receives of a window
 * when a collective buffer is free. Some messages are synchronous sends, and a rank has at most two
 * rounds in flight, so that fast senders do not flood a busy aggregator. Reads are the mirror
 * image; at the end of the file the message is shorter.
 */
#include "transport/transport.h"

#include "core/number.h"

static void count_message(collio_exchange_t *ex, int peer, int64_t bytes)
{
    collio_file_t *file = ex->file;

    collio_file_count(file, COLLIO_STAT_MESSAGES, 1);
    collio_file_count(file, COLLIO_STAT_MESSAGE_BYTES, (uint64_t) bytes);
    if (collio_node_of(&file->nodes, peer) != collio_node_of(&file->nodes, file->rank)) {
        collio_file_count(file, COLLIO_STAT_MESSAGES_BETWEEN_NODES, 1);
        collio_file_count(file, COLLIO_STAT_BYTES_BETWEEN_NODES, (uint64_t) bytes);
    }
    if (collio_by_rack(file)
        && collio_node_of(collio_groups(file), peer)
               != collio_node_of(collio_groups(file), file->rank)) {
        collio_file_count(file, COLLIO_STAT_MESSAGES_BETWEEN_RACKS, 1);
    }
}

void collio_message_send(collio_exchange_t *ex, collio_move_t *move, const char *message,
                         int64_t bytes)
{
    move->bytes = bytes;
    if (OMPI_SUCCESS
        != collio_isend(message, (size_t) bytes, move->peer, collio_exchange_tag(ex, move->tag),
                        move->synchronous, ex->file->context->comm, &move->request)) {
        collio_exchange_lose(ex);
        move->done = true;
        return;
    }
    count_message(ex, move->peer, bytes);
}

void collio_message_receive(collio_exchange_t *ex, collio_move_t *move, int tag, void *message,
                            int64_t bytes)
{
    if (OMPI_SUCCESS
        != collio_irecv(message, (size_t) bytes, move->peer, collio_exchange_tag(ex, tag),
                        ex->file->context->comm, &move->request)) {
        collio_exchange_lose(ex);
        move->done = true;
    }
}

static void isend_aggregator_start(collio_exchange_t *ex, collio_slot_t *slot, collio_move_t *move)
{
    char *straight = slot->buffer + (move->what.window->lo - slot->local);

    if (ex->write) {
        collio_message_receive(ex, move, move->tag,
                               NULL != move->staging ? move->staging : straight, move->what.bytes);
        return;
    }
    if (NULL == move->staging) {
        int64_t valid = slot->limit - move->what.window->lo;

        collio_message_send(ex, move, straight, collio_clamp(valid, 0, move->what.bytes));
    } else {
        int64_t bytes = collio_copy_gather(ex, &move->what, slot->buffer, slot->local, slot->limit,
                                           move->staging);

        collio_message_send(ex, move, move->staging, bytes);
    }
}

static bool isend_aggregator_test(collio_exchange_t *ex, collio_slot_t *slot, collio_move_t *move)
{
    if (move->done) {
        return true;
    }
    if (!collio_request_done(ex->file, &move->request, NULL)) {
        return false;
    }
    if (ex->write && NULL != move->staging && !slot->in_order) {
        (void) collio_copy_scatter(ex, &move->what, slot->buffer, slot->local, move->staging);
    }
    move->done = true;
    return true;
}

static void isend_requester_start(collio_exchange_t *ex, collio_delivery_t *delivery)
{
    collio_move_t *move = &delivery->move;
    char *message = collio_move_pack(ex, move);

    if (ex->write) {
        collio_message_send(ex, move, message, move->what.bytes);
    } else {
        collio_message_receive(ex, move, move->tag, message, move->what.bytes + move->extra);
    }
}

static bool isend_requester_test(collio_exchange_t *ex, collio_delivery_t *delivery)
{
    collio_move_t *move = &delivery->move;
    int64_t bytes = 0;

    if (move->done) {
        return true;
    }
    if (!collio_request_done(ex->file, &move->request, &bytes)) {
        return false;
    }
    if (0 != ex->file->lost) {
        bytes = 0;
    }
    move->bytes = bytes;
    collio_move_unpack(ex, move, bytes);
    move->done = true;
    return true;
}

const collio_transport_t collio_transport_isend = {
    .name = "isend",
    .can = {.aggregator_packed = true, .requester_packed = true},
    .aggregator_start = isend_aggregator_start,
    .aggregator_test = isend_aggregator_test,
    .requester_start = isend_requester_start,
    .requester_test = isend_requester_test,
};
