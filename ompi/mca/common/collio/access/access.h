/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_ACCESS_H
#define COLLIO_ACCESS_H

#include "core/buildio.h" /* segment_t */
#include "core/coherence.h"
#include "core/tiling.h"
#include "core/value.h"

#include <stdbool.h>

/**
 * File access on a descriptor: complete transfers, true errno, true counts. No MPI in here.
 *
 * Stock fbtl/posix turns every errno into one error and loses short transfers, so everything of
 * ours (the fcolls' windows, individual access through fbtl/mtpwrite) goes through these calls.
 */

typedef enum collio_method_t {
    COLLIO_METHOD_AUTO = 0,
    COLLIO_METHOD_VECTOR, /* preadv/pwritev of up to IOV_MAX pieces */
    COLLIO_METHOD_PACK,   /* through staging buffers, large blocks */
    COLLIO_METHOD_DIRECT  /* one pread/pwrite a piece */
} collio_method_t;

typedef enum collio_engine_t {
    COLLIO_ENGINE_AUTO = 0,
    COLLIO_ENGINE_THREADS,
    COLLIO_ENGINE_LIBAIO,
    COLLIO_ENGINE_IO_URING
} collio_engine_t;

/** Counters; every field is only ever added to (atomically where threads do it). */
typedef struct collio_access_stats_t {
    uint64_t syscalls;      /* pread, pwrite, preadv, pwritev, submissions */
    uint64_t bytes_written; /* as asked for by callers */
    uint64_t bytes_read;
    uint64_t pieces_in;   /* segments or pieces handed in */
    uint64_t pieces_out;  /* transfers after joining, packing, sieving */
    uint64_t build_ns;    /* Build-IO: matching memory with file pieces, packing */
    uint64_t access_ns;   /* inside system calls, */
    uint64_t write_ns;    /* of which in those that write, */
    uint64_t read_ns;     /* and in those that read */
    uint64_t calls_write; /* transfers that callers asked for */
    uint64_t calls_read;
    uint64_t copied_bytes;   /* through staging or sieve buffers */
    uint64_t sieve_windows;  /* windows read, or read, modified and written */
    uint64_t sieve_declined; /* decisions against sieving */
    uint64_t locks;          /* byte-range locks taken */
    uint64_t retries;        /* EINTR, EAGAIN, short transfers continued */
    uint64_t submitted[4];   /* asynchronous jobs by engine (index: engine) */
    uint64_t method_used[4]; /* requests by method (index: method) */
} collio_access_stats_t;

/** How to access one open file. The owner fills it (all-zero = automatic everything) and keeps it
 *  while any job is in flight. */
typedef struct collio_access_t {
    int fd;
    bool can_read;        /* the descriptor allows reading (sieving writes need it) */
    uint32_t file_system; /* its magic number; 0 = not known */
    bool network;         /* a network or parallel file system */
    bool in_memory;       /* tmpfs or ramfs: no access waits for a device */
    bool sieve_writes;    /* all ranks of the handle agreed that windows may be read, changed and
                             written back. Every write of the handle then takes a lock. False:
                             bytes between pieces are never written, and no write takes a lock */
    bool locked;          /* another rank holds a lock on all that is accessed here: take none, and
                             sieve no writes (several ranks write under that lock) */
    bool atomic;          /* lock the whole range of every call: exclusively to write, shared to
                             read. Without working locks this is an error (ENOLCK) */
    collio_coherence_t coherence; /* with the caches of other nodes */
    collio_method_t method;
    collio_engine_t engine;
    int sieve_read;            /* COLLIO_SETTING_AUTO, _ON or _OFF */
    int64_t sieve_read_bytes;  /* window; 0 = 4 MiB */
    int64_t sieve_write_bytes; /* window; 0 = 512 KiB */
    int64_t stage_bytes;       /* packing buffer per thread; 0 = automatic */
    int64_t stripe_bytes;      /* align windows to it; 0 = do not care */
    int threads;               /* 0 or 1 = the caller alone */
    int64_t serial_below;      /* pieces below which threads do not pay; 0 = automatic */
    int jobs;                  /* asynchronous jobs that run at once, at least; 0 = `threads` */
    int queue_depth;           /* asynchronous jobs that may wait; 0 = 256 */
    bool pin;                  /* bind pool threads to cores the process may use */
    /* Takes back what was advised for the descriptor if a transfer that failed with this errno may
     * have failed because of it. True: try once more. NULL: nothing was advised. Any thread. */
    bool (*withdraw)(void *advice, int error);
    void *advice;                 /* the first argument of `withdraw` */
    collio_access_stats_t *stats; /* never NULL */
} collio_access_t;

/** An access struct for an open descriptor: all-zero except for what follows from the descriptor
 *  (fd, can_read, file_system, network, in_memory, stats). */
void collio_access_open(collio_access_t *access, int fd, collio_access_stats_t *stats);

/** Asks the server of a network file system for the size of the file, so that later calls on this
 *  node use it, too. The size, or -1. */
int64_t collio_access_ask_size(int fd);

/** Sends what this node has written to the servers. 0 or a positive errno. */
int collio_access_flush(int fd);
/** Makes this node drop what it has cached of the file, the size too. 0 or a positive errno. */
int collio_access_refresh(int fd);

/** A number for the client of the file system that the descriptor goes through, not negative: equal
 *  for descriptors of one mount on one node. */
int64_t collio_access_client(int fd);

/** The outcome of a transfer. */
typedef struct collio_outcome_t {
    int error;           /* 0, or a positive errno: the first (lowest offset) failure */
    int64_t bytes;       /* known to be transferred. A read that reaches end of file has error 0
                             and fewer bytes than requested */
    int64_t stop_offset; /* file offset of the first byte not transferred (failure or end of
                             file); INT64_MAX if complete */
} collio_outcome_t;

/** Transfers sorted, non-overlapping (reads may overlap) segments; blocking. Neighbours that
 *  continue each other in file and memory go in one transfer; vectors, packing and sieving as
 *  `access` says. After a failure nothing above stop_offset is tried any more. */
void collio_access_write(collio_access_t *access, const collio_segment_t *segments, size_t count,
                         collio_outcome_t *outcome);
void collio_access_read(collio_access_t *access, const collio_segment_t *segments, size_t count,
                        collio_outcome_t *outcome);

/** A whole individual request: `bytes` bytes from stream position `first` of the file tiling, from
 *  or to the memory tiling on `memory` (stream position 0 on). Build-IO happens here: threaded,
 *  packed, vectored or sieved. Read views may be unsorted or overlap. outcome->bytes counts in
 *  STREAM order: bytes of the request before the first one that was not transferred. */
void collio_access_request(collio_access_t *access, bool write, const collio_tiling_t *file,
                           int64_t first, int64_t bytes, const collio_tiling_t *memory, char *base,
                           collio_outcome_t *outcome);

/** When an attempt to lock failed, and when the next one is due. All-zero at the start. */
typedef struct collio_lock_retry_t {
    uint64_t next_ns;
    uint64_t pause_ns;
    int refused; /* answers ENOLCK */
} collio_lock_retry_t;

/** What the caller of a transfer holds on all of its range. */
typedef enum collio_held_t {
    COLLIO_HELD_NONE = 0, /* nothing: locks are taken where they are needed */
    COLLIO_HELD_UNNEEDED, /* nothing, and nothing is needed */
    COLLIO_HELD_SHARED,
    COLLIO_HELD_EXCLUSIVE
} collio_held_t;

/** A lock on the whole range of a transfer. */
typedef struct collio_range_lock_t {
    bool wanted;    /* needed and not yet held */
    bool exclusive; /* to write in atomic mode, or to sieve */
    int64_t offset; /* first byte of the lock */
    int64_t length; /* bytes that the lock covers */
    int64_t start;  /* first byte of the transfer: it stops there if the lock cannot be had */
    collio_held_t held;
    collio_lock_retry_t retry;
} collio_range_lock_t;

/** An asynchronous transfer. The caller owns the struct, the segments and their memory until
 *  access_test() has returned true. */
typedef struct collio_job_t {
    collio_access_t *access;
    bool write;
    bool for_others; /* bytes of other ranks are accessed: other nodes must see them, or may have
                        written them */
    const collio_segment_t *segments; /* or, when NULL, a whole request: */
    size_t count;
    const collio_tiling_t *file;
    int64_t first;
    int64_t bytes;
    const collio_tiling_t *memory;
    char *base;
    collio_outcome_t outcome; /* valid when done */
    uint64_t busy_ns;         /* time the transfer itself took, in the background */
    void *engine_data;        /* of the engine */
    collio_engine_t driver;   /* the engine that has it */
    collio_range_lock_t lock; /* taken before an engine gets the job */
    _Atomic int done;
} collio_job_t;

/** Must transfers in this direction take a lock? Then use jobs, which wait for it without stopping
 *  MPI's progress. */
bool collio_access_locks(const collio_access_t *access, bool write);

/** Starts a job. Never blocks for the transfer, nor for a lock: while that is wanted,
 *  access_test() tries again. A full queue waits for room and loses nothing.
 *  Returns 0 or -errno (nothing was started; the caller then transfers it itself). */
int collio_access_start(collio_job_t *job);

/** True when the job is done. Never blocks; also drives engines that need driving. */
bool collio_access_test(collio_job_t *job);

/** Waits until the job is done (still driving the engine). */
void collio_access_wait(collio_job_t *job);

/** Ends all threads and queues of this process: from the last component's close. */
void collio_access_finalize(void);

/** Byte-range lock on [offset, offset + length) of access->fd (OFD; falls back to POSIX locks):
 *  exclusive to write, or where the descriptor cannot be read; else shared. Waits, making MPI
 *  progress. Returns 0 or -errno; -ENOLCK, -ENOSYS, -EOPNOTSUPP: the file system has no locks.
 *  `patient`: ENOLCK is retried for about a second, as it may be a temporary shortage. */
int collio_access_lock(collio_access_t *access, bool write, int64_t offset, int64_t length,
                       bool patient);
/** One attempt: -EAGAIN while somebody else holds it. */
int collio_access_try_lock(collio_access_t *access, bool write, int64_t offset, int64_t length);
int collio_access_unlock(collio_access_t *access, int64_t offset, int64_t length);

#endif /* COLLIO_ACCESS_H */
