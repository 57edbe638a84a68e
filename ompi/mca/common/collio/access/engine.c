/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Asynchronous jobs: selects and drives the engine of a job.
 *
 * An engine is probed once per process, at its first use (a kernel or a container may refuse
 * functions that the library has). `auto` takes io_uring where it works, else the threads: both
 * are asynchronous for buffered files. libaio is asynchronous only for direct I/O (O_DIRECT), so
 * it is used only when named. Jobs that need Build-IO or sieving go to the threads in any case,
 * since a queue of the kernel cannot do them. Counters show the number of jobs per engine.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

#include "access/access_transfer.h"
#include "access/engine_queue.h"

static const char *const names[] = {
    [COLLIO_ENGINE_AUTO] = "auto",
    [COLLIO_ENGINE_THREADS] = "threads",
    [COLLIO_ENGINE_LIBAIO] = "libaio",
    [COLLIO_ENGINE_IO_URING] = "io_uring",
};
enum { ENGINES = sizeof(names) / sizeof(names[0]) };

/* NULL: threads, or an engine that this build does not have. */
static collio_kernel_queue_t *const queues[ENGINES] = {
#if COLLIO_HAVE_LIBAIO
    [COLLIO_ENGINE_LIBAIO] = &collio_kernel_libaio,
#endif
#if COLLIO_HAVE_LIBURING
    [COLLIO_ENGINE_IO_URING] = &collio_kernel_uring,
#endif
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct {
    bool known;      /* the engine was probed */
    const char *why; /* reason why the engine does not work; NULL: it works */
} probed[ENGINES];

static bool works(collio_engine_t engine, const char **why)
{
    *why = NULL;
    if (COLLIO_ENGINE_THREADS == engine) {
        return true;
    }
    if (NULL == queues[engine]) {
        *why = "collio was built without it";
        return false;
    }
    pthread_mutex_lock(&mutex);
    if (!probed[engine].known) {
        probed[engine].why = queues[engine]->probe();
        probed[engine].known = true;
    }
    *why = probed[engine].why;
    pthread_mutex_unlock(&mutex);
    return NULL == *why;
}

collio_engine_t collio_engine_choose(collio_engine_t named, const char **why)
{
    *why = NULL;
    if (COLLIO_ENGINE_AUTO == named) {
        const char *reason;

        return works(COLLIO_ENGINE_IO_URING, &reason) ? COLLIO_ENGINE_IO_URING
                                                      : COLLIO_ENGINE_THREADS;
    }
    return works(named, why) ? named : COLLIO_ENGINE_THREADS;
}

const char *collio_engine_name(collio_engine_t engine)
{
    return names[engine];
}

/* Runs on a thread: a blocking transfer, with packing, sieving, locks and more threads. */
static void run_job(void *arg)
{
    collio_job_t *job = arg;
    uint64_t start = collio_now();

    collio_access_run(job);
    job->busy_ns = collio_now() - start;
    collio_pool_signal(&job->done); /* the caller may free the job after this point */
}

/* Returns 0, or -errno if nothing was started. Counts before the start, because the caller may free
 * a job that was started. */
static int start_on(collio_engine_t engine, collio_job_t *job)
{
    const collio_access_t *access = job->access;
    int threads = (int) collio_max(access->tuning.threads, access->jobs);
    int rc;

    job->driver = engine;
    COLLIO_COUNT(access, submitted[engine], 1);
    if (NULL != queues[engine]) {
        rc = collio_kernel_start(queues[engine], job);
    } else {
        job->task = (collio_task_t){.run = run_job, .arg = job};
        rc = collio_pool_submit(&job->task, threads);
    }
    if (0 != rc) {
        COLLIO_COUNT(access, submitted[engine], UINT64_MAX);
    }
    return rc;
}

/* Starts the job on its engine, or on a thread if the queue of the kernel refuses the job. */
static int give_to_engine(collio_job_t *job)
{
    const char *why;
    collio_engine_t engine = collio_engine_choose((collio_engine_t) job->access->tuning.engine,
                                                  &why);
    int rc = start_on(engine, job);

    if (0 != rc && COLLIO_ENGINE_THREADS != engine) {
        rc = start_on(COLLIO_ENGINE_THREADS, job);
    }
    return rc;
}

/* Tries to get the lock of a job, then starts the job. The caller does not handle a failure to
 * start, so the job runs in the calling thread if no thread can be started. A job with
 * `caller_waits` also runs in the calling thread, which saves two thread switches. */
static void pursue_lock(collio_job_t *job)
{
    int rc = collio_job_lock_try(job);

    if (-EAGAIN == rc) {
        return;
    }
    if (0 != rc) {
        atomic_store(&job->done, 1);
    } else if (job->caller_waits || 0 != give_to_engine(job)) {
        collio_access_run(job);
        atomic_store(&job->done, 1);
    }
}

int collio_access_start(collio_job_t *job)
{
    collio_outcome_init(&job->outcome);
    job->busy_ns = 0;
    job->driver = COLLIO_ENGINE_THREADS;
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
    if (!atomic_load(&job->done) && NULL != queues[job->driver]) {
        collio_kernel_drive(queues[job->driver], false);
    }
    return 0 != atomic_load(&job->done);
}

void collio_access_wait(collio_job_t *job)
{
    while (job->lock.wanted) {
        collio_lock_pause(&job->lock.retry);
        pursue_lock(job);
    }
    if (NULL == queues[job->driver]) {
        collio_pool_wait(&job->done);
        return;
    }
    while (!atomic_load(&job->done)) {
        collio_kernel_drive(queues[job->driver], true);
    }
}

void collio_access_finalize(void)
{
    for (size_t i = 0; i < ENGINES; ++i) {
        if (NULL != queues[i]) {
            collio_kernel_finalize(queues[i]);
        }
    }
    collio_pool_finalize();
}
