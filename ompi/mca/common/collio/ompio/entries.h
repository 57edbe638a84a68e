/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_ENTRIES_H
#define COLLIO_ENTRIES_H

#include "hook/hook.h"

/** Puts collio's entries for MPI_File_preallocate, _get_size, _sync, _seek, _set_atomicity and
 *  _set_view in the table of a file that a collio component serves. Idempotent. */
void collio_entries_install(collio_hook_t *hook);

#endif /* COLLIO_ENTRIES_H */
