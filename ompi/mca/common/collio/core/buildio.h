/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_BUILDIO_H
#define COLLIO_BUILDIO_H

#include "tiling.h"

/** One contiguous transfer: file [offset, offset + length) <-> memory at addr. */
typedef struct collio_segment_t {
    int64_t offset; /* first byte in the file */
    int64_t length; /* number of bytes */
    char *addr;     /* first byte in memory */
} collio_segment_t;

/** Build-IO: matches file pieces with memory pieces. */
typedef struct collio_buildio_t {
    collio_cursor_t file;   /* position in the file */
    collio_cursor_t memory; /* position in memory */
    char *base;             /* address that offsets of `memory` count from */
    int64_t remaining;      /* bytes that are not matched yet */
} collio_buildio_t;

/** Begins at position `file_stream` in the stream of the file and `memory_stream` in the stream of
 *  the memory. Costs two binary searches, so any thread may begin anywhere. Tilings are not empty
 *  if bytes > 0. */
void collio_buildio_init(collio_buildio_t *build, const collio_tiling_t *file, int64_t file_stream,
                         const collio_tiling_t *memory, int64_t memory_stream, char *base,
                         int64_t bytes);

/** Begins with contiguous memory at `packed`. */
void collio_buildio_init_packed(collio_buildio_t *build, const collio_tiling_t *file,
                                int64_t file_stream, char *packed, int64_t bytes);

/** Stores the next segments, at most `room`, in stream order. Segments that continue each other in
 *  file and memory are joined. Returns their number; 0 at the end. N file and M memory pieces make
 *  at most N + M - 1 segments. */
size_t collio_buildio_next(collio_buildio_t *build, collio_segment_t *segments, size_t room);

/** Returns the number of pieces in stream range [first, first + bytes); O(log pieces). */
int64_t collio_buildio_pieces(const collio_tiling_t *tiling, int64_t first, int64_t bytes);

#endif /* COLLIO_BUILDIO_H */
