/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_STRIPES_LUSTRE_H
#define COLLIO_STRIPES_LUSTRE_H

#include "stripes/llapi.h"

/** The layout of a file on Lustre, in all its parts: what lockahead has to know. */

/** A part of the file with one striping; plain layouts have one that goes on for ever. */
typedef struct collio_lustre_part_t {
    int64_t start;
    int64_t end; /* exclusive; INT64_MAX = no end */
    int64_t stripe_bytes;
    int64_t stripe_count;
} collio_lustre_part_t;

enum { COLLIO_LUSTRE_PARTS = 16 };

typedef struct collio_lustre_layout_t {
    int32_t part_count; /* 0 = not known */
    int32_t composite;
    uint32_t empty; /* bit p: part p has no objects on OSTs: not instantiated, or on the MDT */
    int32_t on_mdt; /* some component is on an MDT: no access there works with LOCKNOEXPAND */
    collio_lustre_part_t part[COLLIO_LUSTRE_PARTS];
} collio_lustre_layout_t;

/** Reads a file's layout; what cannot be read is left as "not known". The path is used to find the
 *  number of OSTs; NULL: that is not needed. */
void collio_lustre_read(int fd, const char *path, collio_lustre_layout_t *layout);

/** The unit to align to: the stripe of the last part, or a multiple of it that suits the others as
 *  well. 0: not known. */
int64_t collio_lustre_unit(const collio_lustre_layout_t *layout);

#endif /* COLLIO_STRIPES_LUSTRE_H */
