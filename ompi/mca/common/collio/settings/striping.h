/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_STRIPING_H
#define COLLIO_STRIPING_H

#include "compat/compat.h"

#include "stripes/stripes.h"

/**
 * Hints that choose the stripes of a new file, and what MPI_File_get_info returns of them:
 *
 *   striping_factor (stripe_width)    number of stripes, -1 = as many as there are servers
 *   striping_unit   (stripe_size)     bytes of a stripe, a multiple of 64 KiB
 *   start_iodevice                    Lustre: index of the first OST
 *   collio_pool                       Lustre: name of an OST pool
 */

/** What the hints ask for. A value that is not possible is left out, with a line that begins with
 *  `who` ("fs/beegfs"). For one rank: the one that creates the file. */
void collio_striping_wanted(opal_info_t *info, const char *who, collio_stripes_t *wanted);

/** Makes the hints true: `has` is what the file has (0: not known), `used` what it was created
 *  with. Hints that were not used are removed. Every rank. */
void collio_striping_publish(opal_info_t *info, const collio_stripes_t *has,
                             const collio_stripes_t *used);

#endif /* COLLIO_STRIPING_H */
