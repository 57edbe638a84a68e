/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_TILING_H
#define COLLIO_TILING_H

#include "extent.h"

#include <stdbool.h>

/**
 * A periodic list of pieces: a file view (filetype repeated from a displacement) or a user buffer
 * (datatype repeated `count` times). Its bytes, in order, form a *stream*; a stream position is
 * found in O(log pieces), so any part of a request can be walked without walking what is before it
 * (this is what lets threads start in the middle).
 *
 *   base          base+extent     base+2*extent
 *    |##..###....  |##..###....    |##..###....     pieces (## and ###), offsets from base
 *     01  234       56  789         ...             stream positions
 */
typedef struct collio_tiling_t {
    int64_t base;    /* of the first repetition */
    int64_t extent;  /* distance of repetitions */
    int64_t size;    /* bytes of data in a repetition */
    size_t count;    /* pieces in a repetition */
    int64_t *offset; /* of each piece, from the repetition's start */
    int64_t uniform; /* length of every piece, if they are all equal; else 0, and: */
    int64_t *length; /* of each piece, > 0 */
    int64_t *prefix; /* stream position of each piece in the repetition, count + 1 entries */
    int64_t end;     /* of the last piece, from the repetition's start */
    bool dense;      /* the repetitions join to one endless piece */
    bool ascending;  /* offsets never go back, neither inside nor from one repetition to the next:
                          no byte comes twice, and the stream is in the order of the offsets */
    bool overflow;   /* a piece ends, or the sizes add up, beyond INT64_MAX */
} collio_tiling_t;

/** Of piece i: its length, and its stream position in the repetition (also for i = count). Lists of
 *  equal pieces have no arrays for them: with millions of pieces memory takes the time. */
static inline int64_t collio_tiling_length(const collio_tiling_t *tiling, size_t i)
{
    return 0 != tiling->uniform ? tiling->uniform : tiling->length[i];
}

static inline int64_t collio_tiling_prefix(const collio_tiling_t *tiling, size_t i)
{
    return 0 != tiling->uniform ? (int64_t) i * tiling->uniform : tiling->prefix[i];
}

/** Bytes of the lists of pieces. */
static inline int64_t collio_tiling_memory(const collio_tiling_t *tiling)
{
    int lists = 0 != tiling->uniform ? 1 : 3;

    return (int64_t) (tiling->count * sizeof(*tiling->offset)) * lists;
}

/** Copies the pieces, in their order: empty ones dropped, one that begins where its predecessor
 *  ends joined to it. Pieces may be unsorted (memory). Returns 0 or -ENOMEM. */
int collio_tiling_init(collio_tiling_t *tiling, int64_t base, int64_t extent,
                       const collio_extent_t *pieces, size_t count);
void collio_tiling_fini(collio_tiling_t *tiling);

/** The same in steps, for pieces that come in another form: room for `most` pieces, each piece, and
 *  what follows from all of them. A list of millions is walked, and touches memory, once. */
int collio_tiling_open(collio_tiling_t *tiling, int64_t base, int64_t extent, size_t most);
void collio_tiling_list_lengths(collio_tiling_t *tiling);
/** The last piece becomes longer. */
void collio_tiling_join(collio_tiling_t *tiling, int64_t length);
static inline void collio_tiling_add(collio_tiling_t *tiling, int64_t offset, int64_t length)
{
    size_t n = tiling->count;
    int64_t end, stream;

    if (0 >= length) {
        return;
    }
    if (__builtin_add_overflow(offset, length, &end)
        || __builtin_add_overflow(tiling->size, length, &stream)) {
        tiling->overflow = true; /* without the piece: no request in this tiling is valid */
        return;
    }
    if (offset <= tiling->end) {
        if (offset == tiling->end && 0 < n) {
            collio_tiling_join(tiling, length);
            return;
        }
        tiling->ascending = tiling->ascending && 0 == n;
    }
    if (length != tiling->uniform) {
        if (0 == n) {
            tiling->uniform = length;
        } else if (0 != tiling->uniform) {
            collio_tiling_list_lengths(tiling);
        }
    }
    tiling->offset[n] = offset;
    if (0 == tiling->uniform) {
        tiling->length[n] = length;
        tiling->prefix[n + 1] = stream;
    }
    tiling->size = stream;
    tiling->end = end;
    tiling->count = n + 1;
}
void collio_tiling_close(collio_tiling_t *tiling);
/** Equal pieces at equal distances, of which one repetition continues the other, become repetitions
 *  of one piece. The stream stays the same. After close. */
void collio_tiling_fold(collio_tiling_t *tiling);

/** Where a stream position is, as *anchor, a file offset, and *phase, a position in the repetition.
 *  Of two tilings of the same shape, and two positions of the same phase: byte by byte from there
 *  on, the offsets differ by the difference of the anchors. A plan relies on nothing else. The
 *  position is inside a range that tiling_range() has accepted. */
bool collio_tiling_same_shape(const collio_tiling_t *a, const collio_tiling_t *b);
void collio_tiling_place(const collio_tiling_t *tiling, int64_t stream, int64_t *anchor,
                         int64_t *phase);

/** [*lo, *hi): from the lowest to the highest file offset of stream range [first, first + bytes);
 *  0, 0 without bytes. Returns 0, or -EOVERFLOW if some byte lies before 0 or past INT64_MAX: such
 *  a request must go no further, as only this call computes with overflow checks. */
int collio_tiling_range(const collio_tiling_t *tiling, int64_t first, int64_t bytes, int64_t *lo,
                        int64_t *hi);

/** The piece that holds byte `within` of a repetition. */
size_t collio_tiling_find(const collio_tiling_t *tiling, int64_t within);

/** A place in a tiling's stream. */
typedef struct collio_cursor_t {
    const collio_tiling_t *tiling;
    int64_t origin; /* base + repetition * extent */
    size_t piece;
    int64_t used; /* bytes of that piece that are behind the cursor */
} collio_cursor_t;

void collio_cursor_seek(collio_cursor_t *cursor, const collio_tiling_t *tiling, int64_t stream);

/* The two calls below are in every inner loop, so they are inline. */

/** Offset of the byte at the cursor; *run = bytes from there to the end of its piece
 *  (INT64_MAX / 2 for a dense tiling). The tiling must not be empty. */
static inline int64_t collio_cursor_run(const collio_cursor_t *cursor, int64_t *run)
{
    const collio_tiling_t *tiling = cursor->tiling;

    /* cursor_seek came first: NOLINTNEXTLINE(clang-analyzer-core.*) */
    *run = tiling->dense ? INT64_MAX / 2
                         : collio_tiling_length(tiling, cursor->piece) - cursor->used;
    return cursor->origin + tiling->offset[cursor->piece] + cursor->used;
}

/** Moves forward by `bytes`, at most the current run. */
static inline void collio_cursor_advance(collio_cursor_t *cursor, int64_t bytes)
{
    const collio_tiling_t *tiling = cursor->tiling;

    cursor->used += bytes;
    if (!tiling->dense && cursor->used == collio_tiling_length(tiling, cursor->piece)) {
        cursor->used = 0;
        if (++cursor->piece == tiling->count) {
            cursor->piece = 0;
            /* unsigned: past the last byte of a valid request the next repetition may wrap */
            cursor->origin = (int64_t) ((uint64_t) cursor->origin + (uint64_t) tiling->extent);
        }
    }
}

/** A piece of a request: where it is in the file and where in the request's stream. */
typedef struct collio_piece_t {
    int64_t offset; /* in the file, or in an aggregator's domain (see domain.h: local) */
    int64_t length;
    int64_t stream; /* bytes of the request before this piece */
} collio_piece_t;

typedef struct collio_pieces_t {
    collio_piece_t *at;
    size_t count;
    size_t capacity;
} collio_pieces_t;

void collio_pieces_fini(collio_pieces_t *pieces);
/** Appends; joined to the last piece if it continues it in offset AND in stream. 0 or -ENOMEM. */
int collio_pieces_append(collio_pieces_t *pieces, int64_t offset, int64_t length, int64_t stream);

/** A walk over the pieces of a stream range, in stream order. */
typedef struct collio_walk_t {
    collio_cursor_t cursor;
    int64_t done; /* bytes behind it, from the range's start: the next piece's stream */
    int64_t bytes;
} collio_walk_t;

void collio_walk_start(collio_walk_t *walk, const collio_tiling_t *tiling, int64_t first,
                       int64_t bytes);
/** The next pieces, at most `room`; joined where they continue each other in offset and stream, but
 *  not to those of the call before. Returns their number, 0 at the end. */
size_t collio_walk_next(collio_walk_t *walk, collio_piece_t *piece, size_t room);

/** The pieces of stream range [first, first + bytes), sorted by offset (ties by stream), joined
 *  where they continue each other in offset and stream; piece.stream counts from `first`.
 *  Overlapping pieces stay apart. Returns 0 or -ENOMEM. `pieces` is empty before. */
int collio_tiling_pieces(const collio_tiling_t *tiling, int64_t first, int64_t bytes,
                         collio_pieces_t *pieces);

/** How many pieces tiling_pieces may give at most (before joining), in O(log pieces). */
int64_t collio_tiling_piece_bound(const collio_tiling_t *tiling, int64_t first, int64_t bytes);

/** Copies stream range [stream, stream + length) of a memory tiling on `memory` to `packed`
 *  (pack) or back (unpack). Returns nothing: the range must lie inside the buffer. */
void collio_tiling_pack(const collio_tiling_t *tiling, const char *memory, int64_t stream,
                        int64_t length, char *packed);
void collio_tiling_unpack(const collio_tiling_t *tiling, char *memory, int64_t stream,
                          int64_t length, const char *packed);

#endif /* COLLIO_TILING_H */
