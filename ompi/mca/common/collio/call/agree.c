/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Agree: ONE small allreduce tells everybody the range of the request, how much it is, whether an
 * earlier plan fits on all ranks, and whether a rank has failed already. A rank without data
 * contributes the identity of every field, so it changes nothing.
 */
#include "call/op.h"

#include <errno.h>

#include "core/sum.h"

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
            to[i] = from[i] > to[i] ? from[i] : to[i];
        }
        for (int i = COLLIO_AGREE_SUMS; i < COLLIO_AGREE_FIELDS; ++i) {
            to[i] = collio_sum(to[i], from[i]);
        }
        to[COLLIO_AGREE_STATE] = (to[COLLIO_AGREE_STATE] & ~bits_mask) | bits;
        from += COLLIO_AGREE_FIELDS;
        to += COLLIO_AGREE_FIELDS;
    }
}

/* Lowest and highest byte. An ascending view tells it from its ends, without being walked. */
static int request_range(const collio_op_t *op, int64_t *lo, int64_t *hi)
{
    const collio_tiling_t *view = &op->ex.request.view->tiling;
    collio_cursor_t cursor;
    collio_pieces_t pieces = {0};
    int64_t run;
    int rc;

    if (view->ascending) {
        collio_cursor_seek(&cursor, view, op->ex.request.stream);
        *lo = collio_cursor_run(&cursor, &run);
        collio_cursor_seek(&cursor, view, op->ex.request.stream + op->ex.request.bytes - 1);
        *hi = collio_cursor_run(&cursor, &run) + 1;
        return 0;
    }
    rc = collio_tiling_pieces(view, op->ex.request.stream, op->ex.request.bytes, &pieces);
    if (0 == rc) {
        *lo = pieces.at[0].offset;
        *hi = 0;
        for (size_t i = 0; i < pieces.count; ++i) {
            int64_t end = pieces.at[i].offset + pieces.at[i].length;

            *hi = end > *hi ? end : *hi;
        }
    }
    collio_pieces_fini(&pieces);
    return rc;
}

static void describe_request(collio_op_t *op)
{
    int64_t lo = 0, hi = 0;
    int rc = request_range(op, &lo, &hi);

    if (0 != rc || lo < 0 || hi <= lo) { /* before the file's beginning, or past any offset */
        collio_exchange_fail(&op->ex, 0 != rc ? -rc : EINVAL);
        return;
    }
    op->mine[COLLIO_AGREE_BYTES] = op->ex.request.bytes;
    op->mine[COLLIO_AGREE_PIECES] = collio_tiling_piece_bound(
        &op->ex.request.view->tiling, op->ex.request.stream, op->ex.request.bytes);
    op->mine[COLLIO_AGREE_SPANS] = hi - lo;
    op->mine[COLLIO_AGREE_LO] = -lo;
    op->mine[COLLIO_AGREE_HI] = hi;
}

/* Which of the plans fit, and how far they must move. Returns the bits of those that do not. */
static int64_t propose_plan(collio_op_t *op)
{
    collio_file_t *file = op->ex.file;
    collio_shape_t shape = collio_layout_shape(&op->ex);
    int64_t fits;

    collio_layout_look(file);
    fits = collio_plans_match(op->ex.file->kept->plans, &shape, &op->delta);

    if (0 != fits && op->ex.request.bytes > 0) {
        op->mine[COLLIO_AGREE_DELTA] = op->delta;
        op->mine[COLLIO_AGREE_NOT_DELTA] = -op->delta;
    }
    return COLLIO_PLAN_ALL & ~fits;
}

/* After early access nothing is left to decide: this rank neither offers nor needs a range. */
static int64_t describe(collio_op_t *op)
{
    int64_t unfit = COLLIO_PLAN_ALL;

    if (op->early) {
        return COLLIO_AGREE_EARLY;
    }
    if (op->ex.request.bytes > 0 && 0 == op->ex.error) {
        describe_request(op);
    }
    if (op->ex.file->settings.plan_reuse && 0 == op->ex.error) {
        unfit = propose_plan(op);
    }
    return unfit * COLLIO_AGREE_UNFIT | (op->ex.request.bytes > 0 ? COLLIO_AGREE_PENDING : 0);
}

void collio_agree_start(collio_op_t *op)
{
    int64_t *mine = op->mine, bits;

    for (int i = 0; i < COLLIO_AGREE_FIELDS; ++i) {
        mine[i] = i < COLLIO_AGREE_SUMS ? INT64_MIN : 0;
    }
    bits = describe(op);
    /* all ranks must call the same, in the same mode */
    bits |= op->ex.write ? COLLIO_AGREE_WRITE : COLLIO_AGREE_READ;
    bits |= op->ex.atomic ? COLLIO_AGREE_ATOMIC : COLLIO_AGREE_NONATOMIC;
    mine[COLLIO_AGREE_STATE] = (int64_t) op->ex.error << COLLIO_AGREE_ERROR_SHIFT | bits;
    if (OMPI_SUCCESS
        != collio_agreement_start(op->ex.file, COLLIO_SCOPE_CALL, mine, op->all,
                                  op->early ? 1 : COLLIO_AGREE_FIELDS)) {
        collio_exchange_lose(&op->ex);
    }
}
