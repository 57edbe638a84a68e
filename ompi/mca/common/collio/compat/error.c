/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Maps system errors to MPI error classes. The classes are MPI's own positive values: io/ompio
 * passes a returned value unchanged to the error handler, and a negative OMPI_* code would become
 * MPI_ERR_UNKNOWN.
 */
#include "compat/compat.h"

#include <errno.h>

static const struct {
    int errno_value;
    int error_class;
} classes[] = {
    {0, MPI_SUCCESS},
    {ENOSPC, MPI_ERR_NO_SPACE},
    {EDQUOT, MPI_ERR_QUOTA},
    {EFBIG, MPI_ERR_QUOTA},
    {EACCES, MPI_ERR_ACCESS},
    {EPERM, MPI_ERR_ACCESS},
    {EBADF, MPI_ERR_ACCESS}, /* the access mode of the descriptor does not allow the access */
    {EROFS, MPI_ERR_READ_ONLY},
    {ENOENT, MPI_ERR_NO_SUCH_FILE},
    {ENOMEM, MPI_ERR_NO_MEM},
    {EEXIST, MPI_ERR_FILE_EXISTS},
    {EISDIR, MPI_ERR_BAD_FILE},
    {ENOTDIR, MPI_ERR_BAD_FILE},
    {ENAMETOOLONG, MPI_ERR_BAD_FILE},
    {ETXTBSY, MPI_ERR_FILE_IN_USE},
};

int collio_error_class(int errno_value)
{
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); ++i) {
        if (classes[i].errno_value == errno_value) {
            return classes[i].error_class;
        }
    }
    return MPI_ERR_IO;
}

void collio_error_note(int *error_class, int errno_value)
{
    if (MPI_SUCCESS == *error_class) {
        *error_class = collio_error_class(errno_value);
    }
}

int collio_error_class_of_mpi(int error)
{
    if (OMPI_ERR_OUT_OF_RESOURCE == error) {
        return MPI_ERR_NO_MEM;
    }
    return error > 0 ? error : MPI_ERR_OTHER;
}
