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
 *      |       |  |              +------- a plan is reused -----------+                  |
 *      |       |  +------ no exchange --------------------------------------> DIRECT ----+
 *      +---> DIRECT: early access
 *
 * Early access: a rank whose call looks like its last one, which skipped the exchange, accesses its
 * own pieces before the agreement. When all ranks with data did so, the agreement is also the
 * settlement. When only some did, the others access their pieces after it.
 *
 * COLLECTIVE RULE: a rank that fails locally notes the error in op->ex.error and goes on taking
 * part with an empty contribution; the agreements (AGREE, READY, COMPLETE) carry the error to all.
 */
typedef enum collio_phase_t {
    COLLIO_PHASE_QUEUED = 0,
    COLLIO_PHASE_DIRECT,   /* no exchange: each rank accesses its own pieces */
    COLLIO_PHASE_AGREE,    /* one reduction: range, bytes, plan, errors */
    COLLIO_PHASE_PLACE,    /* sparse requests, partition memory: reductions before the domains */
    COLLIO_PHASE_SHARE,    /* the node's shared segment is made, or made larger */
    COLLIO_PHASE_GATHER,   /* two layers: offset lists move inside the node */
    COLLIO_PHASE_ROUTE,    /* offset lists move to the aggregators they concern; marks */
    COLLIO_PHASE_LOCK,     /* atomic mode: rank 0 locks the range for all ranks */
    COLLIO_PHASE_READY,    /* a reduction: every rank has its plan and its memory */
    COLLIO_PHASE_CYCLES,   /* shuffles and accesses */
    COLLIO_PHASE_COMPLETE, /* one result for all; after a failure: how far aggregators came */
    COLLIO_PHASE_DONE
} collio_phase_t;

/** Fields of the agreement: one cache line. */
enum {
    COLLIO_AGREE_STATE = 0, /* error class << 32, the maximum | bits below, or-ed */
    COLLIO_AGREE_LO,        /* maximum; negated: the lowest offset */
    COLLIO_AGREE_HI,        /* maximum */
    COLLIO_AGREE_DELTA,     /* maximum: how far a kept plan must move */
    COLLIO_AGREE_NOT_DELTA, /* maximum of -delta: equal deltas have DELTA = -NOT_DELTA */
    COLLIO_AGREE_SUMS,      /* the fields from here on are summed */
    COLLIO_AGREE_BYTES = COLLIO_AGREE_SUMS,
    COLLIO_AGREE_PIECES,
    COLLIO_AGREE_SPANS, /* highest - lowest: more than the whole span means that ranks
                                      interleave */
    COLLIO_AGREE_FIELDS
};

/** Bits of AGREE_STATE: some rank ... */
enum {
    COLLIO_AGREE_WRITE = 1 << 0,     /* writes */
    COLLIO_AGREE_READ = 1 << 1,      /* reads */
    COLLIO_AGREE_ATOMIC = 1 << 2,    /* is in atomic mode */
    COLLIO_AGREE_NONATOMIC = 1 << 3, /* is not in atomic mode */
    COLLIO_AGREE_EARLY = 1 << 4,     /* has accessed its pieces already */
    COLLIO_AGREE_PENDING = 1 << 5,   /* has pieces that it has not accessed yet */
    COLLIO_AGREE_UNFIT = 1 << 8,     /* ... << plan: cannot use this plan */
    COLLIO_AGREE_ERROR_SHIFT = 32
};

/** What READY and COMPLETE agree on: the largest of every field. */
enum {
    COLLIO_RESULT_ERROR = 0,
    COLLIO_RESULT_CYCLES,         /* READY: of an aggregator */
    COLLIO_RESULT_REFUSED,        /* READY: cycles of an aggregator whose marks were refused */
    COLLIO_RESULT_READY_COUNT,    /* fields of READY */
    COLLIO_RESULT_STOPPED = 1,    /* COMPLETE: an aggregator could not write everything */
    COLLIO_RESULT_END_NS,         /* when the last rank ended its work */
    COLLIO_RESULT_MINUS_BEGIN_NS, /* negated: when the first rank began its work */
    COLLIO_RESULT_HIDEABLE_NS,    /* access time that overlap could have hidden */
    COLLIO_RESULT_COUNT
};

struct collio_op_t;

/** A function of steps.c that follows a phase. */
typedef void collio_op_step_t(struct collio_op_t *op);

typedef struct collio_op_t {
    opal_list_item_t super; /* place in the queue of the file */
    collio_exchange_t ex;   /* file, request, choices, error: all that code below uses */

    int64_t mine[COLLIO_AGREE_FIELDS];       /* this rank's contribution to the agreement */
    int64_t all[COLLIO_AGREE_FIELDS];        /* result of AGREE; STATE only after early access */
    int64_t delta;                           /* how far the plans that fit must move */
    collio_job_t job;                        /* access of this rank's own pieces, in DIRECT */
    collio_lock_retry_t lock_retry;          /* when the lock of LOCK is tried again */
    int64_t result[COLLIO_RESULT_COUNT];     /* contribution to READY and COMPLETE */
    int64_t result_all[COLLIO_RESULT_COUNT]; /* result of READY and COMPLETE */
    bool exchanged;                          /* the call before, in this struct, exchanged bytes */

    collio_phase_t phase;   /* first of the fields that are cleared for every call */
    collio_op_step_t *next; /* function that follows the phase */
    bool early;             /* this rank's access came before AGREE */
    bool locked;            /* atomic mode: this rank has the lock */
    _Atomic bool finished;  /* a blocking call has ended */
    struct collio_mpi_request_t *mpi_request; /* request of a nonblocking call, else NULL */
    uint64_t started_ns;                      /* time when the program made the call */
    uint64_t flatten_ns; /* duration of flattening; counted when the call ends */
    uint64_t work_ns;    /* time when all ranks had arrived: `auto` measures from there */
    uint64_t phase_ns;   /* time when the phase began */
    uint64_t clock_ns;   /* time when the next phase begins, if it was read already; else 0 */
    uint64_t waits_ns;   /* time since when a thread drives this phase, see lost.c */
} collio_op_t;

OBJ_CLASS_DECLARATION(collio_op_t);

/** The collective calls of a file. */
typedef struct collio_queue_t {
    opal_mutex_t lock;  /* guards the members below, where threads may call MPI */
    opal_list_t ops;    /* operations in the order of their start; only the first one moves */
    uint32_t sequence;  /* number of the next operation, equal on all ranks */
    collio_op_t *spare; /* operation for a call that finds no memory */
    collio_op_t *idle;  /* operation for the next call */
    struct collio_mpi_request_t *spare_request; /* request for a call that finds no memory */
    atomic_flag progressing;                    /* a thread drives this file */
    int64_t last_bytes;                         /* true count of the last blocking call */
    int refusal; /* errno for the collective call that is about to start, or 0 */
} collio_queue_t;

/** The operation that moves; NULL: there is none. With the lock. */
static inline collio_op_t *collio_queue_first(collio_queue_t *queue)
{
    return opal_list_is_empty(&queue->ops) ? NULL
                                           : (collio_op_t *) opal_list_get_first(&queue->ops);
}

/** Makes and ends the queue of a file. OMPI_SUCCESS or OMPI_ERR_OUT_OF_RESOURCE. */
int collio_queue_open(collio_file_t *file);
void collio_queue_close(collio_file_t *file);

/** See op_reserve.c: take gives an empty operation with its number, give takes it back. */
collio_op_t *collio_op_take(collio_file_t *file);
void collio_op_give(collio_op_t *op);

/** Starts a collective call; the file pointer has moved when it returns. Local: it never waits for
 *  another rank. Without an mpi_request it is a blocking call, to be ended by op_wait. NULL only
 *  when several calls at once found no memory for the struct itself. */
collio_op_t *collio_op_start(collio_file_t *file, const collio_call_t *call,
                             struct collio_mpi_request_t *mpi_request);

/** Drives the oldest operations of the file as far as possible. Returns how many ended. */
int collio_op_progress(collio_file_t *file);

/** The same for Open MPI's progress engine: it leaves blocking calls to their callers, because
 *  their steps may wait (one-sided epochs), and nothing may wait inside progress. */
int collio_op_background(collio_file_t *file);

/** Drives the file until this operation is done, and frees it. Returns the agreed error class. */
int collio_op_wait(collio_op_t *op, int64_t *bytes);
/** Drives all calls of this file that were started, until the last one is finished. */
void collio_op_wait_all(collio_file_t *file);

/** One step of the call (steps.c), if it can be made. False: nothing to do until something
 *  arrives. */
bool collio_op_advance(collio_op_t *op);
/** Gives the lock of atomic mode back, if this rank holds it. */
void collio_op_unlock(collio_op_t *op);

/** Checks, every second or two, whether the ranks that this call waits for are alive (lost.c); true
 *  when the file handle has failed, and this call with it. */
bool collio_op_lost(collio_op_t *op);
/** Ends a call of a failed file handle: no thread of this process uses its memory or the user's. */
void collio_op_abandon(collio_op_t *op);

/** The name of a phase in output for users. Safe in a signal handler. */
const char *collio_phase_name(int phase);

/** "write" or "read". */
const char *collio_op_direction(const collio_op_t *op);

/** Verbose output, see op_show.c: the phase that ends and the one that follows; the whole call. */
void collio_op_show_phase(const collio_op_t *op, collio_phase_t next, uint64_t now);
void collio_op_show_call(const collio_op_t *op);

/** The steps, each in its own file. The *_start functions begin one, the *_poll functions return
 *  true when it is over. */
void collio_agree_start(collio_op_t *op);
void collio_agree_reduce(void *in, void *inout, int *count, MPI_Datatype *type);
/** After AGREE: is this bit set in what all ranks have agreed on? */
static inline bool collio_agreed(const collio_op_t *op, int bit)
{
    return 0 != (op->all[COLLIO_AGREE_STATE] & bit);
}
/** Exchange or not, how, and with which plan. */
void collio_decide(collio_op_t *op);
void collio_direct_start(collio_op_t *op);
bool collio_direct_poll(collio_op_t *op);
void collio_settle_start(collio_op_t *op);
void collio_settle_stops(collio_op_t *op);
void collio_settle_count(collio_op_t *op);

#endif /* COLLIO_OP_H */
