/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * The steps of a collective call, in reverse order. A function begin_* enters a phase and sets the
 * function that follows the phase; `phases` has the function that polls each phase.
 */
#include "call/op.h"

#include <errno.h>
#include <sched.h>

#include "access/lockahead.h"
#include "compat/verbose.h"
#include "hook/guard.h"
#include "transport/onesided/put.h"
#include "tuner/tuner.h"
#include "twolayer/relay.h"

#include "core/debug_assert.h"

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

static bool segment_made(collio_op_t *op)
{
    return collio_shared_poll(op->ex.file, &op->ex.file->kept->shared);
}

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
    if (0 != rc) {
        collio_exchange_fail(&op->ex, -rc);
    }
    return true;
}

typedef struct phase_t {
    int stat;                            /* counter of the phase's time; 0: enter() counts none */
    bool (*over)(collio_op_t *op);       /* polls the phase; true when it has ended */
    bool (*poll)(collio_exchange_t *ex); /* replaces `over`: a function of a directory below */
} phase_t;

static const phase_t phases[COLLIO_PHASE_DONE] = {
    [COLLIO_PHASE_DIRECT] = {0, collio_direct_poll, NULL},
    [COLLIO_PHASE_AGREE] = {COLLIO_STAT_TIME_AGREE, reduction_over, NULL},
    [COLLIO_PHASE_PLACE] = {COLLIO_STAT_TIME_AGREE, reduction_over, NULL},
    [COLLIO_PHASE_SHARE] = {COLLIO_STAT_TIME_AGREE, segment_made, NULL},
    [COLLIO_PHASE_GATHER] = {COLLIO_STAT_TIME_GATHER, NULL, collio_gather_poll},
    [COLLIO_PHASE_ROUTE] = {COLLIO_STAT_TIME_ROUTE, NULL, collio_route_poll},
    [COLLIO_PHASE_LOCK] = {COLLIO_STAT_TIME_AGREE, range_locked, NULL},
    [COLLIO_PHASE_READY] = {COLLIO_STAT_TIME_AGREE, reduction_over, NULL},
    [COLLIO_PHASE_CYCLES] = {0, NULL, collio_cycles_poll},
    [COLLIO_PHASE_COMPLETE] = {COLLIO_STAT_TIME_COMPLETE, reduction_over, NULL},
};

/* Counts the time of the current phase and enters `phase`, which the function `next` follows. */
static void enter(collio_op_t *op, collio_phase_t phase, collio_op_step_t *next)
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
    op->next = next;
}

static void end_call(collio_op_t *op)
{
    enter(op, COLLIO_PHASE_DONE, NULL);
}

/* Ends the call if an agreement before the cycles has an error; the plan is freed with the call. */
static bool refused(collio_op_t *op)
{
    op->ex.error = (int) op->result_all[COLLIO_RESULT_ERROR];
    if (0 == op->ex.error) {
        return false;
    }
    op->ex.plan->valid = false;
    end_call(op);
    return true;
}

static void after_stops(collio_op_t *op)
{
    collio_settle_count(op);
    end_call(op);
}

static void after_complete(collio_op_t *op)
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
        enter(op, COLLIO_PHASE_COMPLETE, after_stops);
        collio_settle_stops(op);
        return;
    }
    if (op->ex.write && op->ex.way.exchange) {
        op->ex.done_bytes = 0 == op->ex.error ? op->ex.request.bytes : 0;
        collio_caches_written(op->ex.file->fh, &op->ex.file->access);
    }
    end_call(op);
}

static void begin_complete(collio_op_t *op)
{
    enter(op, COLLIO_PHASE_COMPLETE, after_complete);
    collio_settle_start(op);
}

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

static void begin_cycles(collio_op_t *op)
{
    COLLIO_ASSERT(NULL != op->ex.plan && op->ex.way.exchange);
    COLLIO_ASSERT(op->ex.buffer_bytes == op->ex.plan->slot_bytes);
    op->ex.plan->used = op->ex.sequence;
    collio_tuner_used(&op->ex);
    lock_ahead(op);
    enter(op, COLLIO_PHASE_CYCLES, begin_complete);
    collio_cycles_start(&op->ex);
}

static collio_op_step_t after_route;

/* Sends the pieces of the windows whose marks were refused (pieces may overlap). */
static void begin_route_again(collio_op_t *op)
{
    enter(op, COLLIO_PHASE_ROUTE, after_route);
    collio_file_memory(op->ex.file, -op->ex.plan->memory_bytes);
    collio_route_again(&op->ex);
}

static void after_ready(collio_op_t *op)
{
    if (refused(op)) {
        return;
    }
    if (0 < op->result_all[COLLIO_RESULT_REFUSED]) {
        begin_route_again(op);
        return;
    }
    COLLIO_ASSERT((int64_t) op->ex.plan->collect.cycle_count
                  <= op->result_all[COLLIO_RESULT_CYCLES]);
    op->ex.plan->valid = op->ex.file->settings.plan_reuse;
    op->ex.plan->fence.rounds = (size_t) op->result_all[COLLIO_RESULT_CYCLES];
    op->ex.file->access.locked = op->ex.atomic;
    begin_cycles(op);
}

/* Enters `phase` and agrees on errors, the number of cycles and refused marks. */
static void begin_check(collio_op_t *op, collio_phase_t phase, collio_op_step_t *next)
{
    enter(op, phase, next);
    op->result[COLLIO_RESULT_ERROR] = op->ex.error;
    op->result[COLLIO_RESULT_CYCLES] = (int64_t) op->ex.plan->collect.cycle_count;
    op->result[COLLIO_RESULT_REFUSED] = (int64_t) op->ex.plan->collect.refused;
    if (OMPI_SUCCESS
        != collio_agreement_start(op->ex.file, COLLIO_SCOPE_FILE, op->result, op->result_all,
                                  COLLIO_RESULT_READY_COUNT)) {
        collio_exchange_lose(&op->ex);
    }
}

/* Agrees that every rank has its plan and its memory. */
static void begin_ready(collio_op_t *op)
{
    begin_check(op, COLLIO_PHASE_READY, after_ready);
}

static void begin_lock(collio_op_t *op)
{
    enter(op, COLLIO_PHASE_LOCK, begin_ready);
}

static void after_route(collio_op_t *op)
{
    uint64_t start = collio_now();
    int rc = 0 == op->ex.error ? collio_plan_merge(&op->ex) : 0;

    if (0 != rc) {
        collio_exchange_fail(&op->ex, -rc);
    }
    collio_file_count(op->ex.file, COLLIO_STAT_TIME_MERGE, collio_now() - start);
    collio_file_memory(op->ex.file, op->ex.plan->memory_bytes);
    if (0 == op->ex.error) {
        collio_cycles_prepare(&op->ex);
    }
    begin_lock(op);
}

static void begin_route(collio_op_t *op)
{
    enter(op, COLLIO_PHASE_ROUTE, after_route);
    collio_route_start(&op->ex);
}

/* Begins a new plan: this rank's shape, the file domains, the split of this rank's request. */
static void begin_plan(collio_op_t *op)
{
    collio_shape_t shape = collio_layout_shape(&op->ex);
    uint64_t start = collio_now();
    int64_t pieces = 0;
    int rc;

    op->ex.plan = collio_plans_evict(op->ex.file);
    COLLIO_ASSERT(!op->ex.plan->valid && op->ex.plan_new);
    op->ex.plan->packed = op->ex.way.packed;
    collio_plan_begin(op->ex.plan, &shape, collio_layout_window(&op->ex));
    rc = collio_layout_domains(&op->ex);
    /* a rank that has failed was not counted when the file was divided: it has no pieces */
    if (0 == rc && 0 == op->ex.error && op->ex.request.bytes > 0) {
        rc = collio_plan_split(op->ex.plan, &shape, &pieces);
    }
    if (0 != rc) {
        collio_exchange_fail(&op->ex, -rc);
    }
    collio_file_count(op->ex.file, COLLIO_STAT_REQUESTS_IN, (uint64_t) pieces);
    collio_file_count(op->ex.file, COLLIO_STAT_TIME_SPLIT, collio_now() - start);
}

/* Replaces a plan that requires shared memory, because the segment could not be enlarged. */
static void renew_plan(collio_op_t *op)
{
    op->ex.plan_new = true;
    begin_plan(op);
    op->ex.buffer_bytes = op->ex.plan->slot_bytes;
}

/* Follows SHARE: a new plan gathers and routes offset lists; a reused plan already has them. */
static void begin_lists(collio_op_t *op)
{
    bool ready;

    if (op->ex.plan->outlined && !collio_layout_all_shared(&op->ex)) {
        renew_plan(op);
    }
    if (op->ex.plan_new && COLLIO_LAYERS_ONE != op->ex.layer1.kind) {
        enter(op, COLLIO_PHASE_GATHER, begin_route);
        collio_gather_start(&op->ex);
        return;
    }
    if (op->ex.plan_new) {
        begin_route(op);
        return;
    }
    ready = !op->ex.atomic && collio_cycles_prepared(&op->ex);
    collio_cycles_prepare(&op->ex);
    if (ready) {
        begin_cycles(op);
    } else {
        begin_lock(op);
    }
}

/* Opens RMA windows if the transport needs them, and enlarges the shared segment if it is too small
 * for the collective buffers of this node's aggregators. */
static void begin_share(collio_op_t *op)
{
    collio_file_t *file = op->ex.file;
    int64_t region;
    int regions;

    if (op->ex.plan_new && NULL == op->ex.plan) {
        begin_plan(op);
    }
    op->ex.buffer_bytes = op->ex.plan->slot_bytes;
    if (collio_exchange_puts(&op->ex)
        && !collio_put_open(file, op->ex.buffer_bytes * (op->ex.way.packed ? 2 : 1),
                            op->ex.way.schedule->buffers, op->ex.plan->aggregates,
                            op->ex.plan->memory.stamp)) {
        op->ex.way.transport = collio_transport_with(file, COLLIO_BUFFERS_PRIVATE);
        op->ex.way.why[COLLIO_DECISION_TRANSPORT] = COLLIO_REASON_NO_WINDOW;
    }
    region = op->ex.buffer_bytes * op->ex.way.schedule->buffers;
    regions = op->ex.plan->regions;
    if (collio_layout_in_segment(&op->ex) && 0 != regions
        && COLLIO_SHARED_FAILED != file->kept->shared.state
        && (COLLIO_SHARED_READY != file->kept->shared.state
            || file->kept->shared.region_bytes < region || file->kept->shared.regions < regions)) {
        enter(op, COLLIO_PHASE_SHARE, begin_lists);
        collio_shared_start(file, &file->kept->shared, region, regions);
        return;
    }
    begin_lists(op);
}

static void after_placed(collio_op_t *op)
{
    if (refused(op)) {
        return;
    }
    collio_layout_memory_give_back(&op->ex);
    begin_share(op);
}

/* Partition memory: all ranks have the records of all nodes. Computing the domains may fail on some
 * ranks for lack of memory. All ranks agree on that error before they create the node's segment,
 * because its size depends on the domains. */
static void begin_placed(collio_op_t *op)
{
    begin_plan(op);
    begin_check(op, COLLIO_PHASE_PLACE, after_placed);
}

static void after_histogram(collio_op_t *op)
{
    if (collio_layout_reduces_more(&op->ex)) {
        enter(op, COLLIO_PHASE_PLACE, begin_placed);
    } else {
        begin_share(op);
    }
}

static void begin_histogram(collio_op_t *op)
{
    enter(op, COLLIO_PHASE_PLACE, after_histogram);
    collio_layout_histogram(&op->ex);
}

/* Each rank accesses its own pieces. */
static void begin_direct(collio_op_t *op, collio_op_step_t *next)
{
    enter(op, COLLIO_PHASE_DIRECT, next);
    op->ex.file->access.atomic = op->ex.atomic; /* each rank locks its own range */
    collio_direct_start(op);
}

/* Copies the agreed range to the exchange. */
static void note_range(collio_op_t *op)
{
    bool data = 0 < op->all[COLLIO_AGREE_BYTES]; /* false: no rank contributed a range */

    op->ex.range = (collio_range_t){
        .lo = data ? -op->all[COLLIO_AGREE_LO] : 0,
        .hi = data ? op->all[COLLIO_AGREE_HI] : 0,
        .bytes = op->all[COLLIO_AGREE_BYTES],
        .pieces = op->all[COLLIO_AGREE_PIECES],
        .spans = op->all[COLLIO_AGREE_SPANS],
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

/* Follows AGREE. All ranks have the same values, so all enter the same phase, except that ranks
 * with early access skip DIRECT. */
static void after_agree(collio_op_t *op)
{
    bool early = collio_agreed(op, COLLIO_AGREE_EARLY);
    bool pending = collio_agreed(op, COLLIO_AGREE_PENDING);

    op->ex.error = agreed_error(op);
    if (early && 0 == op->ex.error) {
        collio_tuner_served(&op->ex, !pending);
    }
    if (0 != op->ex.error || !pending) {
        end_call(op);
        return;
    }
    if (op->early) { /* other ranks have not accessed their pieces yet */
        begin_complete(op);
        return;
    }
    note_range(op);
    op->work_ns = collio_now();
    if (early) {
        op->ex.way.exchange = false; /* other ranks have accessed their pieces already */
    } else {
        collio_decide(op);
    }
    if (!op->ex.way.exchange) {
        begin_direct(op, begin_complete);
    } else if (op->ex.plan_new && collio_layout_reduces(&op->ex)) {
        begin_histogram(op);
    } else {
        begin_share(op);
    }
}

static void begin_agree(collio_op_t *op)
{
    enter(op, COLLIO_PHASE_AGREE, after_agree);
    collio_agree_start(op);
}

/* Flushes this rank's direct writes, where each node has a cache of its own, so that aggregators on
 * other nodes can read them. */
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

/* Begins the call: with early access if the tuner expects a direct call, else with AGREE. */
static void begin(collio_op_t *op)
{
    op->early = 0 == op->ex.error && op->ex.request.bytes > 0
                && collio_tuner_expects_direct(&op->ex);
    if (op->early) {
        begin_direct(op, begin_agree);
        return;
    }
    flush_own(op);
    begin_agree(op);
}

void collio_op_unlock(collio_op_t *op)
{
    int64_t lo = op->ex.range.lo;

    if (op->locked) {
        (void) collio_access_unlock(&op->ex.file->access, lo, op->ex.range.hi - lo);
        op->locked = false;
    }
}

bool collio_op_advance(collio_op_t *op)
{
    const phase_t *phase = &phases[op->phase];
    bool over;

    if (COLLIO_PHASE_QUEUED == op->phase) {
        begin(op);
        return true;
    }
    over = NULL != phase->over ? phase->over(op) : phase->poll(&op->ex);
    if (!over || 0 != op->ex.file->lost) {
        return false;
    }
    op->next(op);
    return COLLIO_PHASE_DONE != op->phase;
}
