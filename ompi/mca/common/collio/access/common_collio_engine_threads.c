/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Asynchronous jobs on the thread pool: a job is a task, and the task is an ordinary blocking
 * transfer, with packing, sieving, locks and helpers of its own. Works on every file.
 */
#include <errno.h>
#include <stdlib.h>

#include "access/common_collio_access_transfer.h"
#include "access/common_collio_engine.h"
#include "access/common_collio_pool.h"

enum { QUEUE_DEPTH = 256 };

static bool probe(const char **why)
{
    *why = NULL;
    return true;
}

static void run_job(void *arg)
{
    mca_common_collio_job_t *job = arg;
    mca_common_collio_task_t *task = job->engine_data;

    mca_common_collio_engine_perform(job);
    job->engine_data = NULL;
    free(task);
    mca_common_collio_pool_signal(&job->done); /* the job may be gone after this */
}

int mca_common_collio_threads_start(mca_common_collio_job_t *job)
{
    mca_common_collio_access_t *access = job->access;
    mca_common_collio_task_t *task = malloc(sizeof(*task));
    int threads = access->threads > access->jobs ? access->threads : access->jobs;
    int rc;

    if (NULL == task) {
        return -ENOMEM;
    }
    task->run = run_job;
    task->arg = job;
    job->engine_data = task;
    rc = mca_common_collio_pool_submit(task, threads, access->pin,
                                       0 < access->queue_depth ? (size_t) access->queue_depth
                                                               : QUEUE_DEPTH);
    if (0 != rc) {
        job->engine_data = NULL;
        free(task);
    }
    return rc;
}

const mca_common_collio_engine_ops_t mca_common_collio_engine_threads = {
    .engine = MCA_COMMON_COLLIO_ENGINE_THREADS,
    .name = "threads",
    .probe = probe,
};
