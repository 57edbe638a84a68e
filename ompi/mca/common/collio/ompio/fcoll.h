/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_FCOLL_H
#define COLLIO_FCOLL_H

#include "file/settings.h"
#include "hook/hook.h"
#include "ompio/open.h"

/**
 * ompio/: the functions that Open MPI calls. The directory has the functions of the fcoll and fs
 * frameworks, and entries that replace some of io/ompio's for one file, so that counts, errors and
 * views are correct. A component is a name, its settings and these functions.
 */

/** Registers the parameters and counters of a component. */
int collio_fcoll_register(collio_component_t *component, const mca_base_component_t *mca);

/** Open and close functions of the components. */
int collio_fcoll_open(void);
int collio_fcoll_close(void);

/** Returns the module for a file and sets *priority, or returns NULL. `fh` may be NULL. */
mca_fcoll_base_module_t *collio_fcoll_file_query(const collio_component_t *component,
                                                 mca_fcoll_base_module_t *module, ompio_file_t *fh,
                                                 int *priority);
int collio_fcoll_file_unquery(const collio_component_t *component, ompio_file_t *fh);

/** Init and finalize functions of the module. */
int collio_fcoll_init(ompio_file_t *fh, collio_component_t *component);
int collio_fcoll_finalize(ompio_file_t *fh);

int collio_fcoll_write_all(ompio_file_t *fh, const void *buffer, collio_count_t count,
                           ompi_datatype_t *type, ompi_status_public_t *status);
int collio_fcoll_read_all(ompio_file_t *fh, void *buffer, collio_count_t count,
                          ompi_datatype_t *type, ompi_status_public_t *status);
int collio_fcoll_iwrite_all(ompio_file_t *fh, const void *buffer, collio_count_t count,
                            ompi_datatype_t *type, ompi_request_t **request);
int collio_fcoll_iread_all(ompio_file_t *fh, void *buffer, collio_count_t count,
                           ompi_datatype_t *type, ompi_request_t **request);

/** Defines the component fcoll/<component>, with all of its functions and tables. */
#define COLLIO_FCOLL_COMPONENT(component, has_two_layers)                                      \
    static collio_component_t description = {.name = #component,                               \
                                             .title = "fcoll/" #component,                     \
                                             .two_layers = (has_two_layers),                   \
                                             .set = {.prefix = "fcoll_" #component}};          \
                                                                                               \
    static int register_params(void)                                                           \
    {                                                                                          \
        int rc = COLLIO_FITS("fcoll/" #component);                                             \
                                                                                               \
        return OMPI_SUCCESS != rc                                                              \
                   ? rc                                                                        \
                   : collio_fcoll_register(&description,                                       \
                                           &mca_fcoll_##component##_component.fcollm_version); \
    }                                                                                          \
                                                                                               \
    static int module_init(ompio_file_t *fh)                                                   \
    {                                                                                          \
        return collio_fcoll_init(fh, &description);                                            \
    }                                                                                          \
                                                                                               \
    static mca_fcoll_base_module_t module = {                                                  \
        .fcoll_module_init = module_init,                                                      \
        .fcoll_module_finalize = collio_fcoll_finalize,                                        \
        .fcoll_file_read_all = collio_fcoll_read_all,                                          \
        .fcoll_file_iread_all = collio_fcoll_iread_all,                                        \
        .fcoll_file_write_all = collio_fcoll_write_all,                                        \
        .fcoll_file_iwrite_all = collio_fcoll_iwrite_all,                                      \
    };                                                                                         \
                                                                                               \
    static mca_fcoll_base_module_t *file_query(ompio_file_t *fh, int *priority)                \
    {                                                                                          \
        return collio_fcoll_file_query(&description, &module, fh, priority);                   \
    }                                                                                          \
                                                                                               \
    static int file_unquery(ompio_file_t *fh)                                                  \
    {                                                                                          \
        return collio_fcoll_file_unquery(&description, fh);                                    \
    }                                                                                          \
                                                                                               \
    mca_fcoll_base_component_t mca_fcoll_##component##_component = {                           \
        .fcollm_version = COLLIO_COMPONENT(COLLIO_FCOLL_VERSION, #component, register_params,  \
                                           collio_fcoll_open, collio_fcoll_close),             \
        .fcollm_data = {.param_field = MCA_BASE_METADATA_PARAM_CHECKPOINT},                    \
        .fcollm_init_query = collio_init_query,                                                \
        .fcollm_file_query = file_query,                                                       \
        .fcollm_file_unquery = file_unquery,                                                   \
    }

#endif /* COLLIO_FCOLL_H */
