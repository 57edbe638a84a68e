/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * The thread pool. One queue, one mutex, two conditions:
 *
 *   submit() ---> queue ---> workers        `work`: something was queued, or the pool ends
 *   run()    ---/    |                      `done`: a task was finished, or left the queue
 *              caller works too
 *
 * Locking rule: the mutex protects `pool` and all tasks; a task runs without the mutex. run() puts
 * its task in front of the queue, because its caller waits for the transfer. A worker leaves a task
 * in the queue as long as more threads may begin the task. When the caller of run() has done its
 * own part, it takes the task out of the queue and waits for the workers that have begun the task.
 * So run() cannot hang even when all workers call it.
 *
 * Workers block all signals, which belong to the application. The first request that needs threads
 * creates them. A worker runs on cores of the job that no other rank is bound to (cores.c): with
 * the binding of the rank, all workers would share the core of the caller.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "access/pool.h"

enum { QUEUED_MAX = 256 }; /* tasks that wait for a thread */

static struct {
    pthread_mutex_t mutex;              /* protects this struct and all tasks */
    pthread_cond_t work;                /* a task was queued, or the pool ends */
    pthread_cond_t done;                /* a task was finished, or left the queue */
    collio_task_t *first;               /* first task of the queue */
    size_t queued;                      /* tasks in the queue */
    pthread_t threads[COLLIO_POOL_MAX]; /* workers */
    int size;                           /* number of workers */
    bool ending;                        /* finalize() runs: no task is accepted */
    bool inherit;                       /* workers keep the binding of the rank */
    bool cores_known;                   /* `cores` is valid, and does not change any more */
    collio_cores_t cores;               /* cores of the workers */
} pool = {.mutex = PTHREAD_MUTEX_INITIALIZER,
          .work = PTHREAD_COND_INITIALIZER,
          .done = PTHREAD_COND_INITIALIZER};

/* Puts a task before *at. */
static void pool_enqueue(collio_task_t **at, collio_task_t *task)
{
    task->next = *at;
    *at = task;
    pool.queued += 1;
}

static void dequeue(collio_task_t *task)
{
    collio_task_t **at = &pool.first;

    while (task != *at) {
        at = &(*at)->next;
    }
    *at = task->next;
    task->wanted = 0;
    pool.queued -= 1;
    pthread_cond_broadcast(&pool.done);
}

/* Runs the first task. The owner of a task that is not joined may free it when run() returns. */
static void run_first(void)
{
    collio_task_t *task = pool.first;
    bool joined = task->joined;

    task->running += 1;
    if (0 == --task->wanted) {
        dequeue(task);
    }
    pthread_mutex_unlock(&pool.mutex);
    task->run(task->arg);
    pthread_mutex_lock(&pool.mutex);
    if (joined) {
        task->running -= 1;
        pthread_cond_broadcast(&pool.done);
    }
}

/* Finds the cores of the workers. The caller holds the mutex. */
static void know_cores(void)
{
    if (!pool.cores_known) {
        collio_cores_find(&pool.cores, pool.inherit);
        pool.cores_known = true;
    }
}

void collio_pool_set_inherit(bool inherit)
{
    pthread_mutex_lock(&pool.mutex);
    pool.inherit = inherit;
    pthread_mutex_unlock(&pool.mutex);
}

const collio_cores_t *collio_pool_cores(void)
{
    pthread_mutex_lock(&pool.mutex);
    know_cores();
    pthread_mutex_unlock(&pool.mutex);
    return &pool.cores;
}

static void *worker(void *unused)
{
    (void) unused;
    pthread_mutex_lock(&pool.mutex);
    while (NULL != pool.first || !pool.ending) {
        if (NULL != pool.first) {
            run_first();
        } else {
            pthread_cond_wait(&pool.work, &pool.mutex);
        }
    }
    pthread_mutex_unlock(&pool.mutex);
    return NULL;
}

/* Creates a worker. If its mask cannot be changed, it keeps that of its creator, which is slower
 * but right. Returns false if there is no thread. */
static bool add_worker(void)
{
    pthread_t *thread = &pool.threads[pool.size];

    if (0 != pthread_create(thread, NULL, worker, NULL)) {
        return false;
    }
    if (!pool.inherit) {
        (void) pthread_setaffinity_np(*thread, sizeof(pool.cores), (const cpu_set_t *) &pool.cores);
    }
    pool.size += 1;
    return true;
}

/* Creates workers until there are `threads`. The caller holds the mutex. */
static void grow(int threads)
{
    sigset_t all, before;

    if (COLLIO_POOL_MAX < threads) {
        threads = COLLIO_POOL_MAX;
    }
    if (pool.size >= threads) {
        return;
    }
    know_cores();
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (pool.size < threads && add_worker()) {
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void collio_pool_run(int threads, void (*run)(void *arg), void *arg)
{
    collio_task_t task = {.run = run, .arg = arg, .joined = true};

    pthread_mutex_lock(&pool.mutex);
    if (!pool.ending && 1 < threads) {
        grow(threads - 1);
        task.wanted = threads - 1 < pool.size ? threads - 1 : pool.size;
    }
    if (0 < task.wanted) {
        pool_enqueue(&pool.first, &task);
        pthread_cond_broadcast(&pool.work);
    }
    pthread_mutex_unlock(&pool.mutex);

    run(arg);

    pthread_mutex_lock(&pool.mutex);
    if (0 < task.wanted) {
        dequeue(&task);
    }
    while (0 < task.running) {
        pthread_cond_wait(&pool.done, &pool.mutex);
    }
    pthread_mutex_unlock(&pool.mutex);
}

int collio_pool_submit(collio_task_t *task, int threads)
{
    collio_task_t **end = &pool.first;

    pthread_mutex_lock(&pool.mutex);
    if (!pool.ending) {
        grow(0 < threads ? threads : 1);
    }
    if (pool.ending || 0 == pool.size) {
        pthread_mutex_unlock(&pool.mutex);
        return -EAGAIN;
    }
    while (pool.queued >= QUEUED_MAX) {
        pthread_cond_wait(&pool.done, &pool.mutex);
    }
    while (NULL != *end) {
        end = &(*end)->next;
    }
    task->joined = false;
    task->wanted = 1;
    pool_enqueue(end, task);
    pthread_cond_signal(&pool.work);
    pthread_mutex_unlock(&pool.mutex);
    return 0;
}

void collio_pool_signal(_Atomic int *flag)
{
    pthread_mutex_lock(&pool.mutex);
    atomic_store(flag, 1);
    pthread_cond_broadcast(&pool.done);
    pthread_mutex_unlock(&pool.mutex);
}

void collio_pool_wait(_Atomic int *flag)
{
    pthread_mutex_lock(&pool.mutex);
    while (!atomic_load(flag)) {
        pthread_cond_wait(&pool.done, &pool.mutex);
    }
    pthread_mutex_unlock(&pool.mutex);
}

void collio_pool_finalize(void)
{
    pthread_mutex_lock(&pool.mutex);
    pool.ending = true; /* `threads` and `size` do not change after this point */
    pthread_cond_broadcast(&pool.work);
    pthread_mutex_unlock(&pool.mutex);
    for (int i = 0; i < pool.size; ++i) {
        pthread_join(pool.threads[i], NULL);
    }
    pthread_mutex_lock(&pool.mutex);
    pool.size = 0;
    pool.ending = false;
    pthread_mutex_unlock(&pool.mutex);
}
