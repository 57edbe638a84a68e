/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * The copies between the three kinds of memory that transports share.
 */
#include "transport/transport.h"

char *collio_message_in_memory(const collio_exchange_t *ex, size_t window)
{
    const collio_split_t *split = &ex->plan->split;
    const collio_piece_t *piece = &split->piece[split->window[window].first];
    collio_cursor_t cursor;
    int64_t offset, run;

    if (!split->window[window].consecutive) {
        return NULL;
    }
    collio_cursor_seek(&cursor, &ex->request.memory->tiling, piece->stream);
    offset = collio_cursor_run(&cursor, &run);
    return run >= split->window[window].bytes ? ex->request.base + offset : NULL;
}

/* Tiny copies are most of the work of tiny-piece patterns; constant sizes become single moves. */
static inline void copy_bytes(char *to, const char *from, int64_t length)
{
    switch (length) {
    case 4:
        memcpy(to, from, 4);
        break;
    case 8:
        memcpy(to, from, 8);
        break;
    case 16:
        memcpy(to, from, 16);
        break;
    default:
        memcpy(to, from, (size_t) length);
    }
}

/* A walk through user memory that goes on where it is, as streams mostly ascend. */
typedef struct walker_t {
    collio_cursor_t cursor;
    int64_t stream; /* where the cursor is; -1 at first */
    char *base;
    const collio_tiling_t *memory;
} walker_t;

static void walk_copy(walker_t *walker, int64_t stream, int64_t length, char *other, bool pack)
{
    if (walker->memory->dense) {
        char *memory = walker->base + walker->memory->base + walker->memory->offset[0] + stream;

        copy_bytes(pack ? other : memory, pack ? memory : other, length);
        return;
    }
    if (walker->stream != stream) {
        collio_cursor_seek(&walker->cursor, walker->memory, stream);
    }
    walker->stream = stream + length;
    while (length > 0) {
        int64_t run;
        char *memory = walker->base + collio_cursor_run(&walker->cursor, &run);

        run = run < length ? run : length;
        copy_bytes(pack ? other : memory, pack ? memory : other, run);
        collio_cursor_advance(&walker->cursor, run);
        other += run;
        length -= run;
    }
}

static walker_t walker_of(const collio_exchange_t *ex)
{
    walker_t walker = {
        .stream = -1, .base = ex->request.base, .memory = &ex->request.memory->tiling};

    return walker;
}

/* Bytes of a piece below the limit. */
static inline int64_t valid_bytes(const collio_piece_t *piece, int64_t limit)
{
    int64_t valid = limit - piece->offset;

    if (valid >= piece->length) {
        return piece->length;
    }
    return valid > 0 ? valid : 0;
}

int64_t collio_valid_prefix(const collio_window_t *window, const collio_piece_t *piece,
                            int64_t limit)
{
    int64_t bytes = 0;

    for (size_t i = 0; i < window->count; ++i) {
        int64_t valid = valid_bytes(&piece[i], limit);

        bytes += valid;
        if (valid < piece[i].length) {
            break;
        }
    }
    return bytes;
}

int64_t collio_copy_window(const collio_exchange_t *ex, const collio_window_t *window,
                           const collio_piece_t *piece, char *buffer, int64_t buffer_local,
                           int64_t limit)
{
    walker_t walker = walker_of(ex);
    int64_t copied = 0;

    for (size_t i = 0; i < window->count; ++i) {
        int64_t length = valid_bytes(&piece[i], limit);

        walk_copy(&walker, piece[i].stream, length, buffer + (piece[i].offset - buffer_local),
                  ex->write);
        copied += length;
    }
    return copied;
}

int64_t collio_copy_message(const collio_exchange_t *ex, const collio_window_t *window,
                            const collio_piece_t *piece, char *message, int64_t bytes)
{
    walker_t walker = walker_of(ex);
    int64_t copied = 0;

    for (size_t i = 0; i < window->count && copied < bytes; ++i) {
        int64_t left = bytes - copied;
        int64_t length = piece[i].length < left ? piece[i].length : left;

        walk_copy(&walker, piece[i].stream, length, message + copied, ex->write);
        copied += length;
    }
    return copied;
}

int64_t collio_copy_scatter(const collio_window_t *window, const collio_piece_t *piece,
                            char *buffer, int64_t buffer_local, const char *message)
{
    int64_t copied = 0;

    for (size_t i = 0; i < window->count; ++i) {
        copy_bytes(buffer + (piece[i].offset - buffer_local), message + copied, piece[i].length);
        copied += piece[i].length;
    }
    return copied;
}

int64_t collio_copy_gather(const collio_window_t *window, const collio_piece_t *piece,
                           const char *buffer, int64_t buffer_local, int64_t limit, char *message)
{
    int64_t copied = 0;

    for (size_t i = 0; i < window->count; ++i) {
        int64_t length = valid_bytes(&piece[i], limit);

        copy_bytes(message + copied, buffer + (piece[i].offset - buffer_local), length);
        copied += length;
        if (length < piece[i].length) {
            break; /* the message is a prefix of the packed data, so the receiver can count */
        }
    }
    return copied;
}
