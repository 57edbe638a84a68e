/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/**
 * fcoll/tam: two-layer aggregation. Requests and data are gathered inside each node by a few local
 * aggregators before they go to the ranks that access the file, so that these get few and large
 * messages instead of one from every rank.
 *
 *   ranks of a node ==> local aggregators ==> global aggregators ==> file
 *
 * Everything it does is in common/collio (relay.h); this is the component's name, its parameters
 * and its tables. How it works: docs/tam.md.
 */
#include "fcoll_tam.h"

static mca_common_collio_component_t tam = {.name = "tam", .two_layers = true};

static int tam_register(void)
{
    const mca_base_component_t *mca = &mca_fcoll_tam_component.fcollm_version;

    mca_common_collio_stats_register(&tam.stats, mca);
    return mca_common_collio_settings_register(&tam, mca);
}

static int tam_open(void)
{
    return mca_common_collio_fcoll_open(&tam, MCA_COMMON_COLLIO_ABI);
}

static int tam_close(void)
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
    return mca_common_collio_fcoll_init(fh, &tam);
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
    *priority = mca_common_collio_fcoll_priority(&tam, fh);
    return *priority > 0 ? &module : NULL;
}

static int file_unquery(ompio_file_t *fh)
{
    (void) fh;
    return OMPI_SUCCESS;
}

mca_fcoll_base_component_t mca_fcoll_tam_component = {
    .fcollm_version =
        {
            MCA_COMMON_COLLIO_FCOLL_VERSION,
            .mca_component_name = "tam",
            MCA_BASE_MAKE_VERSION(component, OMPI_MAJOR_VERSION, OMPI_MINOR_VERSION,
                                  OMPI_RELEASE_VERSION),
            .mca_register_component_params = tam_register,
            .mca_open_component = tam_open,
            .mca_close_component = tam_close,
        },
    .fcollm_data = {.param_field = MCA_BASE_METADATA_PARAM_CHECKPOINT},
    .fcollm_init_query = init_query,
    .fcollm_file_query = file_query,
    .fcollm_file_unquery = file_unquery,
};
