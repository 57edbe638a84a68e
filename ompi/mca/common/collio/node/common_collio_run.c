/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/**
 * Runs of calls without a meeting. See run.h.
 */
#include "node/common_collio_run.h"

#include "file/common_collio_file.h"
#include "node/common_collio_reduction.h"

#include "opal/runtime/opal_progress.h"

/* Do all ranks share a page? The same on all of them. */
static bool by_page(const mca_common_collio_reduction_t *reduction)
{
    return NULL != reduction->ahead.begun;
}

bool mca_common_collio_run_on(const mca_common_collio_file_t *file)
{
    const mca_common_collio_reduction_t *reduction = file->reduction;

    return NULL != reduction && (by_page(reduction) ? reduction->ahead.on : reduction->chunks.on);
}

uint32_t mca_common_collio_run_calls(const mca_common_collio_file_t *file)
{
    const mca_common_collio_reduction_t *reduction = file->reduction;

    return by_page(reduction) ? reduction->ahead.calls : reduction->chunks.calls;
}

void mca_common_collio_run_begin(mca_common_collio_file_t *file, uint32_t most)
{
    if (by_page(file->reduction)) {
        mca_common_collio_ahead_begin(&file->reduction->ahead, most);
    } else {
        mca_common_collio_chunks_begin(&file->reduction->chunks, most);
    }
}

static mca_common_collio_answer_t turn_by_chunks(mca_common_collio_file_t *file,
                                                 mca_common_collio_wish_t wish)
{
    mca_common_collio_reduction_t *reduction = file->reduction;
    mca_common_collio_chunks_t *chunks = &reduction->chunks;
    int64_t mine[MCA_COMMON_COLLIO_CHUNKS_FIELDS];
    mca_common_collio_answer_t turn;

    for (;;) {
        if (0 != file->lost) {
            return MCA_COMMON_COLLIO_ANSWER_WAIT; /* and the call with it */
        }
        if (chunks->told && mca_common_collio_reduction_poll(file)) {
            mca_common_collio_chunks_hear(chunks, reduction->heard);
        }
        turn = mca_common_collio_chunks_turn(chunks, wish);
        if (MCA_COMMON_COLLIO_ANSWER_TELL != turn) {
            break;
        }
        mca_common_collio_chunks_tell(chunks, mine);
        if (OMPI_SUCCESS
            != mca_common_collio_reduction_behind(file, mine, reduction->heard,
                                                  MCA_COMMON_COLLIO_CHUNKS_FIELDS)) {
            return MCA_COMMON_COLLIO_ANSWER_WAIT;
        }
    }
    if (MCA_COMMON_COLLIO_ANSWER_WAIT == turn) {
        mca_common_collio_reduction_wanted(file);
    }
    return turn;
}

mca_common_collio_answer_t mca_common_collio_run_turn(mca_common_collio_file_t *file,
                                                      mca_common_collio_wish_t wish)
{
    return by_page(file->reduction) ? mca_common_collio_ahead_turn(
               &file->reduction->ahead, MCA_COMMON_COLLIO_WISH_GO == wish)
                                    : turn_by_chunks(file, wish);
}

void mca_common_collio_run_done(mca_common_collio_file_t *file)
{
    if (by_page(file->reduction)) {
        mca_common_collio_ahead_done(&file->reduction->ahead);
    }
}

void mca_common_collio_run_stop(mca_common_collio_file_t *file)
{
    if (by_page(file->reduction)) {
        mca_common_collio_ahead_stop(&file->reduction->ahead);
    } else {
        file->reduction->chunks.stop = true;
    }
}

void mca_common_collio_run_leave(mca_common_collio_file_t *file)
{
    file->reduction->ahead.on = file->reduction->chunks.on = false;
}

void mca_common_collio_run_push(mca_common_collio_file_t *file)
{
    /* others of the node only look at the page */
    if (NULL != file->reduction->request) {
        opal_progress();
    }
}

bool mca_common_collio_run_rest(mca_common_collio_file_t *file)
{
    return by_page(file->reduction) && mca_common_collio_ahead_rest(&file->reduction->ahead);
}
