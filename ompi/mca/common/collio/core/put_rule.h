/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_PUT_RULE_H
#define COLLIO_PUT_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Is a packed put cheaper? Unpacked, a put is one transfer per piece; packed, it is one transfer
 *  and a copy at the aggregator. False for a single piece. */
bool collio_put_packs(int64_t pieces, int64_t bytes);

/** A transfer costs as much as copying this many bytes. */
#define COLLIO_PUT_PIECE_BYTES INT64_C(2048)

/** The staging area of an aggregator for packed messages, allocated from its begin to its end. */
typedef struct collio_put_room_t {
    int64_t bytes; /* bytes of the area */
    int64_t used;  /* bytes that are allocated */
} collio_put_room_t;

/** Allocates the place of the next message. Returns its offset in the area, or -1 if the message is
 *  not packed, because packing is not cheaper or the area is full. */
int64_t collio_put_place(collio_put_room_t *room, int64_t pieces, int64_t bytes);

#endif /* COLLIO_PUT_RULE_H */
