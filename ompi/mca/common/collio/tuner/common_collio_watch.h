/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_WATCH_H
#define MCA_COMMON_COLLIO_WATCH_H

#include <stdbool.h>
#include <stdint.h>

/**
 * How long something took in this thread, and how much of that it slept, waiting for a device. A
 * thread that only lost its core to another has not slept: that time is not there to be used.
 */
typedef struct mca_common_collio_watch_t {
    uint64_t started_ns;
    uint64_t worked_ns; /* of the processor, at the start */
    long naps;          /* the thread's own, at the start */
    uint64_t slept_ns;  /* after the stop; 0 if it was not asked for */
    bool closely;
} mca_common_collio_watch_t;

/** closely: sleep is of interest too, which costs a few system calls. */
void mca_common_collio_watch_start(mca_common_collio_watch_t *watch, bool closely);

/** Nanoseconds since the start. */
uint64_t mca_common_collio_watch_stop(mca_common_collio_watch_t *watch);

#endif /* MCA_COMMON_COLLIO_WATCH_H */
