/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_ENGINE_QUEUE_H
#define COLLIO_ENGINE_QUEUE_H

#include <pthread.h>
#include <sys/uio.h>

#include "access/engine.h"

/** What io_uring and libaio have in common: jobs become operations (one per run of neighbouring
 *  segments), operations go through a queue of the kernel, and their completions are collected. */

struct collio_queue_job_t;

/** One vector at one place of the file. */
typedef struct collio_queue_op_t {
    struct collio_queue_job_t *owner;
    int64_t offset; /* of what is left */
    int64_t left;   /* bytes */
    int64_t moved;  /* bytes */
    struct iovec *iov;
    int iov_count;
    int error;
    int again;      /* consecutive EAGAIN */
    bool withdrawn; /* was tried again without an advice */
    void *kernel;   /* the backend's own */
} collio_queue_op_t;

typedef struct collio_queue_job_t {
    struct collio_queue_job_t *next; /* among those with operations to submit */
    collio_job_t *job;
    collio_segment_t *built; /* of a whole request */
    struct iovec *iov;
    collio_queue_op_t *ops;
    size_t count;
    size_t submitted;
    size_t finished;
    bool queued; /* in the queue's list */
    bool failed; /* submit no more */
    int fd;
    uint64_t start_ns;
} collio_queue_job_t;

/** A queue of the kernel. All calls come under the queue's mutex. */
typedef struct collio_queue_backend_t {
    int (*open)(int depth); /* 0 or -errno */
    void (*close)(void);
    void (*forget)(void);
    /** The descriptor to use for a job (may be another one than access->fd). */
    int (*descriptor)(const collio_queue_job_t *job);
    void (*release)(const collio_queue_job_t *job);
    int (*push)(collio_queue_op_t *op, bool write, int fd); /* 0 or -errno */
    /** The next completion: false if there is none (after about `wait_ns`, when waiting). */
    bool (*pop)(int64_t wait_ns, collio_queue_op_t **op, int64_t *result);
    size_t kernel_bytes; /* of op->kernel */
} collio_queue_backend_t;

typedef struct collio_queue_t {
    const collio_queue_backend_t *backend;
    pthread_mutex_t mutex;
    bool open;
    int depth;
    int in_flight;
    collio_queue_job_t *first; /* jobs with operations to submit */
    collio_queue_job_t *last;
} collio_queue_t;

/** Can a queue take this job: no lock, no sieving, no packing needed, and few pieces? */
bool collio_queue_accepts(const collio_job_t *job);

/** 0, or -errno and nothing was started. */
int collio_queue_start(collio_queue_t *queue, collio_job_t *job);
/** Collects completions. Does not block, unless `wait`: then until one transfer has finished. */
void collio_queue_drive(collio_queue_t *queue, bool wait);
void collio_queue_finalize(collio_queue_t *queue);
void collio_queue_forget(collio_queue_t *queue); /* in a forked child */

#endif /* COLLIO_ENGINE_QUEUE_H */
