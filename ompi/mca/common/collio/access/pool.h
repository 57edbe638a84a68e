/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_POOL_H
#define COLLIO_POOL_H

#include <stdbool.h>
#include <stddef.h>

/** The threads of this process: made on first use, as many as were ever asked for, ended by
 *  pool_finalize(). After fork() the child has none, and makes its own when it needs them. */

enum { COLLIO_POOL_MOST = 64 };

/** A piece of work. The owner keeps it until it was run or cancelled. */
typedef struct collio_task_t {
    void (*run)(void *arg);     /* the work */
    void *arg;                  /* argument of `run` */
    struct collio_task_t *next; /* next task in the queue */
    int state;                  /* of the pool */
} collio_task_t;

/** Runs `run(arg)` on up to `threads` threads at once, the caller being one of them; returns when
 *  all have returned. run() takes its work from `arg` until none is left, so fewer threads than
 *  asked for do no harm. */
void collio_pool_run(int threads, bool pin, void (*run)(void *arg), void *arg);

/** Queues a task for a thread of its own. Waits while `most` tasks are queued. `threads`: how many
 *  the pool shall have. The task may be gone when run() returns: nothing touches it afterwards.
 *  0 or -errno (no thread could be created; nothing was queued). */
int collio_pool_submit(collio_task_t *task, int threads, bool pin, size_t most);

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
