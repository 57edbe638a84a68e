/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_ENTRIES_H
#define COLLIO_ENTRIES_H

#include "hook/hook.h"

/** Puts the entries in the table that every file of ours has, whichever of our components serves
 *  it: MPI_File_preallocate, MPI_File_seek, MPI_File_set_view, MPI_File_set_atomicity.
 *  Idempotent. */
void collio_entries_install(collio_hook_t *hook);

#endif /* COLLIO_ENTRIES_H */
