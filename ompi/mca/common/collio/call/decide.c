/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Decide: exchange or direct access, transport and schedule, one or two layers, a plan to reuse.
 * Every input is an agreed value, so all ranks make the same decision without a message.
 */
#include "call/op.h"

#include "tuner/tuner.h"
#include "twolayer/relay.h"

#include "core/put_rule.h"

static bool puts_are_packed(const collio_exchange_t *ex)
{
    return collio_exchange_puts(ex) && collio_put_packs(ex->range.pieces, ex->range.bytes);
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

    collio_tuner_choose(ex, collio_layout_window_least(ex));
    if (!ex->way.exchange) {
        return;
    }
    ex->way.packed = puts_are_packed(ex);
    collio_layers_decide(ex);
    ex->layer1.actions = COLLIO_LAYERS_ONE == ex->layer1.kind ? NULL : &collio_relay_actions;
    ex->plan = agreed_plan(op);
    ex->plan_new = NULL == ex->plan;
    ex->way.packed = ex->plan_new ? ex->way.packed : ex->plan->packed;
    collio_file_count(ex->file, ex->plan_new ? COLLIO_STAT_PLAN_MISSES : COLLIO_STAT_PLAN_HITS, 1);
}
