/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_ERROR_H
#define COLLIO_ERROR_H

/** Returns the MPI error class (a positive MPI_ERR_* value) of a positive errno, MPI_SUCCESS for 0.
 *  Only this function maps system errors to MPI errors. */
int collio_error_class(int errno_value);

/** Keeps the first error: sets *error_class from a positive errno unless *error_class is set. */
void collio_error_note(int *error_class, int errno_value);
/** Returns the MPI error class of a failed MPI call or request, whose code may be internal. */
int collio_error_class_of_mpi(int error);

#endif /* COLLIO_ERROR_H */
