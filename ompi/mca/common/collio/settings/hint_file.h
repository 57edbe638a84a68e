/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_SETTINGS_HINT_FILE_H
#define COLLIO_SETTINGS_HINT_FILE_H

#include "compat/compat.h"

#include <stdbool.h>
#include <stdint.h>

/**
 * The hint file that the parameter common_collio_hints names: hints for files whose programs set
 * none. core/hint_file.h has the syntax.
 */

/** Registers the parameter. */
void collio_hint_file_register(void);

/** Rank 0 of the file reads the hint file and keeps the hints for the file until the next agreement
 *  of the open; hints that the program has set stay. Hints for stripes apply at once, because
 *  rank 0 creates the file. Local.
 *
 *  Every query of a component calls this function, because any of them may be the first; `caller`
 *  is the component. The first caller of the process serves all files, because OMPIO queries
 *  components in the same order for each file. */
void collio_hint_file_read(const void *caller, ompio_file_t *fh);

/** Gives all ranks the hints. Ranks without the parameter take part as well: every agreement of an
 *  open until the fcoll is selected has a field for the maximum of `offer`. `settle` takes this
 *  maximum and returns true if the file has new hints. Collective, if the maximum shows that there
 *  are hints. */
int64_t collio_hint_file_offer(const ompio_file_t *fh);
bool collio_hint_file_settle(ompio_file_t *fh, int64_t highest);

#endif /* COLLIO_SETTINGS_HINT_FILE_H */
