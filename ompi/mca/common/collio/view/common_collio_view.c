/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
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
#include "compat/common_collio_compat.h"

#include <errno.h>
#include <stdlib.h>

#include "ompi/datatype/ompi_datatype.h"
#include "opal/datatype/opal_convertor.h"

#include "view/common_collio_view.h"

enum { RAW_BATCH = 512 }; /* pieces asked of the convertor at a time */

/* One element of `type`, flattened in type order by Open MPI's own convertor. */
static int flatten_type(ompi_datatype_t *type, mca_common_collio_extents_t *list)
{
    opal_convertor_t convertor;
    struct iovec raw[RAW_BATCH];
    int64_t missing = (int64_t) type->super.size;
    int rc = 0;
    int finished;

    if (0 == missing) {
        return 0;
    }
    OBJ_CONSTRUCT(&convertor, opal_convertor_t);
    if (OPAL_SUCCESS
        != opal_convertor_copy_and_prepare_for_send(ompi_mpi_local_convertor, &type->super, 1, NULL,
                                                    0, &convertor)) {
        rc = -EINVAL;
        goto out_cleanup;
    }
    do {
        uint32_t count = RAW_BATCH;
        size_t bytes = 0;

        finished = opal_convertor_raw(&convertor, raw, &count, &bytes);
        rc = mca_common_collio_extents_reserve(list, list->count + count);
        for (uint32_t i = 0; 0 == rc && i < count; ++i) {
            /* not extents_append(): memory offsets may be negative */
            list->at[list->count].offset = (int64_t) (intptr_t) raw[i].iov_base;
            list->at[list->count].length = (int64_t) raw[i].iov_len;
            list->count += 1;
        }
        missing -= (int64_t) bytes;
    } while (0 == rc && 0 == finished);
    if (0 == rc && 0 != missing) {
        rc = -EINVAL;
    }
out_cleanup:
    opal_convertor_cleanup(&convertor);
    OBJ_DESTRUCT(&convertor);
    return rc;
}

int mca_common_collio_view_tile_type(ompi_datatype_t *type, mca_common_collio_tiling_t *tiling)
{
    mca_common_collio_extents_t list;
    ptrdiff_t lb, extent;
    int rc;

    mca_common_collio_extents_init(&list);
    rc = flatten_type(type, &list);
    if (0 == rc) {
        ompi_datatype_get_extent(type, &lb, &extent);
        rc = mca_common_collio_tiling_init(tiling, 0, (int64_t) extent, list.at, list.count);
    }
    mca_common_collio_extents_fini(&list);
    return rc;
}

/* The view was flattened by io/ompio at set_view. */
static int tile_view(ompio_file_t *fh, mca_common_collio_tiling_t *tiling)
{
    const struct iovec *iov = MCA_COMMON_COLLIO_FVIEW(fh).f_decoded_iov;
    size_t count = NULL == iov ? 0 : MCA_COMMON_COLLIO_FVIEW(fh).f_iov_count;
    int rc = mca_common_collio_tiling_open(tiling, (int64_t) MCA_COMMON_COLLIO_FVIEW(fh).f_disp,
                                           (int64_t) MCA_COMMON_COLLIO_FVIEW(fh).f_view_extent,
                                           count);

    if (0 != rc) {
        return rc;
    }
    for (size_t i = 0; i < count; ++i) {
        mca_common_collio_tiling_add(tiling, (int64_t) (intptr_t) iov[i].iov_base,
                                     (int64_t) iov[i].iov_len);
    }
    mca_common_collio_tiling_close(tiling);
    return 0;
}

int64_t mca_common_collio_view_position(ompio_file_t *fh)
{
    int64_t extent = (int64_t) MCA_COMMON_COLLIO_FVIEW(fh).f_view_extent;
    int64_t size = (int64_t) MCA_COMMON_COLLIO_FVIEW(fh).f_view_size;
    int64_t total = (int64_t) MCA_COMMON_COLLIO_FVIEW(fh).f_total_bytes;
    int64_t gone = (int64_t) (MCA_COMMON_COLLIO_FVIEW(fh).f_offset
                              - MCA_COMMON_COLLIO_FVIEW(fh).f_disp);

    return 0 == extent ? total : gone / extent * size + total;
}

bool mca_common_collio_view_reaches(ompio_file_t *fh, int64_t offset)
{
    int64_t size = (int64_t) MCA_COMMON_COLLIO_FVIEW(fh).f_view_size;
    int64_t stream, at;

    if (0 > offset
        || __builtin_mul_overflow(offset, (int64_t) MCA_COMMON_COLLIO_FVIEW(fh).f_etype_size,
                                  &stream)) {
        return false;
    }
    return 0 >= size
           || (!__builtin_mul_overflow(stream / size,
                                       (int64_t) MCA_COMMON_COLLIO_FVIEW(fh).f_view_extent, &at)
               && !__builtin_add_overflow(at, (int64_t) MCA_COMMON_COLLIO_FVIEW(fh).f_disp, &at)
               && 0 <= at);
}

int mca_common_collio_view_file(ompio_file_t *fh, mca_common_collio_tiling_t *tiling,
                                int64_t *stream)
{
    int rc = tile_view(fh, tiling);

    if (0 == rc) {
        *stream = mca_common_collio_view_position(fh);
    }
    return rc;
}

/* Moves on inside the repetition, to the piece in which its first `total` bytes end. */
static void move_to(ompio_file_t *fh, size_t total)
{
    const struct iovec *iov = MCA_COMMON_COLLIO_FVIEW(fh).f_decoded_iov;
    size_t count = MCA_COMMON_COLLIO_FVIEW(fh).f_iov_count;
    size_t i = (size_t) MCA_COMMON_COLLIO_FVIEW(fh).f_index_in_file_view;
    size_t start = MCA_COMMON_COLLIO_FVIEW(fh).f_position_in_file_view;

    if (total == MCA_COMMON_COLLIO_FVIEW(fh).f_view_size) { /* usual, and no reason to walk */
        i = count - 1;
        start = total - iov[i].iov_len;
    }
    while (i + 1 < count && start + iov[i].iov_len < total) {
        start += iov[i].iov_len;
        ++i;
    }
    MCA_COMMON_COLLIO_FVIEW(fh).f_total_bytes = total;
    MCA_COMMON_COLLIO_FVIEW(fh).f_index_in_file_view = (int) i;
    MCA_COMMON_COLLIO_FVIEW(fh).f_position_in_file_view = start;
}

int mca_common_collio_view_advance(ompio_file_t *fh, int64_t bytes)
{
    int64_t size = (int64_t) MCA_COMMON_COLLIO_FVIEW(fh).f_view_size;
    int64_t total, repetitions;

    if (0 >= bytes || 0 == size) {
        return 0 > bytes ? -EINVAL : 0;
    }
    total = (int64_t) MCA_COMMON_COLLIO_FVIEW(fh).f_total_bytes + bytes;
    if (MCA_COMMON_COLLIO_FVIEW(fh).f_flags & OMPIO_CONTIGUOUS_FVIEW) {
        MCA_COMMON_COLLIO_FVIEW(fh).f_total_bytes = (size_t) total;
        return 0;
    }
    repetitions = (total - 1) / size;
    total -= repetitions * size;
    if (0 < repetitions) {
        MCA_COMMON_COLLIO_FVIEW(fh).f_offset +=
            repetitions * (int64_t) MCA_COMMON_COLLIO_FVIEW(fh).f_view_extent;
        MCA_COMMON_COLLIO_FVIEW(fh).f_index_in_file_view = 0;
        MCA_COMMON_COLLIO_FVIEW(fh).f_position_in_file_view = 0;
    }
    move_to(fh, (size_t) total);
    return 0;
}
