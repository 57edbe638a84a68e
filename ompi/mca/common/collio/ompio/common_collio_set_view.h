/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_SET_VIEW_H
#define MCA_COMMON_COLLIO_SET_VIEW_H

#include "ompio/common_collio_hook.h"

/** Puts our MPI_File_set_view in the file's table: it removes hints that cannot be used before
 *  OMPIO reads them. May be called by several components. */
void mca_common_collio_hints_patch(mca_common_collio_hook_t *hook);

#endif /* MCA_COMMON_COLLIO_SET_VIEW_H */
