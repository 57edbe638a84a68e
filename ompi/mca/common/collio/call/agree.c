/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Agree: ONE small reduction gives all ranks the range and the bytes of the call, the earlier plans
 * that fit on all ranks, and the error of a rank that has failed. A rank without data contributes
 * the identity of every field.
 *
 * Decide: exchange or direct access, transport and schedule, one or two layers, a plan to reuse.
 * Every input is an agreed value, so all ranks make the same decision without a message.
 */
#include "call/op.h"

#include "tuner/tuner.h"
#include "twolayer/relay.h"

#include "core/number.h"
#include "core/put_rule.h"

_Static_assert((int) COLLIO_AGREE_FIELDS == (int) COLLIO_AGREEMENT_CALL,
               "the agreement is a line of the page");

static const int64_t bits_mask = (INT64_C(1) << COLLIO_AGREE_ERROR_SHIFT) - 1;

void collio_agree_reduce(void *in, void *inout, int *count, MPI_Datatype *type)
{
    const int64_t *from = in;
    int64_t *to = inout;

    (void) type;
    for (int element = 0; element < *count; ++element) {
        int64_t bits = (from[COLLIO_AGREE_STATE] | to[COLLIO_AGREE_STATE]) & bits_mask;

        for (int i = 0; i < COLLIO_AGREE_SUMS; ++i) {
            to[i] = collio_max(from[i], to[i]);
        }
        for (int i = COLLIO_AGREE_SUMS; i < COLLIO_AGREE_FIELDS; ++i) {
            to[i] = collio_sum(to[i], from[i]);
        }
        to[COLLIO_AGREE_STATE] = (to[COLLIO_AGREE_STATE] & ~bits_mask) | bits;
        from += COLLIO_AGREE_FIELDS;
        to += COLLIO_AGREE_FIELDS;
    }
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

    for (int i = 0; i < COLLIO_AGREE_FIELDS; ++i) {
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

void collio_decide(collio_op_t *op)
{
    collio_exchange_t *ex = &op->ex;
    collio_buffers_t wanted = collio_tuner_choose(ex, collio_layout_window_least(ex));

    if (!ex->way.exchange) {
        return;
    }
    collio_transport_choose(ex, wanted);
    collio_tuner_used(ex);
    ex->way.packed = collio_exchange_puts(ex)
                     && collio_put_packs(ex->range.pieces, ex->range.bytes);
    collio_layers_decide(ex);
    ex->layer1.actions = COLLIO_LAYERS_ONE == ex->layer1.kind ? NULL : &collio_relay_actions;
    ex->plan = agreed_plan(op);
    if (NULL != ex->plan) {
        ex->way.packed = ex->plan->packed;
    }
}
