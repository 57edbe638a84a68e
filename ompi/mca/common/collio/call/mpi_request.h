/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_MPI_REQUEST_H
#define COLLIO_MPI_REQUEST_H

#include "compat/compat.h"

#include <stdbool.h>

/**
 * The MPI request of a nonblocking collective call. It has its own class because OMPIO's list of
 * pending requests has no lock, and OMPIO 6.0 completes requests of unknown kinds in this list.
 */
typedef struct collio_mpi_request_t {
    ompi_request_t super; /* the request that the program holds */
} collio_mpi_request_t;

OBJ_CLASS_DECLARATION(collio_mpi_request_t);

struct collio_file_t;

/** Returns an active request and registers collio with the progress engine, which then drives all
 *  files. NULL: out of memory, and the file's spare request is in use. */
collio_mpi_request_t *collio_mpi_request_new(struct collio_file_t *file);

/** Completes the request with an error class and the number of bytes moved. */
void collio_mpi_request_complete(collio_mpi_request_t *request, int error, int64_t bytes);

/** Unregisters collio from the progress engine. Called by the last component's close. */
void collio_mpi_request_finalize(void);

#endif /* COLLIO_MPI_REQUEST_H */
