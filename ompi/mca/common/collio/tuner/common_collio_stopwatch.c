/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/**
 * Time asleep. See stopwatch.h.
 */
#define _GNU_SOURCE

#include "tuner/common_collio_stopwatch.h"

#include <sys/resource.h>

#include "core/common_collio_clock.h"

static long count_switches(void)
{
    struct rusage usage = {0};

    (void) getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw;
}

void mca_common_collio_stopwatch_start(mca_common_collio_stopwatch_t *watch, bool closely)
{
    *watch = (mca_common_collio_stopwatch_t){.closely = closely};
    if (closely) {
        watch->voluntary_switches = count_switches();
        watch->worked_ns = mca_common_collio_clock(CLOCK_THREAD_CPUTIME_ID);
    }
    watch->started_ns = mca_common_collio_now();
}

uint64_t mca_common_collio_stopwatch_stop(mca_common_collio_stopwatch_t *watch)
{
    uint64_t took = mca_common_collio_now() - watch->started_ns, worked;

    if (watch->closely && count_switches() != watch->voluntary_switches) {
        worked = mca_common_collio_clock(CLOCK_THREAD_CPUTIME_ID) - watch->worked_ns;
        watch->slept_ns = took > worked ? took - worked : 0;
    }
    return took;
}
