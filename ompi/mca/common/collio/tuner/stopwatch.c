/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Elapsed time and time asleep of a thread. See stopwatch.h.
 */
#define _GNU_SOURCE

#include "tuner/stopwatch.h"

#include <sys/resource.h>

#include "compat/clock.h"

static long count_switches(void)
{
    struct rusage usage = {0};

    (void) getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw;
}

void collio_stopwatch_start(collio_stopwatch_t *watch, bool closely)
{
    *watch = (collio_stopwatch_t){.closely = closely};
    if (closely) {
        watch->voluntary_switches = count_switches();
        watch->worked_ns = collio_clock(CLOCK_THREAD_CPUTIME_ID);
    }
    watch->started_ns = collio_now();
}

uint64_t collio_stopwatch_stop(collio_stopwatch_t *watch)
{
    uint64_t took = collio_now() - watch->started_ns, worked;

    if (watch->closely && count_switches() != watch->voluntary_switches) {
        worked = collio_clock(CLOCK_THREAD_CPUTIME_ID) - watch->worked_ns;
        watch->slept_ns = took > worked ? took - worked : 0;
    }
    return took;
}
