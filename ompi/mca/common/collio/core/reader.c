/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * Reads the pieces of a window in the order of its packed message, with what a piece does not
 * store: its stream position, which is that of its strand and the lengths before it.
 */
#include "cycle.h"
#include "debug_assert.h"
#include "number.h"

/* Returns the first strand that begins with piece `first` or a later one. */
static size_t find_strand(const collio_split_t *split, size_t first)
{
    size_t low = 0, high = split->strand_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (split->strand[middle].first < first) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Enters reader->strand at its first piece. */
static void enter_strand(collio_reader_t *reader)
{
    const collio_strand_t *strand = &reader->split->strand[reader->strand];
    size_t next = reader->strand + 1;

    reader->stream = strand->stream;
    reader->strand_end = reader->end;
    if (next < reader->split->strand_count
        && reader->split->piece + strand[1].first < reader->end) {
        reader->strand_end = reader->split->piece + strand[1].first;
    }
}

collio_reader_t collio_reader(const collio_split_t *split, const collio_window_t *window)
{
    const collio_fragment_t *piece = split->piece + window->first;
    collio_reader_t reader = {.split = split,
                              .at = piece,
                              .strand_end = piece + window->count,
                              .end = piece + window->count,
                              .strand = find_strand(split, window->first),
                              .left = window->bytes};

    if (reader.strand < split->strand_count
        && split->strand[reader.strand].first == window->first) {
        enter_strand(&reader);
    }
    return reader;
}

collio_run_t collio_reader_next(collio_reader_t *reader, int64_t bytes, collio_fragment_t *cut)
{
    collio_run_t run = {.at = reader->at, .end = reader->at, .stream = reader->stream};
    uint32_t left = reader->at->length - reader->used;

    COLLIO_ASSERT(0 < bytes && bytes <= reader->left && reader->at < reader->strand_end);
    if (0 < reader->used || bytes < left) {
        run.bytes = collio_min(bytes, left);
        *cut = (collio_fragment_t){reader->at->offset + reader->used, (uint32_t) run.bytes};
        run.at = cut;
        run.end = cut + 1;
        reader->used = run.bytes < left ? reader->used + (uint32_t) run.bytes : 0;
        reader->at += run.bytes == left;
    } else if (bytes == reader->left && reader->strand_end == reader->end) {
        run.bytes = bytes;
        run.end = reader->at = reader->end;
    } else {
        for (; run.end < reader->strand_end && run.end->length <= bytes - run.bytes; ++run.end) {
            run.bytes += run.end->length;
        }
        reader->at = run.end;
    }
    reader->stream += run.bytes;
    reader->left -= run.bytes;
    if (reader->at == reader->strand_end && reader->strand_end < reader->end) {
        ++reader->strand;
        enter_strand(reader);
    }
    return run;
}

int64_t collio_window_prefix(const collio_split_t *split, const collio_window_t *window,
                             int64_t limit)
{
    const collio_fragment_t *piece = &split->piece[window->first];
    int64_t bytes = 0, before = 0;

    if (window->hi <= limit) {
        return window->bytes;
    }
    /* pieces are in the order of their offsets */
    for (size_t i = 0; i < window->count && window->lo + piece[i].offset < limit; ++i) {
        bytes = before + collio_min(limit - window->lo - piece[i].offset, piece[i].length);
        before += piece[i].length;
    }
    return bytes;
}

int64_t collio_window_stop(const collio_split_t *split, const collio_window_t *window,
                           int64_t limit)
{
    collio_reader_t reader = collio_reader(split, window);
    int64_t stop = INT64_MAX;

    while (window->hi > limit && 0 < reader.left) {
        collio_fragment_t cut;
        collio_run_t run = collio_reader_next(&reader, reader.at->length, &cut);
        int64_t below = collio_clamp(limit - window->lo - run.at->offset, 0, run.bytes);

        if (below < run.bytes) {
            stop = collio_min(stop, run.stream + below);
        }
    }
    return stop;
}
