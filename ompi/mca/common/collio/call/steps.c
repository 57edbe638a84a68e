/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * The steps of a collective call, in their order. Each phase has a function that starts it, one
 * that polls it, and one that makes the step to the next phase; the table is at the end.
 */
#include "call/op.h"

#include <errno.h>
#include <sched.h>

#include "access/lockahead.h"
#include "compat/verbose.h"
#include "hook/guard.h"
#include "tuner/tuner.h"
#include "twolayer/gather.h"

#include "core/debug_assert.h"
#include "core/number.h"

typedef collio_phase_t next_t;

/* ---- agreements ---- */

static bool reduction_over(collio_op_t *op)
{
    if (!collio_agreement_poll(op->ex.file)) {
        return false;
    }
    if (NULL == op->ex.collective || MPI_REQUEST_NULL == op->ex.collective) {
        return true;
    }
    if (!collio_request_done(op->ex.file, &op->ex.collective, NULL)) {
        return false;
    }
    op->ex.collective = NULL;
    return true;
}

/* Starts an agreement on errors, the number of cycles and refused marks. */
static void start_check(collio_op_t *op)
{
    op->result[COLLIO_RESULT_ERROR] = op->ex.error;
    op->result[COLLIO_RESULT_CYCLES] = (int64_t) op->ex.plan->collect.cycle_count;
    op->result[COLLIO_RESULT_REFUSED] = (int64_t) op->ex.plan->collect.refused;
    if (OMPI_SUCCESS
        != collio_agreement_start(op->ex.file, COLLIO_SCOPE_FILE, op->result, op->result_all,
                                  COLLIO_RESULT_READY_COUNT)) {
        collio_exchange_lose(&op->ex);
    }
}

/* True if such an agreement has an error; the plan is freed with the call. */
static bool refused(collio_op_t *op)
{
    op->ex.error = (int) op->result_all[COLLIO_RESULT_ERROR];
    if (0 != op->ex.error) {
        op->ex.plan->valid = false;
    }
    return 0 != op->ex.error;
}

/* ---- QUEUED ---- */

/* Flushes this rank's direct writes, where each node has a cache of its own, so that other nodes
 * can read them. */
static void flush_own(collio_op_t *op)
{
    collio_file_t *file = op->ex.file;
    int error = collio_caches_flush(file->fh, &file->access);

    if (0 == error && file->unflushed && COLLIO_COHERENCE_FLUSH == file->access.coherence) {
        error = collio_access_flush(file->access.fd);
    }
    file->unflushed = false;
    if (0 != error) {
        collio_exchange_fail(&op->ex, error);
    }
}

/* Begins the call: with early access if the tuner expects a direct call. */
static next_t after_queued(collio_op_t *op)
{
    op->early = 0 == op->ex.error && op->ex.request.bytes > 0 && !collio_direct_is_stale(op)
                && collio_tuner_expects_direct(&op->ex);
    if (op->early) {
        return COLLIO_PHASE_DIRECT;
    }
    flush_own(op);
    return COLLIO_PHASE_AGREE;
}

/* ---- DIRECT: each rank accesses its own pieces ---- */

static void start_direct(collio_op_t *op)
{
    op->ex.file->access.atomic = op->ex.atomic; /* each rank locks its own range */
    collio_direct_start(op);
}

static next_t after_direct(collio_op_t *op)
{
    return op->early ? COLLIO_PHASE_AGREE : COLLIO_PHASE_COMPLETE;
}

/* ---- AGREE ---- */

/* Copies the agreed range to the exchange. */
static void note_range(collio_op_t *op)
{
    bool data = 0 < op->all[COLLIO_AGREE_BYTES]; /* false: no rank contributed a range */

    op->ex.range = (collio_range_t){
        .lo = data ? -op->all[COLLIO_AGREE_LO] : 0,
        .hi = data ? op->all[COLLIO_AGREE_HI] : 0,
        .bytes = op->all[COLLIO_AGREE_BYTES],
        .pieces = op->all[COLLIO_AGREE_PIECES],
        .spans = collio_sum(op->all[COLLIO_AGREE_SPANS], op->all[COLLIO_AGREE_CROSSING_SPANS]),
    };
    COLLIO_ASSERT(0 <= op->ex.range.lo && op->ex.range.lo <= op->ex.range.hi);
    COLLIO_ASSERT(op->ex.request.bytes <= op->ex.range.bytes);
}

/* Returns the agreed error class; MPI_ERR_NOT_SAME if ranks differ in direction or mode. */
static int agreed_error(const collio_op_t *op)
{
    const int direction = COLLIO_AGREE_WRITE | COLLIO_AGREE_READ;
    const int mode = COLLIO_AGREE_ATOMIC | COLLIO_AGREE_NONATOMIC;
    int64_t state = op->all[COLLIO_AGREE_STATE];
    int error = (int) (state >> COLLIO_AGREE_ERROR_SHIFT);
    bool differ = direction == (state & direction) || mode == (state & mode);

    return 0 == error && differ ? MPI_ERR_NOT_SAME : error;
}

static next_t find_plan(collio_op_t *op);

/* All ranks have the same values, so all enter the same phase, except that ranks with early access
 * skip DIRECT. */
static next_t after_agree(collio_op_t *op)
{
    bool early = collio_agreed(op, COLLIO_AGREE_EARLY);
    bool pending = collio_agreed(op, COLLIO_AGREE_PENDING);

    op->ex.error = agreed_error(op);
    if (early && 0 == op->ex.error) {
        collio_tuner_served(&op->ex, !pending);
    }
    if (0 != op->ex.error || !pending) {
        return COLLIO_PHASE_DONE;
    }
    if (op->early) { /* other ranks have not accessed their pieces yet */
        return COLLIO_PHASE_COMPLETE;
    }
    note_range(op);
    op->work_ns = collio_now();
    if (early) {
        op->ex.way.exchange = false; /* other ranks have accessed their pieces already */
    } else {
        collio_decide(op);
    }
    return op->ex.way.exchange ? find_plan(op) : COLLIO_PHASE_DIRECT;
}

/* ---- PLACE and SHARE: the plan, and memory that the node shares ---- */

/* Makes a new plan: this rank's shape, the file domains, the split of this rank's request. */
static void make_plan(collio_op_t *op)
{
    collio_shape_t shape = collio_layout_shape(&op->ex);
    uint64_t start = collio_now();
    int64_t pieces = 0;
    int rc;

    op->ex.plan = collio_plans_evict(op->ex.file);
    op->ex.plan_new = true;
    COLLIO_ASSERT(!op->ex.plan->valid);
    op->ex.plan->packed = op->ex.way.packed;
    collio_plan_begin(op->ex.plan, &shape, collio_layout_window(&op->ex));
    rc = collio_layout_domains(&op->ex);
    /* a rank that has failed was not counted when the file was divided: it has no pieces */
    if (0 == rc && 0 == op->ex.error && op->ex.request.bytes > 0) {
        rc = collio_plan_split(op->ex.plan, &shape, &pieces);
    }
    collio_exchange_check(&op->ex, rc);
    collio_file_count(op->ex.file, COLLIO_STAT_REQUESTS_IN, (uint64_t) pieces);
    collio_file_count(op->ex.file, COLLIO_STAT_TIME_SPLIT, collio_now() - start);
}

/* True if no earlier plan fits on all ranks, or if the plan requires the node's segment, which
 * could not be enlarged. */
static bool needs_plan(const collio_op_t *op)
{
    return NULL == op->ex.plan
           || (op->ex.plan->outlined
               && COLLIO_SHARED_FAILED == op->ex.file->context->kept->shared.state);
}

/* A new plan gathers and routes offset lists; a reused plan already has them. */
static next_t after_memory(collio_op_t *op)
{
    bool ready;

    collio_file_count(op->ex.file,
                      op->ex.plan_new ? COLLIO_STAT_PLAN_MISSES : COLLIO_STAT_PLAN_HITS, 1);
    if (op->ex.plan_new) {
        return COLLIO_LAYERS_ONE != op->ex.layer1.kind ? COLLIO_PHASE_GATHER : COLLIO_PHASE_ROUTE;
    }
    ready = !op->ex.atomic && collio_cycles_prepared(&op->ex);
    collio_cycles_prepare(&op->ex);
    return ready ? COLLIO_PHASE_CYCLES : COLLIO_PHASE_LOCK;
}

static int64_t region_of(const collio_op_t *op)
{
    return op->ex.buffer_bytes * op->ex.way.schedule->buffers;
}

/* Opens RMA windows if the transport needs them. The next phase is SHARE if the shared segment is
 * too small for the collective buffers of this node's aggregators. */
static next_t after_plan(collio_op_t *op)
{
    const collio_shared_t *shared = &op->ex.file->context->kept->shared;

    op->ex.buffer_bytes = op->ex.plan->slot_bytes;
    collio_transport_open(&op->ex);
    if (collio_layout_in_segment(&op->ex) && 0 != op->ex.plan->regions
        && COLLIO_SHARED_FAILED != shared->state
        && (COLLIO_SHARED_READY != shared->state || shared->region_bytes < region_of(op)
            || shared->regions < op->ex.plan->regions)) {
        return COLLIO_PHASE_SHARE;
    }
    return after_memory(op);
}

static void start_share(collio_op_t *op)
{
    collio_shared_start(op->ex.file, &op->ex.file->context->kept->shared, region_of(op),
                        op->ex.plan->regions);
}

static bool segment_made(collio_op_t *op)
{
    return collio_shared_poll(op->ex.file, &op->ex.file->context->kept->shared);
}

/* Follows AGREE, and SHARE. Every new plan begins here, with the reductions that its domains depend
 * on. */
static next_t find_plan(collio_op_t *op)
{
    if (!needs_plan(op)) {
        return after_plan(op);
    }
    if (collio_layout_reduces(&op->ex)) {
        return COLLIO_PHASE_PLACE;
    }
    make_plan(op);
    return after_plan(op);
}

static void start_place(collio_op_t *op)
{
    collio_layout_histogram(&op->ex);
}

static next_t after_place(collio_op_t *op)
{
    if (collio_layout_reduces_more(&op->ex)) {
        return COLLIO_PHASE_PLACE_NODES;
    }
    make_plan(op);
    return after_plan(op);
}

/* Partition memory: all ranks have the records of all nodes. Computing the domains may fail on some
 * ranks for lack of memory. All ranks agree on that error before they create the node's segment,
 * because its size depends on the domains. */
static next_t after_place_nodes(collio_op_t *op)
{
    make_plan(op);
    return COLLIO_PHASE_PLACED;
}

static next_t after_placed(collio_op_t *op)
{
    if (refused(op)) {
        return COLLIO_PHASE_DONE;
    }
    collio_layout_memory_give_back(&op->ex);
    return after_plan(op);
}

/* ---- GATHER and ROUTE: offset lists ---- */

static void start_gather(collio_op_t *op)
{
    collio_gather_start(&op->ex);
}

static bool gathered(collio_op_t *op)
{
    return collio_gather_poll(&op->ex);
}

static next_t after_gather(collio_op_t *op)
{
    (void) op;
    return COLLIO_PHASE_ROUTE;
}

static void start_route(collio_op_t *op)
{
    collio_route_start(&op->ex);
}

/* Sends the pieces of the windows whose marks were refused (pieces may overlap). */
static void start_route_again(collio_op_t *op)
{
    collio_file_memory(op->ex.file, -op->ex.plan->memory_bytes);
    collio_route_again(&op->ex);
}

static bool routed(collio_op_t *op)
{
    return collio_route_poll(&op->ex);
}

static next_t after_route(collio_op_t *op)
{
    uint64_t start = collio_now();
    int rc = 0 == op->ex.error ? collio_plan_merge(&op->ex) : 0;

    collio_exchange_check(&op->ex, rc);
    collio_file_count(op->ex.file, COLLIO_STAT_TIME_MERGE, collio_now() - start);
    collio_file_memory(op->ex.file, op->ex.plan->memory_bytes);
    if (0 == op->ex.error) {
        collio_cycles_prepare(&op->ex);
    }
    return COLLIO_PHASE_LOCK;
}

/* ---- LOCK and READY ---- */

/* Atomic mode: rank 0 locks the whole range until the call is complete. The agreement READY follows
 * the lock, so no rank starts before rank 0 has it. */
static bool range_locked(collio_op_t *op)
{
    int64_t lo = op->ex.range.lo;
    int rc;

    if (!op->ex.atomic || 0 != op->ex.file->rank) {
        return true;
    }
    if (!collio_lock_due(&op->lock_retry)) {
        sched_yield(); /* the holder of the lock may need the core */
        return false;
    }
    rc = collio_access_try_lock(&op->ex.file->access, op->ex.write, lo, op->ex.range.hi - lo);
    op->locked = 0 == rc;
    if (0 != rc && collio_lock_again(&op->lock_retry, rc, false)) {
        return false;
    }
    collio_exchange_check(&op->ex, rc);
    return true;
}

void collio_op_unlock(collio_op_t *op)
{
    int64_t lo = op->ex.range.lo;

    if (op->locked) {
        (void) collio_access_unlock(&op->ex.file->access, lo, op->ex.range.hi - lo);
        op->locked = false;
    }
}

static next_t after_lock(collio_op_t *op)
{
    (void) op;
    return COLLIO_PHASE_READY;
}

/* Every rank has its plan and its memory. */
static next_t after_ready(collio_op_t *op)
{
    if (refused(op)) {
        return COLLIO_PHASE_DONE;
    }
    if (0 < op->result_all[COLLIO_RESULT_REFUSED]) {
        return COLLIO_PHASE_ROUTE_AGAIN;
    }
    COLLIO_ASSERT((int64_t) op->ex.plan->collect.cycle_count
                  <= op->result_all[COLLIO_RESULT_CYCLES]);
    op->ex.plan->valid = op->ex.file->settings.plan_reuse;
    op->ex.plan->fence.rounds = (size_t) op->result_all[COLLIO_RESULT_CYCLES];
    op->ex.file->access.locked = op->ex.atomic;
    return COLLIO_PHASE_CYCLES;
}

/* ---- CYCLES ---- */

static void lock_ahead(collio_op_t *op)
{
    collio_lockahead_t *lockahead = collio_lockahead_of(op->ex.file->fh);
    int aggregator = op->ex.file->derived.my_aggregator;

    if (NULL != lockahead && aggregator >= 0) {
        collio_lockahead_domain(lockahead, &op->ex.plan->domains, aggregator,
                                &op->ex.plan->collect.runs, op->ex.plan->collect.cycle,
                                op->ex.plan->collect.cycle_count, op->ex.write);
    }
}

static void start_cycles(collio_op_t *op)
{
    COLLIO_ASSERT(NULL != op->ex.plan && op->ex.way.exchange);
    COLLIO_ASSERT(op->ex.buffer_bytes == op->ex.plan->slot_bytes);
    op->ex.plan->used = op->ex.sequence;
    collio_tuner_used(&op->ex);
    lock_ahead(op);
    collio_cycles_start(&op->ex);
}

static bool cycled(collio_op_t *op)
{
    return collio_cycles_poll(&op->ex);
}

static next_t after_cycles(collio_op_t *op)
{
    (void) op;
    return COLLIO_PHASE_COMPLETE;
}

/* ---- COMPLETE ---- */

static next_t after_complete(collio_op_t *op)
{
    COLLIO_ASSERT(0 == op->ex.error || 0 != op->result_all[COLLIO_RESULT_ERROR]);
    op->ex.error = (int) op->result_all[COLLIO_RESULT_ERROR];
    if (0 != op->ex.error && NULL != op->ex.plan) {
        op->ex.plan->valid = false; /* after a failure ranks may hold different parts of the plan */
    }
    if (!collio_agreed(op, COLLIO_AGREE_EARLY)) {
        collio_tuner_record(&op->ex,
                            op->result_all[COLLIO_RESULT_END_NS]
                                + op->result_all[COLLIO_RESULT_MINUS_BEGIN_NS],
                            op->result_all[COLLIO_RESULT_HIDEABLE_NS]);
    }
    if (0 != op->result_all[COLLIO_RESULT_STOPPED]) {
        return COLLIO_PHASE_STOPS;
    }
    if (op->ex.way.exchange) {
        op->ex.done_bytes = 0 == op->ex.error ? op->ex.request.bytes : 0;
    }
    if (op->ex.write && op->ex.way.exchange) {
        collio_caches_written(op->ex.file->fh, &op->ex.file->access);
    }
    return COLLIO_PHASE_DONE;
}

static next_t after_stops(collio_op_t *op)
{
    collio_settle_count(op);
    return COLLIO_PHASE_DONE;
}

/* ---- the table ---- */

typedef struct phase_t {
    const char *name;                /* name for output to users */
    int stat;                        /* counter of the phase's time; 0: none */
    void (*start)(collio_op_t *op);  /* starts the phase; NULL: nothing to start */
    bool (*over)(collio_op_t *op);   /* polls the phase; true when it has ended; NULL: at once */
    next_t (*next)(collio_op_t *op); /* makes the step after the phase, returns the next phase */
} phase_t;

static const phase_t phases[COLLIO_PHASE_DONE + 1] = {
    [COLLIO_PHASE_QUEUED] = {"queued", 0, NULL, NULL, after_queued},
    [COLLIO_PHASE_DIRECT] = {"direct", 0, start_direct, collio_direct_poll, after_direct},
    [COLLIO_PHASE_AGREE] = {"agree", COLLIO_STAT_TIME_AGREE, collio_agree_start, reduction_over,
                            after_agree},
    [COLLIO_PHASE_PLACE] = {"place", COLLIO_STAT_TIME_AGREE, start_place, reduction_over,
                            after_place},
    [COLLIO_PHASE_PLACE_NODES] = {"place", COLLIO_STAT_TIME_AGREE, NULL, reduction_over,
                                  after_place_nodes},
    [COLLIO_PHASE_PLACED] = {"place", COLLIO_STAT_TIME_AGREE, start_check, reduction_over,
                             after_placed},
    [COLLIO_PHASE_SHARE] = {"share", COLLIO_STAT_TIME_AGREE, start_share, segment_made, find_plan},
    [COLLIO_PHASE_GATHER] = {"gather", COLLIO_STAT_TIME_GATHER, start_gather, gathered,
                             after_gather},
    [COLLIO_PHASE_ROUTE] = {"route", COLLIO_STAT_TIME_ROUTE, start_route, routed, after_route},
    [COLLIO_PHASE_LOCK] = {"lock", COLLIO_STAT_TIME_AGREE, NULL, range_locked, after_lock},
    [COLLIO_PHASE_READY] = {"ready", COLLIO_STAT_TIME_AGREE, start_check, reduction_over,
                            after_ready},
    [COLLIO_PHASE_ROUTE_AGAIN] = {"route", COLLIO_STAT_TIME_ROUTE, start_route_again, routed,
                                  after_route},
    [COLLIO_PHASE_CYCLES] = {"cycles", 0, start_cycles, cycled, after_cycles},
    [COLLIO_PHASE_COMPLETE] = {"complete", COLLIO_STAT_TIME_COMPLETE, collio_settle_start,
                               reduction_over, after_complete},
    [COLLIO_PHASE_STOPS] = {"complete", COLLIO_STAT_TIME_COMPLETE, collio_settle_stops,
                            reduction_over, after_stops},
    [COLLIO_PHASE_DONE] = {"done", 0, NULL, NULL, NULL},
};

const char *collio_phase_name(collio_phase_t phase)
{
    return phases[phase].name;
}

/* Counts the time of the current phase and starts the next one. */
static void enter(collio_op_t *op, collio_phase_t phase)
{
    uint64_t now = 0 != op->clock_ns ? op->clock_ns : collio_now();

    COLLIO_ASSERT(COLLIO_PHASE_DONE != op->phase && COLLIO_PHASE_QUEUED != phase);
    COLLIO_ASSERT(op->early || COLLIO_PHASE_AGREE != phase || COLLIO_PHASE_QUEUED == op->phase);
    op->clock_ns = 0;
    if (COLLIO_VERBOSE(fcoll, PHASE)) {
        collio_op_show_phase(op, phase, now);
    }
    if (OPAL_UNLIKELY(NULL != op->ex.file->hang)) {
        collio_hang_note(op, phase, now);
    }
    if (0 != phases[op->phase].stat) {
        collio_file_count(op->ex.file, phases[op->phase].stat, now - op->phase_ns);
    }
    op->phase = phase;
    op->phase_ns = now;
    if (NULL != phases[phase].start) {
        phases[phase].start(op);
    }
}

bool collio_op_advance(collio_op_t *op)
{
    const phase_t *phase = &phases[op->phase];

    if (NULL != phase->over && (!phase->over(op) || 0 != op->ex.file->lost)) {
        return false;
    }
    enter(op, phase->next(op));
    return COLLIO_PHASE_DONE != op->phase;
}
