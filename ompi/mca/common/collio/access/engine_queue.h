/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_ENGINE_QUEUE_H
#define COLLIO_ENGINE_QUEUE_H

#include "collio_config.h"

#include <pthread.h>
#include <sys/uio.h>

#include "access/access.h"

/** Jobs on a queue of the kernel, io_uring or libaio: a job becomes operations (one per run of
 *  neighboring segments), operations go through the queue, and their completions are collected. */

enum { COLLIO_QUEUE_DEPTH = 128 }; /* operations in flight */

/** One vector at one place of the file. */
typedef struct collio_kernel_op_t {
    struct kernel_job_t *owner; /* the job of the operation (engine_queue.c) */
    int64_t offset;             /* file offset of the first byte */
    int64_t bytes;              /* bytes to transfer */
    int64_t moved;              /* bytes that were transferred */
    struct iovec *iov;          /* memory of the bytes */
    int iov_count;              /* number of entries in `iov` */
    int error;                  /* errno that ended the operation; 0: none */
    void *kernel;               /* memory of the interface, `op_bytes` bytes */
} collio_kernel_op_t;

/** A queue: an interface of the kernel, and its state in this process. All functions except probe
 *  and descriptor are called with the mutex held. */
typedef struct collio_kernel_queue_t {
    /** Returns NULL if the interface works in this process, else a static text with the reason. */
    const char *(*probe)(void);
    /** Returns a descriptor for a job with these segments, which is closed after the job; -1 if the
     *  interface cannot take the job. A NULL pointer: access->fd serves every job. */
    int (*descriptor)(int fd, const collio_segment_t *segments, size_t count);
    /** Makes a queue for COLLIO_QUEUE_DEPTH operations. Returns 0 or -errno. */
    int (*open)(void);
    /** Releases the queue. */
    void (*close)(void);
    /** Submits operations in order, by one system call, and does not wait. Returns how many of
     *  them, starting at the first, the kernel has taken; it refuses the others. */
    size_t (*push)(collio_kernel_op_t *ops, size_t count, bool write, int fd);
    /** Gets the next completion; waits for about `wait_ns`. Returns false if there is none. */
    bool (*pop)(int64_t wait_ns, collio_kernel_op_t **op, int64_t *result);
    bool interrupts;       /* completions interrupt system calls, as signals do */
    size_t op_bytes;       /* bytes of op->kernel */
    pthread_mutex_t mutex; /* protects the fields below */
    bool is_open;          /* open() was called */
    size_t in_flight;      /* operations in flight */
} collio_kernel_queue_t;

/** The queues; each exists only in a build with its library. */
extern collio_kernel_queue_t collio_kernel_libaio;
extern collio_kernel_queue_t collio_kernel_uring;

/** Starts a job that needs no lock, no sieving and no packing. Returns 0, or -errno if nothing was
 *  started; the caller then gives the job to a thread. */
int collio_kernel_start(collio_kernel_queue_t *queue, collio_job_t *job);
/** Collects completions. Does not block, unless `wait`: then waits up to a time slice for one. */
void collio_kernel_drive(collio_kernel_queue_t *queue, bool wait);
/** Collects what is in flight and releases the queue. If nothing can be collected for a second, the
 *  queue stays open: the kernel may still use the memory of the operations. */
void collio_kernel_finalize(collio_kernel_queue_t *queue);

#endif /* COLLIO_ENGINE_QUEUE_H */
