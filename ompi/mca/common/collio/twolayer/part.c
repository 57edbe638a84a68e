/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Parts: the bytes that a rank hands over to its local aggregator in each round, and their places
 * in the staging. Pieces of the local aggregator's parts, one per member, have places only; pieces
 * of a rank's own part also have their streams (positions in its request).
 */
#include "twolayer/relay.h"

#include <errno.h>
#include <stdlib.h>

typedef collio_part_t part_t;
typedef collio_turn_t turn_t;

int collio_part_reserve(part_t *part, size_t pieces, size_t windows)
{
    part->piece = malloc((pieces + 1) * sizeof(*part->piece));
    part->window = malloc((windows + 1) * sizeof(*part->window));
    part->turn = malloc((windows + 1) * sizeof(*part->turn));
    return NULL == part->piece || NULL == part->window || NULL == part->turn ? -ENOMEM : 0;
}

void collio_part_fini(part_t *part)
{
    free(part->piece);
    free(part->window);
    free(part->turn);
    memset(part, 0, sizeof(*part));
}

int64_t collio_part_memory(const part_t *part)
{
    return (int64_t) (part->piece_count * sizeof(*part->piece)
                      + part->window_count * (sizeof(*part->window) + sizeof(*part->turn)));
}

void collio_part_window(part_t *part, int64_t index, int aggregator)
{
    turn_t *turn = 0 == part->turn_count ? NULL : &part->turn[part->turn_count - 1];

    /* turns below turn_count are initialized: NOLINTNEXTLINE(clang-analyzer-core.*) */
    if (NULL == turn || turn->all.index != index) {
        turn = &part->turn[part->turn_count++];
        *turn = (turn_t){.all = {.index = index, .first = part->piece_count, .consecutive = true},
                         .window = part->window_count,
                         .straight = true};
    }
    ++turn->window_count;
    part->window[part->window_count++] = (collio_window_t){.index = aggregator,
                                                           .first = part->piece_count};
}

void collio_part_piece(part_t *part, int64_t place, int64_t length, int64_t stream)
{
    turn_t *turn = &part->turn[part->turn_count - 1];
    collio_window_t *window = &part->window[part->window_count - 1];

    if (turn->all.count > 0) {
        const collio_piece_t *last = &part->piece[part->piece_count - 1];

        turn->straight &= last->offset + last->length == place;
        turn->all.consecutive &= last->stream + last->length == stream;
    }
    part->piece[part->piece_count++] = (collio_piece_t){place, length, stream};
    ++turn->all.count;
    turn->all.bytes += length;
    ++window->count;
    window->bytes += length;
}

int64_t collio_turn_room(const turn_t *turn)
{
    return turn->all.bytes + (int64_t) (turn->window_count * sizeof(int64_t));
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
        collio_part_window(mine, window->index, aggregator);
        for (size_t p = window->first; p < window->first + window->count; ++p) {
            collio_part_piece(mine, 0, own->piece[p].length, own->piece[p].stream);
        }
    }
    return 0;
}

int collio_part_places(part_t *part, const collio_merge_input_t *places)
{
    const char *at = places->at;
    size_t next = 0;
    int64_t used = 0; /* bytes of the current extent that pieces have used */

    for (size_t i = 0; 0 < places->count && i < part->piece_count; ++i) {
        collio_extent_t extent;

        if (next == places->count) {
            return -EBADMSG;
        }
        memcpy(&extent, at + next * places->element_bytes, sizeof(extent));
        if (extent.length - used < part->piece[i].length) {
            return -EBADMSG; /* a piece never spans two extents of a valid list */
        }
        part->piece[i].offset = extent.offset + used;
        used += part->piece[i].length;
        if (used == extent.length) {
            ++next;
            used = 0;
        }
    }
    return 0;
}
