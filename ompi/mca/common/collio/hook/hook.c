/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * The per-file table of an MPI file that a collio component changed.
 *
 *   ompi_file_t                             hook
 *     f_io_selected_module (by value)         original   io/ompio's entries, for calling
 *        file_close  -> hook's own            closer     callbacks, run newest first
 *        file_seek   -> entries.c
 *        file_write  -> a client's            flats      flattened views and datatypes
 *     f_io_selected_data == ompio_file_t
 *
 * The test for a real file: fh->f_fh cannot be trusted (sharedfp/individual passes handles that it
 * never initialized), so f_fh is searched among the MPI files that exist, and accepted if its
 * f_io_selected_data IS the handle. The test dereferences no unknown pointer.
 */
#include "compat/compat.h"

#include <stdatomic.h>

#include "access/access.h"
#include "hook/handle.h"

#include "core/debug_assert.h"

static bool owns(const ompi_file_t *file, const ompio_file_t *fh)
{
    return NULL != file && COLLIO_IO_VERSION == file->f_io_version
           && (const void *) fh == (const void *) file->f_io_selected_data;
}

#if COLLIO_HANDLES_ARE_CLEAN
/* In this release f_fh is NULL if no MPI file has the handle. */
static ompi_file_t *find_file(const ompio_file_t *fh)
{
    return owns(fh->f_fh, fh) ? fh->f_fh : NULL;
}
#else
/* Upstream's builds hide the table of files, so MPI's handle conversion serves to search it. The
 * conversion returns MPI_FILE_NULL, which has no handle, for unused numbers. Numbers are reused, so
 * open files have small ones. */
static ompi_file_t *find_file(const ompio_file_t *fh)
{
    enum { MOST_FILES = 65536 };

    for (MPI_Fint i = 0; i < MOST_FILES; ++i) {
        ompi_file_t *file = collio_file_of(i);

        if (file == fh->f_fh) {
            return owns(file, fh) ? file : NULL;
        }
    }
    return NULL;
}
#endif

static void run_closers(collio_hook_t *hook)
{
    while (0 < hook->closer_count) {
        hook->closer[--hook->closer_count](hook->fh);
    }
}

/* Replaces io/ompio's file_close. Restores the table before it calls the original, which requires
 * io/ompio's own entries. */
static int hook_file_close(ompi_file_t *file)
{
    collio_hook_t *hook = collio_hook_find(file);
    collio_io_table_t original;

    if (NULL == hook) {
        return OMPI_ERR_BAD_PARAM;
    }
    run_closers(hook); /* before the hook is removed: callbacks may use it */
    original = hook->original;
    COLLIO_IO_TABLE(file) = original;
    if (NULL != hook->flats) {
        hook->free_flats(hook->flats);
    }
    collio_handle_clear(hook->fh, COLLIO_PLACE_HOOK);
    return original.io_module_file_close(file);
}

collio_hook_t *collio_hook_get(ompio_file_t *fh)
{
    static atomic_flag watching = ATOMIC_FLAG_INIT;
    collio_hook_t *hook = collio_handle_get(fh, COLLIO_PLACE_HOOK);
    collio_handle_t *handle;
    ompi_file_t *file;

    if (NULL != hook) {
        return hook;
    }
    file = find_file(fh);
    handle = NULL == file ? NULL : collio_handle_take(fh);
    if (NULL == handle) {
        return NULL;
    }
    if (!atomic_flag_test_and_set(&watching)
        && MPI_SUCCESS != collio_call_at_finalize(collio_access_finalize)) {
        atomic_flag_clear(&watching);
    }
    handle->hook = (collio_hook_t){.file = file, .fh = fh, .original = COLLIO_IO_TABLE(file)};
    handle->place[COLLIO_PLACE_HOOK] = &handle->hook;
    COLLIO_IO_TABLE(file).io_module_file_close = hook_file_close;
    return &handle->hook;
}

collio_hook_t *collio_hook_find(ompi_file_t *file)
{
    const collio_handle_t *handle = collio_handle_of(file);

    return NULL == handle ? NULL : handle->place[COLLIO_PLACE_HOOK];
}

void collio_hook_on_close(collio_hook_t *hook, collio_closer_t *closer)
{
    for (int i = 0; i < hook->closer_count; ++i) {
        if (closer == hook->closer[i]) {
            return;
        }
    }
    COLLIO_ASSERT(hook->closer_count < COLLIO_HOOK_CLOSERS);
    hook->closer[hook->closer_count++] = closer;
}
