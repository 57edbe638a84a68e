/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_SET_VIEW_H
#define COLLIO_SET_VIEW_H

#include "hook/hook.h"

/** Puts collio's MPI_File_set_view in the file's table, which removes unusable hints before OMPIO
 *  reads them. Idempotent. */
void collio_hints_patch(collio_hook_t *hook);

#endif /* COLLIO_SET_VIEW_H */
