/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_VIEW_H
#define COLLIO_VIEW_H

#include "compat/compat.h"
#include "core/tiling.h"

/**
 * File views and user buffers as tilings, and the file pointer.
 *
 * All calls are local. They return 0 or -errno: -ENOMEM, -EINVAL (a datatype that Open MPI cannot
 * flatten). Tilings given out by the first three are the caller's: tiling_fini() them. A view or a
 * datatype without data gives an empty tiling (count 0, size 0).
 */

/** The current view, and the stream position (in bytes) of the individual file pointer. */
int collio_view_file(ompio_file_t *fh, collio_tiling_t *tiling, int64_t *stream);

/** One element of `type`; the tiling's offsets count from the element's address. A regular type
 *  becomes repetitions of one piece, so the tiling's size need not be the type's. */
int collio_view_tile_type(ompi_datatype_t *type, collio_tiling_t *tiling);

/** Moves the file pointer by `bytes`, leaving every field as io/ompio's own Build-IO leaves it. */
int collio_view_advance(ompio_file_t *fh, int64_t bytes);

/** The stream position (in bytes) of the individual file pointer. */
int64_t collio_view_position(ompio_file_t *fh);

/** Can io/ompio compute with this offset (in etypes, from the view's beginning)? It multiplies by
 *  the etype's size, and repetitions by the extent, without overflow checks. A wrapped result looks
 *  like a valid offset, so it must be rejected beforehand. */
bool collio_view_reaches(ompio_file_t *fh, int64_t offset);

/** A flattened view or datatype, shared and kept: `references` holders. */
typedef struct collio_flat_t {
    collio_tiling_t tiling;
    _Atomic int references;
} collio_flat_t;

/** The same as above from the file's cache, when the file has one (it is a real MPI file, see
 *  hook.h): a repeated view or datatype is not flattened again. The caller releases the result, and
 *  holds the file's lock. In the view's tiling `base` is the displacement. */
int collio_flat_view(ompio_file_t *fh, collio_flat_t **flat);
int collio_flat_type(ompio_file_t *fh, ompi_datatype_t *type, collio_flat_t **flat);
collio_flat_t *collio_flat_retain(collio_flat_t *flat);
void collio_flat_release(collio_flat_t *flat);

/** Flattened views and datatypes of one file. They are found by the identity of the datatype,
 *  which is safe because the cache holds a reference to it. */
typedef struct collio_flat_cache_t collio_flat_cache_t;
void collio_flat_cache_free(collio_flat_cache_t *cache);

/** Must this buffer go through Open MPI's convertor: it lies on a device, or the file's data
 *  representation is not the native one? Then pack it (write) or unpack it (read) with: */
bool collio_view_stage_needed(ompio_file_t *fh, const void *buf, size_t count,
                              ompi_datatype_t *type);

/** A packed host copy of a user buffer. */
typedef struct collio_stage_t {
    opal_convertor_t convertor;
    char *packed; /* malloc'ed; NULL when there is nothing */
    size_t bytes; /* in the file's representation */
} collio_stage_t;

/** For a write: packs. For a read: room only. 0 or -errno; stage_fini() in any case. */
int collio_stage_init(collio_stage_t *stage, ompio_file_t *fh, bool write, const void *buf,
                      size_t count, ompi_datatype_t *type);
/** After a read: the first `bytes` packed bytes go to the user's buffer. 0 or -EINVAL. */
int collio_stage_unpack(collio_stage_t *stage, size_t bytes);
void collio_stage_fini(collio_stage_t *stage);

#endif /* COLLIO_VIEW_H */
