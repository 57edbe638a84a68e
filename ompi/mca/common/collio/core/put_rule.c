/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * Problem: MPI transfers scattered pieces one by one, even if one datatype describes all of them.
 *          Each transfer takes a microsecond, also for 8 bytes.
 * Method:  a requester packs small pieces and puts them into a staging area beside the collective
 *          buffer; the aggregator copies them to their places.
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
