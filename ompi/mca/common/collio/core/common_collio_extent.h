/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_EXTENT_H
#define MCA_COMMON_COLLIO_EXTENT_H

#include <stddef.h>
#include <stdint.h>

/** A contiguous run of bytes: [offset, offset + length). */
typedef struct mca_common_collio_extent_t {
    int64_t offset;
    int64_t length;
} mca_common_collio_extent_t;

/** A growable list of extents. All-zero is a valid empty list. */
typedef struct mca_common_collio_extents_t {
    mca_common_collio_extent_t *at;
    size_t count;
    size_t capacity;
} mca_common_collio_extents_t;

void mca_common_collio_extents_init(mca_common_collio_extents_t *list);
/** Frees the storage; the list is empty and usable afterwards. Idempotent. */
void mca_common_collio_extents_fini(mca_common_collio_extents_t *list);

/** Room for `capacity` extents in all. Returns 0 or -ENOMEM. */
int mca_common_collio_extents_reserve(mca_common_collio_extents_t *list, size_t capacity);

/** Appends; empty extents are dropped, one that begins where the last ends is joined to it.
 *  Returns 0, -ENOMEM or -EINVAL (negative offset or length, end beyond INT64_MAX). */
int mca_common_collio_extents_append(mca_common_collio_extents_t *list, int64_t offset,
                                     int64_t length);

#endif /* MCA_COMMON_COLLIO_EXTENT_H */
