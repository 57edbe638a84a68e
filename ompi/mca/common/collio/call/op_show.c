/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Verbose output of a collective call: one line per call, one line per phase. No code of this file
 * formats a line unless fcoll_base_verbose is high enough.
 */
#include "call/op.h"

#include <inttypes.h>

#include "core/hash.h"

#include "compat/verbose.h"

const char *collio_op_direction(const collio_op_t *op)
{
    return op->ex.write ? "write" : "read";
}

void collio_op_show_phase(const collio_op_t *op, collio_phase_t next, uint64_t now)
{
    COLLIO_SHOW(fcoll, PHASE, "fcoll/%s: %s: rank %d: call %" PRIu32 " (%s): %s %.3f ms, then %s",
                op->ex.file->component->name, op->ex.file->fh->f_filename, op->ex.file->rank,
                op->ex.sequence, collio_op_direction(op), collio_phase_name(op->phase),
                (double) (now - op->phase_ns) / 1e6, collio_phase_name(next));
}

int collio_op_decisions(const collio_way_t *way, bool layers, collio_decision_t *row)
{
    const collio_reason_t *why = way->why;
    int count = 0;

    row[count++] = (collio_decision_t){"exchange", way->exchange ? "on" : "off",
                                       why[COLLIO_DECISION_EXCHANGE]};
    if (!way->exchange) {
        return count;
    }
    row[count++] = (collio_decision_t){"transport", collio_transport_name(way),
                                       why[COLLIO_DECISION_TRANSPORT]};
    row[count++] = (collio_decision_t){"schedule", way->schedule->name,
                                       why[COLLIO_DECISION_SCHEDULE]};
    if (layers) {
        row[count++] = (collio_decision_t){"layers", way->two_layers ? "two" : "one",
                                           why[COLLIO_DECISION_LAYERS]};
    }
    return count;
}

/* Formats the choices of the call and the reason of each. */
static void describe_way(const collio_op_t *op, char *text, size_t size)
{
    collio_decision_t row[COLLIO_DECISIONS];
    collio_way_t way = op->ex.way;
    int count, used = 0;

    if (collio_agreed(op, COLLIO_AGREE_EARLY)) {
        way.why[COLLIO_DECISION_EXCHANGE] = COLLIO_REASON_EARLY;
    }
    count = collio_op_decisions(&way, op->ex.file->derived.two_layers, row);
    for (int i = 0; i < count && used < (int) size; ++i) {
        used += snprintf(text + used, size - (size_t) used, "%s%s %s (%s)", 0 < i ? ", " : "",
                         row[i].name, row[i].value, collio_reason_text(row[i].why));
    }
}

static void describe_plan(const collio_op_t *op, char *text, size_t size)
{
    snprintf(text, size, ", plan %s, cycles: %zu", op->ex.plan_new ? "new" : "reused",
             NULL == op->ex.plan ? 0 : op->ex.plan->fence.rounds);
}

/* Prints the choices of a call if they differ from those of the last call in its direction. Early
 * access repeats the last choices. */
static void show_choices(const collio_op_t *op, const char *way)
{
    const collio_file_t *file = op->ex.file;
    uint64_t hash = collio_hash(COLLIO_HASH_BASIS, way, strlen(way));

    if (!collio_agreed(op, COLLIO_AGREE_EARLY) && hash != file->queue->shown[op->ex.write]) {
        file->queue->shown[op->ex.write] = hash;
        COLLIO_SHOW(fcoll, FILE, "fcoll/%s: %s: %s: %s", file->component->name,
                    file->fh->f_filename, collio_op_direction(op), way);
    }
}

/* Formats the range of all ranks, or this rank's bytes if the agreement had no range (early
 * access). */
static void show_describe_request(const collio_op_t *op, char *text, size_t size)
{
    const collio_range_t *range = &op->ex.range;

    if (0 == range->bytes) {
        snprintf(text, size, "%" PRId64 " bytes of rank 0", op->ex.request.bytes);
        return;
    }
    snprintf(text, size,
             "%" PRId64 " bytes in %" PRId64 " pieces of all ranks (%s) from offset %" PRId64
             " to %" PRId64,
             range->bytes, range->pieces, collio_agreed_interleaved(op) ? "interleaved" : "apart",
             range->lo, range->hi);
}

void collio_op_show_call(const collio_op_t *op)
{
    const collio_file_t *file = op->ex.file;
    char request[192], way[512], plan[64] = "";

    if (0 != file->rank) {
        return;
    }
    describe_way(op, way, sizeof(way));
    show_choices(op, way);
    show_describe_request(op, request, sizeof(request));
    if (op->ex.way.exchange) {
        describe_plan(op, plan, sizeof(plan));
    }
    COLLIO_SHOW(fcoll, CALL, "fcoll/%s: %s: call %" PRIu32 " (%s): %s: %s%s, %.3f ms%s%s",
                file->component->name, file->fh->f_filename, op->ex.sequence,
                collio_op_direction(op), request, way, plan,
                (double) (op->phase_ns - op->started_ns) / 1e6, 0 == op->ex.error ? "" : ": ",
                0 == op->ex.error ? "" : ompi_mpi_errnum_get_string(op->ex.error));
}
