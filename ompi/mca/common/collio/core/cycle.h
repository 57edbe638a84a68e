/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_CYCLE_H
#define COLLIO_CYCLE_H

#include "domain.h"
#include "marks.h"
#include "tiling.h"

#include <stdbool.h>

/**
 * The cycle plan: which requester exchanges which bytes with which aggregator in which cycle. No
 * rank holds the extents of all ranks.
 *
 * The domain of an aggregator, in local coordinates, is cut into *windows* of `window_bytes`.
 * Requester and aggregator both compute the window number as local / window_bytes, without a
 * message. Neither side lists empty windows, so the cost depends on the data and not on the span of
 * the request. Each pair (requester, aggregator) uses windows in ascending order.
 *
 *   requester:  split    its pieces -> per aggregator, per window: pieces
 *   aggregator: collect  windows of all requesters -> cycles: their sources and the covered runs
 */

/** Maximum bytes of a window: offsets and lengths inside a window have 32 bits. */
#define COLLIO_WINDOW_MAX (INT64_C(1) << 31)

/** Pieces of one window that follow each other in the stream: from piece `first` to the next strand
 *  or to the end of the window. Each window of a request with a stream begins a strand. */
typedef struct collio_strand_t {
    int64_t stream; /* bytes of the request before the first piece */
    size_t first;   /* position of the first piece in split->piece */
} collio_strand_t;

/** The pieces of a request in one window: piece[first .. first + count). */
typedef struct collio_window_t {
    int64_t index; /* window number: local / window_bytes */
    size_t first;  /* position of the first piece in split->piece */
    size_t count;  /* number of pieces */
    int64_t bytes; /* sum of the lengths of the pieces: size of the packed message */
    int64_t lo;    /* start of the lowest piece, which is the first one, in local coordinates */
    int64_t hi;    /* end of the highest piece, in local coordinates */
} collio_window_t;

/** The part of a request in one aggregator's domain: window[first .. first + count). */
typedef struct collio_share_t {
    int aggregator; /* number of the aggregator */
    size_t first;   /* position of the first window in split->window */
    size_t count;   /* number of windows */
    int64_t bytes;  /* bytes of all windows */
} collio_share_t;

/** A request by aggregator and window. A piece takes 8 bytes, because windows and strands have what
 *  neighbors share. */
typedef struct collio_split_t {
    collio_fragment_t *piece; /* pieces by aggregator and window, ascending from window->lo */
    size_t piece_count;       /* number of pieces */
    collio_window_t *window;  /* windows by aggregator, then ascending by index */
    size_t window_count;      /* number of windows */
    size_t window_capacity;   /* number of windows that `window` has memory for */
    collio_strand_t *strand;  /* strands, ascending by `first`; NULL: the pieces have no streams */
    size_t strand_count;      /* number of strands */
    size_t strand_capacity;   /* number of strands that `strand` has memory for */
    collio_share_t *share;    /* shares of aggregators with bytes, ascending by aggregator */
    size_t share_count;       /* number of shares */
    int64_t window_bytes;     /* bytes of a window; partition memory: see collio_domains_window */
} collio_split_t;

/** Splits sorted pieces (file offsets) by aggregator and window; pieces are cut at domain and
 *  window borders, and keep their stream positions. Every piece lies in [lo, hi). 0 or -ENOMEM. */
int collio_split_pieces(const collio_pieces_t *pieces, const collio_domains_t *domains,
                        int64_t window_bytes, collio_split_t *split);

/** Splits the bytes [stream, stream + bytes) of a view; *pieces = their number of pieces. Views in
 *  file order are split in one pass, other views are sorted first. 0 or -ENOMEM. */
int collio_split_view(const collio_tiling_t *view, int64_t stream, int64_t bytes,
                      const collio_domains_t *domains, int64_t window_bytes, collio_split_t *split,
                      int64_t *pieces);

/** Splits the list of one requester in local coordinates, which an aggregator has decoded from the
 *  wire. The split has one share (aggregator 0); its pieces are in the order of the requester's
 *  packed messages, and their streams have no meaning. 0 or -ENOMEM. */
int collio_split_extents(const collio_extents_t *local, int64_t window_bytes,
                         collio_split_t *split);

void collio_split_fini(collio_split_t *split);

/** Bytes of memory of the lists of a split. */
int64_t collio_split_memory(const collio_split_t *split);

/** Appends the pieces of window[first .. first + count) to the list, in local coordinates. Joins
 *  pieces that touch, such as those that a window border has cut. 0 or -ENOMEM. */
int collio_split_list(const collio_split_t *split, size_t first, size_t count,
                      collio_extents_t *list);

/** Appends a window of `from`, with its pieces and strands, to a split that has memory for pieces.
 *  0 or -ENOMEM. */
int collio_split_copy(collio_split_t *split, const collio_split_t *from,
                      const collio_window_t *window);

/** Returns the length of the part of the window's packed message that has all bytes below local
 *  coordinate `limit`. If pieces overlap, it may also have bytes above the limit. */
int64_t collio_window_prefix(const collio_split_t *split, const collio_window_t *window,
                             int64_t limit);

/** Returns the lowest stream position of the bytes at local coordinate `limit` or above, or
 *  INT64_MAX if the window has none. */
int64_t collio_window_stop(const collio_split_t *split, const collio_window_t *window,
                           int64_t limit);

/** A position in the packed message of a window. */
typedef struct collio_reader_t {
    const collio_split_t *split;         /* the split of the window; owned by the caller */
    const collio_fragment_t *at;         /* next piece */
    const collio_fragment_t *strand_end; /* end of the pieces of the strand */
    const collio_fragment_t *end;        /* end of the pieces of the window */
    size_t strand;                       /* the strand, if the pieces have streams */
    int64_t stream;                      /* stream position of the next byte */
    int64_t left;                        /* bytes of the window starting at the next byte */
    uint32_t used;                       /* bytes of the next piece before the next byte */
} collio_reader_t;

/** Pieces that follow each other in the stream. */
typedef struct collio_run_t {
    const collio_fragment_t *at;  /* first piece; offsets count from window->lo */
    const collio_fragment_t *end; /* past the last piece */
    int64_t stream;               /* stream position of the first piece */
    int64_t bytes;                /* sum of the lengths of the pieces */
} collio_run_t;

/** Returns the start of a window's message. The pieces follow each other in the stream if
 *  reader.strand_end == reader.end. */
collio_reader_t collio_reader(const collio_split_t *split, const collio_window_t *window);

/** Returns the next pieces of a window, at most `bytes` bytes (1 .. reader->left) and at least one,
 *  and moves the reader past them. `cut` is memory for a piece of which only a part is used. */
collio_run_t collio_reader_next(collio_reader_t *reader, int64_t bytes, collio_fragment_t *cut);

/** A requester that takes part in a cycle. */
typedef struct collio_source_t {
    size_t requester; /* position in the array that collio_collect_build gets */
    size_t window;    /* position in split->window of this requester */
} collio_source_t;

/** One cycle of an aggregator: one non-empty window. */
typedef struct collio_cycle_t {
    int64_t index;       /* window number: the window begins at local index * window_bytes */
    int64_t lo;          /* lowest requested byte, in local coordinates */
    int64_t hi;          /* end of the highest requested byte, in local coordinates */
    int64_t bytes;       /* sum of the bytes of all sources */
    size_t source;       /* position of the first source in collect->source; by requester */
    size_t source_count; /* number of sources */
    size_t run;          /* position of the first run in collect->runs: the union of the pieces */
    size_t run_count;    /* number of runs */
} collio_cycle_t;

/** All cycles of an aggregator. */
typedef struct collio_collect_t {
    collio_cycle_t *cycle;   /* cycles, ascending by index */
    size_t cycle_count;      /* number of cycles */
    collio_source_t *source; /* sources of all cycles */
    size_t source_count;     /* number of sources */
    collio_extents_t runs;   /* runs of all cycles, never joined across window borders */
    int64_t overlap_bytes;   /* bytes that n > 1 pieces cover, counted n - 1 times */
    size_t refused;          /* cycles whose marks are invalid because pieces overlap */
} collio_collect_t;

/** Merges the windows of the requesters into cycles. Each split has at most one share. Windows that
 *  have marks (NULL: none has) are bounding ranges only: their runs are taken from the marks. The
 *  cycles are invalid if collect->refused is not 0. 0 or -ENOMEM. */
int collio_collect_build(const collio_split_t *splits, size_t split_count,
                         const collio_marks_t *marks, collio_collect_t *collect);
void collio_collect_fini(collio_collect_t *collect);

#endif /* COLLIO_CYCLE_H */
