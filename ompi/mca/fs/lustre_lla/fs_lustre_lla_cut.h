/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef MCA_FS_LUSTRE_LLA_CUT_H
#define MCA_FS_LUSTRE_LLA_CUT_H

#include "ompi/mca/common/collio/core/extent.h"
#include "ompi/mca/common/collio/stripes/stripes_lustre.h"

#include <stdbool.h>

/**
 * Cuts the ranges that will be accessed into the pieces that lock-ahead requests. The rules are
 * arithmetic, without MPI and Lustre.
 *
 * Servers lock whole pages, so pieces are rounded outwards to pages, and a page is requested once.
 * A request that covers several stripes stops at the first stripe whose lock the client has, and a
 * lock covers one contiguous part of one object: where that matters, ranges are cut at the borders
 * of stripes.
 *
 *   ranges        |----|      |-----------------|
 *   pieces       [------]    [-------------------]        pages, borders between parts
 *   stripes      [------]    [-----][------][----]        also borders between stripes, unless one
 *                                                         object has the whole part
 */

typedef struct mca_fs_lustre_lla_cut_t {
    const collio_lustre_part_t *part; /* layout of the file, ascending */
    size_t part_count;                /* number of entries in `part` */
    const collio_extent_t *range;     /* ranges to cut, ascending */
    size_t range_count;               /* number of entries in `range` */
    int64_t page_bytes;               /* unit of locks, in bytes */
    bool stripes;                     /* cut at the borders of stripes as well */
    size_t next;                      /* index of the current range; 0 at the start */
    int64_t from; /* first byte of the rest of the current range; 0: the whole range */
    int64_t done; /* end of the last piece; 0 at the start */
} mca_fs_lustre_lla_cut_t;

/** Gets first and last byte of the next piece. Returns false at the end. Pieces ascend and do not
 *  overlap. */
bool mca_fs_lustre_lla_cut_next(mca_fs_lustre_lla_cut_t *cut, int64_t *first, int64_t *last);

/** Returns the index of the part that contains a byte; -1: none. */
int mca_fs_lustre_lla_cut_part(const collio_lustre_part_t *part, size_t part_count, int64_t offset);

/** True if [first, last] is in one piece of one object. */
bool mca_fs_lustre_lla_cut_is_single(const collio_lustre_part_t *part, size_t part_count,
                                     int64_t first, int64_t last);

#endif /* MCA_FS_LUSTRE_LLA_CUT_H */
