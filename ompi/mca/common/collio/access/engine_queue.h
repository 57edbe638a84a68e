/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_ENGINE_QUEUE_H
#define COLLIO_ENGINE_QUEUE_H

#include "collio_config.h"

#include <pthread.h>
#include <sys/uio.h>

#include "access/engine.h"

/** Jobs on a queue of the kernel, io_uring or libaio: a job becomes operations (one per run of
 *  neighboring segments), operations go through the queue, and their completions are collected. */

struct collio_kernel_job_t;

/** One vector at one place of the file. */
typedef struct collio_kernel_op_t {
    struct collio_kernel_job_t *owner; /* the job of the operation */
    int64_t offset;                    /* file offset of the first byte that is left */
    int64_t left;                      /* bytes that are left */
    int64_t moved;                     /* bytes that were transferred */
    struct iovec *iov;                 /* memory that is left */
    int iov_count;                     /* number of entries in `iov` */
    int error;                         /* 0, or the errno that ended the operation */
    int again;                         /* consecutive EAGAIN */
    bool withdrawn;                    /* was tried again without an advice */
    void *kernel;                      /* memory of the backend */
} collio_kernel_op_t;

typedef struct collio_kernel_job_t {
    struct collio_kernel_job_t *next; /* next job with operations to submit */
    collio_job_t *job;                /* the job of the caller */
    collio_segment_t *built;          /* segments of a whole request; NULL for a list */
    struct iovec *iov;                /* vectors of all operations */
    collio_kernel_op_t *ops;          /* all operations */
    size_t count;                     /* number of operations */
    size_t submitted;                 /* operations that were submitted */
    size_t finished;                  /* operations that are over */
    bool queued;                      /* in the list of jobs with operations to submit */
    bool failed;                      /* an operation failed: no more are submitted */
    int fd;                           /* descriptor for the operations */
    uint64_t start_ns;                /* time of the start */
} collio_kernel_job_t;

/** An interface of the kernel. All calls but the first two come under the mutex of the queue. */
typedef struct collio_kernel_backend_t {
    /** NULL if the interface works here and now, else a static text that says why not. */
    const char *(*probe)(void);
    /** Can the backend take this job, which the queue accepts? NULL: yes. */
    bool (*accepts)(const collio_job_t *job);
    /** 0 or -errno. */
    int (*open)(int depth);
    void (*close)(void);
    /** In a forked child, instead of close. */
    void (*forget)(void);
    /** Another descriptor for a job than access->fd, and its release. NULL: access->fd. */
    int (*descriptor)(const collio_kernel_job_t *job);
    void (*release)(const collio_kernel_job_t *job);
    /** Submits an operation: 0 or -errno. */
    int (*push)(collio_kernel_op_t *op, bool write, int fd);
    /** The next completion: false if there is none (after about `wait_ns`, when waiting). */
    bool (*pop)(int64_t wait_ns, collio_kernel_op_t **op, int64_t *result);
    /** Bytes of op->kernel. */
    size_t kernel_bytes;
} collio_kernel_backend_t;

typedef struct collio_kernel_queue_t {
    const collio_kernel_backend_t *backend; /* the interface of the kernel */
    pthread_mutex_t mutex;                  /* of everything below */
    bool open;                              /* the backend is open */
    int depth;                              /* operations in flight, at most */
    int in_flight;                          /* operations in flight */
    collio_kernel_job_t *first;             /* first job with operations to submit */
    collio_kernel_job_t *last;              /* last job with operations to submit */
} collio_kernel_queue_t;

/** Those that this build has. */
extern collio_kernel_queue_t collio_kernel_libaio;
extern collio_kernel_queue_t collio_kernel_uring;

/** Can the queue take this job: no lock, no sieving, no packing needed, and few pieces? */
bool collio_kernel_accepts(const collio_kernel_queue_t *queue, const collio_job_t *job);

/** 0, or -errno and nothing was started. */
int collio_kernel_start(collio_kernel_queue_t *queue, collio_job_t *job);
/** Collects completions. Does not block, unless `wait`: then until one transfer has finished. */
void collio_kernel_drive(collio_kernel_queue_t *queue, bool wait);
void collio_kernel_finalize(collio_kernel_queue_t *queue);
void collio_kernel_forget(collio_kernel_queue_t *queue); /* in a forked child */

#endif /* COLLIO_ENGINE_QUEUE_H */
