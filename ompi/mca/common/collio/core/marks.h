/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_MARKS_H
#define COLLIO_MARKS_H

#include <stdbool.h>

#include "merge.h"

/**
 * Marks: many requesters find the union of their pieces in memory that they share, without lists.
 * See marks.c for the proof.
 */
typedef struct collio_marks_t {
    char *at;             /* marks of window 0, then of window 1, ... */
    int64_t window_bytes; /* no window has more bytes */
    int64_t step;         /* window w begins at local coordinate w * step */
    int64_t windows;      /* windows that have marks: the first ones of the domain */
} collio_marks_t;

/** Returns true if marks are cheaper than lists for a call in which `ranks` ranks have `pieces`
 *  pieces with `bytes` bytes in a range of `span` bytes of the file. Pieces with more bytes than
 *  the range overlap: marks cannot serve them. */
bool collio_marks_pay(int64_t span, int64_t bytes, int64_t pieces, int ranks);

/** Returns the marks of as many windows as fit into `bytes` bytes of memory, aligned to 8. */
collio_marks_t collio_marks_in(void *memory, int64_t bytes, int64_t window_bytes, int64_t step);

/** Clears the marks of the first windows, before any requester adds to them. */
void collio_marks_clear(const collio_marks_t *marks, int64_t windows);

/** Adds the pieces of a requester in a window. `bytes` is the sum of their lengths. Any number of
 *  processes may add at the same time. */
void collio_marks_add(const collio_marks_t *marks, int64_t window, const collio_merge_input_t *list,
                      int64_t bytes);

/** Returns true if the window has marks and they were not refused. */
bool collio_marks_hold(const collio_marks_t *marks, int64_t window);

/** After all requesters have added their pieces: appends the union of the pieces of the window to
 *  `out` and sets *bytes to the sum of their lengths. If pieces overlap, appends nothing, refuses
 *  the marks of this window, and sets *bytes to -1. Returns 0 or -ENOMEM. */
int collio_marks_runs(const collio_marks_t *marks, int64_t window, collio_extents_t *out,
                      int64_t *bytes);

/** Returns true if marks are cheaper than a merge for lists that one process has: if the lists have
 *  many small extents in a short range. */
bool collio_marks_merge(const collio_merge_input_t *lists, size_t list_count,
                        const collio_span_t *span);

/** Appends the union of the lists to `out`, as collio_merge does, by marks. If extents overlap,
 *  appends nothing and sets *proven to false. Returns 0 or -ENOMEM. */
int collio_marks_union(const collio_merge_input_t *lists, size_t list_count,
                       const collio_span_t *span, collio_extents_t *out, bool *proven);

#endif /* COLLIO_MARKS_H */
