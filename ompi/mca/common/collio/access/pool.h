/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_POOL_H
#define COLLIO_POOL_H

#include <stdbool.h>
#include <stddef.h>

/** The threads of this process: made on first use, as many as were ever asked for, ended by
 *  pool_finalize(). After fork() the child has none, and makes its own when it needs them. */

enum { COLLIO_POOL_MOST = 64 }; /* threads */

/** A piece of work. */
typedef struct collio_task_t {
    void (*run)(void *arg);     /* the work */
    void *arg;                  /* argument of `run` */
    struct collio_task_t *next; /* next task in the queue */
    int wanted;                 /* threads that may still begin the task; 0: not in the queue */
    int running;                /* threads of a joined task that have begun and not ended */
    bool joined;                /* pool_run() waits for the task, and owns the struct */
} collio_task_t;

/** Runs `run(arg)` on up to `threads` threads at once, the caller being one of them; returns when
 *  all have returned. run() takes its work from `arg` until none is left, so fewer threads than
 *  asked for do no harm. */
void collio_pool_run(int threads, void (*run)(void *arg), void *arg);

/** Queues `run` and `arg` of a task for a thread. Waits while the queue is full. `threads`:
 *  the size of the pool, at least. The caller keeps the struct until run() is called; no thread
 *  touches it when run() has returned. 0 or -errno (no thread could be created; nothing was
 *  queued). */
int collio_pool_submit(collio_task_t *task, int threads);

/** Sets *flag and wakes its waiters. */
void collio_pool_signal(_Atomic int *flag);
/** Waits until *flag is set by pool_signal(). */
void collio_pool_wait(_Atomic int *flag);

/** Threads alive. */
int collio_pool_size(void);

/** In a forked child: there are no threads. */
void collio_pool_forget(void);

/** Runs what is queued, ends and joins all threads. The pool can be used again afterwards. */
void collio_pool_finalize(void);

#endif /* COLLIO_POOL_H */
