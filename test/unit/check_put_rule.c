/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/* Which puts are packed, and where they go: never two in one place, never outside the room. */
#include "put_rule.h"

#include "unit.h"

UNIT_TEST(put_packs_small_pieces)
{
    ck_assert(collio_put_packs(1000, 8000));
    ck_assert(collio_put_packs(2, 2));
    ck_assert(collio_put_packs(INT64_C(1) << 40, INT64_C(1) << 43));
}

UNIT_TEST(put_straight_when_pieces_are_large_or_one)
{
    ck_assert(!collio_put_packs(0, 0));
    ck_assert(!collio_put_packs(1, 8));
    ck_assert(!collio_put_packs(4, 4 * COLLIO_PUT_PIECE_BYTES));
    ck_assert(collio_put_packs(4, 4 * COLLIO_PUT_PIECE_BYTES - 1));
}

UNIT_TEST(put_place_fills_the_room_exactly)
{
    collio_put_room_t room = {.bytes = 256};

    unit_equal(0, collio_put_place(&room, 4, 100));
    unit_equal(-1, collio_put_place(&room, 4, 157)); /* 156 are left */
    unit_equal(-1, collio_put_place(&room, 1, 8));   /* one piece goes straight */
    unit_equal(100, collio_put_place(&room, 4, 156));
    unit_equal(-1, collio_put_place(&room, 2, 2));
    room = (collio_put_room_t){0};
    unit_equal(-1, collio_put_place(&room, 2, 2));
}

/* Against a map of the room, byte by byte. */
UNIT_TEST(put_places_never_overlap)
{
    for (int round = unit_rounds(300); 0 < round; --round) {
        unsigned char taken[4096] = {0};
        collio_put_room_t room = {.bytes = unit_between(0, (int64_t) sizeof(taken))};

        for (int i = 0; i < 40; ++i) {
            int64_t pieces = unit_between(2, 40), bytes = pieces * unit_between(1, 30);
            int64_t place = collio_put_place(&room, pieces, bytes);

            for (int64_t at = place; 0 <= place && at < place + bytes; ++at) {
                unit_assert(at < room.bytes && !taken[at]);
                taken[at] = 1;
            }
        }
    }
}
