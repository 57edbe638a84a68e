/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Asynchronous jobs on the thread pool: a job is a task, and the task is an ordinary blocking
 * transfer, with packing, sieving, locks and helpers of its own. Works on every file.
 */
#include <errno.h>
#include <stdlib.h>

#include "access/access_transfer.h"
#include "access/engine.h"
#include "access/pool.h"

enum { QUEUE_DEPTH = 256 };

static void run_job(void *arg)
{
    collio_job_t *job = arg;
    collio_task_t *task = job->engine_data;
    uint64_t start = collio_now();

    collio_access_run(job);
    job->busy_ns = collio_now() - start;
    job->engine_data = NULL;
    free(task);
    collio_pool_signal(&job->done); /* the job may be gone after this */
}

int collio_threads_start(collio_job_t *job)
{
    collio_access_t *access = job->access;
    collio_task_t *task = malloc(sizeof(*task));
    int threads = access->threads > access->jobs ? access->threads : access->jobs;
    int rc;

    if (NULL == task) {
        return -ENOMEM;
    }
    task->run = run_job;
    task->arg = job;
    job->engine_data = task;
    rc = collio_pool_submit(task, threads, access->pin,
                            0 < access->queue_depth ? (size_t) access->queue_depth : QUEUE_DEPTH);
    if (0 != rc) {
        job->engine_data = NULL;
        free(task);
    }
    return rc;
}
