/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_OP_H
#define COLLIO_OP_H

#include "cycles/cycles.h"

/**
 * call/ carries out the collective calls of a file. Calls queue up, and only the oldest one moves
 * through its phases, so that all ranks communicate in the same order. The directories below do the
 * work of a phase; call/ decides which phase is next, and ends calls that other ranks have left.
 *
 * One collective call is a state machine. A blocking call drives its own steps; a nonblocking one
 * is driven by Open MPI's progress engine. No step waits, except inside one-sided epochs, which
 * serve blocking calls only.
 *
 *   QUEUED -> AGREE -> PLACE -> SHARE -> GATHER -> ROUTE -> LOCK -> READY -> CYCLES -> COMPLETE
 *      |       ^  |              |        only new plans              ^                  ^
 *      |       |  |     ^        +------- a plan is reused -----------+                  |
 *      |       |  |     +-- SHARE: a reused plan whose segment could not be enlarged     |
 *      |       |  +------ no exchange --------------------------------------> DIRECT ----+
 *      +---> DIRECT: early access
 *
 * Early access: if its last call was direct and this one is of the same kind, a rank accesses its
 * own pieces before the agreement. If all ranks with data did so, the agreement is also the
 * completion. If only some did, the other ranks access their pieces after the agreement.
 *
 * COLLECTIVE RULE: a rank that fails locally records the error in op->ex.error and takes part with
 * an empty contribution; the agreements (AGREE, READY, COMPLETE) distribute the error to all ranks.
 */
typedef enum collio_phase_t {
    COLLIO_PHASE_QUEUED = 0,
    COLLIO_PHASE_DIRECT,      /* no exchange: each rank accesses its own pieces */
    COLLIO_PHASE_AGREE,       /* one reduction: range, bytes, plan, errors */
    COLLIO_PHASE_PLACE,       /* sparse requests, partition memory: reductions before the domains */
    COLLIO_PHASE_PLACE_NODES, /* partition memory: a second reduction, memory of the nodes */
    COLLIO_PHASE_PLACED,      /* partition memory: every rank has the domains */
    COLLIO_PHASE_SHARE,       /* creates the node's shared segment, or a larger one */
    COLLIO_PHASE_GATHER,      /* two layers: offset lists move inside the node */
    COLLIO_PHASE_ROUTE,       /* offset lists move to their aggregators; marks */
    COLLIO_PHASE_LOCK,        /* atomic mode: rank 0 locks the range for all ranks */
    COLLIO_PHASE_READY,       /* a reduction: every rank has its plan and its memory */
    COLLIO_PHASE_ROUTE_AGAIN, /* pieces of windows whose marks were refused move */
    COLLIO_PHASE_CYCLES,      /* exchanges and file accesses of all windows */
    COLLIO_PHASE_COMPLETE,    /* a reduction: result */
    COLLIO_PHASE_STOPS,       /* a reduction: where aggregators stopped, if one did */
    COLLIO_PHASE_DONE
} collio_phase_t;

/** Fields of the agreement. */
enum {
    COLLIO_AGREE_STATE = 0, /* error class << 32 (maximum) | bits of the next enum (bitwise or) */
    COLLIO_AGREE_LO,        /* maximum: negated first offset of the request */
    COLLIO_AGREE_HI,        /* maximum: end offset of the request */
    COLLIO_AGREE_DELTA,     /* maximum: bytes by which a kept plan must move */
    COLLIO_AGREE_NOT_DELTA, /* maximum of -delta; DELTA = -NOT_DELTA if all deltas are equal */
    COLLIO_AGREE_SUMS,      /* first of the fields that are summed */
    COLLIO_AGREE_BYTES = COLLIO_AGREE_SUMS, /* sum: bytes of the request */
    COLLIO_AGREE_PIECES,                    /* sum: upper bound on the pieces of the request */
    COLLIO_AGREE_SPANS, /* sum: HI - LO of each rank that crosses no neighbor of its node */
    COLLIO_AGREE_LINE,  /* number of fields of one rank */
    COLLIO_AGREE_CROSSED = COLLIO_AGREE_LINE, /* sum: pieces of the others (core/interleave.h) */
    COLLIO_AGREE_CROSSING_SPANS,              /* sum: HI - LO of the others */
    COLLIO_AGREE_FIELDS
};

/** Bits of AGREE_STATE. A bit is set if at least one rank sets it. */
enum {
    COLLIO_AGREE_WRITE = 1 << 0,     /* a rank writes */
    COLLIO_AGREE_READ = 1 << 1,      /* a rank reads */
    COLLIO_AGREE_ATOMIC = 1 << 2,    /* a rank is in atomic mode */
    COLLIO_AGREE_NONATOMIC = 1 << 3, /* a rank is not in atomic mode */
    COLLIO_AGREE_EARLY = 1 << 4,     /* a rank has accessed its pieces already */
    COLLIO_AGREE_PENDING = 1 << 5,   /* a rank has pieces that it has not accessed yet */
    COLLIO_AGREE_UNFIT = 1 << 8,     /* UNFIT << i: a rank cannot reuse plan i */
    COLLIO_AGREE_ERROR_SHIFT = 32    /* position of the error class */
};

/** Fields of READY and COMPLETE. Each agreement takes the maximum of every field. */
enum {
    COLLIO_RESULT_ERROR = 0,      /* both: error class, or 0 */
    COLLIO_RESULT_CYCLES,         /* READY: number of cycles of an aggregator */
    COLLIO_RESULT_REFUSED,        /* READY: cycles of an aggregator whose marks were refused */
    COLLIO_RESULT_READY_COUNT,    /* number of fields of READY */
    COLLIO_RESULT_STOPPED = 1,    /* COMPLETE: 1 if an aggregator did not transfer all bytes */
    COLLIO_RESULT_END_NS,         /* COMPLETE: one node: end of the work; else: its duration */
    COLLIO_RESULT_MINUS_BEGIN_NS, /* COMPLETE: one node: negated start time of the work; else: 0 */
    COLLIO_RESULT_HIDEABLE_NS,    /* COMPLETE: access time that overlap could have hidden */
    COLLIO_RESULT_COUNT           /* number of fields of COMPLETE */
};

typedef struct collio_op_t {
    opal_list_item_t super; /* place in the queue of the file */
    collio_exchange_t ex;   /* file, request, choices, error: the argument of code below call/ */

    int64_t mine[COLLIO_AGREE_LINE];         /* this rank's contribution to the agreement */
    int64_t all[COLLIO_AGREE_FIELDS];        /* result of AGREE; after early access STATE only */
    int64_t delta;                           /* bytes by which a plan that fits must move */
    collio_job_t job;                        /* DIRECT: access of this rank's own pieces */
    collio_lock_retry_t lock_retry;          /* LOCK: time of the next attempt */
    int64_t result[COLLIO_RESULT_COUNT];     /* this rank's contribution to READY and COMPLETE */
    int64_t result_all[COLLIO_RESULT_COUNT]; /* result of READY and COMPLETE */
    bool exchanged; /* the previous call in this struct exchanged data: see clear() in op.c */

    collio_phase_t phase;  /* current phase; this and later fields are cleared for every call */
    bool early;            /* this rank accesses its pieces before AGREE */
    bool locked;           /* atomic mode: this rank holds the lock of the range */
    _Atomic bool finished; /* a blocking call has ended */
    ompi_request_t *mpi_request; /* request of a nonblocking call, else NULL */
    uint64_t started_ns;         /* time when the program made the call */
    uint64_t flatten_ns;         /* duration of flattening; counted when the call ends */
    uint64_t work_ns;            /* time when AGREE ended: `auto` measures from this time */
    uint64_t phase_ns;           /* time when the phase began */
    uint64_t clock_ns;           /* time when the next phase begins, if already read; else 0 */
    uint64_t waits_ns;           /* time when a thread began to drive this phase: see lost.c */
} collio_op_t;

OBJ_CLASS_DECLARATION(collio_op_t);

/** The collective calls of a file. */
typedef struct collio_queue_t {
    opal_mutex_t lock;             /* guards the fields up to `spare_request` */
    opal_list_t ops;               /* operations in the order of their start; the first one moves */
    int kept_count;                /* number of operations in `kept` */
    collio_op_t *kept[2];          /* operations for later calls; the last one is the reserve of a
                                      call that cannot allocate one */
    ompi_request_t *spare_request; /* reserve for a failed allocation, or NULL */
    atomic_flag progressing;       /* set while a thread drives this file */
    uint64_t shown[2];             /* hash of the choices that verbose output has shown: of reads,
                                      of writes */
} collio_queue_t;

/** Returns the oldest operation, or NULL. The caller holds the lock. */
static inline collio_op_t *collio_queue_first(collio_queue_t *queue)
{
    return opal_list_is_empty(&queue->ops) ? NULL
                                           : (collio_op_t *) opal_list_get_first(&queue->ops);
}

/** Creates and frees the queue of a file. OMPI_SUCCESS or OMPI_ERR_OUT_OF_RESOURCE. */
int collio_queue_open(collio_file_t *file);
void collio_queue_close(collio_file_t *file);

/** Starts a collective call and moves the file pointer. Local: never waits for another rank. If
 *  mpi_request is NULL, the call is blocking and the caller ends it with collio_op_wait. Returns
 *  NULL only if no operation can be allocated while the reserve is in use. */
collio_op_t *collio_op_start(collio_file_t *file, const collio_call_t *call,
                             ompi_request_t *mpi_request);

/** Drives the oldest operations of the file as far as possible. Returns how many ended. Open MPI's
 *  progress engine does not drive blocking calls, because their steps may wait (one-sided epochs),
 *  which a progress function must not do. */
int collio_op_progress(collio_file_t *file, bool blocking_too);

/** Drives the file until this blocking call has ended, and gives the operation back. *bytes = bytes
 *  moved for this rank. Returns the agreed error class. */
int collio_op_wait(collio_op_t *op, int64_t *bytes);
/** Drives the file until its queue is empty. */
void collio_op_wait_all(collio_file_t *file);

/** Polls the phase of a call that has not ended and, if the phase has ended, makes one step
 *  (steps.c). False: no step made, or the call has ended. */
bool collio_op_advance(collio_op_t *op);
/** Releases the lock of atomic mode, if this rank holds it. */
void collio_op_unlock(collio_op_t *op);

/** Checks for failures of other ranks, at most about once per second (lost.c). True if the file
 *  handle has failed and the call can be abandoned. */
bool collio_op_lost(collio_op_t *op);
/** Ends a call of a failed file handle. Afterwards no thread of this process uses the memory of the
 *  call or the user buffer. */
void collio_op_abandon(collio_op_t *op);

/** Returns the name of a phase for output to users (steps.c). */
const char *collio_phase_name(collio_phase_t phase);

/** "write" or "read". */
const char *collio_op_direction(const collio_op_t *op);

/** Verbose output (op_show.c): one line for the phase that ends, one line for the whole call. */
void collio_op_show_phase(const collio_op_t *op, collio_phase_t next, uint64_t now);
void collio_op_show_call(const collio_op_t *op);

/** One decision, for output. */
typedef struct collio_decision_t {
    const char *name;    /* name of the setting, such as "transport" */
    const char *value;   /* the choice, such as "shm" */
    collio_reason_t why; /* reason of the decision */
} collio_decision_t;

/** Lists the decisions about a call in row[], in the order of COLLIO_DECISION_*. `layers`: the
 *  component may have two layers. Returns the number of decisions, at most COLLIO_DECISIONS. */
int collio_op_decisions(const collio_way_t *way, bool layers, collio_decision_t *row);

/** Returns an active MPI request and registers collio with the progress engine, which then drives
 *  all files. NULL: out of memory, and the file's spare request is in use. */
ompi_request_t *collio_mpi_request_new(collio_file_t *file);
/** Creates an MPI request; NULL: no memory. */
ompi_request_t *collio_mpi_request_make(void);
/** Completes the request with an error class and the number of bytes moved. */
void collio_mpi_request_complete(ompi_request_t *request, int error, int64_t bytes);
/** Unregisters collio from the progress engine. Called by the last component's close. */
void collio_mpi_request_finalize(void);

/* hang.c: lines about the position of this rank in its files, which collio-hang reads. */

/** Registers the parameter. Called by each component's register function. */
void collio_hang_register(void);
/** Installs the handler of SIGUSR1, if the parameter is set. Called by each component's open
 *  function, before the first MPI_File_open uses its file. */
void collio_hang_open(void);
/** Restores the handler of SIGUSR1 and frees all places. Called for the last component. */
void collio_hang_fini(void);

/** Takes a place for a new file (file->hang), if the handler is installed. Local. */
void collio_hang_attach(collio_file_t *file);
/** Releases the place of a file that is closed. */
void collio_hang_detach(collio_file_t *file);

/** Records the phase that begins, or what a call waits for in its phase (in a wait of more than a
 *  second). The file must have a place. */
void collio_hang_note(const collio_op_t *op, collio_phase_t phase, uint64_t since_ns);
/** Writes the line of a call that is abandoned and the lines of all other files. */
void collio_hang_write(const collio_op_t *op);

/** The steps, each in its own file. A *_start function begins a step; a *_poll function returns
 *  true when the step has ended. */
void collio_agree_start(collio_op_t *op);
extern const collio_agreement_rule_t collio_agree_rule;
/** After AGREE: true if this bit of AGREE_STATE is set. */
static inline bool collio_agreed(const collio_op_t *op, int bit)
{
    return 0 != (op->all[COLLIO_AGREE_STATE] & bit);
}
/** True if the requests of the ranks interleave. The same on all ranks. */
bool collio_agreed_interleaved(const collio_op_t *op);
/** Decides from agreed values: exchange or direct access, transport, schedule, layers, plan. */
void collio_decide(collio_op_t *op);
/** True if this node may cache pages that ranks of other nodes have changed. Before
 *  the read, all ranks flush their direct writes and agree; then this rank drops its pages. */
bool collio_direct_is_stale(const collio_op_t *op);
void collio_direct_start(collio_op_t *op);
bool collio_direct_poll(collio_op_t *op);
void collio_settle_start(collio_op_t *op);
void collio_settle_stops(collio_op_t *op);
void collio_settle_count(collio_op_t *op);

#endif /* COLLIO_OP_H */
