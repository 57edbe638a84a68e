/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_STOPWATCH_H
#define COLLIO_STOPWATCH_H

#include <stdbool.h>
#include <stdint.h>

/**
 * A stopwatch: how long something took in this thread, and how much of that the thread slept
 * (waited for a device). Being preempted does not count as sleep, because no other work could have
 * used that time.
 */
typedef struct collio_stopwatch_t {
    uint64_t started_ns;
    uint64_t worked_ns;      /* CPU time of this thread at start */
    long voluntary_switches; /* voluntary context switches (ru_nvcsw) of this thread at start */
    uint64_t slept_ns;       /* valid after stop; 0 unless `closely` */
    bool closely;
} collio_stopwatch_t;

/** closely: measure sleep as well, which costs a few system calls. */
void collio_stopwatch_start(collio_stopwatch_t *watch, bool closely);

/** Nanoseconds since the start. */
uint64_t collio_stopwatch_stop(collio_stopwatch_t *watch);

#endif /* COLLIO_STOPWATCH_H */
