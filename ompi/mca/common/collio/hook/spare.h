/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_SPARE_H
#define COLLIO_SPARE_H

#include <stddef.h>

/**
 * Records that are reserved for an open that finds no memory. An open that failed on one rank for
 * lack of a small record would leave the other ranks waiting: io/ompio has no agreement then.
 */
enum {
    COLLIO_SPARES = 3,             /* records of one open: handle, file, agreement */
    COLLIO_SPARE_BYTES = 16 * 1024 /* bytes of each reserved record */
};

/** Reserves memory for the records of one open. */
void collio_spare_fill(void);
/** Returns a zeroed record of at most COLLIO_SPARE_BYTES, new or reserved; NULL if memory is short
 *  and the reserve is in use. The caller frees the record. */
void *collio_spare_take(size_t bytes);
/** Frees the reserve. */
void collio_spare_drop(void);

#endif /* COLLIO_SPARE_H */
