/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Copies between user memory, packed messages and collective buffers, for all transports.
 *
 * Each loop is compiled once per case (direction, contiguous or scattered user memory, packed or
 * placed at the other end), so that the loop tests only lengths.
 */
#include "transport/transport.h"

#include "core/copy.h"
#include "core/number.h"

char *collio_message_in_memory(const collio_exchange_t *ex, const collio_window_t *window,
                               const collio_piece_t *piece)
{
    collio_cursor_t cursor;
    int64_t offset, run;

    if (!window->consecutive) {
        return NULL;
    }
    collio_cursor_seek(&cursor, &ex->request.memory->tiling, piece->stream);
    offset = collio_cursor_run(&cursor, &run);
    return run >= window->bytes ? ex->request.base + offset : NULL;
}

/* Selects the loop; both fields are constants wherever the loop is inlined. */
typedef struct case_t {
    bool write;  /* true: copy from user memory; false: copy to user memory */
    bool packed; /* true: the other end is a packed message; false: pieces lie at their offsets */
} case_t;

COLLIO_ALWAYS_INLINE void copy(bool write, char *memory, char *other, int64_t length)
{
    collio_copy(write ? other : memory, write ? memory : other, (size_t) length);
}

/* User memory is one contiguous piece. */
COLLIO_ALWAYS_INLINE void copy_dense(case_t is, const collio_exchange_t *ex,
                                     const collio_piece_t *piece, const collio_piece_t *end,
                                     char *other)
{
    const collio_tiling_t *tiling = &ex->request.memory->tiling;
    char *memory = collio_place(ex->request.base, tiling->base + tiling->offset[0]);

    for (; piece < end; ++piece) {
        copy(is.write, memory + piece->stream,
             is.packed ? other : collio_place(other, piece->offset), piece->length);
        other += is.packed ? piece->length : 0;
    }
}

/* A position in scattered user memory. It is kept from piece to piece, because streams mostly
 * ascend without gaps. */
typedef struct walk_t {
    collio_cursor_t cursor; /* piece and repetition of `at`; `used` stays as the last seek set it */
    char *base;             /* address of the request's memory */
    char *at;               /* the next byte */
    int64_t left;           /* bytes from `at` to the end of the piece in memory */
    int64_t stream;         /* stream position of the next byte */
} walk_t;

static void walk_seek(walk_t *walk, const collio_tiling_t *tiling, int64_t stream)
{
    collio_cursor_seek(&walk->cursor, tiling, stream);
    walk->at = collio_place(walk->base, collio_cursor_run(&walk->cursor, &walk->left));
    walk->stream = stream;
}

static inline void walk_next_piece(walk_t *walk)
{
    collio_cursor_t *cursor = &walk->cursor;

    collio_cursor_advance(cursor,
                          collio_tiling_length(cursor->tiling, cursor->piece) - cursor->used);
    walk->at = collio_place(walk->base, collio_cursor_run(cursor, &walk->left));
}

COLLIO_ALWAYS_INLINE void copy_scattered(case_t is, const collio_exchange_t *ex,
                                         const collio_piece_t *piece, const collio_piece_t *end,
                                         char *other)
{
    walk_t walk = {.base = ex->request.base, .stream = -1};

    for (; piece < end; ++piece) {
        int64_t length = piece->length;
        char *to = is.packed ? other : collio_place(other, piece->offset);

        if (walk.stream != piece->stream) {
            walk_seek(&walk, &ex->request.memory->tiling, piece->stream);
        }
        walk.stream += length;
        while (length > walk.left) {
            copy(is.write, walk.at, to, walk.left);
            to += walk.left;
            length -= walk.left;
            walk_next_piece(&walk);
        }
        copy(is.write, walk.at, to, length);
        walk.at += length;
        walk.left -= length;
        other = is.packed ? to + length : other;
    }
}

COLLIO_ALWAYS_INLINE void copy_case(case_t is, const collio_exchange_t *ex,
                                    const collio_piece_t *piece, size_t count, char *other)
{
    if (ex->request.memory->tiling.dense) {
        copy_dense(is, ex, piece, piece + count, other);
    } else {
        copy_scattered(is, ex, piece, piece + count, other);
    }
}

static void copy_pieces(const collio_exchange_t *ex, bool packed, const collio_piece_t *piece,
                        size_t count, char *other)
{
    if (ex->write && packed) {
        copy_case((case_t){.write = true, .packed = true}, ex, piece, count, other);
    } else if (ex->write) {
        copy_case((case_t){.write = true}, ex, piece, count, other);
    } else if (packed) {
        copy_case((case_t){.packed = true}, ex, piece, count, other);
    } else {
        copy_case((case_t){0}, ex, piece, count, other);
    }
}

/* Counts copied bytes and returns them. */
static int64_t counted(const collio_exchange_t *ex, int64_t bytes)
{
    collio_file_count(ex->file, COLLIO_STAT_COPIED_BYTES, (uint64_t) bytes);
    return bytes;
}

/* Returns the bytes of a piece below the limit. */
static inline int64_t valid_bytes(const collio_piece_t *piece, int64_t limit)
{
    return collio_clamp(limit - piece->offset, 0, piece->length);
}

/* Returns the number of leading pieces that lie completely below the limit, and their bytes. */
static size_t whole_pieces(const collio_window_t *window, const collio_piece_t *piece,
                           int64_t limit, int64_t *bytes)
{
    size_t count = 0;

    *bytes = window->bytes;
    if (INT64_MAX == limit) { /* the data do not end in this window */
        return window->count;
    }
    for (*bytes = 0; count < window->count; ++count) {
        if (valid_bytes(&piece[count], limit) < piece[count].length) {
            break;
        }
        *bytes += piece[count].length;
    }
    return count;
}

int64_t collio_valid_prefix(const collio_window_t *window, const collio_piece_t *piece,
                            int64_t limit)
{
    int64_t bytes;
    size_t count = whole_pieces(window, piece, limit, &bytes);

    return count < window->count ? bytes + valid_bytes(&piece[count], limit) : bytes;
}

int64_t collio_copy_window(collio_exchange_t *ex, const collio_window_t *window,
                           const collio_piece_t *piece, char *buffer, int64_t buffer_local,
                           int64_t limit)
{
    char *zero = collio_place(buffer, -buffer_local);
    int64_t copied;
    size_t count = whole_pieces(window, piece, limit, &copied);

    copy_pieces(ex, false, piece, count, zero);
    for (; count < window->count; ++count) { /* pieces may overlap: several cross the limit */
        collio_piece_t cut = piece[count];

        cut.length = valid_bytes(&cut, limit);
        copy_pieces(ex, false, &cut, 1, zero);
        copied += cut.length;
    }
    collio_exchange_received(ex, copied);
    return counted(ex, copied);
}

int64_t collio_copy_message(const collio_exchange_t *ex, const collio_window_t *window,
                            const collio_piece_t *piece, char *message, int64_t bytes)
{
    collio_piece_t cut;
    size_t count = 0;
    int64_t copied = 0;

    if (bytes >= window->bytes) {
        copy_pieces(ex, true, piece, window->count, message);
        return counted(ex, window->bytes);
    }
    for (; copied + piece[count].length <= bytes; ++count) {
        copied += piece[count].length;
    }
    copy_pieces(ex, true, piece, count, message);
    cut = piece[count];
    cut.length = bytes - copied;
    copy_pieces(ex, true, &cut, 1, message + copied);
    return counted(ex, bytes);
}

/* Copies between a message and a collective buffer whose byte 0 has the local coordinate `local`.
 */
COLLIO_ALWAYS_INLINE void copy_buffer(bool scatter, const collio_piece_t *piece, size_t count,
                                      char *buffer, int64_t local, char *message)
{
    char *zero = collio_place(buffer, -local);

    for (size_t i = 0; i < count; ++i) {
        copy(scatter, message, collio_place(zero, piece[i].offset), piece[i].length);
        message += piece[i].length;
    }
}

int64_t collio_copy_scatter(const collio_exchange_t *ex, const collio_window_t *window,
                            const collio_piece_t *piece, char *buffer, int64_t buffer_local,
                            const char *message)
{
    copy_buffer(true, piece, window->count, buffer, buffer_local, (char *) (uintptr_t) message);
    return counted(ex, window->bytes);
}

int64_t collio_copy_gather(const collio_exchange_t *ex, const collio_window_t *window,
                           const collio_piece_t *piece, const char *buffer, int64_t buffer_local,
                           int64_t limit, char *message)
{
    char *from = (char *) (uintptr_t) buffer;
    int64_t copied;
    size_t count = whole_pieces(window, piece, limit, &copied);

    copy_buffer(false, piece, count, from, buffer_local, message);
    if (count < window->count) { /* the receiver counts the bytes: the message must be a prefix */
        collio_piece_t cut = piece[count];

        cut.length = valid_bytes(&cut, limit);
        copy_buffer(false, &cut, 1, from, buffer_local, message + copied);
        copied += cut.length;
    }
    return counted(ex, copied);
}
