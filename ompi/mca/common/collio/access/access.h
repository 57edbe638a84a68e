/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_ACCESS_H
#define COLLIO_ACCESS_H

#include "access/pool.h"
#include "core/buildio.h" /* segment_t */
#include "core/file_system.h"
#include "core/number.h"
#include "core/tiling.h"
#include "core/value.h"

#include <stdbool.h>

/**
 * File access on a descriptor: complete transfers, true errno, true counts. A transfer is a job: a
 * list of segments or a whole request, in the calling thread or in the background, with packing,
 * sieving and locks where they are needed. The fcolls' windows and individual access through
 * fbtl/mtpwrite go through these calls, because stock fbtl/posix turns every errno into one error
 * and loses short transfers. Only lock-ahead uses MPI.
 */

typedef enum collio_method_t {
    COLLIO_METHOD_AUTO = 0, /* chosen by the sizes of the pieces */
    COLLIO_METHOD_VECTOR,   /* preadv/pwritev of up to IOV_MAX pieces */
    COLLIO_METHOD_PACK,     /* large blocks through staging buffers */
    COLLIO_METHOD_DIRECT    /* one pread/pwrite per piece */
} collio_method_t;

typedef enum collio_engine_t {
    COLLIO_ENGINE_AUTO = 0, /* io_uring where it works, else threads */
    COLLIO_ENGINE_THREADS,  /* the thread pool */
    COLLIO_ENGINE_LIBAIO,   /* the kernel's AIO, for aligned transfers past the page cache */
    COLLIO_ENGINE_IO_URING  /* io_uring */
} collio_engine_t;

/** Default sizes of the sieve buffers. */
enum { COLLIO_SIEVE_READ_BYTES = 4 << 20, COLLIO_SIEVE_WRITE_BYTES = 512 << 10 };

/** Counters. Every field only grows; threads add atomically. */
typedef struct collio_access_stats_t {
    uint64_t syscalls;       /* system calls that move data, and submissions to the kernel */
    uint64_t bytes[2];       /* bytes that callers moved; index: write */
    uint64_t pieces_in;      /* segments or pieces that callers passed */
    uint64_t pieces_out;     /* transfers after joining, packing, sieving */
    uint64_t build_ns;       /* time of Build-IO: matching memory with file pieces, packing */
    uint64_t access_ns;      /* time inside system calls that move data */
    uint64_t moving_ns[2];   /* time inside system calls that move data; index: write */
    uint64_t calls[2];       /* transfers that callers requested; index: write */
    uint64_t copied_bytes;   /* bytes copied through staging or sieve buffers */
    uint64_t sieve_windows;  /* windows read, or read, modified and written */
    uint64_t sieve_declined; /* decisions against sieving */
    uint64_t locks;          /* byte-range locks taken */
    uint64_t retries;        /* transfers continued after EINTR, EAGAIN or a short count */
    uint64_t submitted[4];   /* asynchronous jobs; index: engine */
    uint64_t method_used[4]; /* requests; index: method */
} collio_access_stats_t;

/** Settings of users; all-zero = automatic. The types are from settings/setting.h. */
typedef struct collio_tuning_t {
    int method;               /* method of a transfer: collio_method_t */
    int engine;               /* engine of asynchronous jobs: collio_engine_t */
    int threads;              /* threads of a request; 0 or 1 = the caller alone */
    int serial_below;         /* pieces below which threads do not pay; 0 = automatic */
    size_t stage_bytes;       /* staging buffer of a thread; 0 = automatic */
    int sieve_read;           /* sieving of reads: COLLIO_SETTING_AUTO, _ON or _OFF */
    size_t sieve_read_bytes;  /* sieve buffer for reads; 0 = the default */
    size_t sieve_write_bytes; /* sieve buffer for writes; 0 = the default */
} collio_tuning_t;

/** How to access one open file. The owner fills the struct (all-zero = everything automatic) and
 *  keeps it while any job is in flight. */
typedef struct collio_access_t {
    int fd;               /* descriptor of the file */
    bool can_read;        /* the descriptor allows reading (sieving writes need it) */
    uint32_t file_system; /* magic number of the file system; 0 = unknown */
    bool network;         /* a network or parallel file system */
    bool in_memory;       /* tmpfs or ramfs: no access waits for a device */
    /** All ranks of the handle agreed that windows may be read, changed and written back. Every
     *  write of the handle then takes a lock. False: bytes between pieces are never written, and no
     *  write takes a lock. */
    bool sieve_writes;
    /** Another rank holds a lock on the whole range of the access: this rank takes no lock, and
     *  sieves no writes (several ranks write under that lock). */
    bool locked;
    /** Lock the whole range of every call: exclusively to write, shared to read. Without working
     *  locks this is an error (ENOLCK). */
    bool atomic;
    collio_tuning_t tuning;       /* settings of users */
    collio_coherence_t coherence; /* method that keeps the caches of nodes coherent */
    int64_t stripe_bytes;         /* unit to which windows are aligned; 0 = none */
    int jobs; /* least number of asynchronous jobs at once; 0 = tuning.threads */
    /** Withdraws the advice for the descriptor if the advice may have caused a failure with this
     *  errno. True: repeat the transfer once. NULL: there is no advice. May run on any thread. */
    bool (*withdraw)(void *advice, int error);
    void *advice;                 /* the first argument of `withdraw` */
    collio_access_stats_t *stats; /* counters; NULL: nobody reads them */
} collio_access_t;

/** Fills an access struct for an open descriptor: sets fd, can_read, file_system, network and
 *  in_memory; all other fields are zero. */
void collio_access_open(collio_access_t *access, int fd);

/** Requests the size of the file from the server of a network file system, so that later calls of
 *  this node use that size as well. Returns the size, or -1. */
int64_t collio_access_refresh_size(int fd);

/** Sends the bytes that this node has written to the servers. Returns 0 or a positive errno. */
int collio_access_flush(int fd);
/** Drops the pages and the size of the file from the cache of this node. Returns 0 or a positive
 *  errno. */
int collio_access_refresh(int fd);

/** Identifies the file system client of the descriptor. Returns a number, not negative, that is
 *  equal for descriptors of one mount on one node. */
int64_t collio_access_client(int fd);

/** The outcome of a transfer. */
typedef struct collio_outcome_t {
    int error;     /* errno of the failure with the lowest offset; 0: none, also at end of file */
    int64_t bytes; /* bytes that were transferred; a read at end of file has fewer than requested */
    /** File offset of the first byte that was not transferred, by a failure or at end of file;
     *  INT64_MAX if the transfer is complete. */
    int64_t stop_offset;
} collio_outcome_t;

/** State of repeated attempts to get one lock. All-zero at the start. */
typedef struct collio_lock_retry_t {
    uint64_t next_ns;  /* time of the next attempt */
    uint64_t pause_ns; /* upper limit of the pause before the next attempt */
    int refused;       /* attempts that failed with ENOLCK */
} collio_lock_retry_t;

/** Lock that the caller of a transfer holds on the whole range of the transfer. */
typedef enum collio_held_t {
    COLLIO_HELD_NONE = 0, /* no lock: the transfer takes the locks that it needs */
    COLLIO_HELD_UNNEEDED, /* no lock, and the transfer needs none */
    COLLIO_HELD_SHARED,   /* a shared lock */
    COLLIO_HELD_EXCLUSIVE /* an exclusive lock */
} collio_held_t;

/** A lock on the whole range of a transfer. */
typedef struct collio_range_lock_t {
    bool wanted;               /* the lock is needed and not yet held */
    bool exclusive;            /* exclusive, for atomic writes and sieved writes; else shared */
    int64_t offset;            /* first byte of the lock */
    int64_t length;            /* bytes that the lock covers */
    collio_held_t held;        /* lock that the job holds */
    collio_lock_retry_t retry; /* attempts to get the lock */
} collio_range_lock_t;

/**
 * A transfer. Either a list of segments: sorted, and disjoint in a write; neighbors that continue
 * each other in file and memory go in one transfer. Or a whole request as two tilings: Build-IO
 * happens inside, threaded, packed, vectored or sieved; a view that is read may be unsorted or
 * overlap, and outcome.bytes counts in stream order (the bytes of the request before the first one
 * that was not transferred). After a failure no further part of the transfer is started. The
 * caller owns the struct, the lists and the memory, until access_run() has returned or
 * access_test() has returned true.
 */
typedef struct collio_job_t {
    collio_access_t *access;          /* how to access the file */
    bool write;                       /* direction: to the file */
    bool caller_waits;                /* transfer in the caller's thread, once the lock is held */
    bool for_others;                  /* bytes of other ranks: coherence with other nodes matters */
    const collio_segment_t *segments; /* list of segments; NULL: the job is a request */
    size_t count;                     /* number of segments */
    const collio_tiling_t *file;      /* the view */
    int64_t first;                    /* stream position of the first byte in `file` */
    int64_t bytes;                    /* bytes of the request */
    const collio_tiling_t *memory;    /* the buffer, starting at stream position 0 */
    char *base;                       /* address that offsets of `memory` count from */
    collio_outcome_t outcome;         /* result; valid when the job is done */
    uint64_t busy_ns;                 /* time of the transfer in the background */
    collio_task_t task;               /* place in the queue of the thread pool */
    collio_engine_t driver;           /* engine that runs the job */
    collio_range_lock_t lock;         /* lock on the whole range */
    _Atomic int done;                 /* 1 when the job is done */
} collio_job_t;

/** Carries out a job in the calling thread, and fills its outcome. Waits for the locks that the job
 *  needs, making MPI progress. */
void collio_access_run(collio_job_t *job);

/** True if transfers in this direction must take a lock. If so, use jobs, which wait for the lock
 *  without stopping MPI's progress. */
bool collio_access_locks(const collio_access_t *access, bool write);

/** Resolves a requested engine. Returns the named engine if it works in this process, the best
 *  engine for AUTO, else the threads. *why = reason why a named engine does not work, or NULL. */
collio_engine_t collio_engine_choose(collio_engine_t named, const char **why);

/** Returns "auto", "threads", "libaio" or "io_uring". */
const char *collio_engine_name(collio_engine_t engine);

/** Starts a job. Does not wait for a lock: access_test() repeats the attempts to get the lock. Does
 *  not wait for the transfer, except with `caller_waits`. Waits while the queue is full.
 *  Returns 0 or -errno (nothing was started; the caller then carries out the job itself). */
int collio_access_start(collio_job_t *job);

/** Returns true when the job is done. Drives the engine of the job. Does not block, except that a
 *  job with `caller_waits` is transferred in this call once its lock is held. */
bool collio_access_test(collio_job_t *job);

/** Waits until the job is done, and drives its engine meanwhile. Does not give up if a queue of the
 *  kernel is stuck: the kernel may still access the memory of the job, which the caller frees. */
void collio_access_wait(collio_job_t *job);

/** Ends all threads and queues of this process. */
void collio_access_finalize(void);

/** Takes a byte-range lock on [offset, offset + length) of access->fd (OFD; falls back to POSIX
 *  locks): exclusive to write, or where the descriptor cannot be read; else shared. Waits, making
 *  MPI progress. Returns 0 or -errno; -ENOLCK, -ENOSYS, -EOPNOTSUPP: the file system has no locks.
 *  `patient`: retries ENOLCK for about a second, because the shortage may be temporary. */
int collio_access_lock(collio_access_t *access, bool write, int64_t offset, int64_t length,
                       bool patient);
/** Makes one attempt to take the lock. Returns 0 or -errno; -EAGAIN: another thread or process
 *  holds a conflicting lock. */
int collio_access_try_lock(collio_access_t *access, bool write, int64_t offset, int64_t length);
int collio_access_unlock(collio_access_t *access, int64_t offset, int64_t length);

/** True if it is time for another attempt. For callers that are polled and must not wait. */
bool collio_lock_due(collio_lock_retry_t *retry);

/** After a failed attempt: returns true if the caller must try again when due, false if `rc` is an
 *  error. `patient`: retries ENOLCK (the lock manager has no locks) for about a second. */
bool collio_lock_again(collio_lock_retry_t *retry, int rc, bool patient);

/** Makes MPI progress, then sleeps until the next attempt is due. Not for threads of the pool. */
void collio_lock_pause(const collio_lock_retry_t *retry);

/** True if the file system grants locks on this file, even if another process holds one. */
bool collio_lock_works(collio_access_t *access);

/** Sets the function that a waiting caller calls between two attempts: opal_progress(). */
void collio_lock_set_idle(void (*function)(void));

#endif /* COLLIO_ACCESS_H */
