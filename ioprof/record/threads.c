/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* Threads and child processes. */
#include "record/record.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct start {
    void *(*routine)(void *);
    void *argument;
    struct ioprof_thread from;
};

static void *start_thread(void *argument)
{
    struct start start = *(struct start *) argument;

    free(argument);
    ioprof_thread.in_mpi_file = start.from.in_mpi_file;
    ioprof_thread.in_library = start.from.in_library;
    return start.routine(start.argument);
}

/** A thread that MPI-IO makes works for MPI-IO, one that MPI_Init makes for the library, for good;
 *  so do the threads that those make. */
IOPROF_EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                                 void *(*routine)(void *), void *argument)
{
    struct start *start = NULL;
    int rc;

    if (ioprof_active && (ioprof_thread.in_mpi_file > 0 || ioprof_thread.in_library > 0)) {
        start = malloc(sizeof(*start));
    }
    if (NULL == start) {
        return IOPROF_NEXT(pthread_create)(thread, attributes, routine, argument);
    }
    *start = (struct start){routine, argument, ioprof_thread};
    rc = IOPROF_NEXT(pthread_create)(thread, attributes, start_thread, start);
    if (0 != rc) {
        free(start);
    }
    return rc;
}

static void forked(void)
{
    IOPROF_ADD(ioprof_me.forks, 1);
}

static void __attribute__((constructor)) watch_forks(void)
{
    (void) pthread_atfork(NULL, forked, ioprof_forget);
}

/** A child of vfork shares this process's memory: what it does would be counted here. POSIX allows
 *  vfork to be fork, whose child has counters of its own. */
IOPROF_EXPORT pid_t vfork(void)
{
    return fork();
}
