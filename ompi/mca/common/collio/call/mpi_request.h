/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_MPI_REQUEST_H
#define COLLIO_MPI_REQUEST_H

#include "compat/compat.h"

#include <stdbool.h>

/**
 * The MPI request of a nonblocking collective. Our own class: OMPIO's list of pending requests has
 * no lock, and in 6.0 completes what it does not know.
 */
typedef struct collio_mpi_request_t {
    ompi_request_t super;
} collio_mpi_request_t;

OBJ_CLASS_DECLARATION(collio_mpi_request_t);

struct collio_file_t;

/** An active request; the progress engine drives all files from now on. NULL: out of memory, and
 *  the spare one is in use. */
collio_mpi_request_t *collio_mpi_request_new(struct collio_file_t *file);

/** Completes it with an error class and the bytes that went. */
void collio_mpi_request_complete(collio_mpi_request_t *request, int error, int64_t bytes);

/** Stops driving: from the last component's close. */
void collio_mpi_request_finalize(void);

#endif /* COLLIO_MPI_REQUEST_H */
