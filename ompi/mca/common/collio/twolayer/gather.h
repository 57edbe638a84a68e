/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_GATHER_H
#define COLLIO_GATHER_H

#include "plan/relay.h"

/**
 * twolayer/: decides whether a call has two layers, and makes the plan of layer 1 (plan/relay.h):
 * which bytes go through local aggregators, and where they lie in the buffers.
 */

/** Precedes each list in the message of a member. */
typedef struct collio_list_head_t {
    int64_t aggregator; /* number of the aggregator that the list is for */
    int64_t bytes;      /* bytes of the list */
} collio_list_head_t;

/** Decides from agreed values whether this call has two layers, and the number of local
 *  aggregators. */
void collio_layers_decide(collio_exchange_t *ex);

/** Returns true if this rank's share for that aggregator goes through layer 1. The same for all
 *  members of a local aggregator, except that the aggregator's own share goes through layer 1 in
 *  atomic mode only. */
bool collio_relayed(const collio_exchange_t *ex, int aggregator);

/** The phase GATHER: exchanges layer 1's offset lists, and reduces plan->split to the windows that
 *  this rank delivers. poll returns true when the phase is over. */
void collio_gather_start(collio_exchange_t *ex);
bool collio_gather_poll(collio_exchange_t *ex);
/** At a local aggregator: merges the offset lists of its members. Returns 0 or -errno. */
int collio_gather_merge(collio_exchange_t *ex, const collio_arrival_t *lists);
/** Replaces plan->split by the windows that this rank delivers: its direct shares and, at a local
 *  aggregator, `merged`, the merged shares per aggregator; NULL: none. plan->layer1.own keeps the
 *  request of this rank. Returns 0 or -ENOMEM. */
int collio_gather_split(collio_exchange_t *ex, const collio_collect_t *merged);

/** Makes relay->mine, without places, from plan->split, which is still the request of this rank.
 *  Returns 0 or -ENOMEM. */
int collio_places_mine(collio_exchange_t *ex);
/** Sets the places of pieces from a list in the order of the pieces. An empty list leaves them
 *  without places. Returns 0, or -EBADMSG if the list does not fit. */
int collio_places_set(collio_split_t *split, const collio_extents_t *places);
/** Fill a split that has memory for all its pieces and windows: window() adds a window for an
 *  aggregator, and a share if it is the first one of its round; piece() adds a piece to the last
 *  window, and joins it to a piece that it touches. */
void collio_places_window(collio_split_t *split, int round, int aggregator);
void collio_places_piece(collio_split_t *split, int64_t place, int64_t length);

#endif /* COLLIO_GATHER_H */
