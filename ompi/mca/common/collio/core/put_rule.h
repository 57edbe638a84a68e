/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_PUT_RULE_H
#define COLLIO_PUT_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Packed puts. MPI transfers scattered pieces one by one, even if one datatype describes all of
 * them, and each transfer takes a microsecond, even for 8 bytes. A requester packs small pieces and
 * puts them into a staging area beside the collective buffer; the aggregator copies them to their
 * places.
 */

/** A transfer costs as much as copying this many bytes. */
#define COLLIO_PUT_PIECE_BYTES INT64_C(2048)

/** True if a packed put, which is one transfer and a copy at the aggregator, is cheaper than a
 *  transfer for each piece. False for a single piece. */
static inline bool collio_put_packs(int64_t pieces, int64_t bytes)
{
    return 1 < pieces && bytes / pieces < COLLIO_PUT_PIECE_BYTES;
}

/** The staging area of an aggregator for packed messages, allocated from its start to its end. */
typedef struct collio_put_room_t {
    int64_t bytes; /* bytes of the area */
    int64_t used;  /* bytes that are allocated */
} collio_put_room_t;

/** Allocates the place of the next message. Returns its offset in the area, or -1 if the message is
 *  not packed, because packing is not cheaper or the area is full. */
static inline int64_t collio_put_place(collio_put_room_t *room, int64_t pieces, int64_t bytes)
{
    if (!collio_put_packs(pieces, bytes) || bytes > room->bytes - room->used) {
        return -1;
    }
    room->used += bytes;
    return room->used - bytes;
}

#endif /* COLLIO_PUT_RULE_H */
