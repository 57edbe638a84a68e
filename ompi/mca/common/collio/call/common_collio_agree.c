/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/**
 * Agree: ONE small allreduce tells everybody the range of the request, how much it is, whether an
 * earlier plan fits on all ranks, and whether a rank has failed already. A rank without data
 * contributes the identity of every field, so it changes nothing.
 */
#include "call/common_collio_op.h"

#include <errno.h>

#include "core/common_collio_sum.h"

_Static_assert(MCA_COMMON_COLLIO_AGREE_FIELDS <= (int) MCA_COMMON_COLLIO_REDUCTION_FIELDS,
               "the agreement does not fit a line of the page");

void mca_common_collio_agree_reduce(void *in, void *inout, int *count, MPI_Datatype *type)
{
    const int64_t *from = in;
    int64_t *to = inout;

    (void) type;
    for (int element = 0; element < *count; ++element) {
        for (int i = 0; i < MCA_COMMON_COLLIO_AGREE_SUMS; ++i) {
            to[i] = mca_common_collio_sum(to[i], from[i]);
        }
        for (int i = MCA_COMMON_COLLIO_AGREE_SUMS; i < MCA_COMMON_COLLIO_AGREE_PLANS; ++i) {
            to[i] = from[i] > to[i] ? from[i] : to[i];
        }
        to[MCA_COMMON_COLLIO_AGREE_PLANS] &= from[MCA_COMMON_COLLIO_AGREE_PLANS];
        from += MCA_COMMON_COLLIO_AGREE_FIELDS;
        to += MCA_COMMON_COLLIO_AGREE_FIELDS;
    }
}

/* Lowest and highest byte. An ascending view tells it from its ends, without being walked. */
static int request_range(const mca_common_collio_op_t *op, int64_t *lo, int64_t *hi)
{
    const mca_common_collio_tiling_t *view = &op->ex.request.view->tiling;
    mca_common_collio_cursor_t cursor;
    mca_common_collio_pieces_t pieces = {0};
    int64_t run;
    int rc;

    if (view->ascending) {
        mca_common_collio_cursor_seek(&cursor, view, op->ex.request.stream);
        *lo = mca_common_collio_cursor_run(&cursor, &run);
        mca_common_collio_cursor_seek(&cursor, view,
                                      op->ex.request.stream + op->ex.request.bytes - 1);
        *hi = mca_common_collio_cursor_run(&cursor, &run) + 1;
        return 0;
    }
    rc = mca_common_collio_tiling_pieces(view, op->ex.request.stream, op->ex.request.bytes,
                                         &pieces);
    if (0 == rc) {
        *lo = pieces.at[0].offset;
        *hi = 0;
        for (size_t i = 0; i < pieces.count; ++i) {
            int64_t end = pieces.at[i].offset + pieces.at[i].length;

            *hi = end > *hi ? end : *hi;
        }
    }
    mca_common_collio_pieces_fini(&pieces);
    return rc;
}

static void describe_request(mca_common_collio_op_t *op)
{
    int64_t lo = 0, hi = 0;
    int rc = request_range(op, &lo, &hi);

    if (0 != rc || lo < 0 || hi <= lo) { /* before the file's beginning, or past any offset */
        mca_common_collio_exchange_fail(&op->ex, 0 != rc ? -rc : EINVAL);
        return;
    }
    op->mine[MCA_COMMON_COLLIO_AGREE_BYTES] = op->ex.request.bytes;
    op->mine[MCA_COMMON_COLLIO_AGREE_PIECES] = mca_common_collio_tiling_piece_bound(
        &op->ex.request.view->tiling, op->ex.request.stream, op->ex.request.bytes);
    op->mine[MCA_COMMON_COLLIO_AGREE_SPANS] = hi - lo;
    op->mine[MCA_COMMON_COLLIO_AGREE_LO] = -lo;
    op->mine[MCA_COMMON_COLLIO_AGREE_HI] = hi;
}

/* Which of the plans fit, and how far they must move. */
static void propose_plan(mca_common_collio_op_t *op)
{
    mca_common_collio_file_t *file = op->ex.file;
    mca_common_collio_shape_t shape = mca_common_collio_layout_shape(&op->ex);
    int64_t fits;

    if (file->memory.used && 0 == file->nodes.local_rank[file->rank]) {
        mca_common_collio_layout_memory_look(file); /* one rank speaks for its node */
    }
    fits = mca_common_collio_plans_match(op->ex.file->kept->plans, &shape, &op->delta);

    if (0 != fits && op->ex.request.bytes > 0) {
        op->mine[MCA_COMMON_COLLIO_AGREE_DELTA] = op->delta;
        op->mine[MCA_COMMON_COLLIO_AGREE_NOT_DELTA] = -op->delta;
    }
    op->mine[MCA_COMMON_COLLIO_AGREE_PLANS] = fits;
}

void mca_common_collio_agree_start(mca_common_collio_op_t *op)
{
    mca_common_collio_file_t *file = op->ex.file;

    for (int i = 0; i < MCA_COMMON_COLLIO_AGREE_FIELDS; ++i) {
        op->mine[i] = i < MCA_COMMON_COLLIO_AGREE_SUMS ? 0 : INT64_MIN;
    }
    op->mine[MCA_COMMON_COLLIO_AGREE_PLANS] = 0;
    if (op->ex.request.bytes > 0 && 0 == op->ex.error) {
        describe_request(op);
    }
    if (file->settings.plan_reuse && 0 == op->ex.error && !op->early) {
        propose_plan(op);
    }
    op->mine[MCA_COMMON_COLLIO_AGREE_ERROR] = op->ex.error;
    if (op->ex.request.bytes > 0 && !op->early) {
        op->mine[MCA_COMMON_COLLIO_AGREE_LATE] = 1;
    } else { /* who has nothing to access is neither early nor late */
        op->mine[MCA_COMMON_COLLIO_AGREE_EARLY] = op->early;
        op->mine[MCA_COMMON_COLLIO_AGREE_LATE] = -mca_common_collio_batch_offer(op);
    }
    if (!op->meeting) { /* all ranks must call the same, in the same mode */
        op->mine[MCA_COMMON_COLLIO_AGREE_HASH] = op->ex.write | op->ex.atomic << 1;
        op->mine[MCA_COMMON_COLLIO_AGREE_NOT_HASH] = -op->mine[MCA_COMMON_COLLIO_AGREE_HASH];
    }
    mca_common_collio_late_tell(op);
    if (OMPI_SUCCESS
        != mca_common_collio_reduction_start(file, op->mine, op->all,
                                             MCA_COMMON_COLLIO_AGREE_FIELDS, true)) {
        mca_common_collio_exchange_lose(&op->ex);
    }
}
