/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_ERROR_H
#define COLLIO_ERROR_H

/** The MPI error class (a positive MPI_ERR_* value) of a positive errno; 0 gives MPI_SUCCESS.
 *  The one place where system errors become MPI errors. */
int collio_error_class(int errno_value);

/** Keeps the first error: sets *error_class from a positive errno unless it is set already. */
void collio_error_note(int *error_class, int errno_value);
/** The MPI error class of a failed MPI call or request, whose code may be an internal one. */
int collio_error_class_of_mpi(int error);

#endif /* COLLIO_ERROR_H */
