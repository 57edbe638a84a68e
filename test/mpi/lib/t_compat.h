/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef T_COMPAT_H
#define T_COMPAT_H

/** Calls that MPI 4 deprecates, and those that replace them: tests are compiled with -Werror on
 *  Open MPI 4.1 and 5.0 (MPI 3.1), and 6.0 (MPI 5). */

#include <mpi.h>
#include <stdbool.h>

/** Elements of `type` in a status, -1 if that cannot be told. */
static inline MPI_Count t_elements(const MPI_Status *status, MPI_Datatype type)
{
    MPI_Count count = -1;

#if MPI_VERSION >= 4
    MPI_Get_elements_c(status, type, &count);
#else
    MPI_Get_elements_x(status, type, &count);
#endif
    return count;
}

/** A hint's value; false if it is not set. `size` includes the zero at the end. */
static inline bool t_info_get(MPI_Info info, const char *key, char *value, int size)
{
    int found = 0;

#if MPI_VERSION >= 4
    MPI_Info_get_string(info, key, &size, value, &found);
#else
    MPI_Info_get(info, key, size - 1, value, &found);
#endif
    return 0 != found;
}

#endif
