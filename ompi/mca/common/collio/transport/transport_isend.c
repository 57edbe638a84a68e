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
 * image; at the end of the file the message is shorter, or, if it has several windows, it ends with
 * the length of each.
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
    if (0 != ex->file->lost) { /* in place of a message that is missing, it would be a wrong one */
        move->done = true;
        return;
    }
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

/* Packs the message of a read in which a window is short: the bytes of all windows, then the length
 * of the data of each window. Returns the length of the message. */
static int64_t pack_cut(collio_exchange_t *ex, const collio_slot_t *slot, const collio_move_t *move)
{
    char *at = move->staging, *lengths = at + move->what.bytes;

    for (size_t i = 0; i < move->what.windows; ++i) {
        const collio_window_t *window = &move->what.window[i];
        collio_content_t what = collio_content(move->what.split, window);
        int64_t valid = collio_copy_gather(ex, &what, &slot->buffer, at);

        memcpy(lengths + i * sizeof(valid), &valid, sizeof(valid));
        at += window->bytes;
    }
    return move->what.bytes + move->extra;
}

/* Unpacks such a message of `bytes` bytes. */
static void unpack_cut(collio_exchange_t *ex, const collio_move_t *move, int64_t bytes)
{
    char *at = move->staging, *lengths = at + move->what.bytes;

    if (bytes != move->what.bytes + move->extra) {
        collio_exchange_lose(ex);
        return;
    }
    for (size_t i = 0; i < move->what.windows; ++i) {
        const collio_window_t *window = &move->what.window[i];
        collio_content_t what = collio_content(move->what.split, window);
        int64_t valid;

        memcpy(&valid, lengths + i * sizeof(valid), sizeof(valid));
        valid = valid < 0 || valid > window->bytes ? 0 : valid;
        (void) collio_copy_message(ex, &what, at, valid);
        at += window->bytes;
    }
}

static void isend_owner_start(collio_exchange_t *ex, collio_slot_t *slot, collio_move_t *move)
{
    char *straight = slot->buffer.at + (move->what.window->lo - slot->buffer.local);

    if (ex->write) {
        collio_message_receive(ex, move, move->tag,
                               NULL != move->staging ? move->staging : straight, move->what.bytes);
        return;
    }
    if (NULL == move->staging) {
        int64_t valid = slot->buffer.limit - move->what.window->lo;

        collio_message_send(ex, move, straight, collio_clamp(valid, 0, move->what.bytes));
    } else if (slot->cut) {
        collio_message_send(ex, move, move->staging, pack_cut(ex, slot, move));
    } else {
        int64_t bytes = collio_copy_gather(ex, &move->what, &slot->buffer, move->staging);

        collio_message_send(ex, move, move->staging, bytes);
    }
}

static bool isend_owner_test(collio_exchange_t *ex, collio_slot_t *slot, collio_move_t *move)
{
    if (move->done) {
        return true;
    }
    if (!collio_request_done(ex->file, &move->request, NULL)) {
        return false;
    }
    if (ex->write && NULL != move->staging && !slot->in_order) {
        (void) collio_copy_scatter(ex, &move->what, &slot->buffer, move->staging);
    }
    move->done = true;
    return true;
}

static void isend_requester_start(collio_exchange_t *ex, collio_move_t *move)
{
    char *message = collio_move_pack(ex, move);

    if (ex->write) {
        collio_message_send(ex, move, message, move->what.bytes);
    } else {
        collio_message_receive(ex, move, move->tag, message, move->what.bytes + move->extra);
    }
}

static bool isend_requester_test(collio_exchange_t *ex, collio_move_t *move)
{
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
    if (0 < move->extra && move->what.bytes != bytes && 0 == ex->file->lost) {
        unpack_cut(ex, move, bytes);
    } else {
        collio_move_unpack(ex, move, bytes);
    }
    move->done = true;
    return true;
}

const collio_transport_t collio_transport_isend = {
    .name = "isend",
    .can = {.owner_packed = true, .requester_packed = true},
    .owner_start = isend_owner_start,
    .owner_test = isend_owner_test,
    .requester_start = isend_requester_start,
    .requester_test = isend_requester_test,
};
