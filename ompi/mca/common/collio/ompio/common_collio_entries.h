/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_ENTRIES_H
#define MCA_COMMON_COLLIO_ENTRIES_H

#include "hook/common_collio_hook.h"

/** Puts the entries in the table that every file of ours has, whichever of our components serves
 *  it: MPI_File_preallocate, MPI_File_seek, MPI_File_set_view, and the collective functions in
 *  which the errors of earlier calls are told. Idempotent. */
void mca_common_collio_entries_install(mca_common_collio_hook_t *hook);

/** Ends a run of calls without a meeting (call/common_collio_late.c): its error class, agreed.
 *  Collective. `leave`: what follows is likely to be different. */
int mca_common_collio_entries_meet(const mca_common_collio_hook_t *hook, bool leave);

#endif /* MCA_COMMON_COLLIO_ENTRIES_H */
