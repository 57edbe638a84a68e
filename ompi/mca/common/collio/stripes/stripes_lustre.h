/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_STRIPES_LUSTRE_H
#define COLLIO_STRIPES_LUSTRE_H

#include "stripes/llapi.h"

/** The layout of a file on Lustre, with all parts, for lock-ahead. */

/** A part of the file with one striping; a plain layout has one part without an end. */
typedef struct collio_lustre_part_t {
    int64_t start;        /* first byte */
    int64_t end;          /* first byte past the part; INT64_MAX = no end */
    int64_t stripe_bytes; /* bytes of a stripe */
    int64_t stripe_count; /* number of stripes */
} collio_lustre_part_t;

enum { COLLIO_LUSTRE_PARTS = 16 }; /* maximum number of parts: the first ones, and the last */

typedef struct collio_lustre_layout_t {
    int32_t part_count; /* number of parts; 0 = unknown */
    int32_t composite;  /* a composite (progressive) layout */
    uint32_t empty;     /* bit p: part p has no objects on OSTs (not instantiated, or on the MDT) */
    int32_t on_mdt;     /* a component is on an MDT, where accesses with LOCKNOEXPAND fail */
    collio_lustre_part_t part[COLLIO_LUSTRE_PARTS]; /* the parts, ascending */
} collio_lustre_layout_t;

/** Reads the layout of a file; values that cannot be read stay unknown. The path serves to find the
 *  number of OSTs; NULL: the number is not needed. */
void collio_lustre_read(int fd, const char *path, collio_lustre_layout_t *layout);

/** Returns the unit to align to: the bytes of a stripe of the last part, or a multiple that suits
 *  the other parts as well. 0: unknown. */
int64_t collio_lustre_unit(const collio_lustre_layout_t *layout);

#endif /* COLLIO_STRIPES_LUSTRE_H */
