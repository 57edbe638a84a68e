/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_PUT_RULE_H
#define COLLIO_PUT_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Unpacked, a put is one transfer per piece; packed, it is one transfer in all and a copy at the
 *  aggregator. Is packing cheaper? Never for a single piece. */
bool collio_put_packs(int64_t pieces, int64_t bytes);

/** A transfer costs as much as copying this many bytes. */
#define COLLIO_PUT_PIECE_BYTES INT64_C(2048)

/** Allocates places for packed messages in a room of `bytes` bytes, first come first served. */
typedef struct collio_put_room_t {
    int64_t bytes; /* size of the room */
    int64_t used;  /* bytes that have been given away */
} collio_put_room_t;

/** The place of the next message, or -1: it is not packed, because that does not pay or the room is
 *  full. */
int64_t collio_put_place(collio_put_room_t *room, int64_t pieces, int64_t bytes);

#endif /* COLLIO_PUT_RULE_H */
