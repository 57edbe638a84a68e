/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Copies between user memory, packed messages and collective buffers, for all transports.
 *
 * Each loop is compiled once per case (direction, contiguous or scattered user memory), so that the
 * loop tests only lengths. Loops get runs of pieces that follow each other in the stream
 * (collio_reader_next). A packed message has the order of the stream, so its copy needs no pieces.
 */
#include "transport/transport.h"

#include "core/copy.h"
#include "core/number.h"

char *collio_message_in_memory(const collio_exchange_t *ex, const collio_content_t *what)
{
    collio_reader_t first = collio_reader(what->split, what->window);
    int64_t offset, run, stream = first.stream;
    collio_cursor_t cursor;

    for (size_t i = 0; i < what->windows; ++i) {
        collio_reader_t reader = collio_reader(what->split, what->window + i);

        if (reader.strand_end != reader.end || reader.stream != stream) {
            return NULL;
        }
        stream += reader.left;
    }
    collio_cursor_seek(&cursor, &ex->request.memory->tiling, first.stream);
    offset = collio_cursor_run(&cursor, &run);
    return run >= what->bytes ? ex->request.base + offset : NULL;
}

COLLIO_ALWAYS_INLINE void copy(bool write, char *memory, char *other, size_t length)
{
    collio_copy(write ? other : memory, write ? memory : other, length);
}

/* User memory is one contiguous piece. */
COLLIO_ALWAYS_INLINE void copy_dense(bool write, const collio_exchange_t *ex,
                                     const collio_run_t *run, char *window)
{
    const collio_tiling_t *tiling = &ex->request.memory->tiling;
    char *memory = collio_place(ex->request.base, tiling->base + tiling->offset[0] + run->stream);

    for (const collio_fragment_t *piece = run->at, *end = run->end; piece < end; ++piece) {
        size_t length = piece->length;

        copy(write, memory, window + piece->offset, length);
        memory += length;
    }
}

/* A position in scattered user memory. */
typedef struct walk_t {
    collio_cursor_t cursor; /* piece and repetition of `at`; `used` is not kept */
    char *base;             /* address of the request's memory */
    char *at;               /* the next byte */
    int64_t left;           /* bytes from `at` to the end of the piece in memory */
} walk_t;

static inline void walk_next_piece(walk_t *walk)
{
    collio_cursor_next(&walk->cursor);
    walk->at = collio_place(walk->base, collio_cursor_run(&walk->cursor, &walk->left));
}

COLLIO_ALWAYS_INLINE void copy_scattered(bool write, const collio_exchange_t *ex,
                                         const collio_run_t *run, char *window)
{
    walk_t walk = {.base = ex->request.base};

    collio_cursor_seek(&walk.cursor, &ex->request.memory->tiling, run->stream);
    walk.at = collio_place(walk.base, collio_cursor_run(&walk.cursor, &walk.left));
    for (const collio_fragment_t *piece = run->at, *end = run->end; piece < end; ++piece) {
        int64_t length = piece->length;
        char *to = window + piece->offset;

        while (length > walk.left) {
            copy(write, walk.at, to, (size_t) walk.left);
            to += walk.left;
            length -= walk.left;
            walk_next_piece(&walk);
        }
        copy(write, walk.at, to, (size_t) length);
        walk.at += length;
        walk.left -= length;
    }
}

COLLIO_ALWAYS_INLINE void copy_direction(bool write, const collio_exchange_t *ex,
                                         const collio_run_t *run, char *window)
{
    if (ex->request.memory->tiling.dense) {
        copy_dense(write, ex, run, window);
    } else {
        copy_scattered(write, ex, run, window);
    }
}

/* Copies between user memory and the place of a window's lowest piece, `window`. */
static void copy_placed(const collio_exchange_t *ex, const collio_run_t *run, char *window)
{
    if (ex->write) {
        copy_direction(true, ex, run, window);
    } else {
        copy_direction(false, ex, run, window);
    }
}

/* Counts copied bytes and returns them. */
static int64_t counted(const collio_exchange_t *ex, int64_t bytes)
{
    collio_file_count(ex->file, COLLIO_STAT_COPIED_BYTES, (uint64_t) bytes);
    return bytes;
}

int64_t collio_copy_some(collio_exchange_t *ex, const collio_window_t *window,
                         collio_reader_t *reader, int64_t bytes, const collio_buffer_t *buffer)
{
    char *at = collio_place(buffer->at, window->lo - buffer->local);
    int64_t limit = collio_buffer_limit(buffer, window);
    bool whole = window->hi <= limit;
    int64_t copied = 0;

    while (0 < bytes) {
        collio_fragment_t cut;
        /* if the data end in the window: piece by piece, because several may cross the limit */
        collio_run_t run = collio_reader_next(
            reader, whole ? bytes : collio_min(bytes, reader->at->length - reader->used), &cut);

        bytes -= run.bytes;
        if (!whole) {
            run.bytes = collio_clamp(limit - window->lo - run.at->offset, 0, run.bytes);
            cut = (collio_fragment_t){run.at->offset, (uint32_t) run.bytes};
            run.at = &cut;
            run.end = &cut + (0 < run.bytes);
        }
        copy_placed(ex, &run, at);
        copied += run.bytes;
    }
    return counted(ex, copied);
}

int64_t collio_copy_window(collio_exchange_t *ex, const collio_content_t *what,
                           const collio_buffer_t *buffer)
{
    int64_t copied = 0;

    for (const collio_window_t *window = what->window, *end = window + what->windows; window < end;
         ++window) {
        collio_reader_t reader = collio_reader(what->split, window);

        copied += collio_copy_some(ex, window, &reader, reader.left, buffer);
    }
    return copied;
}

int64_t collio_copy_message(const collio_exchange_t *ex, const collio_content_t *what,
                            char *message, int64_t bytes)
{
    const collio_tiling_t *memory = &ex->request.memory->tiling;
    int64_t left = bytes;

    for (size_t i = 0; i < what->windows && 0 < left; ++i) {
        collio_reader_t reader = collio_reader(what->split, what->window + i);

        while (0 < reader.left && 0 < left) {
            collio_fragment_t cut;
            collio_run_t run = collio_reader_next(&reader, collio_min(reader.left, left), &cut);

            if (ex->write) {
                collio_tiling_pack(memory, ex->request.base, run.stream, run.bytes, message);
            } else {
                collio_tiling_unpack(memory, ex->request.base, run.stream, run.bytes, message);
            }
            message += run.bytes;
            left -= run.bytes;
        }
    }
    return counted(ex, bytes - left);
}

char *collio_move_pack(const collio_exchange_t *ex, const collio_move_t *move)
{
    if (NULL == move->staging) {
        return collio_message_in_memory(ex, &move->what);
    }
    if (ex->write && !move->forwarded) {
        (void) collio_copy_message(ex, &move->what, move->staging, move->what.bytes);
    }
    return move->staging;
}

void collio_move_unpack(const collio_exchange_t *ex, const collio_move_t *move, int64_t bytes)
{
    if (!ex->write && NULL != move->staging && !move->forwarded) {
        (void) collio_copy_message(ex, &move->what, move->staging, bytes);
    }
}

/* Copies between a message and the place of a window's lowest piece, `window`. */
COLLIO_ALWAYS_INLINE void copy_buffer(bool scatter, const collio_run_t *run, char *window,
                                      char *message)
{
    for (const collio_fragment_t *piece = run->at, *end = run->end; piece < end; ++piece) {
        size_t length = piece->length;

        copy(scatter, message, window + piece->offset, length);
        message += length;
    }
}

int64_t collio_copy_scatter(const collio_exchange_t *ex, const collio_content_t *what,
                            const collio_buffer_t *buffer, const char *message)
{
    char *from = (char *) (uintptr_t) message;

    for (const collio_window_t *window = what->window, *end = window + what->windows; window < end;
         ++window) {
        const collio_fragment_t *piece = &what->split->piece[window->first];
        collio_run_t all = {.at = piece, .end = piece + window->count};

        copy_buffer(true, &all, collio_place(buffer->at, window->lo - buffer->local), from);
        from += window->bytes;
    }
    return counted(ex, what->bytes);
}

int64_t collio_copy_gather(const collio_exchange_t *ex, const collio_content_t *what,
                           const collio_buffer_t *buffer, char *message)
{
    int64_t copied = 0;

    for (const collio_window_t *window = what->window, *end = window + what->windows; window < end;
         ++window) {
        char *at = collio_place(buffer->at, window->lo - buffer->local);
        collio_reader_t reader = collio_reader(what->split, window);
        /* the receiver computes the places of the bytes: the message must be a prefix */
        int64_t left = collio_window_prefix(what->split, window,
                                            collio_buffer_limit(buffer, window));

        while (0 < left) {
            collio_fragment_t cut;
            collio_run_t run = collio_reader_next(&reader, left, &cut);

            copy_buffer(false, &run, at, message + copied);
            copied += run.bytes;
            left -= run.bytes;
        }
    }
    return counted(ex, copied);
}
