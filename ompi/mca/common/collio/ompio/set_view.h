/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_SET_VIEW_H
#define COLLIO_SET_VIEW_H

#include "hook/hook.h"

/** Puts our MPI_File_set_view in the file's table: it removes hints that cannot be used before
 *  OMPIO reads them. May be called by several components. */
void collio_hints_patch(collio_hook_t *hook);

#endif /* COLLIO_SET_VIEW_H */
