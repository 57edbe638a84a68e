/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Checks hints in MPI_File_set_view, which may pass hints and where OMPIO divides by cb_nodes.
 */
#include "ompio/set_view.h"

#include "help/help.h"
#include "settings/hints.h"

/* Checks the two hints that OMPIO reads in set_view: MPI_File_set_info may have changed them since
 * the open. The other hints are not checked, because programs set a view for every variable. */
static void check_file_hints(const collio_hook_t *hook)
{
    (void) collio_hint_check(hook->fh->f_info, "cb_nodes");
    (void) collio_hint_check(hook->fh->f_info, "collective_buffering");
}

/* Replaces io/ompio's set_view. Does not compare hints between ranks: rank 0 prints its help texts
 * at once; texts that only another rank has are printed when the next file is opened. */
static int file_set_view(ompi_file_t *file, OMPI_MPI_OFFSET_TYPE disp,
                         struct ompi_datatype_t *etype, struct ompi_datatype_t *filetype,
                         const char *datarep, opal_info_t *info)
{
    collio_hook_t *hook = collio_hook_find(file);
    opal_info_t *copy = OBJ_NEW(opal_info_t);
    int rc;

    check_file_hints(hook);
    if (NULL == copy || NULL == info || OPAL_SUCCESS != opal_info_dup(info, &copy)) {
        rc = hook->original.io_module_file_set_view(file, disp, etype, filetype, datarep, info);
    } else {
        collio_hints_check(copy);
        rc = hook->original.io_module_file_set_view(file, disp, etype, filetype, datarep, copy);
    }
    if (NULL != copy) {
        /* which frees it: NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
        OBJ_RELEASE(copy);
    }
    if (0 == hook->fh->f_rank) {
        collio_help_flush();
    }
    return rc;
}

void collio_hints_patch(collio_hook_t *hook)
{
    collio_hook_table(hook)->io_module_file_set_view = file_set_view;
}
