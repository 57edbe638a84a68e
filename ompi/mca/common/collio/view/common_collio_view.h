/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_VIEW_H
#define MCA_COMMON_COLLIO_VIEW_H

#include "compat/common_collio_compat.h"
#include "core/common_collio_tiling.h"

/**
 * File views and user buffers as tilings, and the file pointer.
 *
 * All calls are local. They return 0 or -errno: -ENOMEM, -EINVAL (a datatype that Open MPI cannot
 * flatten). Tilings given out by the first three are the caller's: tiling_fini() them. A view or a
 * datatype without data gives an empty tiling (count 0, size 0).
 */

/** The current view, and the stream position (in bytes) of the individual file pointer. */
int mca_common_collio_view_file(ompio_file_t *fh, mca_common_collio_tiling_t *tiling,
                                int64_t *stream);

/** One element of `type`; the tiling's offsets count from the element's address. A regular type
 *  becomes repetitions of one piece, so the tiling's size need not be the type's. */
int mca_common_collio_view_tile_type(ompi_datatype_t *type, mca_common_collio_tiling_t *tiling);

/** Moves the file pointer by `bytes`, leaving every field as io/ompio's own Build-IO leaves it. */
int mca_common_collio_view_advance(ompio_file_t *fh, int64_t bytes);

/** The stream position (in bytes) of the individual file pointer. */
int64_t mca_common_collio_view_position(ompio_file_t *fh);

/** Can io/ompio compute with this offset (in etypes, from the view's beginning)? It multiplies by
 *  the etype's size, and repetitions by the extent, without overflow checks. A wrapped result looks
 *  like a valid offset, so it must be rejected beforehand. */
bool mca_common_collio_view_reaches(ompio_file_t *fh, int64_t offset);

/** A flattened view or datatype, shared and kept: `references` holders. */
typedef struct mca_common_collio_flat_t {
    mca_common_collio_tiling_t tiling;
    _Atomic int references;
} mca_common_collio_flat_t;

/** The same as above from the file's cache, when the file has one (it is a real MPI file, see
 *  hook.h): a repeated view or datatype is not flattened again. The caller releases the result, and
 *  holds the file's lock. In the view's tiling `base` is the displacement. */
int mca_common_collio_flat_view(ompio_file_t *fh, mca_common_collio_flat_t **flat);
int mca_common_collio_flat_type(ompio_file_t *fh, ompi_datatype_t *type,
                                mca_common_collio_flat_t **flat);
mca_common_collio_flat_t *mca_common_collio_flat_retain(mca_common_collio_flat_t *flat);
void mca_common_collio_flat_release(mca_common_collio_flat_t *flat);

/** Flattened views and datatypes of one file. They are found by the identity of the datatype,
 *  which is safe because the cache holds a reference to it. */
typedef struct mca_common_collio_flat_cache_t mca_common_collio_flat_cache_t;
void mca_common_collio_flat_cache_free(mca_common_collio_flat_cache_t *cache);

/** Must this buffer go through Open MPI's convertor: it lies on a device, or the file's data
 *  representation is not the native one? Then pack it (write) or unpack it (read) with: */
bool mca_common_collio_view_stage_needed(ompio_file_t *fh, const void *buf, size_t count,
                                         ompi_datatype_t *type);

/** A packed host copy of a user buffer. */
typedef struct mca_common_collio_stage_t {
    opal_convertor_t convertor;
    char *packed; /* malloc'ed; NULL when there is nothing */
    size_t bytes; /* in the file's representation */
} mca_common_collio_stage_t;

/** For a write: packs. For a read: room only. 0 or -errno; stage_fini() in any case. */
int mca_common_collio_stage_init(mca_common_collio_stage_t *stage, ompio_file_t *fh, bool write,
                                 const void *buf, size_t count, ompi_datatype_t *type);
/** After a read: the first `bytes` packed bytes go to the user's buffer. 0 or -EINVAL. */
int mca_common_collio_stage_unpack(mca_common_collio_stage_t *stage, size_t bytes);
void mca_common_collio_stage_fini(mca_common_collio_stage_t *stage);

#endif /* MCA_COMMON_COLLIO_VIEW_H */
