/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/**
 * fcoll/overlap: two-phase collective I/O that overlaps shuffle and file access.
 *
 * Everything it does is in common/collio; this is the component's name, its parameters and its
 * tables. How it works: docs/overlap.md.
 */
#include "fcoll_overlap.h"

static mca_common_collio_component_t overlap = {.name = "overlap", .two_layers = false};

static int overlap_register(void)
{
    const mca_base_component_t *mca = &mca_fcoll_overlap_component.fcollm_version;

    mca_common_collio_stats_register(&overlap.stats, mca);
    return mca_common_collio_settings_register(&overlap, mca);
}

static int overlap_open(void)
{
    return mca_common_collio_fcoll_open(&overlap, MCA_COMMON_COLLIO_ABI);
}

static int overlap_close(void)
{
    mca_common_collio_fcoll_close();
    return OMPI_SUCCESS;
}

static int init_query(bool enable_progress_threads, bool enable_mpi_threads)
{
    (void) enable_progress_threads;
    (void) enable_mpi_threads;
    return OMPI_SUCCESS;
}

static int module_init(ompio_file_t *fh)
{
    return mca_common_collio_fcoll_init(fh, &overlap);
}

static mca_fcoll_base_module_t module = {
    .fcoll_module_init = module_init,
    .fcoll_module_finalize = mca_common_collio_fcoll_finalize,
    .fcoll_file_read_all = mca_common_collio_fcoll_read_all,
    .fcoll_file_iread_all = mca_common_collio_fcoll_iread_all,
    .fcoll_file_write_all = mca_common_collio_fcoll_write_all,
    .fcoll_file_iwrite_all = mca_common_collio_fcoll_iwrite_all,
};

static mca_fcoll_base_module_t *file_query(ompio_file_t *fh, int *priority)
{
    *priority = mca_common_collio_fcoll_priority(&overlap, fh);
    return *priority > 0 ? &module : NULL;
}

static int file_unquery(ompio_file_t *fh)
{
    (void) fh;
    return OMPI_SUCCESS;
}

mca_fcoll_base_component_t mca_fcoll_overlap_component = {
    .fcollm_version =
        {
            MCA_COMMON_COLLIO_FCOLL_VERSION,
            .mca_component_name = "overlap",
            MCA_COMMON_COLLIO_COMPONENT_VERSION,
            .mca_register_component_params = overlap_register,
            .mca_open_component = overlap_open,
            .mca_close_component = overlap_close,
        },
    .fcollm_data = {.param_field = MCA_BASE_METADATA_PARAM_CHECKPOINT},
    .fcollm_init_query = init_query,
    .fcollm_file_query = file_query,
    .fcollm_file_unquery = file_unquery,
};
