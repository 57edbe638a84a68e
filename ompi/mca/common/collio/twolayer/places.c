/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Places: the bytes that a member and its local aggregator exchange, by round, aggregator and place
 * in the buffer. The pieces of relay->requests, at the local aggregator, have places only; those of
 * relay->mine also have their streams (positions in the request of this rank).
 */
#include "twolayer/gather.h"

#include <errno.h>

#include "core/number.h"
#include "core/split.h"

/* Returns the share of a round, which is the last share or a new one. */
static collio_share_t *round_share(collio_split_t *split, int round)
{
    if (0 == split->share_count || split->share[split->share_count - 1].aggregator != round) {
        split->share[split->share_count++] = (collio_share_t){round, split->window_count, 0, 0};
    }
    return &split->share[split->share_count - 1];
}

void collio_places_window(collio_split_t *split, int round, int aggregator)
{
    ++round_share(split, round)->count;
    (void) collio_split_window(split, aggregator, 0); /* reserved */
}

void collio_places_piece(collio_split_t *split, int64_t place, int64_t length)
{
    collio_window_t *window = &split->window[split->window_count - 1];
    collio_fragment_t *piece = &split->piece[split->piece_count];

    split->share[split->share_count - 1].bytes += length;
    window->bytes += length;
    window->hi = collio_max(place + length, window->hi);
    if (0 == window->count) {
        window->lo = place;
    } else if (window->lo + piece[-1].offset + piece[-1].length == place) {
        piece[-1].length += (uint32_t) length;
        return;
    }
    *piece = (collio_fragment_t){(uint32_t) (place - window->lo), (uint32_t) length};
    ++window->count;
    ++split->piece_count;
}

/* ---- the bytes of this rank ---- */

int collio_places_mine(collio_exchange_t *ex)
{
    const collio_plan_t *plan = ex->plan;
    const collio_split_t *own = &plan->split;
    collio_split_t *mine = &plan->layer1.relay->mine;
    int64_t index = -1;
    int round = -1;

    if (0 != collio_split_reserve(mine, own->piece_count, own->window_count, own->window_count)) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < own->window_count; ++i) {
        const collio_window_t *window = &own->window[plan->order[i]];
        int aggregator = own->share[plan->share_of[plan->order[i]]].aggregator;
        collio_share_t *share;

        if (!collio_relayed(ex, aggregator)) {
            continue;
        }
        round += window->index != index;
        index = window->index;
        share = round_share(mine, round);
        ++share->count;
        share->bytes += window->bytes;
        if (0 != collio_split_copy(mine, own, window)) {
            return -ENOMEM;
        }
        mine->window[mine->window_count - 1].index = aggregator;
    }
    return 0;
}

/* Sets the places of the pieces of a window. *at: the extent of the next place, of which *used
 * bytes are used; the extents end at `end`. Returns 0 or -EBADMSG. */
static int place_window(const collio_split_t *split, collio_window_t *window,
                        const collio_extent_t **at, const collio_extent_t *end, int64_t *used)
{
    collio_fragment_t *piece = &split->piece[window->first];

    for (size_t i = 0; i < window->count; ++i) {
        int64_t place;

        /* a piece never spans two extents of a valid list */
        if (*at == end || (*at)->length - *used < piece[i].length) {
            return -EBADMSG;
        }
        place = (*at)->offset + *used;
        if (0 == i) {
            window->lo = window->hi = place;
        }
        if (place < window->lo || place - window->lo > COLLIO_WINDOW_MAX) {
            return -EBADMSG;
        }
        piece[i].offset = (uint32_t) (place - window->lo);
        window->hi = collio_max(window->hi, place + piece[i].length);
        *used += piece[i].length;
        if (*used == (*at)->length) {
            ++*at;
            *used = 0;
        }
    }
    return 0;
}

int collio_places_set(collio_split_t *split, const collio_extents_t *places)
{
    const collio_extent_t *at = places->at, *end = at + places->count;
    int64_t used = 0;
    int rc = 0;

    for (size_t w = 0; 0 == rc && 0 < places->count && w < split->window_count; ++w) {
        rc = place_window(split, &split->window[w], &at, end, &used);
    }
    return rc;
}
