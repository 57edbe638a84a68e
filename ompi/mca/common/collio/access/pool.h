/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_POOL_H
#define COLLIO_POOL_H

#include <stdbool.h>
#include <stddef.h>

#include "core/cores.h"

/** The thread pool of this process. Threads are created on first use, up to the largest number that
 *  a call has requested, and ended by pool_finalize(). */

enum { COLLIO_POOL_MAX = 64 }; /* maximum number of threads */

/** A piece of work. */
typedef struct collio_task_t {
    void (*run)(void *arg);     /* the work */
    void *arg;                  /* argument of `run` */
    struct collio_task_t *next; /* next task in the queue */
    int wanted;                 /* threads that may still begin the task; 0: not in the queue */
    int running;                /* joined task: threads that run the task */
    bool joined;                /* pool_run() waits for the task, and owns the struct */
} collio_task_t;

/** Runs `run(arg)` on up to `threads` threads at once, of which the caller is one; returns when
 *  all have returned. run() takes its work from `arg` until none is left, so the result does not
 *  depend on the number of threads. */
void collio_pool_run(int threads, void (*run)(void *arg), void *arg);

/** Queues a task for a thread. Waits while the queue is full. `threads`: minimum size of the pool.
 *  The caller keeps the struct until run() is called; no thread uses the struct after run() has
 *  returned. Returns 0 or -errno (no thread could be created; nothing was queued). */
int collio_pool_submit(collio_task_t *task, int threads);

/** Sets *flag and wakes its waiters. */
void collio_pool_signal(_Atomic int *flag);
/** Waits until *flag is set by pool_signal(). */
void collio_pool_wait(_Atomic int *flag);

/** Finds the cores of this process: the rank's own, and those of the job on this node to which no
 *  other rank is bound. `inherit`: the rank's own alone. */
void collio_cores_find(collio_cores_t *cores, bool inherit);

/** Sets whether threads that are created later inherit the binding of the rank (true), or may use
 *  all cores that cores_find() finds. */
void collio_pool_set_inherit(bool inherit);
/** Returns the cores on which the threads run. Finds them at the first call. */
const collio_cores_t *collio_pool_cores(void);

/** Runs the queued tasks, then ends and joins all threads. The pool can be used again. */
void collio_pool_finalize(void);

#endif /* COLLIO_POOL_H */
