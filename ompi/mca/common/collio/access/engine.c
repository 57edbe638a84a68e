/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Asynchronous jobs: which engine runs them, and how they are driven.
 *
 * An engine is probed once per process, when it is first wished for (a kernel or a container may
 * refuse what the library offers). `auto` takes io_uring where it works, else the threads: both
 * are asynchronous for buffered files. libaio is not, unless the transfer is direct (O_DIRECT), so
 * it is used only when named. Jobs that need Build-IO or sieving go to the threads in any case,
 * since a queue of the kernel cannot do them; the counters tell who did what.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

#include "access/access_transfer.h"
#include "access/engine.h"
#include "access/engine_queue.h"
#include "access/lock.h"
#include "access/pool.h"

static const collio_engine_ops_t *const engines[] = {
    [COLLIO_ENGINE_AUTO] = NULL,
    [COLLIO_ENGINE_THREADS] = &collio_engine_threads,
    [COLLIO_ENGINE_LIBAIO] = &collio_engine_libaio,
    [COLLIO_ENGINE_IO_URING] = &collio_engine_uring,
};
enum { ENGINES = sizeof(engines) / sizeof(engines[0]) };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct {
    bool known;
    bool works;
    const char *why;
} probed[ENGINES];

static bool works(collio_engine_t engine, const char **why)
{
    bool result;

    pthread_mutex_lock(&mutex);
    if (!probed[engine].known) {
        probed[engine].works = engines[engine]->probe(&probed[engine].why);
        probed[engine].known = true;
    }
    result = probed[engine].works;
    *why = probed[engine].why;
    pthread_mutex_unlock(&mutex);
    return result;
}

collio_engine_t collio_engine_choose(collio_engine_t wish, const char **why)
{
    *why = NULL;
    if (COLLIO_ENGINE_AUTO == wish) {
        const char *reason;

        return works(COLLIO_ENGINE_IO_URING, &reason) ? COLLIO_ENGINE_IO_URING
                                                      : COLLIO_ENGINE_THREADS;
    }
    return works(wish, why) ? wish : COLLIO_ENGINE_THREADS;
}

const char *collio_engine_name(collio_engine_t engine)
{
    return COLLIO_ENGINE_AUTO == engine ? "auto" : engines[engine]->name;
}

void collio_engine_perform(collio_job_t *job)
{
    uint64_t start = collio_now();

    collio_job_refresh(job);
    if (NULL == job->segments) {
        collio_access_request_held(job, job->lock.held, &job->outcome);
    } else {
        collio_access_transfer(job->access, job->write, job->lock.held, job->segments, job->count,
                               &job->outcome);
    }
    collio_job_unlock(job, &job->outcome);
    job->busy_ns = collio_now() - start;
}

static void watch_fork(void)
{
    collio_access_at_fork(collio_engine_forget);
    collio_access_at_fork(collio_lock_forget);
    collio_access_at_fork(collio_buffer_forget);
}

/* 0, or -errno and nothing was started. */
static int give_to_engine(collio_job_t *job)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    collio_engine_t engine = job->driver;
    int rc;

    pthread_once(&once, watch_fork);

    /* before it starts: afterwards the job may be done and gone */
    collio_count(&job->access->stats->submitted[engine], 1);
    rc = NULL == engines[engine]->queue ? collio_threads_start(job)
                                        : collio_queue_start(engines[engine]->queue, job);
    if (0 != rc) {
        collio_count(&job->access->stats->submitted[engine], UINT64_MAX);
    }
    return rc;
}

/* A job that waits for its lock: tries to get it, and then starts. Its caller does not expect a
 * failure to start any more, so it is done here if no thread can be started. */
static void pursue_lock(collio_job_t *job)
{
    int rc = collio_job_lock_try(job);

    if (-EAGAIN == rc) {
        return;
    }
    if (0 != rc) {
        atomic_store(&job->done, 1);
    } else if (0 != give_to_engine(job)) {
        collio_engine_perform(job);
        atomic_store(&job->done, 1);
    }
}

int collio_access_start(collio_job_t *job)
{
    const char *why;
    collio_engine_t engine = collio_engine_choose(job->access->engine, &why);

    if (NULL != engines[engine]->accepts && !engines[engine]->accepts(job)) {
        engine = COLLIO_ENGINE_THREADS;
    }
    collio_outcome_init(&job->outcome);
    job->busy_ns = 0;
    job->engine_data = NULL;
    job->driver = engine;
    atomic_store(&job->done, 0);
    collio_job_lock_init(job);
    if (job->lock.wanted) {
        pursue_lock(job);
        return 0;
    }
    return give_to_engine(job);
}

bool collio_access_test(collio_job_t *job)
{
    if (job->lock.wanted) {
        pursue_lock(job);
    }
    if (!atomic_load(&job->done) && NULL != engines[job->driver]->queue) {
        collio_queue_drive(engines[job->driver]->queue, false);
    }
    return 0 != atomic_load(&job->done);
}

void collio_access_wait(collio_job_t *job)
{
    while (job->lock.wanted) {
        collio_lock_pause(&job->lock.retry);
        pursue_lock(job);
    }
    if (NULL == engines[job->driver]->queue) {
        collio_pool_wait(&job->done);
        return;
    }
    while (!atomic_load(&job->done)) {
        collio_queue_drive(engines[job->driver]->queue, true);
    }
}

void collio_access_finalize(void)
{
    for (size_t i = 0; i < ENGINES; ++i) {
        if (NULL != engines[i] && NULL != engines[i]->queue) {
            collio_queue_finalize(engines[i]->queue);
        }
    }
    collio_pool_finalize();
    collio_buffer_drop_all();
}

void collio_engine_forget(void)
{
    pthread_mutex_init(&mutex, NULL);
    for (size_t i = 0; i < ENGINES; ++i) {
        if (NULL != engines[i] && NULL != engines[i]->queue) {
            collio_queue_forget(engines[i]->queue);
        }
    }
}
