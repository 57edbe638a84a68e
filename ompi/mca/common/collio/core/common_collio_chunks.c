/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/**
 * Calls without a meeting where ranks share no memory. See chunks.h.
 */
#include "common_collio_chunks.h"

void mca_common_collio_chunks_begin(mca_common_collio_chunks_t *chunks, uint32_t most)
{
    /* Longer ones save little, and a request that needs an exchange has to wait for their end. */
    const uint32_t enough = 8;
    uint32_t longest = most / 2 > enough ? enough : most / 2;

    longest = longest > 0 ? longest : 1;

    *chunks = (mca_common_collio_chunks_t){
        .on = true, .end = 1, .length = longest < 2 ? 1 : 2, .longest = longest};
}

/* Where all ranks were here: the calls that some of them have made are made by all. */
static mca_common_collio_answer_t last_calls(mca_common_collio_chunks_t *chunks)
{
    if (chunks->calls >= chunks->last) {
        chunks->on = false;
        return MCA_COMMON_COLLIO_ANSWER_MEET;
    }
    ++chunks->calls;
    return MCA_COMMON_COLLIO_ANSWER_GO;
}

mca_common_collio_answer_t mca_common_collio_chunks_turn(mca_common_collio_chunks_t *chunks,
                                                         mca_common_collio_wish_t wish)
{
    enum { LONGEST_RUN = 1 << 30 };
    bool ended = chunks->calls >= chunks->end, here;

    if (chunks->over) {
        return last_calls(chunks);
    }
    if (chunks->told && chunks->told_here) {
        return MCA_COMMON_COLLIO_ANSWER_WAIT; /* it said that it makes no further call */
    }
    chunks->stop = chunks->stop || MCA_COMMON_COLLIO_WISH_GO != wish
                   || chunks->calls >= LONGEST_RUN;
    here = MCA_COMMON_COLLIO_WISH_MEET == wish || (chunks->closing && ended);
    if (here || ended) {
        if (chunks->told) {
            return MCA_COMMON_COLLIO_ANSWER_WAIT;
        }
        chunks->told_here = here;
        return MCA_COMMON_COLLIO_ANSWER_TELL;
    }
    ++chunks->calls;
    return MCA_COMMON_COLLIO_ANSWER_GO;
}

void mca_common_collio_chunks_tell(mca_common_collio_chunks_t *chunks,
                                   int64_t mine[MCA_COMMON_COLLIO_CHUNKS_FIELDS])
{
    mine[MCA_COMMON_COLLIO_CHUNKS_STOP] = chunks->stop;
    mine[MCA_COMMON_COLLIO_CHUNKS_NOT_HERE] = !chunks->told_here;
    mine[MCA_COMMON_COLLIO_CHUNKS_CALLS] = chunks->calls;
    chunks->told = true;
    chunks->end += chunks->length;
    chunks->length = chunks->length < chunks->longest / 2 ? 2 * chunks->length : chunks->longest;
}

void mca_common_collio_chunks_hear(mca_common_collio_chunks_t *chunks,
                                   const int64_t all[MCA_COMMON_COLLIO_CHUNKS_FIELDS])
{
    chunks->told = false;
    chunks->closing = 0 != all[MCA_COMMON_COLLIO_CHUNKS_STOP];
    chunks->over = 0 == all[MCA_COMMON_COLLIO_CHUNKS_NOT_HERE];
    chunks->last = (uint32_t) all[MCA_COMMON_COLLIO_CHUNKS_CALLS];
}
