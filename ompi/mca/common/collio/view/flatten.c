/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Flattening of datatypes and views to tilings. Cost: O(pieces of one element of the type).
 */
#include "view/flatten.h"

#include <errno.h>

#include "ompi/datatype/ompi_datatype.h"
#include "opal/datatype/opal_convertor.h"

enum {
    RAW_BATCH = 512,      /* pieces asked of the convertor at a time */
    COUNT_ABOVE = 8 << 20 /* bytes of a type; below, each could be a piece of its own */
};

/* Walks one element of `type` in type order by Open MPI's own convertor. Its pieces go to `tiling`,
 * if there is one; *count = their number before neighbours are joined. */
static int walk_type(ompi_datatype_t *type, collio_tiling_t *tiling, size_t *count)
{
    opal_convertor_t convertor;
    struct iovec raw[RAW_BATCH];
    int64_t missing = (int64_t) type->super.size;
    int rc = 0, finished = 0;

    *count = 0;
    OBJ_CONSTRUCT(&convertor, opal_convertor_t);
    if (OPAL_SUCCESS
        != opal_convertor_copy_and_prepare_for_send(ompi_mpi_local_convertor, &type->super, 1, NULL,
                                                    0, &convertor)) {
        rc = -EINVAL;
        goto out_cleanup;
    }
    while (0 == finished) {
        uint32_t pieces = RAW_BATCH;
        size_t bytes = 0;

        finished = opal_convertor_raw(&convertor, raw, &pieces, &bytes);
        for (uint32_t i = 0; NULL != tiling && i < pieces; ++i) {
            collio_tiling_add(tiling, (int64_t) (intptr_t) raw[i].iov_base,
                              (int64_t) raw[i].iov_len);
        }
        *count += pieces;
        missing -= (int64_t) bytes;
    }
    rc = 0 == missing ? 0 : -EINVAL;
out_cleanup:
    opal_convertor_cleanup(&convertor);
    OBJ_DESTRUCT(&convertor);
    return rc;
}

/* Room for the pieces of a type. What is not used is address space only, and given back when the
 * list is closed. A large type is walked to count them: what is touched would cost more. */
static int open_for_type(ompi_datatype_t *type, collio_tiling_t *tiling)
{
    size_t most = type->super.size;
    ptrdiff_t lb, extent;
    int rc = -ENOMEM;

    ompi_datatype_get_extent(type, &lb, &extent);
    if (most <= COUNT_ABOVE) {
        rc = collio_tiling_open(tiling, 0, (int64_t) extent, most);
    }
    if (-ENOMEM != rc) {
        return rc;
    }
    rc = walk_type(type, NULL, &most);
    return 0 != rc ? rc : collio_tiling_open(tiling, 0, (int64_t) extent, most);
}

int collio_flatten_type(ompi_datatype_t *type, collio_tiling_t *tiling)
{
    size_t pieces;
    int rc = open_for_type(type, tiling);

    if (0 != rc) {
        return rc;
    }
    if (0 < type->super.size) {
        rc = walk_type(type, tiling, &pieces);
    }
    collio_tiling_close(tiling);
    collio_tiling_fold(tiling);
    if (0 != rc) {
        collio_tiling_fini(tiling);
    }
    return rc;
}

int collio_flatten_list(const struct iovec *list, size_t count, int64_t extent,
                        collio_tiling_t *tiling)
{
    int rc = collio_tiling_open(tiling, 0, extent, count);

    if (0 != rc) {
        return rc;
    }
    for (size_t i = 0; i < count; ++i) {
        collio_tiling_add(tiling, (int64_t) (intptr_t) list[i].iov_base, (int64_t) list[i].iov_len);
    }
    collio_tiling_close(tiling);
    return 0;
}
