/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/**
 * Decide: what follows from the agreement. Every input is an agreed value, so all ranks decide
 * alike: exchange or not, transport and schedule, one or two layers, a plan to reuse.
 */
#include "call/common_collio_op.h"

#include "tuner/common_collio_tuner.h"
#include "twolayer/common_collio_relay.h"

#include "core/common_collio_put_rule.h"

static bool puts_are_packed(const mca_common_collio_exchange_t *ex)
{
    return mca_common_collio_exchange_puts(ex)
           && mca_common_collio_put_packs(ex->range.pieces, ex->range.bytes);
}

static mca_common_collio_plan_t *agreed_plan(mca_common_collio_op_t *op)
{
    int64_t delta = op->all[MCA_COMMON_COLLIO_AGREE_DELTA];
    int64_t unfit = op->all[MCA_COMMON_COLLIO_AGREE_STATE] / MCA_COMMON_COLLIO_AGREE_UNFIT;

    /* INT64_MIN: no rank that has data offered a plan */
    if (INT64_MIN == delta || delta != -op->all[MCA_COMMON_COLLIO_AGREE_NOT_DELTA]) {
        return NULL;
    }
    return mca_common_collio_plans_agreed(&op->ex, MCA_COMMON_COLLIO_PLAN_ALL & ~unfit, delta);
}

void mca_common_collio_decide(mca_common_collio_op_t *op)
{
    mca_common_collio_exchange_t *ex = &op->ex;

    mca_common_collio_tuner_choose(ex, mca_common_collio_layout_window(ex));
    if (!ex->way.exchange) {
        return;
    }
    ex->way.packed = puts_are_packed(ex);
    mca_common_collio_layers_decide(ex);
    ex->layer1.actions = MCA_COMMON_COLLIO_LAYERS_ONE == ex->layer1.kind
                             ? NULL
                             : &mca_common_collio_relay_actions;
    ex->plan = agreed_plan(op);
    ex->plan_new = NULL == ex->plan;
    ex->way.packed = ex->plan_new ? ex->way.packed : ex->plan->packed;
    mca_common_collio_exchange_count(
        ex, ex->plan_new ? MCA_COMMON_COLLIO_STAT_plan_misses : MCA_COMMON_COLLIO_STAT_plan_hits,
        1);
}
