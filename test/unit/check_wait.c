/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/* How a waiting rank spends its time: when it yields, when and how long it sleeps, how often it
 * looks. */
#include "wait.h"

#include "unit.h"

enum { US = 1000, MS = 1000 * US };

UNIT_TEST(wait_yields_while_it_may_be_short)
{
    unit_equal(0, collio_wait_sleep(0, 0, 8, false));
    unit_equal(0, collio_wait_sleep(3 * MS, 500 * US, 8, false));
    ck_assert(0 < collio_wait_sleep(4 * MS, 500 * US, 8, false));
    /* sleep costs more, the more ranks there are on a core */
    unit_equal(0, collio_wait_sleep(4 * MS, 500 * US, 9, false));
    ck_assert(0 < collio_wait_sleep(1 * MS, 0, 2, false));
}

UNIT_TEST(wait_sleeps_at_once_where_the_last_was_long)
{
    unit_equal(4 * MS, collio_wait_sleep(0, 4 * MS, 8, false));
    unit_equal(2 * MS, collio_wait_sleep(0, 2 * MS, 4, false));
    unit_equal(3 * MS, collio_wait_sleep(1 * MS, 3 * MS, 4, false));
}

UNIT_TEST(wait_sleeps_longer_the_longer_it_lasts)
{
    unit_equal(4 * MS, collio_wait_sleep(4 * MS, 0, 8, false));
    unit_equal(2 * MS, collio_wait_sleep(2 * MS, 0, 4, false));
    unit_equal(3 * MS, collio_wait_sleep(60 * MS, 0, 3, false));
}

/* Few ranks on a core may look more often; no crowd is so large that messages are left alone. */
UNIT_TEST(wait_looks_for_messages_as_the_crowd_allows)
{
    unit_equal(1 * MS, collio_wait_sleep(60 * MS, 60 * MS, 1, false));
    unit_equal(4 * MS, collio_wait_sleep(60 * MS, 60 * MS, 4, false));
    unit_equal(4 * MS, collio_wait_sleep(60 * MS, 60 * MS, 100, false));
}

UNIT_TEST(wait_looks_often_for_calls_behind_it)
{
    unit_equal(0, collio_wait_sleep(3 * MS, 500 * US, 8, true));
    unit_equal(1 * MS, collio_wait_sleep(0, 7 * MS, 8, true));
    unit_equal(1 * MS, collio_wait_sleep(60 * MS, 0, 100, true));
}

/* Waits of any length: little yielding, then few looks, none later than 4 ms. */
UNIT_TEST(wait_is_spent_asleep)
{
    for (int round = unit_rounds(1000); 0 < round; --round) {
        int crowd = (int) unit_between(1, 40);
        int64_t length = unit_below(INT64_C(200) * MS), last = unit_below(INT64_C(20) * MS);
        int64_t waited = 0, looks = 0, yields = 0;

        while (waited < length) {
            int64_t sleep = collio_wait_sleep(waited, last, crowd, false);

            unit_assert(0 == sleep || (500 * US <= sleep && sleep <= 4 * MS));
            waited += 0 == sleep ? 1 * US : sleep;
            yields += 0 == sleep;
            looks += 0 != sleep;
        }
        unit_assert(yields <= crowd * 500);
        unit_assert(looks <= length / ((crowd < 4 ? crowd : 4) * MS) + 4);
    }
}

/* A leader waits for the lines of its node. Meetings of the node alone open the gate without that,
 * so the word is behind by one for each of them: that is no news. */
UNIT_TEST(wait_is_over_when_its_own_meeting_came_so_far)
{
    ck_assert(!collio_wait_reached(0, 0));
    ck_assert(collio_wait_reached(1, 0));
    ck_assert(!collio_wait_reached(5, 5));
    ck_assert(collio_wait_reached(6, 5));
    ck_assert(!collio_wait_reached(4, 5)); /* meeting 4 was of the node alone */
    ck_assert(!collio_wait_reached(0, 9));
    ck_assert(!collio_wait_reached(UINT32_MAX, 0)); /* the counts go round */
    ck_assert(!collio_wait_reached(UINT32_MAX, UINT32_MAX));
    ck_assert(collio_wait_reached(0, UINT32_MAX));
}
