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

/* A relayed window of this rank. */
typedef struct item_t {
    int64_t index;  /* window number */
    int aggregator; /* number of the aggregator */
    size_t window;  /* index in own->window */
} item_t;

static int compare_items(const void *a, const void *b)
{
    const item_t *x = a, *y = b;

    if (x->index != y->index) {
        return x->index < y->index ? -1 : 1;
    }
    return x->aggregator < y->aggregator ? -1 : 1;
}

static size_t list_items(const collio_exchange_t *ex, const collio_split_t *own, item_t *item)
{
    size_t count = 0;

    for (size_t s = 0; s < own->share_count; ++s) {
        const collio_share_t *share = &own->share[s];

        if (!collio_relayed(ex, share->aggregator)) {
            continue;
        }
        for (size_t w = share->first; w < share->first + share->count; ++w) {
            item[count++] = (item_t){own->window[w].index, share->aggregator, w};
        }
    }
    qsort(item, count, sizeof(*item), compare_items);
    return count;
}

/* A position in a list of places. */
typedef struct reader_t {
    const collio_extents_t *places; /* the list; empty: places are not needed */
    size_t at;                      /* index of the current extent */
    int64_t used;                   /* bytes of the current extent that pieces have used */
} reader_t;

/* Returns the place of the next piece, or -1 if the list does not fit the pieces. A piece never
 * spans two extents of the list. */
static int64_t next_place(reader_t *reader, int64_t length)
{
    const collio_extent_t *extent;
    int64_t place;

    if (0 == reader->places->count) {
        return 0; /* places are not needed */
    }
    if (reader->at == reader->places->count
        || reader->places->at[reader->at].length - reader->used < length) {
        return -1;
    }
    extent = &reader->places->at[reader->at];
    place = extent->offset + reader->used;
    reader->used += length;
    if (reader->used == extent->length) {
        ++reader->at;
        reader->used = 0;
    }
    return place;
}

static int make_part(const collio_split_t *own, const item_t *item, size_t count,
                     const collio_extents_t *places, part_t *part)
{
    reader_t reader = {.places = places};

    for (size_t i = 0; i < count; ++i) {
        const collio_window_t *window = &own->window[item[i].window];

        collio_part_window(part, item[i].index, item[i].aggregator);
        for (size_t p = window->first; p < window->first + window->count; ++p) {
            int64_t place = next_place(&reader, own->piece[p].length);

            if (place < 0) {
                return -EBADMSG;
            }
            collio_part_piece(part, place, own->piece[p].length, own->piece[p].stream);
        }
    }
    return 0;
}

void collio_gather_keep(collio_split_t *split, const collio_split_t *own,
                        const collio_share_t *share)
{
    collio_share_t *to = &split->share[split->share_count++];

    *to = *share;
    to->first = split->window_count;
    for (size_t w = share->first; w < share->first + share->count; ++w) {
        collio_window_t *window = &split->window[split->window_count++];

        *window = own->window[w];
        memcpy(&split->piece[split->piece_count], &own->piece[window->first],
               window->count * sizeof(*split->piece));
        window->first = split->piece_count;
        split->piece_count += window->count;
    }
}

/* At a member: reduces plan->split to the direct windows. (A local aggregator has already made its
 * split in gather_merge.c.) */
static int keep_direct(collio_exchange_t *ex)
{
    collio_plan_t *plan = ex->plan;
    collio_split_t *own = &plan->layer1.relay->own, *split = &plan->split;

    *own = *split;
    plan->layer1.own = own;
    memset(split, 0, sizeof(*split));
    split->window_bytes = own->window_bytes;
    split->piece = malloc((own->piece_count + 1) * sizeof(*split->piece));
    split->window = malloc((own->window_count + 1) * sizeof(*split->window));
    split->share = malloc((own->share_count + 1) * sizeof(*split->share));
    if (NULL == split->piece || NULL == split->window || NULL == split->share) {
        return -ENOMEM;
    }
    for (size_t s = 0; s < own->share_count; ++s) {
        if (!collio_relayed(ex, own->share[s].aggregator)) {
            collio_gather_keep(split, own, &own->share[s]);
        }
    }
    return collio_plan_index(plan);
}

int collio_gather_mine(collio_exchange_t *ex, const collio_extents_t *places)
{
    collio_relay_t *relay = ex->plan->layer1.relay;
    const collio_split_t *own = &relay->own;
    item_t *item;
    size_t count;
    int rc = 0;

    if (relay->aggregator != ex->file->rank) {
        rc = keep_direct(ex);
    }
    item = malloc((own->window_count + 1) * sizeof(*item));
    if (NULL == item || 0 != rc) {
        free(item);
        return 0 != rc ? rc : -ENOMEM;
    }
    count = list_items(ex, own, item);
    rc = collio_part_reserve(&relay->mine, own->piece_count, count);
    if (0 == rc) {
        rc = make_part(own, item, count, places, &relay->mine);
    }
    free(item);
    return rc;
}
