/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * fcoll/overlap: two-phase collective I/O that overlaps shuffle and file access.
 *
 * Everything it does is in common/collio; this is the component's name, its parameters and its
 * tables. How it works: docs/collective-io.md.
 */
#include "fcoll_overlap.h"

static collio_component_t overlap = {.name = "overlap",
                                     .title = "fcoll/overlap",
                                     .two_layers = false,
                                     .set = {.prefix = "fcoll_overlap"}};

static int register_params(void)
{
    int rc = COLLIO_FITS("fcoll/overlap");

    return OMPI_SUCCESS != rc
               ? rc
               : collio_fcoll_register(&overlap, &mca_fcoll_overlap_component.fcollm_version);
}

static int module_init(ompio_file_t *fh)
{
    return collio_fcoll_init(fh, &overlap);
}

static mca_fcoll_base_module_t module = COLLIO_FCOLL_MODULE(module_init);

static mca_fcoll_base_module_t *file_query(ompio_file_t *fh, int *priority)
{
    return collio_fcoll_file_query(&overlap, &module, fh, priority);
}

mca_fcoll_base_component_t mca_fcoll_overlap_component = {
    .fcollm_version =
        {
            COLLIO_FCOLL_VERSION,
            .mca_component_name = "overlap",
            COLLIO_COMPONENT_VERSION,
            .mca_register_component_params = register_params,
            .mca_open_component = collio_fcoll_open,
            .mca_close_component = collio_fcoll_close,
        },
    .fcollm_data = {.param_field = MCA_BASE_METADATA_PARAM_CHECKPOINT},
    .fcollm_init_query = collio_fcoll_init_query,
    .fcollm_file_query = file_query,
    .fcollm_file_unquery = collio_fcoll_file_unquery,
};
