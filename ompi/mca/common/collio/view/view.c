/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * The individual file pointer.
 *
 * io/ompio keeps the individual file pointer in four fields. This file reads them as one stream
 * position, and moves them without walking the repetitions in between:
 *
 *   f_disp      f_offset: start of the current repetition
 *     |##..###... |##..###...
 *                    ^ f_decoded_iov[f_index_in_file_view], which starts f_position_in_file_view
 *                      data bytes into the repetition
 *                  f_total_bytes: data bytes of the repetition before the pointer
 *
 * io/ompio moves to the next piece (or repetition) only when it needs a byte of it: after a request
 * that ends with a piece the pointer is at the END of that piece. Contiguous views never wrap:
 * f_total_bytes only grows. This file does the same, so that stock code can continue from there.
 *
 * Cost: O(pieces passed).
 */
#include "compat/compat.h"

#include "view/view.h"

int64_t collio_view_position(ompio_file_t *fh)
{
    int64_t extent = (int64_t) COLLIO_FVIEW(fh).f_view_extent;
    int64_t size = (int64_t) COLLIO_FVIEW(fh).f_view_size;
    int64_t total = (int64_t) COLLIO_FVIEW(fh).f_total_bytes;
    int64_t gone = (int64_t) (COLLIO_FVIEW(fh).f_offset - COLLIO_FVIEW(fh).f_disp);

    return 0 == extent ? total : gone / extent * size + total;
}

bool collio_view_reaches(ompio_file_t *fh, int64_t offset)
{
    int64_t size = (int64_t) COLLIO_FVIEW(fh).f_view_size;
    int64_t stream, at;

    if (0 > offset
        || __builtin_mul_overflow(offset, (int64_t) COLLIO_FVIEW(fh).f_etype_size, &stream)) {
        return false;
    }
    return 0 >= size
           || (!__builtin_mul_overflow(stream / size, (int64_t) COLLIO_FVIEW(fh).f_view_extent, &at)
               && !__builtin_add_overflow(at, (int64_t) COLLIO_FVIEW(fh).f_disp, &at) && 0 <= at);
}

/* Moves inside the repetition, to the piece in which the first `total` bytes of it end. */
static void move_to(ompio_file_t *fh, size_t total)
{
    const struct iovec *iov = COLLIO_FVIEW(fh).f_decoded_iov;
    size_t count = COLLIO_FVIEW(fh).f_iov_count;
    size_t i = (size_t) COLLIO_FVIEW(fh).f_index_in_file_view;
    size_t start = COLLIO_FVIEW(fh).f_position_in_file_view;

    if (total == COLLIO_FVIEW(fh).f_view_size) { /* frequent, and needs no walk */
        i = count - 1;
        start = total - iov[i].iov_len;
    }
    while (i + 1 < count && start + iov[i].iov_len < total) {
        start += iov[i].iov_len;
        ++i;
    }
    COLLIO_FVIEW(fh).f_total_bytes = total;
    COLLIO_FVIEW(fh).f_index_in_file_view = (int) i;
    COLLIO_FVIEW(fh).f_position_in_file_view = start;
}

void collio_view_advance(ompio_file_t *fh, int64_t bytes)
{
    int64_t size = (int64_t) COLLIO_FVIEW(fh).f_view_size;
    int64_t total, repetitions;

    if (0 >= bytes || 0 == size) {
        return;
    }
    total = (int64_t) COLLIO_FVIEW(fh).f_total_bytes + bytes;
    if (COLLIO_FVIEW(fh).f_flags & OMPIO_CONTIGUOUS_FVIEW) {
        COLLIO_FVIEW(fh).f_total_bytes = (size_t) total;
        return;
    }
    repetitions = (total - 1) / size;
    total -= repetitions * size;
    if (0 < repetitions) {
        COLLIO_FVIEW(fh).f_offset += repetitions * (int64_t) COLLIO_FVIEW(fh).f_view_extent;
        COLLIO_FVIEW(fh).f_index_in_file_view = 0;
        COLLIO_FVIEW(fh).f_position_in_file_view = 0;
    }
    move_to(fh, (size_t) total);
}
