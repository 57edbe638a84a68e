/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_FS_H
#define COLLIO_FS_H

#include "ompi/mca/fs/base/base.h"
#include "ompi/mca/fs/fs.h"

#include "ompio/named.h"
#include "ompio/open.h"

/**
 * The common part of the fs components. Each serves files of one kind of file system, and only if
 * the user requests the component: by name in the list of fs components (--mca fs beegfs,ufs), or
 * with a priority above the default. Otherwise the query declines before any message or system
 * call.
 */

typedef struct collio_fs_t {
    collio_candidate_t candidate; /* name and priority */
    const char *title;            /* name in messages: "fs/beegfs" */
    /** Returns the reason why the component declines the file; NULL: the component takes the file.
     *  The function may communicate, because the fs base queries components on all ranks. */
    const char *(*decline)(ompio_file_t *fh);
    /** Returns the module for a file that the component takes; NULL: none. */
    mca_fs_base_module_1_0_0_t *(*module)(ompio_file_t *fh);
} collio_fs_t;

/** The file query of a component. */
mca_fs_base_module_1_0_0_t *collio_fs_query(const collio_fs_t *fs, ompio_file_t *fh, int *priority);

/** Defines the table of a component. */
#define COLLIO_FS_COMPONENT(name, register_function, query_function, unquery_function)      \
    {                                                                                       \
        .fsm_version = COLLIO_COMPONENT(MCA_FS_BASE_VERSION_2_0_0, name, register_function, \
                                        collio_open, collio_close),                         \
        .fsm_data = {.param_field = MCA_BASE_METADATA_PARAM_CHECKPOINT},                    \
        .fsm_init_query = collio_init_query, .fsm_file_query = (query_function),            \
        .fsm_file_unquery = (unquery_function),                                             \
    }

#endif /* COLLIO_FS_H */
