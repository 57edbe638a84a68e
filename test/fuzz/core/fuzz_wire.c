/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* Bytes of a peer, whatever they are: decoded or refused; what was decoded survives the way back,
 * and an aggregator can plan with it. */
#include <errno.h>
#include <string.h>

#include "cycle.h"
#include "input.h"
#include "wire.h"

enum { MOST = 4096, DOMAIN_BYTES = 1 << 20, WINDOW_BYTES = 4096 };

static void check_valid(const collio_extents_t *list)
{
    for (size_t i = 0; i < list->count; i++) {
        REQUIRE(0 <= list->at[i].offset && 0 < list->at[i].length);
        REQUIRE(list->at[i].offset <= INT64_MAX - list->at[i].length);
    }
}

/** What was decoded, with touching neighbours joined, is what comes out of a second trip. */
static void check_again(const collio_extents_t *list)
{
    collio_extents_t joined = {0}, back = {0};
    collio_bytes_t wire = {0};

    for (size_t i = 0; i < list->count; i++) {
        REQUIRE(0 == collio_extents_append(&joined, list->at[i].offset, list->at[i].length));
    }
    REQUIRE(0 == collio_wire_encode(list->at, list->count, sizeof(*list->at), &wire));
    REQUIRE(0 == collio_wire_decode(wire.at, wire.count, MOST, &back));
    REQUIRE(back.count == joined.count);
    REQUIRE(0 == back.count || 0 == memcmp(back.at, joined.at, back.count * sizeof(*back.at)));
    collio_bytes_fini(&wire);
    collio_extents_fini(&joined);
    collio_extents_fini(&back);
}

static void plan(const collio_extents_t *list)
{
    collio_split_t split = {0};
    collio_collect_t collect = {0};
    int64_t bytes = 0, expected = 0;

    for (size_t i = 0; i < list->count; i++) {
        if (list->at[i].offset > DOMAIN_BYTES || list->at[i].length > DOMAIN_BYTES) {
            return; /* not of this domain */
        }
        expected += list->at[i].length;
    }
    REQUIRE(0 == collio_split_extents(list, WINDOW_BYTES, &split));
    for (size_t i = 0; i < split.window_count; i++) {
        bytes += split.window[i].bytes;
    }
    REQUIRE(bytes == expected);
    REQUIRE(0 == collio_collect_build(&split, 1, &collect));
    REQUIRE(collect.cycle_count == split.window_count);
    collio_collect_fini(&collect);
    collio_split_fini(&split);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    collio_extents_t list = {0};
    int rc = collio_wire_decode(data, size, MOST, &list);

    REQUIRE(0 == rc || -EBADMSG == rc);
    REQUIRE(MOST >= list.count && (0 == rc || 0 == list.count));
    check_valid(&list);
    if (0 == rc) {
        check_again(&list);
        plan(&list);
    }
    collio_extents_fini(&list);
    return 0;
}
