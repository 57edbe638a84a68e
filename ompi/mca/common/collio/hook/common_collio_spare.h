/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_SPARE_H
#define MCA_COMMON_COLLIO_SPARE_H

#include <pthread.h>
#include <stddef.h>

/**
 * One record that is kept back for the time when there is no memory. An open that fails on one rank
 * for want of a small record would leave the others waiting: io/ompio has no agreement there.
 */
typedef struct mca_common_collio_spare_t {
    const size_t bytes;
    void *kept;
    pthread_mutex_t lock;
} mca_common_collio_spare_t;

#define MCA_COMMON_COLLIO_SPARE(type)                 \
    {                                                 \
        sizeof(type), NULL, PTHREAD_MUTEX_INITIALIZER \
    }

/** Makes the record that is kept back, if there is none. */
void mca_common_collio_spare_fill(mca_common_collio_spare_t *spare);
/** A zeroed record for free(): new, or the one that was kept. NULL if neither is there. */
void *mca_common_collio_spare_take(mca_common_collio_spare_t *spare);
void mca_common_collio_spare_drop(mca_common_collio_spare_t *spare);

#endif /* MCA_COMMON_COLLIO_SPARE_H */
