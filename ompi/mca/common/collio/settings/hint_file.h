/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_SETTINGS_HINT_FILE_H
#define COLLIO_SETTINGS_HINT_FILE_H

#include "compat/compat.h"

/**
 * The hint file that the parameter common_collio_hints names: hints for files whose programs set
 * none. core/hint_file.h has the syntax.
 */

/** Registers the parameter. */
void collio_hint_file_register(void);

/** Adds the hints of the hint file to those of a file; hints that the program has set stay. Does
 *  nothing without the parameter. Rank 0 of the file reads the hint file, all ranks get the same
 *  hints. Collective over the communicator of the file.
 *
 *  Every query of a component calls this function, because any of them may be the first; `caller`
 *  is the component. The first caller of the process applies the hint file of all files, because
 *  OMPIO queries components in the same order for each file. */
void collio_hint_file_apply(const void *caller, ompio_file_t *fh);

#endif /* COLLIO_SETTINGS_HINT_FILE_H */
