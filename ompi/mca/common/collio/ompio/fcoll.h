/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_FCOLL_H
#define COLLIO_FCOLL_H

#include "file/settings.h"
#include "hook/hook.h"
#include "ompio/open.h"

/**
 * What the fcoll components put in their tables. A component is a name, its settings and these.
 */

/** Parameters and figures of a component. */
int collio_fcoll_register(collio_component_t *component, const mca_base_component_t *mca);

/** Component open and close. */
int collio_fcoll_open(void);
int collio_fcoll_close(void);

/** The three query hooks of the fcoll framework: process (always accepted), file (module and
 *  priority, or NULL), release. */
int collio_fcoll_init_query(bool enable_progress_threads, bool enable_mpi_threads);
mca_fcoll_base_module_t *collio_fcoll_file_query(const collio_component_t *component,
                                                 mca_fcoll_base_module_t *module, ompio_file_t *fh,
                                                 int *priority);
int collio_fcoll_file_unquery(ompio_file_t *fh);

/** Module init and finalize. */
int collio_fcoll_init(ompio_file_t *fh, collio_component_t *component);
int collio_fcoll_finalize(ompio_file_t *fh);

/** A component's function table, but for its init, which knows the component. */
#define COLLIO_FCOLL_MODULE(init)                                                    \
    {                                                                                \
        .fcoll_module_init = (init), .fcoll_module_finalize = collio_fcoll_finalize, \
        .fcoll_file_read_all = collio_fcoll_read_all,                                \
        .fcoll_file_iread_all = collio_fcoll_iread_all,                              \
        .fcoll_file_write_all = collio_fcoll_write_all,                              \
        .fcoll_file_iwrite_all = collio_fcoll_iwrite_all,                            \
    }

int collio_fcoll_write_all(ompio_file_t *fh, const void *buffer, collio_count_t count,
                           ompi_datatype_t *type, ompi_status_public_t *status);
int collio_fcoll_read_all(ompio_file_t *fh, void *buffer, collio_count_t count,
                          ompi_datatype_t *type, ompi_status_public_t *status);
int collio_fcoll_iwrite_all(ompio_file_t *fh, const void *buffer, collio_count_t count,
                            ompi_datatype_t *type, ompi_request_t **request);
int collio_fcoll_iread_all(ompio_file_t *fh, void *buffer, collio_count_t count,
                           ompi_datatype_t *type, ompi_request_t **request);

#endif /* COLLIO_FCOLL_H */
