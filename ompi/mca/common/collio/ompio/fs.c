/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Decides whether an fs component serves a file. See fs.h.
 */
#include "ompio/fs.h"

#include "compat/verbose.h"
#include "ompio/named.h"

enum { PRIORITY_NAMED = 60 }; /* above the stock components: fs/lustre has 50 on Lustre */

bool collio_fs_is_requested(const collio_fs_t *fs)
{
    return collio_is_requested(&ompi_fs_base_framework, fs->name, *fs->priority,
                               COLLIO_FS_PRIORITY_DEFAULT);
}

mca_fs_base_module_1_0_0_t *collio_fs_query(const collio_fs_t *fs, ompio_file_t *fh, int *priority)
{
    const char *why_not = collio_fs_is_requested(fs) ? fs->decline(fh) : "not named";

    if (NULL != why_not) {
        COLLIO_SHOW_ROOT(fs, SELECT, fh, "fs/%s: %s: not available: %s", fs->name, fh->f_filename,
                         why_not);
        return NULL;
    }
    *priority = *fs->priority;
    if (collio_named(&ompi_fs_base_framework, fs->name) && PRIORITY_NAMED > *priority) {
        *priority = PRIORITY_NAMED;
    }
    COLLIO_SHOW_ROOT(fs, SELECT, fh, "fs/%s: %s: available, priority %d", fs->name, fh->f_filename,
                     *priority);
    return fs->module(fh);
}
