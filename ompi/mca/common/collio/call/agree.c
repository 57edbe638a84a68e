/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Agree: ONE small reduction gives all ranks the range and the bytes of the call, whether ranks
 * interleave, the earlier plans that fit on all ranks, and the error of a rank that has failed. A
 * rank without data contributes the identity of every field.
 *
 * Decide: exchange or direct access, transport and schedule, one or two layers, a plan to reuse.
 * Every input is an agreed value, so all ranks make the same decision without a message.
 */
#include "call/op.h"

#include "tuner/tuner.h"
#include "twolayer/gather.h"

#include "core/interleave.h"
#include "core/number.h"
#include "core/policy.h"
#include "core/put_rule.h"

_Static_assert((int) COLLIO_AGREE_FIELDS == (int) COLLIO_AGREEMENT_CALL,
               "the agreement has the fields of a call");
_Static_assert((int) COLLIO_AGREE_LINE == (int) COLLIO_AGREEMENT_LINE,
               "the contribution of a rank is a cache line");

static const int64_t bits_mask = (INT64_C(1) << COLLIO_AGREE_ERROR_SHIFT) - 1;

/* Reduces the first `fields` fields. */
static void combine(const int64_t *from, int64_t *to, int fields)
{
    int64_t bits = (from[COLLIO_AGREE_STATE] | to[COLLIO_AGREE_STATE]) & bits_mask;

    for (int i = 0; i < COLLIO_AGREE_SUMS; ++i) {
        to[i] = collio_max(from[i], to[i]);
    }
    for (int i = COLLIO_AGREE_SUMS; i < fields; ++i) {
        to[i] = collio_sum(to[i], from[i]);
    }
    to[COLLIO_AGREE_STATE] = (to[COLLIO_AGREE_STATE] & ~bits_mask) | bits;
}

/* Compares the ranges of the ranks of a node. A node with very many ranks is compared in parts. */
static void find_crossing(const int64_t *line, size_t stride, int ranks, int64_t *all)
{
    collio_rank_range_t range[COLLIO_INTERLEAVE_RANKS];
    collio_crossing_t sum = {0};
    size_t count = 0;

    for (int i = 0; i < ranks; ++i, line += stride) {
        if (0 < line[COLLIO_AGREE_BYTES]) {
            range[count++] = (collio_rank_range_t){.lo = -line[COLLIO_AGREE_LO],
                                                   .hi = line[COLLIO_AGREE_HI],
                                                   .pieces = line[COLLIO_AGREE_PIECES]};
        }
        if (COLLIO_INTERLEAVE_RANKS == count || i + 1 == ranks) {
            collio_crossing_add(&sum, range, count);
            count = 0;
        }
    }
    all[COLLIO_AGREE_SPANS] = sum.spans;
    all[COLLIO_AGREE_CROSSED] = sum.pieces;
    all[COLLIO_AGREE_CROSSING_SPANS] = sum.crossing_spans;
}

static void reduce_node(const int64_t *line, size_t stride, int ranks, int64_t *all)
{
    memcpy(all, line, sizeof(*line) * COLLIO_AGREE_LINE);
    all[COLLIO_AGREE_CROSSED] = all[COLLIO_AGREE_CROSSING_SPANS] = 0;
    for (int i = 1; i < ranks; ++i) {
        combine(line + (size_t) i * stride, all, COLLIO_AGREE_LINE);
    }
    if (1 < ranks && 0 != (all[COLLIO_AGREE_STATE] & COLLIO_AGREE_PENDING)) {
        find_crossing(line, stride, ranks, all);
    }
}

static void reduce_nodes(void *in, void *inout, int *count, MPI_Datatype *type)
{
    const int64_t *from = in;
    int64_t *to = inout;

    (void) type;
    for (int element = 0; element < *count; ++element) {
        combine(from, to, COLLIO_AGREE_FIELDS);
        from += COLLIO_AGREE_FIELDS;
        to += COLLIO_AGREE_FIELDS;
    }
}

const collio_agreement_rule_t collio_agree_rule = {.node = reduce_node, .nodes = reduce_nodes};

bool collio_agreed_interleaved(const collio_op_t *op)
{
    const int64_t *all = op->all;
    collio_crossing_t crossing = {.pieces = all[COLLIO_AGREE_CROSSED],
                                  .spans = all[COLLIO_AGREE_SPANS]};

    return collio_interleaved(&crossing, all[COLLIO_AGREE_HI] + all[COLLIO_AGREE_LO],
                              all[COLLIO_AGREE_PIECES]);
}

static void agree_describe_request(collio_op_t *op)
{
    const collio_request_t *request = &op->ex.request;

    op->mine[COLLIO_AGREE_BYTES] = request->bytes;
    op->mine[COLLIO_AGREE_PIECES] = collio_tiling_piece_bound(&request->view, request->stream,
                                                              request->bytes);
    op->mine[COLLIO_AGREE_SPANS] = request->hi - request->lo;
    op->mine[COLLIO_AGREE_LO] = -request->lo;
    op->mine[COLLIO_AGREE_HI] = request->hi;
}

/* Finds the plans that fit and the distance they must move. Returns the bits of all other plans. */
static int64_t propose_plan(collio_op_t *op)
{
    collio_shape_t shape = collio_layout_shape(&op->ex);
    int64_t fits;

    collio_layout_withhold(op->ex.file);
    fits = collio_plans_match(op->ex.file->context->kept->plans, &shape, &op->delta);
    if (0 != fits && op->ex.request.bytes > 0) {
        op->mine[COLLIO_AGREE_DELTA] = op->delta;
        op->mine[COLLIO_AGREE_NOT_DELTA] = -op->delta;
    }
    return COLLIO_PLAN_ALL & ~fits;
}

/* Fills this rank's contribution and returns its bits. After early access the rank contributes no
 * range and no plans: it has nothing to decide. */
static int64_t agree_describe(collio_op_t *op)
{
    int64_t unfit = COLLIO_PLAN_ALL, pending = 0;

    if (op->early) {
        return COLLIO_AGREE_EARLY;
    }
    if (op->ex.file->settings.plan_reuse && 0 == op->ex.error) {
        unfit = propose_plan(op);
    }
    if (op->ex.request.bytes > 0) {
        pending = COLLIO_AGREE_PENDING;
        agree_describe_request(op);
    }
    return unfit * COLLIO_AGREE_UNFIT | pending;
}

void collio_agree_start(collio_op_t *op)
{
    int64_t *mine = op->mine, bits;

    for (int i = 0; i < COLLIO_AGREE_LINE; ++i) {
        mine[i] = i < COLLIO_AGREE_SUMS ? INT64_MIN : 0;
    }
    bits = agree_describe(op);
    /* MPI_ERR_NOT_SAME if the ranks differ in direction or mode: see agreed_error in steps.c */
    bits |= op->ex.write ? COLLIO_AGREE_WRITE : COLLIO_AGREE_READ;
    bits |= op->ex.atomic ? COLLIO_AGREE_ATOMIC : COLLIO_AGREE_NONATOMIC;
    mine[COLLIO_AGREE_STATE] = (int64_t) op->ex.error << COLLIO_AGREE_ERROR_SHIFT | bits;
    if (OMPI_SUCCESS
        != collio_agreement_start(op->ex.file, COLLIO_SCOPE_CALL, mine, op->all,
                                  op->early ? 1 : COLLIO_AGREE_FIELDS)) {
        collio_exchange_lose(&op->ex);
    }
}

static collio_plan_t *agreed_plan(collio_op_t *op)
{
    int64_t delta = op->all[COLLIO_AGREE_DELTA];
    int64_t unfit = op->all[COLLIO_AGREE_STATE] / COLLIO_AGREE_UNFIT;

    /* INT64_MIN: no rank with data has a plan that fits */
    if (INT64_MIN == delta || delta != -op->all[COLLIO_AGREE_NOT_DELTA]) {
        return NULL;
    }
    return collio_plans_agreed(&op->ex, COLLIO_PLAN_ALL & ~unfit, delta);
}

static void count_reuse(const collio_exchange_t *ex)
{
    collio_kept_t *kept = ex->file->context->kept;

    ++kept->reuse.calls;
    kept->reuse.plans += NULL == ex->plan;
    kept->reuse.calls_per_plan = collio_max(
        kept->reuse.calls_per_plan,
        collio_policy_calls_per_plan(kept->reuse.calls, kept->reuse.plans));
}

void collio_decide(collio_op_t *op)
{
    collio_exchange_t *ex = &op->ex;
    collio_buffers_t wanted = collio_tuner_choose(ex, collio_layout_window_least(ex),
                                                  collio_agreed_interleaved(op));

    if (!ex->way.exchange) {
        return;
    }
    collio_transport_choose(ex, wanted);
    collio_tuner_used(ex);
    ex->way.packed = collio_exchange_puts(ex)
                     && collio_put_packs(ex->range.pieces, ex->range.bytes);
    collio_layers_decide(ex);
    ex->plan = agreed_plan(op);
    count_reuse(ex);
    if (NULL != ex->plan) {
        ex->way.packed = ex->plan->packed;
    }
}
