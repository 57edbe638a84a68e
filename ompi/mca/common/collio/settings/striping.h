/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_STRIPING_H
#define COLLIO_STRIPING_H

#include "compat/compat.h"

#include "stripes/stripes.h"

/**
 * Hints that choose the stripes of a new file, and their values in MPI_File_get_info:
 *
 *   striping_factor (stripe_width)    number of stripes, -1 = number of servers
 *   striping_unit   (stripe_size)     bytes of a stripe, a multiple of 64 KiB
 *   start_iodevice                    Lustre: index of the first OST
 *   collio_pool                       Lustre: name of an OST pool
 */

/** Reads the stripes that the hints request. Ignores an impossible value, and prints a line that
 *  begins with `who` ("fs/beegfs"). Only the rank that creates the file calls this. */
void collio_striping_wanted(opal_info_t *info, const char *who, collio_stripes_t *wanted);

/** Sets the hints to the true values. `has`: stripes of the file (0: unknown). `used`: stripes that
 *  the file was created with. Removes hints that were not used. Every rank calls this. */
void collio_striping_publish(opal_info_t *info, const collio_stripes_t *has,
                             const collio_stripes_t *used);

#endif /* COLLIO_STRIPING_H */
