/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * The thread pool. One queue, one mutex, two conditions:
 *
 *   submit() ---> queue ---> workers        `work`: something was queued, or the pool ends
 *   run()    ---/    |                      `done`: something was finished, or left the queue
 *              caller works too
 *
 * Locking rule: everything in `pool` and the state of tasks is under the mutex; a task runs without
 * it. run() puts its helpers in front of the queue (they are part of a transfer that somebody waits
 * for already), takes back those that no worker has begun, and waits for the others. So it cannot
 * hang even when it is itself run by a worker and all workers do the same.
 *
 * Workers block all signals: those are the application's. They are created by the first request
 * that wants threads, never before.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "access/pool.h"

enum { QUEUED = 1, RUNNING, FINISHED }; /* states of a helper task of run() */

static struct {
    pthread_mutex_t mutex;
    pthread_cond_t work;
    pthread_cond_t done;
    collio_task_t *first;
    collio_task_t *last;
    size_t queued;
    pthread_t threads[COLLIO_POOL_MOST];
    int size;
    bool pinned;
    bool ending;
} pool = {.mutex = PTHREAD_MUTEX_INITIALIZER,
          .work = PTHREAD_COND_INITIALIZER,
          .done = PTHREAD_COND_INITIALIZER};

void collio_pool_forget(void)
{
    pthread_mutex_init(&pool.mutex, NULL);
    pthread_cond_init(&pool.work, NULL);
    pthread_cond_init(&pool.done, NULL);
    pool.first = NULL;
    pool.last = NULL;
    pool.queued = 0;
    pool.size = 0;
    pool.pinned = false;
    pool.ending = false;
}

static collio_task_t *take_first(void)
{
    collio_task_t *task = pool.first;

    pool.first = task->next;
    if (NULL == pool.first) {
        pool.last = NULL;
    }
    pool.queued -= 1;
    return task;
}

static void *worker(void *unused)
{
    (void) unused;
    pthread_mutex_lock(&pool.mutex);
    for (;;) {
        collio_task_t *task;
        bool helper;

        while (NULL == pool.first && !pool.ending) {
            pthread_cond_wait(&pool.work, &pool.mutex);
        }
        if (NULL == pool.first) {
            break;
        }
        task = take_first();
        helper = QUEUED == task->state;
        if (helper) {
            task->state = RUNNING;
        }
        pthread_cond_broadcast(&pool.done); /* the queue has room */
        pthread_mutex_unlock(&pool.mutex);
        task->run(task->arg); /* a submitted task may be gone after this */
        pthread_mutex_lock(&pool.mutex);
        if (helper) {
            task->state = FINISHED;
            pthread_cond_broadcast(&pool.done);
        }
    }
    pthread_mutex_unlock(&pool.mutex);
    return NULL;
}

/* Thread `index` to one of the cores that the process may use: the caller's own comes last. */
static void pin_thread(int index)
{
    cpu_set_t allowed, one;
    int cores, wanted, seen = 0;

    if (0 != sched_getaffinity(getpid(), sizeof(allowed), &allowed)) {
        return;
    }
    cores = CPU_COUNT(&allowed);
    wanted = (index + 1) % cores;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (CPU_ISSET(cpu, &allowed) && seen++ == wanted) {
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            pthread_setaffinity_np(pool.threads[index], sizeof(one), &one);
            return;
        }
    }
}

/* The mutex is held. */
static void grow(int threads, bool pin)
{
    sigset_t all, before;

    if (COLLIO_POOL_MOST < threads) {
        threads = COLLIO_POOL_MOST;
    }
    if (pin && !pool.pinned) {
        pool.pinned = true;
        for (int i = 0; i < pool.size; ++i) {
            pin_thread(i);
        }
    }
    if (pool.size >= threads) {
        return;
    }
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (pool.size < threads
           && 0 == pthread_create(&pool.threads[pool.size], NULL, worker, NULL)) {
        if (pool.pinned) {
            pin_thread(pool.size);
        }
        pool.size += 1;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void take_back(collio_task_t *task)
{
    collio_task_t *previous = NULL;

    for (collio_task_t *at = pool.first; task != at; at = at->next) {
        previous = at;
    }
    if (NULL == previous) {
        pool.first = task->next;
    } else {
        previous->next = task->next;
    }
    if (task == pool.last) {
        pool.last = previous;
    }
    pool.queued -= 1;
    task->state = FINISHED;
}

void collio_pool_run(int threads, bool pin, void (*run)(void *arg), void *arg)
{
    collio_task_t helpers[COLLIO_POOL_MOST];
    int count = 0;

    pthread_mutex_lock(&pool.mutex);
    if (!pool.ending && 1 < threads) {
        grow(threads - 1, pin);
        count = threads - 1 < pool.size ? threads - 1 : pool.size;
    }
    for (int i = 0; i < count; ++i) {
        helpers[i].run = run;
        helpers[i].arg = arg;
        helpers[i].state = QUEUED;
        helpers[i].next = pool.first;
        pool.first = &helpers[i];
        if (NULL == pool.last) {
            pool.last = &helpers[i];
        }
        pool.queued += 1;
    }
    if (0 < count) {
        pthread_cond_broadcast(&pool.work);
    }
    pthread_mutex_unlock(&pool.mutex);

    run(arg);

    pthread_mutex_lock(&pool.mutex);
    for (int i = 0; i < count; ++i) {
        if (QUEUED == helpers[i].state) {
            take_back(&helpers[i]);
        }
        while (FINISHED != helpers[i].state) {
            pthread_cond_wait(&pool.done, &pool.mutex);
        }
    }
    pthread_mutex_unlock(&pool.mutex);
}

int collio_pool_submit(collio_task_t *task, int threads, bool pin, size_t most)
{
    int rc = 0;

    pthread_mutex_lock(&pool.mutex);
    if (!pool.ending) {
        grow(0 < threads ? threads : 1, pin);
    }
    if (pool.ending || 0 == pool.size) {
        rc = -EAGAIN;
    } else {
        while (pool.queued >= most) {
            pthread_cond_wait(&pool.done, &pool.mutex);
        }
        task->state = 0;
        task->next = NULL;
        if (NULL == pool.last) {
            pool.first = task;
        } else {
            pool.last->next = task;
        }
        pool.last = task;
        pool.queued += 1;
        pthread_cond_signal(&pool.work);
    }
    pthread_mutex_unlock(&pool.mutex);
    return rc;
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

int collio_pool_size(void)
{
    int size;

    pthread_mutex_lock(&pool.mutex);
    size = pool.size;
    pthread_mutex_unlock(&pool.mutex);
    return size;
}

void collio_pool_finalize(void)
{
    pthread_t threads[COLLIO_POOL_MOST];
    int size;

    pthread_mutex_lock(&pool.mutex);
    pool.ending = true;
    size = pool.size;
    for (int i = 0; i < size; ++i) {
        threads[i] = pool.threads[i];
    }
    pthread_cond_broadcast(&pool.work);
    pthread_mutex_unlock(&pool.mutex);
    for (int i = 0; i < size; ++i) {
        pthread_join(threads[i], NULL);
    }
    pthread_mutex_lock(&pool.mutex);
    pool.size = 0;
    pool.pinned = false;
    pool.ending = false;
    pthread_mutex_unlock(&pool.mutex);
}
