/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef BREAK_PML_H
#define BREAK_PML_H

/* From now on, of the messages with this tag or a higher one, the next `sends` cannot be sent (the
 * call fails), and the next `receives` get room for half of what comes (the request fails). */
void break_pml(int sends, int receives, int tag);

/* The same for reductions of 64-bit numbers, which files of ours agree by when they are opened: the
 * first `after` messages of this direction pass. */
void break_pml_reduction(int sends, int receives, int after);

#endif
