/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_SPARE_H
#define COLLIO_SPARE_H

#include <pthread.h>
#include <stddef.h>

/**
 * One record that is kept back for the time when there is no memory. An open that fails on one rank
 * for want of a small record would leave the others waiting: io/ompio has no agreement there.
 */
typedef struct collio_spare_t {
    const size_t bytes;   /* bytes of the record */
    void *kept;           /* the record; NULL: in use */
    pthread_mutex_t lock; /* of `kept` */
} collio_spare_t;

#define COLLIO_SPARE(type)                            \
    {                                                 \
        sizeof(type), NULL, PTHREAD_MUTEX_INITIALIZER \
    }

/** Makes the record that is kept back, if there is none. */
void collio_spare_fill(collio_spare_t *spare);
/** A zeroed record for free(): new, or the one that was kept. NULL if neither is there. */
void *collio_spare_take(collio_spare_t *spare);
/** Frees the record that is kept back. */
void collio_spare_drop(collio_spare_t *spare);

#endif /* COLLIO_SPARE_H */
