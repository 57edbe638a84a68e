/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * fcoll/tam: two-layer aggregation. Requests and data are gathered inside each node by a few local
 * aggregators before they go to the ranks that access the file, so that these get few and large
 * messages instead of one from every rank.
 *
 *   ranks of a node ==> local aggregators ==> aggregators ==> file
 *
 * Everything it does is in common/collio (relay.h); this is the component's name, its parameters
 * and its tables. How it works: docs/collective-io.md.
 */
#include "fcoll_tam.h"

static collio_component_t tam = {
    .name = "tam", .title = "fcoll/tam", .two_layers = true, .set = {.prefix = "fcoll_tam"}};

static int register_params(void)
{
    int rc = COLLIO_FITS("fcoll/tam");

    return OMPI_SUCCESS != rc
               ? rc
               : collio_fcoll_register(&tam, &mca_fcoll_tam_component.fcollm_version);
}

static int module_init(ompio_file_t *fh)
{
    return collio_fcoll_init(fh, &tam);
}

static mca_fcoll_base_module_t module = COLLIO_FCOLL_MODULE(module_init);

static mca_fcoll_base_module_t *file_query(ompio_file_t *fh, int *priority)
{
    return collio_fcoll_file_query(&tam, &module, fh, priority);
}

mca_fcoll_base_component_t mca_fcoll_tam_component = {
    .fcollm_version =
        {
            COLLIO_FCOLL_VERSION,
            .mca_component_name = "tam",
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
