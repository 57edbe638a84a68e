/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_ENGINE_H
#define COLLIO_ENGINE_H

#include "access/access.h"

/** What runs asynchronous jobs: threads (engine_threads.c), or a queue of the kernel
 *  (engine_queue.h). engine.c chooses. */

/** Resolves a requested engine: the named one if it works here, the best one for AUTO, else the
 *  threads; *why = why a named one does not work (NULL if it does). */
collio_engine_t collio_engine_choose(collio_engine_t named, const char **why);

/** "auto", "threads", "libaio", "io_uring". */
const char *collio_engine_name(collio_engine_t engine);

/** Gives a job to the threads. 0, or -errno and nothing was started. */
int collio_threads_start(collio_job_t *job);

#endif /* COLLIO_ENGINE_H */
