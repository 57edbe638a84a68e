/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_COMPAT_THREADS_PTHREADS_THREADS_H
#define COLLIO_COMPAT_THREADS_PTHREADS_THREADS_H

/** Stands in for a header Open MPI does not install: see threads_pthreads_mutex.h. */

#include <pthread.h>
#include <sched.h>

static inline void opal_thread_yield(void)
{
    sched_yield();
}

#endif /* COLLIO_COMPAT_THREADS_PTHREADS_THREADS_H */
