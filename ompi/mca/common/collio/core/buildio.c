/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Build-IO: matches the pieces of the file with the pieces of memory.
 *
 * Problem: a request is a stream of bytes, which the file view cuts into N pieces and the memory
 *          datatype into M pieces. A transfer needs segments without a cut.
 * Method:  two cursors, which advance to the next cut of either. Tilings have prefix sums, so two
 *          binary searches find the start of a cycle, and every thread builds its own cycles.
 * Cost:    a few additions per segment.
 *
 *   file      |====|=========|==|          pieces of the view
 *   memory    |=======|===|=====|          pieces of the buffer
 *   segments  |====|==|===|==|==|          at most N + M - 1
 */
#include "buildio.h"

#include "number.h"

/* The stream itself as a tiling: one endless piece. */
static const int64_t unit_offset[1] = {0};
static const collio_tiling_t packed_tiling = {
    .base = 0,
    .extent = 1,
    .size = 1,
    .count = 1,
    .offset = (int64_t *) unit_offset,
    .uniform = 1,
    .dense = true,
    .ascending = true,
};

void collio_buildio_init(collio_buildio_t *build, const collio_tiling_t *file, int64_t file_stream,
                         const collio_tiling_t *memory, int64_t memory_stream, char *base,
                         int64_t bytes)
{
    build->base = base;
    build->remaining = bytes;
    if (0 < bytes) {
        collio_cursor_seek(&build->file, file, file_stream);
        collio_cursor_seek(&build->memory, memory, memory_stream);
    }
}

void collio_buildio_init_packed(collio_buildio_t *build, const collio_tiling_t *file,
                                int64_t file_stream, char *packed, int64_t bytes)
{
    collio_buildio_init(build, file, file_stream, &packed_tiling, 0, packed, bytes);
}

size_t collio_buildio_next(collio_buildio_t *build, collio_segment_t *segments, size_t room)
{
    size_t used = 0;

    while (0 < build->remaining) {
        int64_t file_run, memory_run;
        int64_t offset = collio_cursor_run(&build->file, &file_run);
        int64_t place = collio_cursor_run(&build->memory, &memory_run);
        /* integer arithmetic: the base may be MPI_BOTTOM, and offsets may be negative */
        char *addr = (char *) ((uintptr_t) build->base + (uintptr_t) place);
        int64_t length = collio_min(file_run, memory_run);

        length = collio_min(length, build->remaining);
        if (0 < used && offset == segments[used - 1].offset + segments[used - 1].length
            && addr == segments[used - 1].addr + segments[used - 1].length) {
            segments[used - 1].length += length;
        } else if (room == used) {
            break;
        } else {
            segments[used].offset = offset;
            segments[used].length = length;
            segments[used].addr = addr;
            ++used;
        }
        collio_cursor_advance(&build->file, length, file_run);
        collio_cursor_advance(&build->memory, length, memory_run);
        build->remaining -= length;
    }
    return used;
}

/* Returns the number of the piece at a stream position, counted over all repetitions. */
static int64_t piece_number(const collio_tiling_t *tiling, int64_t stream)
{
    collio_cursor_t cursor;

    collio_cursor_seek(&cursor, tiling, stream);
    return stream / tiling->size * (int64_t) tiling->count + (int64_t) cursor.piece;
}

int64_t collio_buildio_pieces(const collio_tiling_t *tiling, int64_t first, int64_t bytes)
{
    if (0 >= bytes || 0 == tiling->size) {
        return 0;
    }
    if (tiling->dense) {
        return 1;
    }
    return piece_number(tiling, first + bytes - 1) - piece_number(tiling, first) + 1;
}
