/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_FCOLL_H
#define MCA_COMMON_COLLIO_FCOLL_H

#include "common_collio_hook.h"
#include "common_collio_settings.h"

/**
 * What the fcoll components put in their tables. A component is a name, its settings and these.
 */

/** To be equal in a component and in this library; a component refuses another one. */
#define MCA_COMMON_COLLIO_ABI 1
int mca_common_collio_abi(void);

/** Component open and close. Refuses (OMPI_ERR_NOT_AVAILABLE, with one line) a library of another
 *  version, or an Open MPI of another major version than it was built for. */
int mca_common_collio_fcoll_open(const mca_common_collio_component_t *component, int abi);
void mca_common_collio_fcoll_close(void);

/** The priority to answer a file query with; 0 = not available. */
int mca_common_collio_fcoll_priority(const mca_common_collio_component_t *component,
                                     ompio_file_t *fh);

/** Module init and finalize. */
int mca_common_collio_fcoll_init(ompio_file_t *fh, mca_common_collio_component_t *component);
int mca_common_collio_fcoll_finalize(ompio_file_t *fh);

int mca_common_collio_fcoll_write_all(ompio_file_t *fh, const void *buffer,
                                      mca_common_collio_count_t count, ompi_datatype_t *type,
                                      ompi_status_public_t *status);
int mca_common_collio_fcoll_read_all(ompio_file_t *fh, void *buffer,
                                     mca_common_collio_count_t count, ompi_datatype_t *type,
                                     ompi_status_public_t *status);
int mca_common_collio_fcoll_iwrite_all(ompio_file_t *fh, const void *buffer,
                                       mca_common_collio_count_t count, ompi_datatype_t *type,
                                       ompi_request_t **request);
int mca_common_collio_fcoll_iread_all(ompio_file_t *fh, void *buffer,
                                      mca_common_collio_count_t count, ompi_datatype_t *type,
                                      ompi_request_t **request);

/** Puts our entries for blocking collectives in the file's table: io/ompio's overwrite the status
 *  with what was asked for, ours put the truth there. */
void mca_common_collio_fcoll_patch(mca_common_collio_hook_t *hook);

#endif /* MCA_COMMON_COLLIO_FCOLL_H */
