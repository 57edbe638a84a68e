/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * Tilings: a file view, or a user buffer, as a short list of pieces that repeats.
 *
 * Problem: finds the file pieces of a request of n bytes in a view, and the place of its bytes in
 *          memory, without walking the view from its start for each part.
 * Method:  prefix sums of the piece lengths, of 32 bits if a repetition is shorter than 4 GiB; a
 *          division finds the repetition of a stream position and a bisection finds the piece.
 *          Pieces are in file order; only the pieces of a view with decreasing offsets are sorted.
 * Cost:    seek O(log pieces), pieces O(n), or O(n log n) with sorting; one allocation.
 *
 *   stream   [first ................ first + bytes)
 *   pieces      #  ##  ###  #  ##  ###  #               cut at both ends
 */
#include "tiling.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "copy.h"
#include "grow.h"

void collio_tiling_open(collio_tiling_t *tiling, int64_t base, int64_t extent)
{
    *tiling = (collio_tiling_t){.base = base, .extent = extent, .ascending = true};
}

/* Reserves memory for `more` pieces: one block for both arrays, with positions of this width.
 * Until close, the distance of the arrays is the number of pieces that there is memory for. */
static int reserve(collio_tiling_t *tiling, size_t more, bool wide)
{
    size_t before = NULL == tiling->offset ? 0
                                           : (size_t) ((int64_t *) tiling->prefix - tiling->offset);
    size_t most = tiling->count + more;
    int64_t *block;

    if (NULL != tiling->offset && most <= before && tiling->wide == wide) {
        return 0;
    }
    if (most <= before) { /* only the width changes */
        most = before;
    } else if (most < 2 * before) {
        most = 2 * before;
    }
    if (most > PTRDIFF_MAX / (2 * sizeof(*block)) - 1) {
        return -ENOMEM;
    }
    block = realloc(tiling->offset,
                    most * sizeof(*block) + collio_tiling_positions(wide, most + 1));
    if (NULL == block) {
        return -ENOMEM;
    }
    if (NULL == tiling->offset) {
        memset(block + most, 0, collio_tiling_positions(wide, 1));
    } else {
        memmove(block + most, block + before,
                collio_tiling_positions(tiling->wide, tiling->count + 1));
    }
    tiling->offset = block;
    tiling->prefix = block + most;
    if (wide && !tiling->wide) {
        for (size_t i = tiling->count + 1; i-- > 0;) { /* in place, from the last position */
            block[most + i] = collio_tiling_position(false, block + most, i);
        }
    }
    tiling->wide = wide;
    return 0;
}

/* Returns a piece from any struct of two 64-bit words. */
static inline collio_extent_t tiling_load(const void *at)
{
    collio_extent_t piece;

    memcpy(&piece, at, sizeof(piece));
    return piece;
}

/* Adds pieces until the stream is too long for 32 bits, unless `wide`. Returns the number of pieces
 * that are left. `wide` is a constant where this is inlined. */
COLLIO_ALWAYS_INLINE size_t append(bool wide, collio_tiling_t *tiling, const char *list,
                                   size_t left)
{
    int64_t *offset = tiling->offset, *high = tiling->prefix;
    uint32_t *low = tiling->prefix;
    size_t n = tiling->count;
    int64_t end = 0 == n ? INT64_MIN : offset[n - 1] + collio_tiling_length(tiling, n - 1);
    uint64_t size = (uint64_t) tiling->size;

    for (; 0 < left; --left, list += sizeof(collio_extent_t)) {
        collio_extent_t piece = tiling_load(list);
        uint64_t stream = size + (uint64_t) piece.length;
        int64_t past;

        if (0 >= piece.length) {
            continue;
        }
        if (!wide && stream > UINT32_MAX) {
            break;
        }
        if (__builtin_add_overflow(piece.offset, piece.length, &past) || stream > INT64_MAX) {
            tiling->overflow = true; /* without the piece: no request in this tiling is valid */
            continue;
        }
        if (piece.offset < end) {
            tiling->ascending = false;
        }
        if (piece.offset != end || 0 == n) { /* else the last piece becomes longer */
            offset[n++] = piece.offset;
        }
        if (wide) {
            high[n] = (int64_t) stream;
        } else {
            low[n] = (uint32_t) stream;
        }
        size = stream;
        end = past;
    }
    tiling->size = (int64_t) size;
    tiling->count = n;
    return left;
}

int collio_tiling_add(collio_tiling_t *tiling, const void *pieces, size_t count)
{
    size_t left = count;
    int rc = reserve(tiling, count, tiling->wide);

    if (0 == rc && !tiling->wide) {
        left = append(false, tiling, pieces, count);
        rc = reserve(tiling, left, 0 < left);
    }
    if (0 == rc && 0 < left) {
        append(true, tiling, (const char *) pieces + (count - left) * sizeof(collio_extent_t),
               left);
    }
    return rc;
}

/* True if the pieces of the tiling are the first ones of these pieces. `uniform` and `wide` are
 * constants where this is inlined. */
COLLIO_ALWAYS_INLINE bool same_pieces(bool uniform, bool wide, const collio_tiling_t *tiling,
                                      const char *list)
{
    const int64_t *offset = tiling->offset, *end = offset + tiling->count, *high = tiling->prefix;
    const uint32_t *low = tiling->prefix;
    int64_t stream = 0; /* bytes of the pieces up to this one */

#pragma GCC unroll 4
    for (; offset < end; ++offset, list += sizeof(collio_extent_t)) {
        collio_extent_t piece = tiling_load(list);

        stream += piece.length;
        if (piece.offset != *offset
            || (uniform ? piece.length != tiling->uniform : stream != (wide ? *++high : *++low))) {
            return false;
        }
    }
    return true;
}

bool collio_tiling_has(const collio_tiling_t *tiling, const void *pieces, size_t count)
{
    if (count != tiling->count || tiling->overflow) {
        return false;
    }
    return 0 != tiling->uniform ? same_pieces(true, false, tiling, pieces)
           : tiling->wide       ? same_pieces(false, true, tiling, pieces)
                                : same_pieces(false, false, tiling, pieces);
}

/* Returns the length of all pieces, or 0 if lengths differ. `wide` is a constant where this is
 * inlined. */
COLLIO_ALWAYS_INLINE int64_t equal_length(bool wide, const collio_tiling_t *tiling)
{
    int64_t length = collio_tiling_position(wide, tiling->prefix, 1), stream = length;

    for (size_t i = 2; i <= tiling->count; ++i) {
        stream += length;
        if (collio_tiling_position(wide, tiling->prefix, i) != stream) {
            return 0;
        }
    }
    return length;
}

/* Frees unused memory. Equal pieces need the first array only. */
static void shrink(collio_tiling_t *tiling)
{
    size_t count = tiling->count;
    size_t bytes = 0 != tiling->uniform ? 0 : collio_tiling_positions(tiling->wide, count + 1);
    void *smaller;

    if (0 < bytes && tiling->offset + count != tiling->prefix) {
        memmove(tiling->offset + count, tiling->prefix, bytes);
    }
    smaller = realloc(tiling->offset, count * sizeof(*tiling->offset) + bytes);
    if (NULL != smaller) {
        tiling->offset = smaller;
    }
    tiling->prefix = 0 < bytes ? tiling->offset + count : NULL;
    tiling->wide = tiling->wide && 0 < bytes;
}

void collio_tiling_close(collio_tiling_t *tiling)
{
    size_t count = tiling->count;
    int64_t next;

    if (0 == count) {
        tiling->ascending = false;
        return;
    }
    tiling->uniform = tiling->wide ? equal_length(true, tiling) : equal_length(false, tiling);
    /* a piece that is counted was added: NOLINTNEXTLINE(clang-analyzer-core.*) */
    if (__builtin_add_overflow(tiling->offset[0], tiling->extent, &next)) {
        next = 0 < tiling->extent ? INT64_MAX : INT64_MIN; /* no second repetition is valid */
    }
    tiling->ascending = tiling->ascending
                        && tiling->offset[count - 1] + collio_tiling_length(tiling, count - 1)
                               <= next;
    tiling->dense = 1 == count && tiling->extent == tiling->uniform;
    shrink(tiling);
}

void collio_tiling_fold(collio_tiling_t *tiling)
{
    size_t count = tiling->count;
    int64_t step, whole, gap;

    if (2 > count || 0 == tiling->uniform || tiling->overflow) {
        return;
    }
    if (__builtin_sub_overflow(tiling->offset[1], tiling->offset[0], &step)
        || __builtin_mul_overflow(step, (int64_t) count, &whole) || whole != tiling->extent) {
        return;
    }
    for (size_t i = 2; i < count; ++i) {
        if (__builtin_sub_overflow(tiling->offset[i], tiling->offset[i - 1], &gap) || gap != step) {
            return;
        }
    }
    tiling->extent = step;
    tiling->size = tiling->uniform;
    tiling->count = 1;
    shrink(tiling);
}

int collio_tiling_init(collio_tiling_t *tiling, int64_t base, int64_t extent, const void *pieces,
                       size_t count)
{
    int rc;

    collio_tiling_open(tiling, base, extent);
    rc = collio_tiling_add(tiling, pieces, count);
    collio_tiling_close(tiling);
    return rc;
}

void collio_tiling_fini(collio_tiling_t *tiling)
{
    free(tiling->offset);
    *tiling = (collio_tiling_t){0};
}

size_t collio_tiling_find(const collio_tiling_t *tiling, int64_t within)
{
    size_t first = 0;
    size_t count = tiling->count;

    if (0 != tiling->uniform) {
        return (size_t) (within / tiling->uniform);
    }
    while (1 < count) {
        size_t half = count / 2;

        if (collio_tiling_position(tiling->wide, tiling->prefix, first + half) <= within) {
            first += half;
            count -= half;
        } else {
            count = half;
        }
    }
    return first;
}

void collio_cursor_seek(collio_cursor_t *cursor, const collio_tiling_t *tiling, int64_t stream)
{
    int64_t repetition;

    *cursor = (collio_cursor_t){.tiling = tiling, .origin = tiling->base};
    if (tiling->dense || 0 == tiling->size) {
        cursor->used = stream;
        return;
    }
    repetition = stream / tiling->size;
    stream -= repetition * tiling->size;
    cursor->origin += repetition * tiling->extent;
    cursor->piece = collio_tiling_find(tiling, stream);
    cursor->used = stream - collio_tiling_prefix(tiling, cursor->piece);
}

int64_t collio_tiling_piece_bound(const collio_tiling_t *tiling, int64_t first, int64_t bytes)
{
    int64_t last = first + bytes - 1;
    int64_t from;
    int64_t to;

    if (0 >= bytes || 0 == tiling->size) {
        return 0;
    }
    if (tiling->dense) {
        return 1;
    }
    from = (int64_t) collio_tiling_find(tiling, first % tiling->size);
    to = (int64_t) collio_tiling_find(tiling, last % tiling->size);
    return (last / tiling->size - first / tiling->size) * (int64_t) tiling->count + to - from + 1;
}

void collio_pieces_fini(collio_pieces_t *pieces)
{
    free(pieces->at);
    *pieces = (collio_pieces_t){0};
}

int collio_pieces_append(collio_pieces_t *pieces, int64_t offset, int64_t length, int64_t stream)
{
    if (0 < pieces->count) {
        collio_piece_t *last = &pieces->at[pieces->count - 1];

        if (last->offset + last->length == offset && last->stream + last->length == stream) {
            last->length += length;
            return 0;
        }
    }
    if (pieces->count == pieces->capacity) {
        void *at = collio_grow(pieces->at, &pieces->capacity, sizeof(*pieces->at));

        if (NULL == at) {
            return -ENOMEM;
        }
        pieces->at = at;
    }
    pieces->at[pieces->count++] = (collio_piece_t){offset, length, stream};
    return 0;
}

static int by_offset(const void *left, const void *right)
{
    const collio_piece_t *a = left;
    const collio_piece_t *b = right;

    if (a->offset != b->offset) {
        return a->offset < b->offset ? -1 : 1;
    }
    return (a->stream > b->stream) - (a->stream < b->stream);
}

/* Sorts pieces by offset and joins pieces that then continue each other. */
static void sort_and_join(collio_pieces_t *pieces)
{
    size_t count = pieces->count;

    qsort(pieces->at, count, sizeof(*pieces->at), by_offset);
    pieces->count = 0;
    for (size_t i = 0; i < count; ++i) {
        collio_piece_t next = pieces->at[i];

        /* has memory: the pieces are appended to their own array */
        (void) collio_pieces_append(pieces, next.offset, next.length, next.stream);
    }
}

void collio_walk_start(collio_walk_t *walk, const collio_tiling_t *tiling, int64_t first,
                       int64_t bytes)
{
    walk->done = 0;
    walk->bytes = 0 == tiling->size ? 0 : bytes;
    collio_cursor_seek(&walk->cursor, tiling, first);
}

/* The inner loop: writes whole pieces, from the cursor to the end of its repetition at most. Inside
 * a repetition no piece continues its predecessor, because tiling_add has joined such pieces. */
static size_t walk_whole(collio_walk_t *walk, collio_piece_t *piece, size_t room)
{
    const collio_tiling_t view = *walk->cursor.tiling; /* the compiler can keep it in registers */
    const int64_t *offset = view.offset + walk->cursor.piece;
    int64_t origin = walk->cursor.origin, done = walk->done;
    size_t count = 0, left = view.count - walk->cursor.piece;

    left = left < room ? left : room;
    for (; count < left; ++count) {
        int64_t length = collio_tiling_length(&view, walk->cursor.piece + count);

        if (length > walk->bytes - done) {
            break;
        }
        piece[count] = (collio_piece_t){origin + offset[count], length, done};
        done += length;
    }
    walk->done = done;
    walk->cursor.piece += count - 1; /* not the first piece of the repetition: does not wrap */
    collio_cursor_next(&walk->cursor);
    return count;
}

size_t collio_walk_next(collio_walk_t *walk, collio_piece_t *piece, size_t room)
{
    size_t count = 0;

    while (walk->done < walk->bytes) {
        int64_t run, left = walk->bytes - walk->done;
        int64_t offset = collio_cursor_run(&walk->cursor, &run);
        int64_t length = run < left ? run : left;

        if (0 < count && piece[count - 1].offset + piece[count - 1].length == offset) {
            piece[count - 1].length += length;
        } else if (count < room) {
            piece[count++] = (collio_piece_t){offset, length, walk->done};
        } else {
            break;
        }
        collio_cursor_advance(&walk->cursor, length, run);
        walk->done += length;
        if (0 < walk->cursor.piece && 0 == walk->cursor.used) {
            count += walk_whole(walk, piece + count, room - count);
        }
    }
    return count;
}

static bool sorted(const collio_pieces_t *pieces)
{
    for (size_t i = 1; i < pieces->count; ++i) {
        if (pieces->at[i].offset < pieces->at[i - 1].offset) {
            return false;
        }
    }
    return true;
}

int collio_tiling_pieces(const collio_tiling_t *tiling, int64_t first, int64_t bytes,
                         collio_pieces_t *pieces)
{
    int64_t bound = collio_tiling_piece_bound(tiling, first, bytes);
    collio_walk_t walk;

    if (0 == bound) {
        return 0;
    }
    if ((size_t) bound > pieces->capacity) {
        void *at = collio_resize(pieces->at, (size_t) bound, sizeof(*pieces->at));

        if (NULL == at) {
            return -ENOMEM;
        }
        pieces->at = at;
        pieces->capacity = (size_t) bound;
    }
    collio_walk_start(&walk, tiling, first, bytes);
    pieces->count = collio_walk_next(&walk, pieces->at, pieces->capacity);
    if (!tiling->ascending && !sorted(pieces)) {
        sort_and_join(pieces);
    }
    return 0;
}
