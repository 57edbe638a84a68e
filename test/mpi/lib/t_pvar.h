/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef T_PVAR_H
#define T_PVAR_H

#include "t_util.h"

/**
 * MPI_T performance variables by name. They exist from the first MPI_File_open on. A variable may
 * be bound to a file or to nothing; both are read the same way.
 */

/* Name of the component under test, from COLLIO_FCOLL (overlap). */
const char *t_component(void);
/* True if "fcoll_<component>_<what>" exists. T_FRAMEWORK names another framework than fcoll. */
bool t_pvar_exists(const char *what);
/* Its value now, as a number; -1 when there is no such variable. A counter counts from the first
 * t_pvar_read of it on: take differences. file may be MPI_FILE_NULL if it is bound to nothing. */
double t_pvar_read(const char *what, MPI_File file);
/* Collective: the sum of the values of all ranks. */
double t_pvar_sum(const char *what, MPI_File file);
/* Number of variables whose name begins with "fcoll_<component>_". */
int t_pvar_count(void);
/* Name, description: the i-th of them (0 <= i < t_pvar_count()). */
void t_pvar_describe(int i, char *name, int name_bytes, char *text, int text_bytes);

#endif
