/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef T_STRIPES_H
#define T_STRIPES_H

#include "t_util.h"

/**
 * For programs on simulated file systems.
 */
/* Without MPI: the file has shift + bytes bytes, and those from shift on are t_val() of writer 0.
 * Returns the exit code. */
int t_offset_verify(const char *path, int64_t bytes, int64_t shift);

/* Hints of an environment variable: "name=value name=value". The caller frees the info. */
MPI_Info t_hints_of(const char *variable);
/* Collective: " name=value" for the striping hints that MPI_File_get_info returns, "-" where there
 * is none; fails unless all ranks have the same. */
void t_striping(MPI_File file, char text[512]);
/* "success", "exists", "io", ... */
const char *t_class_word(int rc);

#endif
