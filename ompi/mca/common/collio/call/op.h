/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_OP_H
#define COLLIO_OP_H

#include "cycles/cycles.h"

/**
 * One collective call, as a state machine. A blocking call drives its own steps; a nonblocking one
 * is driven by Open MPI's progress engine. No step waits, except inside one-sided epochs, which
 * serve blocking calls only. Calls on one file queue up and only the oldest moves, so all ranks
 * communicate in the same order.
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
 * part with an empty contribution; the agreements (AGREE, READY, COMPLETE) tell everybody.
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
    opal_list_item_t super;
    collio_exchange_t ex; /* file, request, choices, error: all that code below sees */

    int64_t mine[COLLIO_AGREE_FIELDS]; /* this rank's contribution to the agreement */
    int64_t all[COLLIO_AGREE_FIELDS];  /* its result; STATE only after early access */
    int64_t delta;                     /* how far the plans that fit must move */
    collio_job_t job;                  /* DIRECT */
    collio_lock_retry_t lock_retry;    /* LOCK */
    int64_t result[COLLIO_RESULT_COUNT];
    int64_t result_all[COLLIO_RESULT_COUNT];
    bool exchanged; /* the last call that used this operation had an exchange */

    collio_phase_t phase;   /* first of the fields that are cleared for every call */
    collio_op_step_t *next; /* follows the phase */
    bool early;             /* this rank's access came before AGREE */
    bool locked;            /* atomic mode: this rank has the lock */
    _Atomic bool finished;  /* of a blocking call */
    struct collio_mpi_request_t *mpi_request; /* of a nonblocking call */
    uint64_t started_ns;
    uint64_t flatten_ns; /* counted at the end: another call may be under way at the start */
    uint64_t work_ns;    /* when all ranks were there: what `auto` measures from */
    uint64_t phase_ns;   /* when the phase began */
    uint64_t clock_ns;   /* a reading of the clock at which the next phase begins, or 0: read it */
    uint64_t waits_ns;   /* since when somebody waits in it, see lost.c */
} collio_op_t;

OBJ_CLASS_DECLARATION(collio_op_t);

/** The collective calls of a file. */
typedef struct collio_queue_t {
    opal_mutex_t lock;  /* of the members below; taken only where MPI may be called by threads */
    opal_list_t ops;    /* in the order they were started; the first is the active one */
    uint32_t sequence;  /* of operations, equal on all ranks */
    collio_op_t *spare; /* for a call that finds no memory */
    collio_op_t *idle;  /* an operation for the next call */
    struct collio_mpi_request_t *spare_request;
    atomic_flag progressing; /* one thread at a time drives this file */
    int64_t last_bytes;      /* true count of the last blocking call */
    int refusal;             /* errno for the collective call that is about to start, or 0 */
} collio_queue_t;

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

/** Turns the crank of the file's oldest operation. Returns the number of operations that ended. */
int collio_op_progress(collio_file_t *file);

/** The same for Open MPI's progress engine: it leaves blocking calls to their callers, because
 *  their steps may wait (one-sided epochs), and nothing may wait inside progress. */
int collio_op_background(collio_file_t *file);

/** Turns it until this operation is done, and frees it. Returns the agreed error class. */
int collio_op_wait(collio_op_t *op, int64_t *bytes);
/** Drives all calls of this file that were started, until the last one is finished. */
void collio_op_wait_all(collio_file_t *file);

/** One step of the call (steps.c), if it can be made. False: nothing to do until something
 *  arrives. */
bool collio_op_advance(collio_op_t *op);
/** Gives the lock of atomic mode back, if this rank holds it. */
void collio_op_unlock(collio_op_t *op);

/** See lost.c. Looks, now and then, whether the ranks that this call waits for are still there;
 *  true when the file is lost, and this call with it. */
bool collio_op_lost(collio_op_t *op);
/** Ends such a call: nothing of this process uses its memory or the user's any more. */
void collio_op_abandon(collio_op_t *op);

/** The name of a phase in output for users. Safe in a signal handler. */
const char *collio_phase_name(int phase);

/** Verbose output, see op_show.c: the phase that ends and the one that follows; the whole call. */
void collio_op_show_phase(const collio_op_t *op, collio_phase_t next, uint64_t now);
void collio_op_show_call(const collio_op_t *op);

/** The steps, each in its own file. The *_start functions begin one, the *_poll functions return
 *  true when it is over. */
void collio_agree_start(collio_op_t *op);
void collio_agree_reduce(void *in, void *inout, int *count, MPI_Datatype *type);
/** After it: is this bit set in what all ranks have agreed on? */
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
