/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_STOPWATCH_H
#define MCA_COMMON_COLLIO_STOPWATCH_H

#include <stdbool.h>
#include <stdint.h>

/**
 * A stopwatch: how long something took in this thread, and how much of that the thread slept
 * (waited for a device). Being preempted does not count as sleep, because no other work could have
 * used that time.
 */
typedef struct mca_common_collio_stopwatch_t {
    uint64_t started_ns;
    uint64_t worked_ns;      /* CPU time of this thread at start */
    long voluntary_switches; /* voluntary context switches (ru_nvcsw) of this thread at start */
    uint64_t slept_ns;       /* valid after stop; 0 unless `closely` */
    bool closely;
} mca_common_collio_stopwatch_t;

/** closely: measure sleep as well, which costs a few system calls. */
void mca_common_collio_stopwatch_start(mca_common_collio_stopwatch_t *watch, bool closely);

/** Nanoseconds since the start. */
uint64_t mca_common_collio_stopwatch_stop(mca_common_collio_stopwatch_t *watch);

#endif /* MCA_COMMON_COLLIO_STOPWATCH_H */
