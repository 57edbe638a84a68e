/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/**
 * A record that is kept back for the time when there is no memory.
 */
#include "hook/common_collio_spare.h"

#include <stdlib.h>

void mca_common_collio_spare_fill(mca_common_collio_spare_t *spare)
{
    if (NULL == spare->kept) {
        spare->kept = calloc(1, spare->bytes);
    }
}

void *mca_common_collio_spare_take(mca_common_collio_spare_t *spare)
{
    void *record = calloc(1, spare->bytes);

    if (NULL == record) {
        record = spare->kept;
        spare->kept = NULL;
    } else {
        mca_common_collio_spare_fill(spare);
    }
    return record;
}

void mca_common_collio_spare_drop(mca_common_collio_spare_t *spare)
{
    free(spare->kept);
    spare->kept = NULL;
}
