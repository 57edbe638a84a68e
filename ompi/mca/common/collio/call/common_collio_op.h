/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_OP_H
#define MCA_COMMON_COLLIO_OP_H

#include "cycles/common_collio_cycles.h"

/**
 * One collective call, as a state machine. A blocking call drives its own steps; a nonblocking one
 * is driven by Open MPI's progress engine. No step waits, except inside one-sided epochs, which
 * serve blocking calls only. Calls on one file queue up and only the oldest moves, so all ranks
 * communicate in the same order.
 *
 *   QUEUED -> AGREE -> HISTOGRAM -> SHARE -> ROUTE -> LOCK -> READY -> CYCLES -> SETTLE -> STOPS
 *      |       ^  |    only sparse  |         only new plans       ^                ^    only after
 *      |       |  |                 +------ a plan is reused ------+                |    a failure
 *      |       |  +------ no exchange ----------------------------------> DIRECT ---+
 *      +---> DIRECT: early access
 *
 * With two layers GATHER comes before ROUTE: offset lists go to the node's local aggregators.
 * RECORDS and PLACED follow HISTOGRAM with partition memory only.
 *
 * Early access: a rank whose call looks like its last one, which skipped the exchange, accesses its
 * own pieces before the agreement. When all ranks with data did so, the agreement is also the
 * settlement. When only some did, the others access their pieces after it.
 *
 * COLLECTIVE RULE: a rank that fails locally notes the error in op->ex.error and goes on taking
 * part with an empty contribution; the agreements (AGREE, READY, SETTLE) tell everybody.
 */
typedef enum mca_common_collio_phase_t {
    MCA_COMMON_COLLIO_PHASE_QUEUED = 0,
    MCA_COMMON_COLLIO_PHASE_DIRECT,    /* no exchange: each rank accesses its own pieces */
    MCA_COMMON_COLLIO_PHASE_AGREE,     /* one allreduce: range, bytes, plan, errors */
    MCA_COMMON_COLLIO_PHASE_HISTOGRAM, /* sparse requests, partition memory: where the bytes are */
    MCA_COMMON_COLLIO_PHASE_RECORDS,   /* partition memory: what all nodes have and touch */
    MCA_COMMON_COLLIO_PHASE_PLACED,    /* partition memory: all ranks have made the domains */
    MCA_COMMON_COLLIO_PHASE_SHARE,     /* the node's shared segment, when it must grow */
    MCA_COMMON_COLLIO_PHASE_GATHER,    /* two layers: offset lists inside the node */
    MCA_COMMON_COLLIO_PHASE_ROUTE,     /* offset lists to the aggregators they concern */
    MCA_COMMON_COLLIO_PHASE_LOCK,      /* atomic mode: rank 0 locks the range for all */
    MCA_COMMON_COLLIO_PHASE_READY,     /* everybody has planned, and has its memory? */
    MCA_COMMON_COLLIO_PHASE_CYCLES,    /* shuffle and access */
    MCA_COMMON_COLLIO_PHASE_SETTLE,    /* one result for all */
    MCA_COMMON_COLLIO_PHASE_STOPS,     /* after a failure: how far each aggregator came */
    MCA_COMMON_COLLIO_PHASE_DONE
} mca_common_collio_phase_t;

/** Fields of the agreement: one cache line. */
enum {
    MCA_COMMON_COLLIO_AGREE_STATE = 0, /* error class << 32, the maximum | bits below, or-ed */
    MCA_COMMON_COLLIO_AGREE_LO,        /* maximum; negated: the lowest offset */
    MCA_COMMON_COLLIO_AGREE_HI,        /* maximum */
    MCA_COMMON_COLLIO_AGREE_DELTA,     /* maximum: how far a kept plan must move */
    MCA_COMMON_COLLIO_AGREE_NOT_DELTA, /* maximum of -delta: equal deltas have DELTA = -NOT_DELTA */
    MCA_COMMON_COLLIO_AGREE_SUMS,      /* the fields from here on are summed */
    MCA_COMMON_COLLIO_AGREE_BYTES = MCA_COMMON_COLLIO_AGREE_SUMS,
    MCA_COMMON_COLLIO_AGREE_PIECES,
    MCA_COMMON_COLLIO_AGREE_SPANS, /* highest - lowest: more than the whole span means that ranks
                                      interleave */
    MCA_COMMON_COLLIO_AGREE_FIELDS
};

/** Bits of AGREE_STATE: some rank ... */
enum {
    MCA_COMMON_COLLIO_AGREE_WRITE = 1 << 0,     /* writes */
    MCA_COMMON_COLLIO_AGREE_READ = 1 << 1,      /* reads */
    MCA_COMMON_COLLIO_AGREE_ATOMIC = 1 << 2,    /* is in atomic mode */
    MCA_COMMON_COLLIO_AGREE_NONATOMIC = 1 << 3, /* is not in atomic mode */
    MCA_COMMON_COLLIO_AGREE_EARLY = 1 << 4,     /* has accessed its pieces already */
    MCA_COMMON_COLLIO_AGREE_PENDING = 1 << 5,   /* has pieces that it has not accessed yet */
    MCA_COMMON_COLLIO_AGREE_UNFIT = 1 << 8,     /* ... << plan: cannot use this plan */
    MCA_COMMON_COLLIO_AGREE_ERROR_SHIFT = 32
};

/** What READY and SETTLE agree on: the largest of every field. */
enum {
    MCA_COMMON_COLLIO_RESULT_ERROR = 0,
    MCA_COMMON_COLLIO_RESULT_CYCLES,         /* READY: of an aggregator */
    MCA_COMMON_COLLIO_RESULT_READY_COUNT,    /* fields of READY */
    MCA_COMMON_COLLIO_RESULT_STOPPED = 1,    /* SETTLE: an aggregator could not write everything */
    MCA_COMMON_COLLIO_RESULT_END_NS,         /* of the last rank, less */
    MCA_COMMON_COLLIO_RESULT_MINUS_BEGIN_NS, /* that of the first: the time of the call, of which */
    MCA_COMMON_COLLIO_RESULT_HIDEABLE_NS,    /* this much could have been hidden */
    MCA_COMMON_COLLIO_RESULT_COUNT
};

typedef struct mca_common_collio_op_t {
    opal_list_item_t super;
    mca_common_collio_exchange_t ex; /* file, request, choices, error: all that code below sees */

    mca_common_collio_stage_t stage; /* a packed copy of the user's buffer, if `staged` */
    int64_t mine[MCA_COMMON_COLLIO_AGREE_FIELDS]; /* this rank's contribution to the agreement */
    int64_t all[MCA_COMMON_COLLIO_AGREE_FIELDS];  /* its result; STATE only after early access */
    int64_t delta;                                /* how far the plans that fit must move */
    mca_common_collio_job_t job;                  /* DIRECT */
    mca_common_collio_lock_retry_t lock_retry;    /* LOCK */
    int64_t result[MCA_COMMON_COLLIO_RESULT_COUNT];
    int64_t result_all[MCA_COMMON_COLLIO_RESULT_COUNT];
    bool exchanged; /* the last call that used this operation had an exchange */

    mca_common_collio_phase_t phase; /* first of the fields that are cleared for every call */
    bool staged;
    bool early;                                      /* this rank's access came before AGREE */
    bool locked;                                     /* atomic mode: this rank has the lock */
    _Atomic bool finished;                           /* of a blocking call */
    struct mca_common_collio_request_t *mpi_request; /* of a nonblocking call */
    uint64_t started_ns;
    uint64_t flatten_ns; /* counted at the end: another call may be under way at the start */
    uint64_t work_ns;    /* when all ranks were there: what `auto` measures from */
    uint64_t phase_ns;   /* when the phase began */
    uint64_t clock_ns;   /* a reading of the clock at which the next phase begins, or 0: read it */
    uint64_t waits_ns;   /* since when somebody waits in it, see lost.c */
} mca_common_collio_op_t;

OBJ_CLASS_DECLARATION(mca_common_collio_op_t);

/** The collective calls of a file. */
typedef struct mca_common_collio_queue_t {
    opal_mutex_t lock; /* of the members below; taken only where MPI may be called by threads */
    opal_list_t ops;   /* in the order they were started; the first is the active one */
    uint32_t sequence; /* of operations, equal on all ranks */
    mca_common_collio_op_t *spare; /* for a call that finds no memory */
    mca_common_collio_op_t *idle;  /* an operation for the next call */
    struct mca_common_collio_request_t *spare_request;
    atomic_flag progressing; /* one thread at a time drives this file */
    int64_t last_bytes;      /* true count of the last blocking call */
    int refusal;             /* errno for the collective call that is about to start, or 0 */
} mca_common_collio_queue_t;

/** Makes and ends the queue of a file. OMPI_SUCCESS or OMPI_ERR_OUT_OF_RESOURCE. */
int mca_common_collio_queue_open(mca_common_collio_file_t *file);
void mca_common_collio_queue_close(mca_common_collio_file_t *file);

/** See op_reserve.c: take gives an empty operation with its number, give takes it back. */
mca_common_collio_op_t *mca_common_collio_op_take(mca_common_collio_file_t *file);
void mca_common_collio_op_give(mca_common_collio_op_t *op);

/** Starts a collective call; the file pointer has moved when it returns. Local: it never waits for
 *  another rank. Without an mpi_request it is a blocking call, to be ended by op_wait. NULL only
 *  when several calls at once found no memory for the struct itself. */
mca_common_collio_op_t *mca_common_collio_op_start(mca_common_collio_file_t *file, bool write,
                                                   struct mca_common_collio_request_t *mpi_request,
                                                   void *buffer, size_t count,
                                                   ompi_datatype_t *type);

/** Turns the crank of the file's oldest operation. Returns the number of operations that ended. */
int mca_common_collio_op_progress(mca_common_collio_file_t *file);

/** The same for Open MPI's progress engine: it leaves blocking calls to their callers, because
 *  their steps may wait (one-sided epochs), and nothing may wait inside progress. */
int mca_common_collio_op_background(mca_common_collio_file_t *file);

/** Turns it until this operation is done, and frees it. Returns the agreed error class. */
int mca_common_collio_op_wait(mca_common_collio_op_t *op, int64_t *bytes);
/** Drives all calls of this file that were started, until the last one is finished. */
void mca_common_collio_op_wait_all(mca_common_collio_file_t *file);

/** One step of the call (steps.c), if it can be made. False: nothing to do until something
 *  arrives. */
bool mca_common_collio_op_advance(mca_common_collio_op_t *op);
/** Gives the lock of atomic mode back, if this rank holds it. */
void mca_common_collio_op_unlock(mca_common_collio_op_t *op);

/** See lost.c. Looks, now and then, whether the ranks that this call waits for are still there;
 *  true when the file is lost, and this call with it. */
bool mca_common_collio_op_lost(mca_common_collio_op_t *op);
/** Ends such a call: nothing of this process uses its memory or the user's any more. */
void mca_common_collio_op_abandon(mca_common_collio_op_t *op);

/** Verbose output, see op_show.c: the phase that ends and the one that follows; the whole call. */
void mca_common_collio_op_show_phase(const mca_common_collio_op_t *op,
                                     mca_common_collio_phase_t next, uint64_t now);
void mca_common_collio_op_show_call(const mca_common_collio_op_t *op);

/** The steps, each in its own file. The *_start functions begin one, the *_poll functions return
 *  true when it is over. */
void mca_common_collio_agree_start(mca_common_collio_op_t *op);
void mca_common_collio_agree_reduce(void *in, void *inout, int *count, MPI_Datatype *type);
/** After it: is this bit set in what all ranks have agreed on? */
static inline bool mca_common_collio_agreed(const mca_common_collio_op_t *op, int bit)
{
    return 0 != (op->all[MCA_COMMON_COLLIO_AGREE_STATE] & bit);
}
/** Exchange or not, how, and with which plan. */
void mca_common_collio_decide(mca_common_collio_op_t *op);
void mca_common_collio_direct_start(mca_common_collio_op_t *op);
bool mca_common_collio_direct_poll(mca_common_collio_op_t *op);
void mca_common_collio_settle_start(mca_common_collio_op_t *op);
void mca_common_collio_settle_stops(mca_common_collio_op_t *op);
void mca_common_collio_settle_count(mca_common_collio_op_t *op);

#endif /* MCA_COMMON_COLLIO_OP_H */
