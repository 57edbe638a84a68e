/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Records that are reserved for an open that finds no memory. See spare.h.
 */
#include "hook/spare.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "core/debug_assert.h"

static _Atomic(void *) kept[COLLIO_SPARES]; /* NULL: in use */

void collio_spare_fill(void)
{
    for (int i = 0; i < COLLIO_SPARES; ++i) {
        if (NULL == kept[i]) {
            free(atomic_exchange(&kept[i], calloc(1, COLLIO_SPARE_BYTES)));
        }
    }
}

void *collio_spare_take(size_t bytes)
{
    void *record = calloc(1, bytes);

    COLLIO_ASSERT(bytes <= COLLIO_SPARE_BYTES);
    if (NULL != record) {
        collio_spare_fill();
        return record;
    }
    for (int i = 0; i < COLLIO_SPARES && NULL == record; ++i) {
        record = atomic_exchange(&kept[i], NULL);
    }
    return record;
}

void collio_spare_drop(void)
{
    for (int i = 0; i < COLLIO_SPARES; ++i) {
        free(atomic_exchange(&kept[i], NULL));
    }
}
