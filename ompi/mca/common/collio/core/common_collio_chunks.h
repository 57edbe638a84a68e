/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_CHUNKS_H
#define MCA_COMMON_COLLIO_CHUNKS_H

#include <stdbool.h>
#include <stdint.h>

/**
 * Problem: ranks that make the same collective calls, each by itself, must find the same call to
 *          meet in again, and they share no memory (several nodes). A reduction would tell them,
 *          but waiting for one in every call is what they want to avoid.
 * Method:  the calls are cut in chunks, of 1, 2, 4 and then 8 calls. A rank that has made a chunk
 *          starts a reduction, and needs its result only when it has made the next chunk, too:
 *
 *            calls      1   2 3   4 5 6 7   8 9 ...
 *            rank 0     o   o o   o o o o   o                R1 started with call 2, needed with 4
 *            rank 1     o   o o   o o X o   o o              X: wants the run to end, says so in R3
 *                         R1    R2        R3                 (started with call 8, needed with 16)
 *
 *          After a reduction in which a rank wants the run to end ("stop"), every rank stays at the
 *          end of the chunk that it is in, and says so in the next one ("here"). When all ranks are
 *          here, they have found it: they meet in the call after the last that any of them made.
 *          A rank whose reason to stop is one that all ranks have in the same call (it comes to
 *          MPI_File_sync, or begins to write) is here at once; so are the others, and nobody makes
 *          another call. If others do make further calls (it has left its loop after an error),
 *          it stays here for as many reductions as they need.
 *          Chunks end with the same call on all ranks, also when a rank wants to stop: a rank must
 *          not wait in call n for what another does only in a later call, because that one may
 *          first wait for this rank outside of the file.
 * Cost:    a small reduction for each chunk, for which nobody waits unless a rank is slower by a
 *          chunk; the last one of a run is waited for. A rank is ahead of the slowest by at most
 *          two chunks. A run goes on for less than three times the calls that it had when a rank
 *          wanted it to end, and for two of the longest chunks at most.
 */
typedef enum mca_common_collio_wish_t {
    MCA_COMMON_COLLIO_WISH_GO,     /* to make this call without the others */
    MCA_COMMON_COLLIO_WISH_CHANGE, /* not to, for a reason that other ranks may not have */
    MCA_COMMON_COLLIO_WISH_MEET    /* not to, and no rank wishes to in this call */
} mca_common_collio_wish_t;

typedef enum mca_common_collio_answer_t {
    MCA_COMMON_COLLIO_ANSWER_GO,   /* the call belongs to the run */
    MCA_COMMON_COLLIO_ANSWER_WAIT, /* ask again: other ranks are not that far */
    MCA_COMMON_COLLIO_ANSWER_MEET, /* the run is over; all ranks meet in this call */
    MCA_COMMON_COLLIO_ANSWER_TELL  /* chunks only: reduce what `tell` gives, ask again */
} mca_common_collio_answer_t;

/** What is reduced: the largest of each. */
enum {
    MCA_COMMON_COLLIO_CHUNKS_STOP,
    MCA_COMMON_COLLIO_CHUNKS_NOT_HERE,
    MCA_COMMON_COLLIO_CHUNKS_CALLS,
    MCA_COMMON_COLLIO_CHUNKS_FIELDS
};

typedef struct mca_common_collio_chunks_t {
    bool on;          /* a run is under way */
    uint32_t calls;   /* of this rank in this run */
    uint32_t end;     /* calls up to the end of its chunk */
    uint32_t length;  /* of the next chunk */
    uint32_t longest; /* chunk */
    bool stop;        /* this rank wants the run to end */
    bool closing;     /* a rank did, in the last reduction */
    bool told;        /* a reduction is under way, */
    bool told_here;   /* and this rank says in it that it is here */
    bool over;        /* all ranks were here: */
    uint32_t last;    /* call of the run */
} mca_common_collio_chunks_t;

/** Begins a run, on all ranks with the same `most` > 0: calls after which all know of a stop. */
void mca_common_collio_chunks_begin(mca_common_collio_chunks_t *chunks, uint32_t most);

/** How the next call is made. Never waits. */
mca_common_collio_answer_t mca_common_collio_chunks_turn(mca_common_collio_chunks_t *chunks,
                                                         mca_common_collio_wish_t wish);
void mca_common_collio_chunks_tell(mca_common_collio_chunks_t *chunks,
                                   int64_t mine[MCA_COMMON_COLLIO_CHUNKS_FIELDS]);
/** The reduction that was told last is over. */
void mca_common_collio_chunks_hear(mca_common_collio_chunks_t *chunks,
                                   const int64_t all[MCA_COMMON_COLLIO_CHUNKS_FIELDS]);

#endif /* MCA_COMMON_COLLIO_CHUNKS_H */
