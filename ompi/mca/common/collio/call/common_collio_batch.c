/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/**
 * Batch: one agreement for several small nonblocking calls. A program that starts many calls and
 * then waits for them would pay an agreement for each, one after the other, although none of them
 * needs an exchange and their accesses take less time than an agreement does. So a rank that has
 * made its access of call k, and comes to the agreement, first makes those of the calls behind it
 * in the queue, and offers them:
 *
 *   queue of rank 0    k  k+1 k+2 k+3          has made all of them: offers 3
 *   queue of rank 1    k  k+1 k+2              has started no further call: offers 2
 *   agreement on k     offered by all: 2       k, k+1 and k+2 are over on both ranks
 *
 * Call k+3 has an agreement of its own, with whatever is in the queues then. A call that fails ends
 * what its rank offers, so that its error is told by its own agreement: every rank returns it from
 * the same call.
 */
#include "call/common_collio_op.h"

#include "tuner/common_collio_tuner.h"

static mca_common_collio_op_t *behind(mca_common_collio_op_t *op)
{
    mca_common_collio_file_t *file = op->ex.file;
    opal_list_item_t *next;

    OPAL_THREAD_LOCK(&file->lock); /* another thread may start a call */
    next = opal_list_get_next(&op->super);
    next = opal_list_get_end(&file->ops) == next ? NULL : next;
    OPAL_THREAD_UNLOCK(&file->lock);
    return (mca_common_collio_op_t *) next;
}

/* May this call share its agreement with others? What is asked of call k is asked of all. */
static bool shares(mca_common_collio_op_t *op)
{
    return !op->ex.blocking && !op->ex.atomic && 0 == op->ex.error
           && (0 == op->ex.request.bytes || mca_common_collio_direct_is_brief(op));
}

static void make_access(mca_common_collio_op_t *op)
{
    op->early = true;
    op->phase_ns = mca_common_collio_now();
    mca_common_collio_direct_start(op);
    (void) mca_common_collio_direct_poll(op);
}

int64_t mca_common_collio_batch_offer(mca_common_collio_op_t *op)
{
    enum { MOST = 64 };
    mca_common_collio_op_t *next = behind(op);
    int64_t made = 0;

    if (NULL == next || !shares(op) || mca_common_collio_late_allowed(&op->ex)
        || !mca_common_collio_tuner_last_was_direct(&op->ex)) {
        return 0;
    }
    while (NULL != next && made < MOST && next->ex.write == op->ex.write && shares(next)) {
        if (0 < next->ex.request.bytes && !next->early) {
            if (!mca_common_collio_tuner_expects_direct(&next->ex)) {
                break;
            }
            make_access(next);
        }
        made += 0 == next->ex.error;
        next = 0 == next->ex.error ? behind(next) : NULL;
    }
    return made;
}

void mca_common_collio_batch_settle(mca_common_collio_op_t *op, int64_t offered)
{
    op->ex.file->settled = (int) offered;
    for (int i = 0; i < offered; ++i) {
        mca_common_collio_tuner_served(&op->ex, false);
    }
}

bool mca_common_collio_batch_has(mca_common_collio_op_t *op)
{
    mca_common_collio_file_t *file = op->ex.file;

    if (0 == file->settled) {
        return false;
    }
    --file->settled;
    mca_common_collio_exchange_count(&op->ex, MCA_COMMON_COLLIO_STAT_calls_batched, 1);
    return true;
}
