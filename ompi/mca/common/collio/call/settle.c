/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Completion: one small reduction gives all ranks the same result. Only if an aggregator could not
 * write everything, a second reduction distributes the place where each aggregator stopped, and
 * each rank counts its bytes before that place. In a read a rank counts the bytes that arrive.
 */
#include "call/op.h"

#include <errno.h>
#include <stdlib.h>

#include "core/debug_assert.h"
#include "core/number.h"

/* On one node: the time from the first rank's begin to the last rank's end. With more ranks than
 * cores, direct accesses run one after the other, so each rank's own time is too short. Nodes have
 * different clocks, so with several nodes the time is the maximum of the ranks' own times. */
static void note_time(collio_op_t *op)
{
    int64_t begin = (int64_t) op->work_ns, end = (int64_t) collio_now();
    bool one_clock = 1 == op->ex.file->nodes.nodes;

    op->result[COLLIO_RESULT_END_NS] = one_clock ? end : end - begin;
    op->result[COLLIO_RESULT_MINUS_BEGIN_NS] = one_clock ? -begin : 0;
}

void collio_settle_start(collio_op_t *op)
{
    op->result[COLLIO_RESULT_ERROR] = op->ex.error;
    op->result[COLLIO_RESULT_STOPPED] = op->ex.way.exchange && INT64_MAX != op->ex.stop_local;
    note_time(op);
    op->result[COLLIO_RESULT_HIDEABLE_NS] = (int64_t) op->ex.timing.hideable_ns;
    if (OMPI_SUCCESS
        != collio_agreement_start(op->ex.file, COLLIO_SCOPE_FILE, op->result, op->result_all,
                                  COLLIO_RESULT_COUNT)) {
        collio_exchange_lose(&op->ex);
    }
}

void collio_settle_stops(collio_op_t *op)
{
    collio_file_t *file = op->ex.file;

    for (int i = 0; i < file->derived.aggregator_count; ++i) {
        file->context->kept->stops[i] = INT64_MAX;
    }
    if (file->derived.my_aggregator >= 0) {
        file->context->kept->stops[file->derived.my_aggregator] = op->ex.stop_local;
    }
    if (OMPI_SUCCESS
        != collio_iallreduce(file->context->kept->stops,
                             file->context->kept->stops + file->derived.aggregator_count,
                             file->derived.aggregator_count, MPI_INT64_T, MPI_MIN,
                             file->context->comm, &op->ex.collective)) {
        op->ex.collective = MPI_REQUEST_NULL;
        collio_exchange_lose(&op->ex);
    }
}

/* Counts the bytes of this rank before the first one, in the order of the view, that an aggregator
 * did not transfer. */
void collio_settle_count(collio_op_t *op)
{
    const collio_split_t *split = collio_plan_request(op->ex.plan);
    const int64_t *stops = op->ex.file->context->kept->stops
                           + op->ex.file->derived.aggregator_count;

    op->ex.done_bytes = op->ex.request.bytes;
    for (size_t s = 0; s < split->share_count; ++s) {
        const collio_share_t *share = &split->share[s];

        for (size_t w = share->first; w < share->first + share->count; ++w) {
            int64_t stop = collio_window_stop(split, &split->window[w], stops[share->aggregator]);

            op->ex.done_bytes = collio_min(op->ex.done_bytes, stop);
        }
    }
    COLLIO_ASSERT(0 <= op->ex.done_bytes && op->ex.done_bytes <= op->ex.request.bytes);
}
