/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_PLAN_H
#define MCA_COMMON_COLLIO_PLAN_H

#include "file/common_collio_file.h"
#include "view/common_collio_view.h"

#include "twolayer/common_collio_relay.h"

#include "core/common_collio_cycle.h"

/**
 * A plan: everything about a collective call that depends on its shape only. It is in local
 * coordinates (core/domain.h), so the next variable or time step, which is the same shape at
 * another place, reuses it by moving the domains.
 */
typedef struct mca_common_collio_plan_t {
    bool valid;
    /* the shape, of this rank */
    mca_common_collio_flat_t *view; /* a reference; NULL if this rank had none */
    int64_t phase;                  /* stream position in a repetition of the view */
    int64_t bytes;
    int64_t anchor; /* file offset that the plan moves with */
    int64_t window_bytes;
    bool packed;        /* put_*: small pieces; their messages have places beside the buffer */
    bool outlined;      /* reads in shared memory: owners know no pieces, only from where to where
                           each window of a requester goes */
    int64_t slot_bytes; /* of one collective buffer: a window, or less for small
                                        domains; the same on all ranks */
    uint64_t used;      /* sequence of the last call that used it */

    mca_common_collio_domains_t domains;

    mca_common_collio_split_t split; /* as requester: what I have for whom */
    size_t *order;                   /* windows by (index, owner): the order of delivery */
    int *share_of;                   /* per window: its share */
    int layers;                      /* mca_common_collio_layers_t, when it was made */
    mca_common_collio_relay_t relay; /* layer 1 */

    size_t requester_count; /* as owner: who has something for me */
    int *requester;         /* their ranks, in the order in which overlapping writes apply: */
    int *leader;            /* by the local aggregator's rank, then by their own */
    mca_common_collio_split_t *requests;
    mca_common_collio_collect_t collect;
    int64_t source_bytes; /* largest message */
    size_t sources_max;   /* most sources of a cycle */
    size_t runs_max;      /* most runs of a cycle */

    /* put_fence only: rounds that all ranks take together */
    size_t rounds;       /* most cycles of an owner; 0 until numbered */
    bool numbered;       /* the owners have told their requesters */
    int64_t *ordinal;    /* per window: its round */
    int64_t *turn;       /* scratch of fence.c, 3 per share */
    int64_t *index_bits; /* two layers: a bit for each window number that some owner has; twice */
    size_t index_words;  /* of one */
    size_t index_rounds; /* two layers: bits in it */
    int64_t *told;       /* as owner: the rounds of my requesters' windows; two layers: of my
                            cycles */
    size_t *told_first;  /* where each requester's begin */
    ompi_request_t **telling;
    int64_t fence_bytes; /* staging of one round */

    /* packed puts only; see put_pack.c */
    bool places_told;     /* the owners have told their requesters */
    int64_t *place;       /* per window: where its message goes, -1: straight */
    int64_t *placed;      /* as owner: the places of my requesters' windows */
    size_t *placed_first; /* where each requester's begin */
    ompi_request_t **placing;

    /* what the cycles need: taken once, so that a call that reuses the plan cannot fail */
    unsigned prepared;  /* bits of the ways it was prepared for; see prepare.c */
    bool shared_failed; /* then; a later change voids what was prepared */
    struct mca_common_collio_move_t *move[2];
    mca_common_collio_segment_t *segments[2];
    struct mca_common_collio_delivery_t *deliveries; /* one per window of mine */

    int64_t memory_bytes;
} mca_common_collio_plan_t;

enum { MCA_COMMON_COLLIO_PLAN_SLOTS = 8 };

typedef struct mca_common_collio_plans_t {
    mca_common_collio_plan_t slot[MCA_COMMON_COLLIO_PLAN_SLOTS];
} mca_common_collio_plans_t;

/** The shape of a request, to look for its plan. */
typedef struct mca_common_collio_shape_t {
    mca_common_collio_flat_t *flat;
    const mca_common_collio_tiling_t *view; /* what flat holds */
    int64_t stream;
    int64_t bytes;
    int64_t window_bytes;
    int64_t packed_window_bytes; /* of plans whose puts are packed */
    bool shared_failed;          /* this node has no shared memory for the file */
    bool write;                  /* outlines do not tell what to write */
} mca_common_collio_shape_t;

/** Bit i is set when slot i fits this rank's request and can go where it is: the first such slot,
 *  and those that must move as far; *delta is how far (undefined for requests without data, which
 *  fit every plan in which this rank had none). */
int64_t mca_common_collio_plans_match(const mca_common_collio_plans_t *plans,
                                      const mca_common_collio_shape_t *shape, int64_t *delta);

/** The slot for a new plan: the least recently used. Emptied. The same on all ranks. */
mca_common_collio_plan_t *mca_common_collio_plans_evict(mca_common_collio_file_t *file);

/** Notes the shape. */
void mca_common_collio_plan_begin(mca_common_collio_plan_t *plan,
                                  const mca_common_collio_shape_t *shape);

/** Splits this rank's request by the plan's domains. 0 or -ENOMEM. */
int mca_common_collio_plan_split(mca_common_collio_plan_t *plan,
                                 const mca_common_collio_shape_t *shape, int64_t *piece_count);

/** The order and the kinds of the windows in plan->split. 0 or -ENOMEM. */
int mca_common_collio_plan_index(mca_common_collio_plan_t *plan);

/** This rank's whole request, whoever delivers it. */
const mca_common_collio_split_t *
mca_common_collio_plan_request(const mca_common_collio_plan_t *plan);

/** Room for a fence round: the windows in plan->split that are not relayed, at most. */
void mca_common_collio_plan_measure_fence(mca_common_collio_plan_t *plan);

/** Adds what a requester wants of this owner. Requesters are ordered by their leaders' ranks, then
 *  by their own. Takes the extents' content. 0 or -ENOMEM. */
int mca_common_collio_plan_add(mca_common_collio_plan_t *plan, int requester, int leader,
                               const mca_common_collio_extents_t *local);

/** After the last one: sorts the requesters, merges, computes the sizes. 0 or -ENOMEM. */
int mca_common_collio_plan_merge(mca_common_collio_plan_t *plan);

void mca_common_collio_plan_fini(mca_common_collio_plan_t *plan);

#endif /* MCA_COMMON_COLLIO_PLAN_H */
