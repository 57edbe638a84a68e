/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Verbose output of a collective call: one line per call, one line per phase. No code of this file
 * formats a line unless fcoll_base_verbose is high enough.
 */
#include "call/op.h"

#include <inttypes.h>

#include "compat/verbose.h"
#include "tuner/tuner.h"

static const char *const names[COLLIO_PHASE_DONE + 1] = {
    [COLLIO_PHASE_QUEUED] = "queued",     [COLLIO_PHASE_DIRECT] = "direct",
    [COLLIO_PHASE_AGREE] = "agree",       [COLLIO_PHASE_PLACE] = "place",
    [COLLIO_PHASE_SHARE] = "share",       [COLLIO_PHASE_GATHER] = "gather",
    [COLLIO_PHASE_ROUTE] = "route",       [COLLIO_PHASE_LOCK] = "lock",
    [COLLIO_PHASE_READY] = "ready",       [COLLIO_PHASE_CYCLES] = "cycles",
    [COLLIO_PHASE_COMPLETE] = "complete", [COLLIO_PHASE_DONE] = "done",
};

const char *collio_phase_name(collio_phase_t phase)
{
    return names[phase];
}

const char *collio_op_direction(const collio_op_t *op)
{
    return op->ex.write ? "write" : "read";
}

void collio_op_show_phase(const collio_op_t *op, collio_phase_t next, uint64_t now)
{
    COLLIO_SHOW(fcoll, PHASE, "fcoll/%s: %s: rank %d: call %" PRIu32 " (%s): %s %.3f ms, then %s",
                op->ex.file->component->name, op->ex.file->fh->f_filename, op->ex.file->rank,
                op->ex.sequence, collio_op_direction(op), names[op->phase],
                (double) (now - op->phase_ns) / 1e6, names[next]);
}

/* Formats the choices of the call and the reason of each. */
static void describe_way(const collio_op_t *op, char *text, size_t size)
{
    collio_decision_t row[COLLIO_DECISIONS];
    collio_choices_t choices = op->ex.way;
    int count, used = 0;

    if (collio_agreed(op, COLLIO_AGREE_EARLY)) {
        choices.why[COLLIO_DECISION_EXCHANGE] = COLLIO_REASON_EARLY;
    }
    count = collio_tuner_decisions(&choices, op->ex.file->derived.two_layers, row);
    for (int i = 0; i < count && used < (int) size; ++i) {
        used += snprintf(text + used, size - (size_t) used, "%s %s (%s), ", row[i].name,
                         row[i].value, collio_reason_text(row[i].why));
    }
    if (choices.exchange && used < (int) size) {
        snprintf(text + used, size - (size_t) used, "plan %s, cycles: %zu, ",
                 op->ex.plan_new ? "new" : "reused",
                 NULL == op->ex.plan ? 0 : op->ex.plan->fence.rounds);
    }
}

/* Formats the range of all ranks, or this rank's bytes if the agreement had no range (early
 * access). */
static void describe_request(const collio_op_t *op, char *text, size_t size)
{
    const collio_range_t *range = &op->ex.range;

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

void collio_op_show_call(const collio_op_t *op)
{
    const collio_file_t *file = op->ex.file;
    char request[192], way[512];

    if (0 != file->rank) {
        return;
    }
    describe_request(op, request, sizeof(request));
    describe_way(op, way, sizeof(way));
    COLLIO_SHOW(fcoll, CALL, "fcoll/%s: %s: call %" PRIu32 " (%s): %s: %s%.3f ms%s%s",
                file->component->name, file->fh->f_filename, op->ex.sequence,
                collio_op_direction(op), request, way,
                (double) (op->phase_ns - op->started_ns) / 1e6, 0 == op->ex.error ? "" : ": ",
                0 == op->ex.error ? "" : ompi_mpi_errnum_get_string(op->ex.error));
}
