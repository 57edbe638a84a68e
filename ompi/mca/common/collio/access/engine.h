/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_ENGINE_H
#define COLLIO_ENGINE_H

#include "access/access.h"

/** What runs asynchronous jobs. One file each: engine_threads.c, engine_libaio.c,
 *  engine_uring.c; engine.c chooses. */
typedef struct collio_engine_ops_t {
    collio_engine_t engine;
    const char *name;
    /** Can it work here and now? Called once; *why (static text) says why not. */
    bool (*probe)(const char **why);
    /** Can it take this job? (Else the threads do it.) NULL: any. */
    bool (*accepts)(const collio_job_t *job);
    /** Where its jobs go and finished ones are found (engine_queue.h). NULL: to the threads, which
     *  need no driving. */
    struct collio_queue_t *queue;
} collio_engine_ops_t;

/** 0, or -errno and nothing was started. What it stores in job->engine_data is freed before
 *  job->done is set. */
int collio_threads_start(collio_job_t *job);

extern const collio_engine_ops_t collio_engine_threads;
extern const collio_engine_ops_t collio_engine_libaio;
extern const collio_engine_ops_t collio_engine_uring;

/** Resolves a requested engine: the named one if it works here, the best one for AUTO, else the
 *  threads; *why = why a named one does not work (NULL if it does). */
collio_engine_t collio_engine_choose(collio_engine_t wish, const char **why);

/** "auto", "threads", "libaio", "io_uring". */
const char *collio_engine_name(collio_engine_t engine);

/** Runs a job here and now, and fills its outcome. */
void collio_engine_perform(collio_job_t *job);

void collio_engine_forget(void); /* in a forked child */

#endif /* COLLIO_ENGINE_H */
