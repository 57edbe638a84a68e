/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_OP_H
#define MCA_COMMON_COLLIO_OP_H

#include "file/common_collio_file.h"
#include "plan/common_collio_plan.h"
#include "transport/common_collio_transport.h"
#include "view/common_collio_view.h"

#include "core/common_collio_wire.h"

/**
 * One collective call, as a state machine. No step ever waits: blocking calls turn the crank until
 * it is done, nonblocking ones are turned by Open MPI's progress engine. Calls on one file queue
 * up; only the oldest moves, so all ranks do the same communication in the same order.
 *
 *   QUEUED -> (EARLY) -> AGREE -> HISTOGRAM -> SHARE -> ROUTE -> LOCK -> READY -> CYCLES -> SETTLE
 *                                                                            -> STOPS -> DONE
 *                |    only sparse    |              only     only      ^            only after
 *                |                   |              atomic   new plans |            a failure
 *                |                   +--- a plan is reused ------------+
 *                +--- no exchange ----------------------> DIRECT ------^
 *
 * With two layers GATHER comes before ROUTE: offset lists go to the node's local aggregators.
 *
 * EARLY: a call that looks to this rank like the last one, which skipped the exchange, accesses its
 * own pieces before it asks anybody; when all ranks did so, the agreement is also the settlement.
 * When only some did, the others follow (DIRECT), whatever they had in mind.
 *
 * COLLECTIVE RULE: a rank that fails locally notes the error in op->error and goes on taking part
 * with an empty contribution; the agreements (AGREE, READY, SETTLE) tell everybody.
 */
typedef enum mca_common_collio_phase_t {
    MCA_COMMON_COLLIO_PHASE_QUEUED = 0,
    MCA_COMMON_COLLIO_PHASE_EARLY,     /* as the last call skipped the exchange: my own pieces */
    MCA_COMMON_COLLIO_PHASE_AGREE,     /* one allreduce: range, bytes, plan, errors */
    MCA_COMMON_COLLIO_PHASE_HISTOGRAM, /* sparse requests: where the bytes are */
    MCA_COMMON_COLLIO_PHASE_SHARE,     /* the node's shared segment, when it must grow */
    MCA_COMMON_COLLIO_PHASE_GATHER,    /* two layers: offset lists inside the node */
    MCA_COMMON_COLLIO_PHASE_ROUTE,     /* offset lists to the aggregators they concern */
    MCA_COMMON_COLLIO_PHASE_LOCK,      /* atomic mode: rank 0 locks the range for all */
    MCA_COMMON_COLLIO_PHASE_READY,     /* everybody has planned, and has its memory? */
    MCA_COMMON_COLLIO_PHASE_CYCLES,    /* shuffle and access */
    MCA_COMMON_COLLIO_PHASE_DIRECT,    /* instead of all that: each rank its own pieces */
    MCA_COMMON_COLLIO_PHASE_SETTLE,    /* one result for all */
    MCA_COMMON_COLLIO_PHASE_STOPS,     /* after a failure: how far each aggregator came */
    MCA_COMMON_COLLIO_PHASE_DONE
} mca_common_collio_phase_t;

/** Which shares go through local aggregators. */
typedef enum mca_common_collio_layers_t {
    MCA_COMMON_COLLIO_LAYERS_ONE = 0, /* none */
    MCA_COMMON_COLLIO_LAYERS_BETWEEN, /* those of owners on other nodes */
    MCA_COMMON_COLLIO_LAYERS_ALL,     /* but for what an owner has for itself */
    MCA_COMMON_COLLIO_LAYERS_ORDERED  /* that too: atomic mode */
} mca_common_collio_layers_t;

/* Fields of the agreement. The first are summed, the others maximised, the last is and-ed. */
enum {
    MCA_COMMON_COLLIO_AGREE_BYTES = 0,
    MCA_COMMON_COLLIO_AGREE_PIECES,
    MCA_COMMON_COLLIO_AGREE_SPANS, /* sum of (highest - lowest): more than the whole span
                                          means that ranks interleave */
    MCA_COMMON_COLLIO_AGREE_SUMS,  /* = number of summed fields */
    MCA_COMMON_COLLIO_AGREE_LO = MCA_COMMON_COLLIO_AGREE_SUMS, /* negated: the minimum */
    MCA_COMMON_COLLIO_AGREE_HI,
    MCA_COMMON_COLLIO_AGREE_ERROR,
    MCA_COMMON_COLLIO_AGREE_HASH,
    MCA_COMMON_COLLIO_AGREE_NOT_HASH, /* negated hash: equal ranks have max = -max(negated) */
    MCA_COMMON_COLLIO_AGREE_DELTA,
    MCA_COMMON_COLLIO_AGREE_NOT_DELTA,
    MCA_COMMON_COLLIO_AGREE_EARLY, /* 1: a rank has accessed its pieces already */
    MCA_COMMON_COLLIO_AGREE_LATE,  /* 1: a rank has not */
    MCA_COMMON_COLLIO_AGREE_PLANS, /* bits of the plans that fit */
    MCA_COMMON_COLLIO_AGREE_FIELDS
};

/** Offset lists on their way to their owners; see route.c. */
typedef struct mca_common_collio_route_t {
    mca_common_collio_bytes_t *lists; /* one per share */
    ompi_request_t **sends;
    size_t send_count;
    size_t sends_done;
    bool in_barrier;
    bool barrier_done;
    struct mca_common_collio_arrival_t *arrivals;
    bool discarding; /* a list for which there was no memory */
    ompi_request_t *discarded;
} mca_common_collio_route_t;

/** A collective buffer: an access in flight, and the shuffle before (write) or after (read) it. */
typedef struct mca_common_collio_slot_t {
    const mca_common_collio_cycle_t *cycle;
    int number;    /* 0 or 1 */
    char *buffer;  /* mirrors the window: local coordinate index * window_bytes on */
    char *staging; /* of messages that cannot go straight into the buffer */
    int64_t staging_used;
    size_t batch;                   /* first source of those that share the staging now */
    size_t next_source;             /* the first one not started */
    size_t pending;                 /* started and not done */
    mca_common_collio_move_t *move; /* one per source */
    int64_t own_left;               /* bytes of the owner's own that are still to be copied */
    uint64_t arrived;               /* shm: count of arrivals when all are through */
    int64_t limit;                  /* reads: local coordinate from which there is no data */
    mca_common_collio_segment_t *segments;
    size_t segment_count;
    mca_common_collio_job_t job;
    uint64_t exposed_before; /* op->exposed_ns when the access started */
    bool in_order;           /* overlapping writes: unpack in rank order when all are there */
} mca_common_collio_slot_t;

/** A window on its way between this rank as requester and its owner. */
typedef struct mca_common_collio_delivery_t {
    size_t window; /* in plan->split */
    int owner;
    int round;
    bool started;
    mca_common_collio_move_t move;
} mca_common_collio_delivery_t;

typedef struct mca_common_collio_op_t {
    opal_list_item_t super;
    mca_common_collio_file_t *file;
    bool write;
    bool blocking;
    bool atomic;
    mca_common_collio_phase_t phase;
    int error; /* MPI error class: mine until agreed on, then everybody's */
    uint32_t sequence;

    /* the request */
    mca_common_collio_flat_t *view;
    int64_t stream;
    int64_t bytes;
    mca_common_collio_flat_t *memory;
    char *base;
    mca_common_collio_stage_t stage;
    bool staged;
    int64_t done_bytes;

    /* the agreement */
    int64_t mine[MCA_COMMON_COLLIO_AGREE_FIELDS];
    int64_t all[MCA_COMMON_COLLIO_AGREE_FIELDS];
    int64_t delta;
    int64_t *histogram;      /* mine, then everybody's; NULL unless the request is sparse */
    ompi_request_t *request; /* of the collective that is under way */

    /* the choices */
    bool early; /* this rank's access came before the agreement */
    bool exchange;
    const mca_common_collio_schedule_t *schedule;
    int transport;
    bool probing;
    mca_common_collio_plan_t *plan;
    bool plan_new;
    bool packed; /* put_*: see plan->packed */
    int layers;  /* mca_common_collio_layers_t */
    mca_common_collio_local_count_t local_aggregators;
    bool synchronous_sends;
    int64_t slot_bytes;    /* of one collective buffer */
    int64_t staging_bytes; /* of one buffer's messages */

    /* route */
    mca_common_collio_route_t route;

    /* cycles: as owner */
    mca_common_collio_progress_t progress;
    mca_common_collio_slot_t slot[2];
    int64_t stop_local; /* first local byte that was not transferred */
    bool access_failed;
    const int64_t *cycle_round; /* put_fence in two layers: the round of each cycle; else NULL */
    /* cycles: as requester */
    mca_common_collio_delivery_t *deliveries; /* one per window, in the order of delivery */
    size_t delivery_first;
    size_t delivery_next; /* the first direct one that was not started, */
    size_t relay_next;    /* the first relayed one */
    size_t delivery_end;  /* behind the last one that was */
    int round;
    int64_t round_index;
    int64_t round_bytes; /* of one round's staging */
    int64_t round_used[2];
    size_t round_pending[2];

    mca_common_collio_job_t job; /* DIRECT */
    bool locked;                 /* atomic mode: this rank holds the lock for all */
    mca_common_collio_lock_retry_t lock_retry;
    /* settle: error, stopped, nanoseconds, of which could be hidden; ready: error, cycles */
    int64_t result[4];
    int64_t result_all[4];

    uint64_t relay_ns;                               /* when layer 1 was last looked at */
    struct mca_common_collio_request_t *mpi_request; /* of a nonblocking call */
    _Atomic bool finished;                           /* of a blocking one */
    uint64_t started_ns;
    uint64_t work_ns;  /* when all ranks were there: what `auto` measures from */
    uint64_t phase_ns; /* when the phase began */
    uint64_t cycle_ns; /* when the cycles were last looked at */
    bool shuffling;    /* what was under way then, and so until the next look */
    bool accessing;
    uint64_t exposed_ns;  /* time in which an access was under way and no shuffle */
    uint64_t hideable_ns; /* access time that could have been hidden; while `auto` measures */
} mca_common_collio_op_t;

OBJ_CLASS_DECLARATION(mca_common_collio_op_t);

/** See spare.c: take gives a new operation or the file's spare one, give takes it back. */
bool mca_common_collio_op_reserve(mca_common_collio_file_t *file);
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

/** The steps, each in its own file. The *_start functions begin one, the *_poll functions return
 *  true when it is over. */
void mca_common_collio_agree_start(mca_common_collio_op_t *op);
void mca_common_collio_agree_reduce(void *in, void *inout, int *count, MPI_Datatype *type);
void mca_common_collio_layout_decide(mca_common_collio_op_t *op);
int mca_common_collio_layout_bins(const mca_common_collio_file_t *file);
void mca_common_collio_layout_histogram(mca_common_collio_op_t *op);
int mca_common_collio_layout_domains(mca_common_collio_op_t *op,
                                     mca_common_collio_domains_t *domains);
int64_t mca_common_collio_layout_window(const mca_common_collio_op_t *op);
int64_t mca_common_collio_layout_slot(const mca_common_collio_op_t *op);
mca_common_collio_shape_t mca_common_collio_layout_shape(const mca_common_collio_op_t *op);
bool mca_common_collio_layout_sparse(const mca_common_collio_op_t *op);
/** Do all ranks reach every collective buffer in shared memory? */
bool mca_common_collio_layout_all_shared(const mca_common_collio_op_t *op);
/** Is it enough to tell owners the outlines of the windows? */
bool mca_common_collio_layout_may_outline(const mca_common_collio_op_t *op);
void mca_common_collio_route_start(mca_common_collio_op_t *op);
bool mca_common_collio_route_poll(mca_common_collio_op_t *op);
/** Has this rank cycles of its own? */
bool mca_common_collio_is_owner(const mca_common_collio_op_t *op);
/** Takes the memory of the cycles. It cannot fail if that plan was `prepared` for this way. */
void mca_common_collio_cycles_prepare(mca_common_collio_op_t *op);
bool mca_common_collio_cycles_prepared(const mca_common_collio_op_t *op);
void mca_common_collio_cycles_start(mca_common_collio_op_t *op);
bool mca_common_collio_cycles_poll(mca_common_collio_op_t *op);
void mca_common_collio_cycles_enter(mca_common_collio_op_t *op, size_t number);
void mca_common_collio_cycles_access_start(mca_common_collio_op_t *op, size_t number);
void mca_common_collio_cycles_access_wait(mca_common_collio_op_t *op, size_t number);
/** put_fence: how wide a request may be in two layers; see fence_number.c. */
enum { MCA_COMMON_COLLIO_FENCE_WINDOWS = 1 << 23 };
int mca_common_collio_fence_prepare(mca_common_collio_plan_t *plan);
int mca_common_collio_fence_number(mca_common_collio_op_t *op);
void mca_common_collio_fence_cycles(mca_common_collio_op_t *op);
void mca_common_collio_deliver_start(mca_common_collio_op_t *op);
bool mca_common_collio_deliver_poll(mca_common_collio_op_t *op, bool *moved);
void mca_common_collio_direct_start(mca_common_collio_op_t *op);
bool mca_common_collio_direct_poll(mca_common_collio_op_t *op);
void mca_common_collio_settle_start(mca_common_collio_op_t *op);
void mca_common_collio_settle_stops(mca_common_collio_op_t *op);
void mca_common_collio_settle_count(mca_common_collio_op_t *op);

/** Do requesters put and get, or are there messages and shared memory? */
static inline bool mca_common_collio_op_puts(const mca_common_collio_op_t *op)
{
    return MCA_COMMON_COLLIO_TRANSPORT_PUT_FENCE == op->transport
           || MCA_COMMON_COLLIO_TRANSPORT_PUT_LOCK == op->transport;
}

/** Tags: per operation, so that the next one's messages never meet this one's. */
enum {
    MCA_COMMON_COLLIO_TAG_META = 0,
    MCA_COMMON_COLLIO_TAG_DATA,
    MCA_COMMON_COLLIO_TAG_GRANT,
    MCA_COMMON_COLLIO_TAG_DATA_1, /* put_lock: of the second buffer */
    MCA_COMMON_COLLIO_TAG_RELAY   /* between a rank and its local aggregator */
};

static inline int mca_common_collio_op_tag(const mca_common_collio_op_t *op, int kind)
{
    return (int) ((op->sequence & 0xfff) * 8) + kind;
}

/** Notes an error of this rank; the first one counts. `error` is a positive errno. */
void mca_common_collio_op_fail(mca_common_collio_op_t *op, int error);

#endif /* MCA_COMMON_COLLIO_OP_H */
