/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_STOPWATCH_H
#define COLLIO_STOPWATCH_H

#include <stdbool.h>
#include <stdint.h>

/**
 * A stopwatch: measures the time between start and stop in this thread, and how much of it the
 * thread slept (waited for a device). Preemption does not count as sleep, because no other work
 * could have used that time.
 */
typedef struct collio_stopwatch_t {
    uint64_t started_ns;     /* time of the start */
    uint64_t worked_ns;      /* CPU time of this thread at start; 0 unless `closely` */
    long voluntary_switches; /* ru_nvcsw of this thread at start; 0 unless `closely` */
    uint64_t slept_ns;       /* time asleep, valid after stop; 0 unless `closely` */
    bool closely;            /* the stopwatch measures sleep */
} collio_stopwatch_t;

/** `closely`: measures sleep as well, which costs a few system calls. */
void collio_stopwatch_start(collio_stopwatch_t *watch, bool closely);

/** Returns the nanoseconds since the start. */
uint64_t collio_stopwatch_stop(collio_stopwatch_t *watch);

#endif /* COLLIO_STOPWATCH_H */
