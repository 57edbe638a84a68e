/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Parts: the bytes that a rank hands over to its local aggregator in each round, and their places
 * in the staging. Pieces of the local aggregator's parts, one per member, have places only; pieces
 * of a rank's own part also have their streams (positions in its request).
 */
#include "twolayer/relay.h"

#include <errno.h>
#include <stdlib.h>

#include "core/number.h"
#include "core/split.h"

typedef collio_part_t part_t;
typedef collio_turn_t turn_t;

int collio_part_reserve(part_t *part, size_t pieces, size_t windows)
{
    part->turn = malloc((windows + 1) * sizeof(*part->turn));
    return NULL == part->turn ? -ENOMEM : collio_split_reserve(&part->list, pieces, windows, 0);
}

void collio_part_fini(part_t *part)
{
    collio_split_fini(&part->list);
    free(part->turn);
    memset(part, 0, sizeof(*part));
}

int64_t collio_part_memory(const part_t *part)
{
    return collio_split_memory(&part->list)
           + (int64_t) (part->list.window_count * sizeof(*part->turn));
}

void collio_part_turn(part_t *part, int64_t index)
{
    turn_t *turn = 0 == part->turn_count ? NULL : &part->turn[part->turn_count - 1];

    /* turns below turn_count are initialized: NOLINTNEXTLINE(clang-analyzer-core.*) */
    if (NULL == turn || turn->index != index) {
        turn = &part->turn[part->turn_count++];
        *turn = (turn_t){.index = index, .window = part->list.window_count, .straight = true};
    }
    ++turn->window_count;
}

void collio_part_piece(part_t *part, int64_t place, int64_t length)
{
    turn_t *turn = &part->turn[part->turn_count - 1];
    collio_window_t *window = &part->list.window[part->list.window_count - 1];

    turn->straight &= 0 == turn->bytes || turn->end == place;
    turn->end = place + length;
    turn->bytes += length;
    if (0 == window->count) {
        window->lo = place;
    }
    window->hi = collio_max(place + length, window->hi);
    window->bytes += length;
    ++window->count;
    part->list.piece[part->list.piece_count++] = (collio_fragment_t){
        (uint32_t) (place - window->lo), (uint32_t) length};
}

collio_content_t collio_turn_content(const part_t *part, const turn_t *turn)
{
    return (collio_content_t){&part->list, &part->list.window[turn->window], turn->window_count,
                              turn->bytes};
}

int64_t collio_turn_room(const turn_t *turn)
{
    return turn->bytes + (int64_t) (turn->window_count * sizeof(int64_t));
}

/* ---- this rank's own part ---- */

int collio_part_mine(collio_exchange_t *ex)
{
    const collio_plan_t *plan = ex->plan;
    const collio_split_t *own = &plan->split;
    part_t *mine = &plan->layer1.relay->mine;

    if (0 != collio_part_reserve(mine, own->piece_count, own->window_count)) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < own->window_count; ++i) {
        const collio_window_t *window = &own->window[plan->order[i]];
        int aggregator = own->share[plan->share_of[plan->order[i]]].aggregator;

        if (!collio_relayed(ex, aggregator)) {
            continue;
        }
        collio_part_turn(mine, window->index);
        mine->turn[mine->turn_count - 1].bytes += window->bytes;
        if (0 != collio_split_copy(&mine->list, own, window)) {
            return -ENOMEM;
        }
        mine->list.window[mine->list.window_count - 1].index = aggregator;
    }
    return 0;
}

/* Sets the places of the pieces of a window. *at: the extent of the next place, of which *used
 * bytes are used; the extents end at `end`. Returns 0 or -EBADMSG. */
static int part_place_window(const part_t *part, collio_window_t *window,
                             const collio_extent_t **at, const collio_extent_t *end, int64_t *used)
{
    collio_fragment_t *piece = &part->list.piece[window->first];

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

    for (size_t w = 0; 0 == rc && 0 < places->count && w < part->list.window_count; ++w) {
        rc = part_place_window(part, &part->list.window[w], &at, end, &used);
    }
    return rc;
}
