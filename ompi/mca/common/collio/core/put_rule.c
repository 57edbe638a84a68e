/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * Problem: a one-sided transfer of scattered pieces is carried out piece by piece, whatever
 *          datatype describes it: a microsecond for each, also for one of 8 bytes.
 * Method:  small pieces travel packed to a room beside the buffer, and their aggregator puts
 *          them in their places.
 */
#include "put_rule.h"

bool collio_put_packs(int64_t pieces, int64_t bytes)
{
    return 1 < pieces && bytes / pieces < COLLIO_PUT_PIECE_BYTES;
}

int64_t collio_put_place(collio_put_room_t *room, int64_t pieces, int64_t bytes)
{
    if (!collio_put_packs(pieces, bytes) || bytes > room->bytes - room->used) {
        return -1;
    }
    room->used += bytes;
    return room->used - bytes;
}
