/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_REQUEST_H
#define MCA_COMMON_COLLIO_REQUEST_H

#include "compat/common_collio_compat.h"

#include <stdbool.h>

/**
 * The MPI request of a nonblocking collective. Our own class: OMPIO's list of pending requests has
 * no lock, and in 6.0 completes what it does not know.
 */
typedef struct mca_common_collio_request_t {
    ompi_request_t super;
} mca_common_collio_request_t;

OBJ_CLASS_DECLARATION(mca_common_collio_request_t);

struct mca_common_collio_file_t;

/** An active request; the progress engine drives all files from now on. NULL: out of memory, and
 *  the spare one is in use. */
mca_common_collio_request_t *mca_common_collio_request_new(struct mca_common_collio_file_t *file);

/** Completes it with an error class and the bytes that went. */
void mca_common_collio_request_complete(mca_common_collio_request_t *request, int error,
                                        int64_t bytes);

/** Stops driving: from the last component's close. */
void mca_common_collio_request_finalize(void);

#endif /* MCA_COMMON_COLLIO_REQUEST_H */
