/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_SPARE_H
#define COLLIO_SPARE_H

#include <pthread.h>
#include <stddef.h>

/**
 * One record that is reserved for the case that there is no memory. An open that failed on one rank
 * for lack of a small record would leave the other ranks waiting: io/ompio has no agreement then.
 */
typedef struct collio_spare_t {
    const size_t bytes;   /* bytes of the record */
    void *kept;           /* the reserved record; NULL: in use */
    pthread_mutex_t lock; /* protects `kept` */
} collio_spare_t;

#define COLLIO_SPARE(type)                            \
    {                                                 \
        sizeof(type), NULL, PTHREAD_MUTEX_INITIALIZER \
    }

/** Allocates the reserved record, if there is none. */
void collio_spare_fill(collio_spare_t *spare);
/** Returns a zeroed record, new or the reserved one; NULL if there is none. The caller frees it. */
void *collio_spare_take(collio_spare_t *spare);
/** Frees the reserved record. */
void collio_spare_drop(collio_spare_t *spare);

#endif /* COLLIO_SPARE_H */
