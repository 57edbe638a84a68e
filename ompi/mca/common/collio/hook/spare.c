/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * A record that is reserved for the case that there is no memory. See spare.h.
 */
#include "hook/spare.h"

#include <stdlib.h>

void collio_spare_fill(collio_spare_t *spare)
{
    pthread_mutex_lock(&spare->lock);
    if (NULL == spare->kept) {
        spare->kept = calloc(1, spare->bytes);
    }
    pthread_mutex_unlock(&spare->lock);
}

/* Takes the reserved record. Returns NULL if there is none. */
static void *empty(collio_spare_t *spare)
{
    void *record;

    pthread_mutex_lock(&spare->lock);
    record = spare->kept;
    spare->kept = NULL;
    pthread_mutex_unlock(&spare->lock);
    return record;
}

void *collio_spare_take(collio_spare_t *spare)
{
    void *record = calloc(1, spare->bytes);

    if (NULL == record) {
        return empty(spare);
    }
    collio_spare_fill(spare);
    return record;
}

void collio_spare_drop(collio_spare_t *spare)
{
    free(empty(spare));
}
