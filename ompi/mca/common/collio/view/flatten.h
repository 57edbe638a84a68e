/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_FLATTEN_H
#define COLLIO_FLATTEN_H

#include "compat/compat.h"
#include "core/tiling.h"

/** Flattening itself; flat.c keeps the results. Both return 0, -ENOMEM or -EINVAL (a datatype that
 *  Open MPI cannot flatten). The caller calls tiling_fini() after 0. */

/** One element of `type`, folded where it is regular. */
int collio_flatten_type(ompi_datatype_t *type, collio_tiling_t *tiling);

/** A view that io/ompio has flattened. */
int collio_flatten_list(const struct iovec *list, size_t count, int64_t extent,
                        collio_tiling_t *tiling);

#endif /* COLLIO_FLATTEN_H */
