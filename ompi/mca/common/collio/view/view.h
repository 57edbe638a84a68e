/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_VIEW_H
#define COLLIO_VIEW_H

#include "compat/compat.h"
#include "hook/handle.h"

#include "core/tiling.h"

/**
 * view/: turns the arguments of an MPI call into bytes of file and memory, by file views, datatypes
 * and the individual file pointer of a handle. Views and datatypes are flattened once and kept;
 * user buffers that only the convertor can access are packed. All calls are local; functions that
 * return int return 0 or -errno: -ENOMEM, -EINVAL (a datatype that Open MPI cannot flatten).
 */

/** Moves the file pointer by `bytes`. Every field is then as after io/ompio's own Build-IO. */
void collio_view_advance(ompio_file_t *fh, int64_t bytes);

/** Returns the stream position (in bytes) of the individual file pointer. */
int64_t collio_view_position(ompio_file_t *fh);

/** True if io/ompio can compute with this offset (in etypes, from the start of the view). It
 *  multiplies the offset by the etype's size, and repetitions by the extent, without overflow
 *  checks. A wrapped result may be a valid offset, so callers must reject such an offset first. */
bool collio_view_reaches(ompio_file_t *fh, int64_t offset);

/** A flattened view or datatype, shared by its holders. Without data: count 0, size 0. */
typedef struct collio_flat_t {
    collio_tiling_t tiling; /* the pieces; base is 0 */
    _Atomic int references; /* number of holders */
    size_t described;       /* bytes of `description`; 0: none is kept */
    char description[];     /* Open MPI's description of a regular filetype */
} collio_flat_t;

/** A file's cache of its view and its datatypes. NULL: no MPI file has the handle (see hook.h), or
 *  there is no memory; then nothing is kept. The caller holds the file's lock. */
typedef struct collio_flat_cache_t collio_flat_cache_t;
collio_flat_cache_t *collio_flat_cache(collio_handle_t *handle);

/** Flattens the current view, at displacement 0. The process keeps the last views, so a view that
 *  is set again, by any handle, is not flattened again. The caller releases the result, and holds
 *  the file's lock. */
int collio_flat_view(ompio_file_t *fh, collio_flat_cache_t *cache, collio_flat_t **flat);

/** Flattens one element of `type`; offsets count from the element's address. A regular type becomes
 *  repetitions of one piece, so the tiling's size can differ from the type's. The file keeps the
 *  last datatypes. The caller releases the result, and holds the file's lock. */
int collio_flat_type(collio_flat_cache_t *cache, ompi_datatype_t *type, collio_flat_t **flat);

/** Adds a holder, and returns `flat`. NULL is allowed. */
collio_flat_t *collio_flat_retain(collio_flat_t *flat);
/** Removes a holder; frees `flat` after the last one. NULL is allowed. */
void collio_flat_release(collio_flat_t *flat);

/** Returns the bytes of all flattened views and datatypes of the process. */
int64_t collio_flat_held(void);

/** Frees the views of the process. */
void collio_flat_finalize(void);

/** True if Open MPI's convertor must access this user buffer, because the buffer is on a device or
 *  the file's data representation is not native. If so, pack (write) or unpack (read) with a stage.
 */
bool collio_stage_needed(ompio_file_t *fh, const void *buffer, size_t count, ompi_datatype_t *type);

/** A packed host copy of a user buffer. */
typedef struct collio_stage_t {
    opal_convertor_t convertor; /* between the user buffer and the packed bytes */
    char *packed;               /* the packed bytes, malloc'ed */
    size_t bytes;               /* number of packed bytes, in the file's representation */
} collio_stage_t;

/** Makes a stage. For a write, packs the user buffer; for a read, only allocates. *stage is NULL
 *  unless 0 is returned. */
int collio_stage_new(ompio_file_t *fh, bool write, const void *buffer, size_t count,
                     ompi_datatype_t *type, collio_stage_t **stage);
/** After a read: unpacks the first `bytes` bytes to the user buffer. Returns 0 or -EINVAL. */
int collio_stage_unpack(collio_stage_t *stage, size_t bytes);
/** Frees a stage. NULL is allowed. */
void collio_stage_free(collio_stage_t *stage);

#endif /* COLLIO_VIEW_H */
