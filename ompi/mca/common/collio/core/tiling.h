/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_TILING_H
#define COLLIO_TILING_H

#include "extent.h"

#include <stdbool.h>

/**
 * A periodic list of pieces: a file view (filetype repeated from a displacement) or a user buffer
 * (datatype repeated `count` times). Its bytes, in order, form a *stream*. A seek to a stream
 * position takes O(log pieces), so threads can walk any part of a request without walking the
 * pieces before it.
 *
 *   base          base+extent     base+2*extent
 *    |##..###....  |##..###....    |##..###....     pieces (## and ###), offsets from base
 *     01  234       56  789         ...             stream positions
 */
typedef struct collio_tiling_t {
    int64_t base;    /* offset of the first repetition, in bytes */
    int64_t extent;  /* bytes from one repetition to the next */
    int64_t size;    /* bytes of data in a repetition */
    size_t count;    /* number of pieces in a repetition */
    int64_t *offset; /* offset of each piece from the start of the repetition; owns both arrays */
    int64_t uniform; /* length of every piece if all are equal; 0 if lengths differ */
    void *prefix;    /* stream position of each piece in the repetition, count + 1 entries: int64_t
                        if `wide`, else uint32_t; not used if `uniform` is not 0 */
    bool wide;       /* stream positions of a repetition need 64 bits */
    bool dense;      /* all repetitions together are one piece without an end */
    bool ascending;  /* offsets increase inside a repetition and from one repetition to the next, so
                        no byte occurs twice and the stream is in the order of offsets */
    bool overflow;   /* the end of a piece or the sum of sizes is beyond INT64_MAX */
} collio_tiling_t;

/** Returns entry i of `prefix`. */
static inline int64_t collio_tiling_position(bool wide, const void *prefix, size_t i)
{
    return wide ? ((const int64_t *) prefix)[i] : ((const uint32_t *) prefix)[i];
}

/** Returns the bytes of `count` entries of `prefix`. */
static inline size_t collio_tiling_positions(bool wide, size_t count)
{
    return count * (wide ? sizeof(int64_t) : sizeof(uint32_t));
}

/** Return the length of piece i, and its stream position in the repetition (even for i = count).
 *  Lists of equal pieces use no array for both, because memory accesses dominate the time. */
static inline int64_t collio_tiling_length(const collio_tiling_t *tiling, size_t i)
{
    const uint32_t *low = tiling->prefix;
    const int64_t *high = tiling->prefix;

    if (0 != tiling->uniform) {
        return tiling->uniform;
    }
    return tiling->wide ? high[i + 1] - high[i] : low[i + 1] - low[i];
}

static inline int64_t collio_tiling_prefix(const collio_tiling_t *tiling, size_t i)
{
    return 0 != tiling->uniform ? (int64_t) i * tiling->uniform
                                : collio_tiling_position(tiling->wide, tiling->prefix, i);
}

/** Bytes of the lists of pieces. */
static inline int64_t collio_tiling_memory(const collio_tiling_t *tiling)
{
    size_t bytes = tiling->count * sizeof(*tiling->offset);

    bytes += 0 != tiling->uniform ? 0 : collio_tiling_positions(tiling->wide, tiling->count);
    return (int64_t) bytes;
}

/** Makes a tiling of the pieces, in their order. Drops empty pieces and joins a piece to its
 *  predecessor if it begins at the predecessor's end. Pieces may be unsorted (memory). `pieces` is
 *  an array of structs of two 64-bit words, offset and length: collio_extent_t or struct iovec.
 *  Returns 0 or -ENOMEM. */
int collio_tiling_init(collio_tiling_t *tiling, int64_t base, int64_t extent, const void *pieces,
                       size_t count);
void collio_tiling_fini(collio_tiling_t *tiling);

/** Makes a tiling in steps: begins an empty tiling, adds pieces in their order (returns 0 or
 *  -ENOMEM), and ends with close. */
void collio_tiling_open(collio_tiling_t *tiling, int64_t base, int64_t extent);
int collio_tiling_add(collio_tiling_t *tiling, const void *pieces, size_t count);
void collio_tiling_close(collio_tiling_t *tiling);

/** Returns true if these are the pieces of the tiling. A list with empty pieces, or with pieces
 *  that init would join, is not found. */
bool collio_tiling_has(const collio_tiling_t *tiling, const void *pieces, size_t count);

/** Replaces equal pieces at equal distances, also from one repetition to the next, by repetitions
 *  of one piece. The stream stays the same. Must follow close. */
void collio_tiling_fold(collio_tiling_t *tiling);

/** place returns a stream position as *anchor, a file offset, and *phase, a position in the
 *  repetition. The position must be inside a range that collio_tiling_range has accepted. If two
 *  tilings have the same shape and two positions have the same phase, then all following offsets
 *  differ by the difference of the anchors. Plan reuse relies on this rule only. */
bool collio_tiling_same_shape(const collio_tiling_t *a, const collio_tiling_t *b);
void collio_tiling_place(const collio_tiling_t *tiling, int64_t stream, int64_t *anchor,
                         int64_t *phase);

/** Computes [*lo, *hi), from the lowest to the highest file offset of stream range [first, first +
 *  bytes); 0, 0 without bytes. Returns 0, or -EOVERFLOW if a byte lies before 0 or past INT64_MAX.
 *  Such a request must fail, because no later code checks for overflow. */
int collio_tiling_range(const collio_tiling_t *tiling, int64_t first, int64_t bytes, int64_t *lo,
                        int64_t *hi);

/** Returns the index of the piece that contains byte `within` of a repetition. */
size_t collio_tiling_find(const collio_tiling_t *tiling, int64_t within);

/** A position in a tiling's stream. */
typedef struct collio_cursor_t {
    const collio_tiling_t *tiling; /* the tiling; owned by the caller */
    int64_t origin;                /* offset of the repetition: base + repetition * extent */
    size_t piece;                  /* index of the current piece */
    int64_t used;                  /* bytes of the current piece before the cursor */
} collio_cursor_t;

void collio_cursor_seek(collio_cursor_t *cursor, const collio_tiling_t *tiling, int64_t stream);

/* The following functions are inline, because inner loops use them. */

/** Returns the offset of the byte at the cursor; *run = bytes from the cursor to the end of its
 *  piece (INT64_MAX / 2 for a dense tiling). The tiling must not be empty. */
static inline int64_t collio_cursor_run(const collio_cursor_t *cursor, int64_t *run)
{
    const collio_tiling_t *tiling = cursor->tiling;

    /* the caller has called cursor_seek: NOLINTNEXTLINE(clang-analyzer-core.*) */
    *run = tiling->dense ? INT64_MAX / 2
                         : collio_tiling_length(tiling, cursor->piece) - cursor->used;
    return cursor->origin + tiling->offset[cursor->piece] + cursor->used;
}

/** Moves to the start of the next piece. */
static inline void collio_cursor_next(collio_cursor_t *cursor)
{
    cursor->used = 0;
    if (++cursor->piece == cursor->tiling->count) {
        cursor->piece = 0;
        /* unsigned: the repetition after the last byte of a valid request may wrap */
        cursor->origin = (int64_t) ((uint64_t) cursor->origin + (uint64_t) cursor->tiling->extent);
    }
}

/** Moves forward by `bytes`, at most `run`, which collio_cursor_run has returned. In a dense tiling
 *  `bytes` must be less. */
static inline void collio_cursor_advance(collio_cursor_t *cursor, int64_t bytes, int64_t run)
{
    cursor->used += bytes;
    if (bytes == run) {
        collio_cursor_next(cursor);
    }
}

/** A piece of a request: its position in the file and in the request's stream. */
typedef struct collio_piece_t {
    int64_t offset; /* offset in the file, or local coordinate in a file domain (domain.h) */
    int64_t length; /* bytes of the piece */
    int64_t stream; /* bytes of the request before this piece */
} collio_piece_t;

typedef struct collio_pieces_t {
    collio_piece_t *at; /* the pieces; owned by this struct */
    size_t count;       /* number of pieces */
    size_t capacity;    /* number of pieces that `at` has memory for */
} collio_pieces_t;

void collio_pieces_fini(collio_pieces_t *pieces);
/** Appends a piece, or joins it to the last piece if it continues this piece in offset AND in
 *  stream. 0 or -ENOMEM. */
int collio_pieces_append(collio_pieces_t *pieces, int64_t offset, int64_t length, int64_t stream);

/** A walk over the pieces of a stream range, in stream order. */
typedef struct collio_walk_t {
    collio_cursor_t cursor; /* position of the next piece */
    int64_t done;           /* bytes of the range before the cursor: stream of the next piece */
    int64_t bytes;          /* bytes of the range */
} collio_walk_t;

void collio_walk_start(collio_walk_t *walk, const collio_tiling_t *tiling, int64_t first,
                       int64_t bytes);
/** Writes the next pieces, at most `room`. Joins pieces that continue each other in offset and
 *  stream, except with pieces of the previous call. Returns the number of pieces, 0 at the end. */
size_t collio_walk_next(collio_walk_t *walk, collio_piece_t *piece, size_t room);

/** Writes the pieces of stream range [first, first + bytes), sorted by offset (ties by stream), and
 *  joins pieces that continue each other in offset and stream. piece.stream is relative to `first`.
 *  Does not join overlapping pieces. On entry `pieces` is empty. Returns 0 or -ENOMEM. */
int collio_tiling_pieces(const collio_tiling_t *tiling, int64_t first, int64_t bytes,
                         collio_pieces_t *pieces);

/** Returns an upper bound on the pieces of collio_tiling_pieces (before joining), in O(log
 *  pieces). */
int64_t collio_tiling_piece_bound(const collio_tiling_t *tiling, int64_t first, int64_t bytes);

/** Copy stream range [stream, stream + length) of a memory tiling on `memory` to `packed` (pack) or
 *  back (unpack). The range must lie inside the user buffer. */
void collio_tiling_pack(const collio_tiling_t *tiling, const char *memory, int64_t stream,
                        int64_t length, char *packed);
void collio_tiling_unpack(const collio_tiling_t *tiling, char *memory, int64_t stream,
                          int64_t length, const char *packed);

#endif /* COLLIO_TILING_H */
