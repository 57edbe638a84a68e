/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_VIEW_H
#define COLLIO_VIEW_H

#include "compat/compat.h"
#include "core/tiling.h"

/**
 * File views, datatypes and the individual file pointer of a handle: everything that turns the
 * arguments of an MPI call into bytes of file and memory. Views and datatypes are flattened once
 * and kept; buffers that only the convertor may touch are packed. All calls are local; functions
 * that return int return 0 or -errno: -ENOMEM, -EINVAL (a datatype that Open MPI cannot flatten).
 */

/** Moves the file pointer by `bytes`, leaving every field as io/ompio's own Build-IO leaves it. */
void collio_view_advance(ompio_file_t *fh, int64_t bytes);

/** The stream position (in bytes) of the individual file pointer. */
int64_t collio_view_position(ompio_file_t *fh);

/** Can io/ompio compute with this offset (in etypes, from the view's beginning)? It multiplies by
 *  the etype's size, and repetitions by the extent, without overflow checks. A wrapped result is
 *  a valid offset, too, so it must be rejected beforehand. */
bool collio_view_reaches(ompio_file_t *fh, int64_t offset);

/** A flattened view or datatype, shared by its holders. Without data: count 0, size 0. */
typedef struct collio_flat_t {
    collio_tiling_t tiling; /* the pieces; base is 0 */
    _Atomic int references; /* number of holders */
} collio_flat_t;

/** What a file keeps of its view and its datatypes. NULL: the handle is no MPI file's (see hook.h),
 *  or there is no memory; then nothing is kept. The caller holds the file's lock. */
typedef struct collio_flat_cache_t collio_flat_cache_t;
collio_flat_cache_t *collio_flat_cache(ompio_file_t *fh);

/** The current view, at displacement 0. The process keeps the last views, so a view that is set
 *  again, by any handle, is not flattened again. The caller releases the result, and holds the
 *  file's lock. */
int collio_flat_view(ompio_file_t *fh, collio_flat_cache_t *cache, collio_flat_t **flat);

/** One element of `type`; offsets count from the element's address. A regular type becomes
 *  repetitions of one piece, so the tiling's size need not be the type's. The file keeps the last
 *  datatypes. The caller releases the result, and holds the file's lock. */
int collio_flat_type(collio_flat_cache_t *cache, ompi_datatype_t *type, collio_flat_t **flat);

/** Adds a holder. NULL gives NULL. */
collio_flat_t *collio_flat_retain(collio_flat_t *flat);
/** Removes a holder; the last one frees. NULL does nothing. */
void collio_flat_release(collio_flat_t *flat);

/** Bytes of all flattened views and datatypes of the process. */
int64_t collio_flat_held(void);

/** Frees the views of the process. */
void collio_flat_finalize(void);

/** Must this buffer go through Open MPI's convertor: it lies on a device, or the file's data
 *  representation is not the native one? Then pack it (write) or unpack it (read) with a stage. */
bool collio_stage_needed(ompio_file_t *fh, const void *buffer, size_t count, ompi_datatype_t *type);

/** A packed host copy of a user buffer. */
typedef struct collio_stage_t {
    opal_convertor_t convertor; /* between the user's buffer and the packed bytes */
    char *packed;               /* the packed bytes, malloc'ed */
    size_t bytes;               /* number of packed bytes, in the file's representation */
} collio_stage_t;

/** For a write: packs. For a read: room only. *stage is NULL unless 0 is returned. */
int collio_stage_new(ompio_file_t *fh, bool write, const void *buffer, size_t count,
                     ompi_datatype_t *type, collio_stage_t **stage);
/** After a read: the first `bytes` packed bytes go to the user's buffer. 0 or -EINVAL. */
int collio_stage_unpack(collio_stage_t *stage, size_t bytes);
/** Frees a stage. NULL does nothing. */
void collio_stage_free(collio_stage_t *stage);

#endif /* COLLIO_VIEW_H */
