/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_CLOCK_H
#define COLLIO_CLOCK_H

#include <stdint.h>
#include <time.h>

/** Returns the time of a clock in nanoseconds. */
static inline uint64_t collio_clock(clockid_t clock)
{
    struct timespec now;

    (void) clock_gettime(clock, &now);
    return (uint64_t) now.tv_sec * UINT64_C(1000000000) + (uint64_t) now.tv_nsec;
}

/** Returns the time in nanoseconds, by the clock that measures all durations. */
static inline uint64_t collio_now(void)
{
    return collio_clock(CLOCK_MONOTONIC);
}

#endif /* COLLIO_CLOCK_H */
