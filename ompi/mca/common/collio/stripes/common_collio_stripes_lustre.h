/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_STRIPES_LUSTRE_H
#define MCA_COMMON_COLLIO_STRIPES_LUSTRE_H

#include "stripes/common_collio_llapi.h"

/** The layout of a file on Lustre, in all its parts: what lockahead has to know. */

/** A part of the file with one striping; plain layouts have one that goes on for ever. */
typedef struct mca_common_collio_lustre_part_t {
    int64_t start;
    int64_t end; /* exclusive; INT64_MAX = no end */
    int64_t stripe_bytes;
    int64_t stripe_count;
} mca_common_collio_lustre_part_t;

enum { MCA_COMMON_COLLIO_LUSTRE_PARTS = 16 };

typedef struct mca_common_collio_lustre_layout_t {
    int32_t part_count; /* 0 = not known */
    int32_t composite;
    uint32_t empty; /* bit p: part p has no objects on OSTs: not instantiated, or on the MDT */
    int32_t on_mdt; /* some component is on an MDT: no access there works with LOCKNOEXPAND */
    mca_common_collio_lustre_part_t part[MCA_COMMON_COLLIO_LUSTRE_PARTS];
} mca_common_collio_lustre_layout_t;

/** Reads a file's layout; what cannot be read is left as "not known". The path is used to find the
 *  number of OSTs; NULL: that is not needed. */
void mca_common_collio_lustre_read(int fd, const char *path,
                                   mca_common_collio_lustre_layout_t *layout);

/** The unit to align to: the stripe of the last part, or a multiple of it that suits the others as
 *  well. 0: not known. */
int64_t mca_common_collio_lustre_unit(const mca_common_collio_lustre_layout_t *layout);

#endif /* MCA_COMMON_COLLIO_STRIPES_LUSTRE_H */
