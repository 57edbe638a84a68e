/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/**
 * Verbose output of a collective call: one line for a call, one line for a phase. Nothing of this
 * runs unless fcoll_base_verbose asks for it.
 */
#include "call/common_collio_op.h"

#include <inttypes.h>

#include "compat/common_collio_verbose.h"
#include "tuner/common_collio_tuner.h"

static const char *const names[MCA_COMMON_COLLIO_PHASE_DONE + 1] = {
    [MCA_COMMON_COLLIO_PHASE_QUEUED] = "queued",
    [MCA_COMMON_COLLIO_PHASE_DIRECT] = "direct",
    [MCA_COMMON_COLLIO_PHASE_AGREE] = "agree",
    [MCA_COMMON_COLLIO_PHASE_HISTOGRAM] = "histogram",
    [MCA_COMMON_COLLIO_PHASE_RECORDS] = "records",
    [MCA_COMMON_COLLIO_PHASE_PLACED] = "placed",
    [MCA_COMMON_COLLIO_PHASE_SHARE] = "share",
    [MCA_COMMON_COLLIO_PHASE_GATHER] = "gather",
    [MCA_COMMON_COLLIO_PHASE_ROUTE] = "route",
    [MCA_COMMON_COLLIO_PHASE_LOCK] = "lock",
    [MCA_COMMON_COLLIO_PHASE_READY] = "ready",
    [MCA_COMMON_COLLIO_PHASE_CYCLES] = "cycles",
    [MCA_COMMON_COLLIO_PHASE_SETTLE] = "settle",
    [MCA_COMMON_COLLIO_PHASE_STOPS] = "stops",
    [MCA_COMMON_COLLIO_PHASE_DONE] = "done",
};

static const char *direction(const mca_common_collio_op_t *op)
{
    return op->ex.write ? "write" : "read";
}

void mca_common_collio_op_show_phase(const mca_common_collio_op_t *op,
                                     mca_common_collio_phase_t next, uint64_t now)
{
    MCA_COMMON_COLLIO_SHOW(fcoll, PHASE,
                           "fcoll/%s: %s: rank %d: call %" PRIu32 " (%s): %s %.3f ms, then %s",
                           op->ex.file->component->name, op->ex.file->fh->f_filename,
                           op->ex.file->rank, op->ex.sequence, direction(op), names[op->phase],
                           (double) (now - op->phase_ns) / 1e6, names[next]);
}

/* How the bytes moved, and why this way. */
static void describe_way(const mca_common_collio_op_t *op, char *text, size_t size)
{
    const mca_common_collio_exchange_t *ex = &op->ex;

    if (!ex->way.exchange) {
        snprintf(text, size, "direct (%s)",
                 mca_common_collio_agreed(op, MCA_COMMON_COLLIO_AGREE_EARLY)
                     ? "before the agreement, as the call before"
                     : mca_common_collio_tuner_reason(ex));
        return;
    }
    snprintf(text, size, "exchanged by %s, schedule %s, %s (%s), plan %s, cycles: %zu",
             mca_common_collio_transport_name(ex->way.transport), ex->way.schedule->name,
             MCA_COMMON_COLLIO_LAYERS_ONE == ex->layer1.kind ? "one layer" : "two layers",
             mca_common_collio_tuner_reason(ex), ex->plan_new ? "new" : "reused",
             NULL == ex->plan ? 0 : ex->plan->fence.rounds);
}

/* The requests of all ranks are known if the agreement decided this call. */
static void describe_request(const mca_common_collio_op_t *op, char *text, size_t size)
{
    const mca_common_collio_range_t *range = &op->ex.range;

    if (0 == range->bytes) {
        snprintf(text, size, "%" PRId64 " bytes of rank 0", op->ex.request.bytes);
        return;
    }
    snprintf(text, size,
             "%" PRId64 " bytes in %" PRId64 " pieces of all ranks (%s) from offset %" PRId64
             " to %" PRId64,
             range->bytes, range->pieces,
             range->spans > range->hi - range->lo ? "interleaved" : "apart", range->lo, range->hi);
}

void mca_common_collio_op_show_call(const mca_common_collio_op_t *op)
{
    const mca_common_collio_file_t *file = op->ex.file;
    char request[192], way[192];

    if (0 != file->rank) {
        return;
    }
    describe_request(op, request, sizeof(request));
    describe_way(op, way, sizeof(way));
    MCA_COMMON_COLLIO_SHOW(
        fcoll, CALL, "fcoll/%s: %s: call %" PRIu32 " (%s): %s: %s, %.3f ms%s%s",
        file->component->name, file->fh->f_filename, op->ex.sequence, direction(op), request, way,
        (double) (op->phase_ns - op->started_ns) / 1e6, 0 == op->ex.error ? "" : ": ",
        0 == op->ex.error ? "" : mca_common_collio_error_text(op->ex.error));
}
