/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Parts: the bytes that a rank and its local aggregator exchange, by round, aggregator and place in
 * the buffer. Pieces of the local aggregator's parts, one per member, have places only; pieces of a
 * rank's own part also have their streams (positions in its request).
 */
#include "twolayer/gather.h"

#include <errno.h>

#include "core/number.h"
#include "core/split.h"

typedef collio_split_t part_t;

/* Returns the share of a round, which is the last share or a new one. */
static collio_share_t *part_share(part_t *part, int round)
{
    if (0 == part->share_count || part->share[part->share_count - 1].aggregator != round) {
        part->share[part->share_count++] = (collio_share_t){round, part->window_count, 0, 0};
    }
    return &part->share[part->share_count - 1];
}

void collio_part_window(part_t *part, int round, int aggregator)
{
    ++part_share(part, round)->count;
    (void) collio_split_window(part, aggregator, 0); /* reserved */
}

void collio_part_piece(part_t *part, int64_t place, int64_t length)
{
    collio_window_t *window = &part->window[part->window_count - 1];
    collio_fragment_t *piece = &part->piece[part->piece_count];

    part->share[part->share_count - 1].bytes += length;
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
    ++part->piece_count;
}

/* ---- this rank's own part ---- */

int collio_part_mine(collio_exchange_t *ex)
{
    const collio_plan_t *plan = ex->plan;
    const collio_split_t *own = &plan->split;
    part_t *mine = &plan->layer1.relay->mine;
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
        share = part_share(mine, round);
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
static int part_place_window(const part_t *part, collio_window_t *window,
                             const collio_extent_t **at, const collio_extent_t *end, int64_t *used)
{
    collio_fragment_t *piece = &part->piece[window->first];

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

int collio_part_places(part_t *part, const collio_extents_t *places)
{
    const collio_extent_t *at = places->at, *end = at + places->count;
    int64_t used = 0;
    int rc = 0;

    for (size_t w = 0; 0 == rc && 0 < places->count && w < part->window_count; ++w) {
        rc = part_place_window(part, &part->window[w], &at, end, &used);
    }
    return rc;
}
