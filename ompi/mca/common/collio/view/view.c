/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * File views and user buffers as tilings, and the file pointer.
 *
 * io/ompio keeps the individual file pointer in four fields, which this file reads as one stream
 * position and moves without walking what lies between:
 *
 *   f_disp      f_offset: start of the current repetition
 *     |##..###... |##..###...
 *                    ^ f_decoded_iov[f_index_in_file_view], which starts f_position_in_file_view
 *                      data bytes into the repetition
 *                  f_total_bytes: data bytes of the repetition behind the pointer
 *
 * io/ompio moves to the next piece (or repetition) only when it needs a byte of it: after a request
 * that ends with a piece the pointer is at the END of that piece. Contiguous views never wrap:
 * f_total_bytes just grows. Both habits are kept, so that stock code can continue anywhere.
 *
 * Cost: flattening O(pieces of ONE filetype or datatype element); moving O(pieces passed).
 */
#include "compat/compat.h"

#include <errno.h>
#include <stdlib.h>

#include "ompi/datatype/ompi_datatype.h"
#include "opal/datatype/opal_convertor.h"

#include "view/view.h"

enum {
    RAW_BATCH = 512,      /* pieces asked of the convertor at a time */
    COUNT_ABOVE = 8 << 20 /* bytes of a type; below, each could be a piece of its own */
};

/* Walks one element of `type` in type order by Open MPI's own convertor. Its pieces go to `tiling`,
 * if there is one; *count = their number before neighbours are joined. */
static int walk_type(ompi_datatype_t *type, collio_tiling_t *tiling, size_t *count)
{
    opal_convertor_t convertor;
    struct iovec raw[RAW_BATCH];
    int64_t missing = (int64_t) type->super.size;
    int rc = 0, finished = 0;

    *count = 0;
    OBJ_CONSTRUCT(&convertor, opal_convertor_t);
    if (OPAL_SUCCESS
        != opal_convertor_copy_and_prepare_for_send(ompi_mpi_local_convertor, &type->super, 1, NULL,
                                                    0, &convertor)) {
        rc = -EINVAL;
        goto out_cleanup;
    }
    while (0 == finished) {
        uint32_t pieces = RAW_BATCH;
        size_t bytes = 0;

        finished = opal_convertor_raw(&convertor, raw, &pieces, &bytes);
        for (uint32_t i = 0; NULL != tiling && i < pieces; ++i) {
            collio_tiling_add(tiling, (int64_t) (intptr_t) raw[i].iov_base,
                              (int64_t) raw[i].iov_len);
        }
        *count += pieces;
        missing -= (int64_t) bytes;
    }
    rc = 0 == missing ? 0 : -EINVAL;
out_cleanup:
    opal_convertor_cleanup(&convertor);
    OBJ_DESTRUCT(&convertor);
    return rc;
}

/* Room for the pieces of a type. What is not used is address space only, and given back when the
 * list is closed. A large type is walked to count them: what is touched would cost more. */
static int open_for_type(ompi_datatype_t *type, collio_tiling_t *tiling)
{
    size_t most = type->super.size;
    ptrdiff_t lb, extent;
    int rc = -ENOMEM;

    ompi_datatype_get_extent(type, &lb, &extent);
    if (most <= COUNT_ABOVE) {
        rc = collio_tiling_open(tiling, 0, (int64_t) extent, most);
    }
    if (-ENOMEM == rc) {
        rc = walk_type(type, NULL, &most);
        rc = 0 == rc ? collio_tiling_open(tiling, 0, (int64_t) extent, most) : rc;
    }
    return rc;
}

int collio_view_tile_type(ompi_datatype_t *type, collio_tiling_t *tiling)
{
    size_t pieces;
    int rc = open_for_type(type, tiling);

    if (0 != rc) {
        return rc;
    }
    if (0 < type->super.size) {
        rc = walk_type(type, tiling, &pieces);
    }
    collio_tiling_close(tiling);
    collio_tiling_fold(tiling);
    if (0 != rc) {
        collio_tiling_fini(tiling);
    }
    return rc;
}

/* The view was flattened by io/ompio at set_view. */
static int tile_view(ompio_file_t *fh, collio_tiling_t *tiling)
{
    const struct iovec *iov = COLLIO_FVIEW(fh).f_decoded_iov;
    size_t count = NULL == iov ? 0 : COLLIO_FVIEW(fh).f_iov_count;
    int rc = collio_tiling_open(tiling, (int64_t) COLLIO_FVIEW(fh).f_disp,
                                (int64_t) COLLIO_FVIEW(fh).f_view_extent, count);

    if (0 != rc) {
        return rc;
    }
    for (size_t i = 0; i < count; ++i) {
        collio_tiling_add(tiling, (int64_t) (intptr_t) iov[i].iov_base, (int64_t) iov[i].iov_len);
    }
    collio_tiling_close(tiling);
    return 0;
}

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

int collio_view_file(ompio_file_t *fh, collio_tiling_t *tiling, int64_t *stream)
{
    int rc = tile_view(fh, tiling);

    if (0 == rc) {
        *stream = collio_view_position(fh);
    }
    return rc;
}

/* Moves on inside the repetition, to the piece in which its first `total` bytes end. */
static void move_to(ompio_file_t *fh, size_t total)
{
    const struct iovec *iov = COLLIO_FVIEW(fh).f_decoded_iov;
    size_t count = COLLIO_FVIEW(fh).f_iov_count;
    size_t i = (size_t) COLLIO_FVIEW(fh).f_index_in_file_view;
    size_t start = COLLIO_FVIEW(fh).f_position_in_file_view;

    if (total == COLLIO_FVIEW(fh).f_view_size) { /* usual, and no reason to walk */
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

int collio_view_advance(ompio_file_t *fh, int64_t bytes)
{
    int64_t size = (int64_t) COLLIO_FVIEW(fh).f_view_size;
    int64_t total, repetitions;

    if (0 >= bytes || 0 == size) {
        return 0 > bytes ? -EINVAL : 0;
    }
    total = (int64_t) COLLIO_FVIEW(fh).f_total_bytes + bytes;
    if (COLLIO_FVIEW(fh).f_flags & OMPIO_CONTIGUOUS_FVIEW) {
        COLLIO_FVIEW(fh).f_total_bytes = (size_t) total;
        return 0;
    }
    repetitions = (total - 1) / size;
    total -= repetitions * size;
    if (0 < repetitions) {
        COLLIO_FVIEW(fh).f_offset += repetitions * (int64_t) COLLIO_FVIEW(fh).f_view_extent;
        COLLIO_FVIEW(fh).f_index_in_file_view = 0;
        COLLIO_FVIEW(fh).f_position_in_file_view = 0;
    }
    move_to(fh, (size_t) total);
    return 0;
}
