/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * Packing: a stream range of a memory tiling to contiguous bytes, and back.
 *
 * Problem: packing user buffers of millions of tiny pieces (an array of structs, a block without
 *          its ghost cells) is the most expensive copy of a collective call.
 * Method:  divides the range into a head, whole pieces and a tail. If all pieces have the same
 *          length (vectors, subarrays, indexed blocks) and it is a small power of two, the inner
 *          loop is compiled for this length, so that a copy is one load and one store.
 * Cost:    at most one memcpy per piece; one seek per call.
 *
 *   memory   ..####..####..####..        packed   |##|####|##|
 *               head whole  tail
 */
#include "copy.h"
#include "tiling.h"

/* Copies in the direction of `pack`. `pack` and `bytes` are compile-time constants in inner
 * loops. */
COLLIO_ALWAYS_INLINE void copy(bool pack, char *memory, char *packed, size_t bytes)
{
    collio_copy(pack ? packed : memory, pack ? memory : packed, bytes);
}

/* Copies the next `whole` pieces, each of `bytes` (0: lengths from the tiling), and moves the
 * cursor past them. Returns the end of the packed bytes. */
COLLIO_ALWAYS_INLINE char *copy_pieces(bool pack, size_t bytes, collio_cursor_t *cursor,
                                       int64_t whole, char *memory, char *packed)
{
    const collio_tiling_t tiling = *cursor->tiling; /* the compiler can keep a copy in registers */

    while (0 < whole) {
        int64_t left = (int64_t) (tiling.count - cursor->piece);
        const int64_t *offset = tiling.offset + cursor->piece;
        char *origin = collio_place(memory, cursor->origin);

        left = left < whole ? left : whole;
        for (int64_t i = 0; i < left; ++i) {
            if (0 != bytes) {
                copy(pack, collio_place(origin, offset[i]), packed, bytes);
                packed += bytes;
            } else {
                int64_t length = collio_tiling_length(&tiling, cursor->piece + (size_t) i);

                copy(pack, collio_place(origin, offset[i]), packed, (size_t) length);
                packed += length;
            }
        }
        whole -= left;
        cursor->piece += (size_t) left - 1;
        collio_cursor_next(cursor);
    }
    return packed;
}

/* copy_pieces for one piece per repetition: a vector, or one member of an array of structs. */
COLLIO_ALWAYS_INLINE char *copy_vector(bool pack, size_t bytes, collio_cursor_t *cursor,
                                       int64_t whole, char *memory, char *packed)
{
    const int64_t extent = cursor->tiling->extent;
    char *at = collio_place(memory, cursor->origin + cursor->tiling->offset[0]);

    cursor->origin += whole * extent;
    for (; 0 < whole; --whole) {
        copy(pack, at, packed, bytes);
        packed += bytes;
        at = collio_place(at, extent);
    }
    return packed;
}

COLLIO_ALWAYS_INLINE char *copy_uniform(bool pack, size_t bytes, collio_cursor_t *cursor,
                                        int64_t whole, char *memory, char *packed)
{
    if (1 == cursor->tiling->count) {
        return copy_vector(pack, bytes, cursor, whole, memory, packed);
    }
    return copy_pieces(pack, bytes, cursor, whole, memory, packed);
}

COLLIO_ALWAYS_INLINE char *copy_whole(bool pack, collio_cursor_t *cursor, int64_t whole,
                                      char *memory, char *packed)
{
    switch (cursor->tiling->uniform) {
    case 1:
        return copy_uniform(pack, 1, cursor, whole, memory, packed);
    case 2:
        return copy_uniform(pack, 2, cursor, whole, memory, packed);
    case 4:
        return copy_uniform(pack, 4, cursor, whole, memory, packed);
    case 8:
        return copy_uniform(pack, 8, cursor, whole, memory, packed);
    case 16:
        return copy_uniform(pack, 16, cursor, whole, memory, packed);
    default:
        return copy_pieces(pack, 0, cursor, whole, memory, packed);
    }
}

/* Returns the number of whole pieces in the `length` bytes from the cursor, which is at the start
 * of a piece. *bytes = bytes of these pieces. */
static int64_t whole_pieces(const collio_cursor_t *cursor, int64_t length, int64_t *bytes)
{
    const collio_tiling_t *tiling = cursor->tiling;
    collio_cursor_t end;
    int64_t start = collio_tiling_prefix(tiling, cursor->piece);

    if (0 != tiling->uniform) {
        *bytes = length - length % tiling->uniform;
        return length / tiling->uniform;
    }
    collio_cursor_seek(&end, tiling, start + length);
    *bytes = length - end.used;
    return (start + length) / tiling->size * (int64_t) tiling->count + (int64_t) end.piece
           - (int64_t) cursor->piece;
}

COLLIO_ALWAYS_INLINE void copy_range(bool pack, const collio_tiling_t *tiling, char *memory,
                                     int64_t stream, int64_t length, char *packed)
{
    collio_cursor_t cursor;
    int64_t whole;
    int64_t bytes;
    int64_t run;
    int64_t offset;

    if (0 >= length) {
        return;
    }
    collio_cursor_seek(&cursor, tiling, stream);
    offset = collio_cursor_run(&cursor, &run);
    if (0 != cursor.used || run >= length) {
        bytes = run < length ? run : length;
        copy(pack, collio_place(memory, offset), packed, (size_t) bytes);
        packed += bytes;
        length -= bytes;
        if (0 == length) {
            return;
        }
        collio_cursor_advance(&cursor, bytes, run);
    }
    whole = whole_pieces(&cursor, length, &bytes);
    packed = copy_whole(pack, &cursor, whole, memory, packed);
    length -= bytes;
    if (0 < length) {
        offset = collio_cursor_run(&cursor, &run);
        copy(pack, collio_place(memory, offset), packed, (size_t) length);
    }
}

void collio_tiling_pack(const collio_tiling_t *tiling, const char *memory, int64_t stream,
                        int64_t length, char *packed)
{
    /* the cast drops const for the shared loop, which does not write to `memory` with `pack` */
    copy_range(true, tiling, (char *) (uintptr_t) memory, stream, length, packed);
}

void collio_tiling_unpack(const collio_tiling_t *tiling, char *memory, int64_t stream,
                          int64_t length, const char *packed)
{
    copy_range(false, tiling, memory, stream, length, (char *) (uintptr_t) packed);
}
