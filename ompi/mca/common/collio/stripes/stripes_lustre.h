/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_STRIPES_LUSTRE_H
#define COLLIO_STRIPES_LUSTRE_H

#include "stripes/llapi.h"

/** The layout of a file on Lustre, in all its parts: what lockahead has to know. */

/** A part of the file with one striping; a plain layout has one part without an end. */
typedef struct collio_lustre_part_t {
    int64_t start;        /* first byte */
    int64_t end;          /* first byte behind the part; INT64_MAX = no end */
    int64_t stripe_bytes; /* bytes of a stripe */
    int64_t stripe_count; /* number of stripes */
} collio_lustre_part_t;

enum { COLLIO_LUSTRE_PARTS = 16 }; /* parts that are kept: the first ones, and the last */

typedef struct collio_lustre_layout_t {
    int32_t part_count; /* number of parts; 0 = not known */
    int32_t composite;  /* a composite (progressive) layout */
    uint32_t empty;     /* bit p: part p has no objects on OSTs: not instantiated, or on the MDT */
    int32_t on_mdt;     /* a component is on an MDT: accesses fail there with LOCKNOEXPAND */
    collio_lustre_part_t part[COLLIO_LUSTRE_PARTS]; /* the parts, ascending */
} collio_lustre_layout_t;

/** Reads a file's layout; what cannot be read is left as "not known". The path is used to find the
 *  number of OSTs; NULL: that is not needed. */
void collio_lustre_read(int fd, const char *path, collio_lustre_layout_t *layout);

/** The unit to align to: the stripe of the last part, or a multiple of it that suits the others as
 *  well. 0: not known. */
int64_t collio_lustre_unit(const collio_lustre_layout_t *layout);

#endif /* COLLIO_STRIPES_LUSTRE_H */
