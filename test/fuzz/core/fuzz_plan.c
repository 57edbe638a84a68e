/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* Requester and aggregator plan apart from each other and must agree: a view is split by aggregator
 * and window, every share goes over the wire, and each aggregator's cycles must be what arithmetic
 * over single bytes says. */
#include <string.h>

#include "cycle.h"
#include "input.h"
#include "wire.h"

enum { SPACE = 1 << 14, MOST_PIECES = 24, MOST_OWNERS = 7, REQUESTERS = 2 };

typedef collio_split_t split_t;
typedef collio_domains_t domains_t;

static void make_view(input *in, collio_tiling_t *view)
{
    collio_extent_t piece[MOST_PIECES];
    int64_t at = input_below(in, 64);
    size_t count = 1 + (size_t) input_below(in, MOST_PIECES);
    int unsorted = 0 == input_below(in, 8);

    for (size_t i = 0; i < count; i++) {
        piece[i].offset = unsorted ? input_below(in, 1000) : at;
        piece[i].length = input_below(in, 40) + (0 == i);
        at += piece[i].length + input_below(in, 30);
    }
    REQUIRE(0
            == collio_tiling_init(view, input_below(in, 700),
                                  (unsorted ? 1040 : at + 40) + input_below(in, 20), piece, count));
}

static void make_domains(input *in, int64_t hi, domains_t *domains)
{
    int64_t unit = 1 + input_below(in, 300), lo = 0;
    int aggregators = 1 + (int) input_below(in, MOST_OWNERS);

    switch (input_below(in, 3)) {
    case 0:
        REQUIRE(
            0
            == collio_domains_make(
                &collio_partition_even,
                &(collio_division_t){.lo = lo, .hi = hi, .unit = unit, .aggregators = aggregators},
                domains));
        break;
    case 1:
        REQUIRE(0
                == collio_domains_make(
                    &collio_partition_static_cyclic,
                    &(collio_division_t){
                        .lo = lo, .hi = hi, .stripe = unit, .aggregators = aggregators},
                    domains));
        break;
    default:
        REQUIRE(0
                == collio_domains_make(
                    &collio_partition_group_cyclic,
                    &(collio_division_t){.lo = lo,
                                         .hi = hi,
                                         .stripe = unit,
                                         .aggregators = aggregators,
                                         .stripe_count = 1 + (int) input_below(in, aggregators)},
                    domains));
    }
}

/** How often each byte of the file is wanted, by walking the view byte by byte. */
static void want(const collio_tiling_t *view, int64_t stream, int64_t bytes, unsigned char *wanted)
{
    collio_cursor_t cursor;

    collio_cursor_seek(&cursor, view, stream);
    for (int64_t i = 0; i < bytes; i++) {
        int64_t run, offset = collio_cursor_run(&cursor, &run);

        REQUIRE(0 <= offset && offset < SPACE);
        wanted[offset]++;
        collio_cursor_advance(&cursor, 1);
    }
}

/** What one requester's share is when its aggregator has decoded it. */
static void over_the_wire(const split_t *split, int aggregator, split_t *arrived)
{
    collio_extents_t list = {0}, back = {0};
    collio_bytes_t wire = {0};

    for (size_t i = 0; i < split->share_count; i++) {
        if (split->share[i].aggregator == aggregator) {
            REQUIRE(0 == collio_split_share_list(split, &split->share[i], &list));
        }
    }
    REQUIRE(0 == collio_wire_encode(list.at, list.count, sizeof(*list.at), &wire));
    REQUIRE(0 == collio_wire_decode(wire.at, wire.count, SPACE, &back));
    REQUIRE(0 == collio_split_extents(&back, split->window_bytes, arrived));
    collio_bytes_fini(&wire);
    collio_extents_fini(&list);
    collio_extents_fini(&back);
}

/** Both sides have the same windows with the same bytes: messages fit. */
static void check_windows(const split_t *split, int aggregator, const split_t *arrived)
{
    size_t n = 0;

    for (size_t i = 0; i < split->share_count; i++) {
        const collio_share_t *share = &split->share[i];

        for (size_t w = 0; share->aggregator == aggregator && w < share->count; w++, n++) {
            const collio_window_t *mine = &split->window[share->first + w];

            REQUIRE(n < arrived->window_count);
            REQUIRE(mine->index == arrived->window[n].index);
            REQUIRE(mine->bytes == arrived->window[n].bytes);
        }
    }
    REQUIRE(n == arrived->window_count);
}

/** The runs of all cycles, taken back to the file, are the bytes that were wanted. */
static void check_owner(const domains_t *domains, int aggregator, const split_t arrived[],
                        const unsigned char *wanted, unsigned char *found)
{
    collio_collect_t collect = {0};

    REQUIRE(0 == collio_collect_build(arrived, REQUESTERS, &collect));
    for (size_t r = 0; r < collect.runs.count; r++) {
        for (int64_t i = 0; i < collect.runs.at[r].length; i++) {
            int64_t run, local = collect.runs.at[r].offset + i;
            int64_t offset = collio_domains_offset(domains, aggregator, local, &run);
            collio_place_t place = collio_domains_locate(domains, offset);

            REQUIRE(0 <= offset && offset < SPACE && 0 != wanted[offset]);
            REQUIRE(0 == found[offset]);
            REQUIRE(place.aggregator == aggregator && place.local == local);
            found[offset] = 1;
        }
    }
    collio_collect_fini(&collect);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static unsigned char wanted[SPACE], found[SPACE];
    input in = {data, data + size};
    int64_t window = 1 + input_below(&in, 600), pieces;
    domains_t domains = {0};
    split_t split[REQUESTERS] = {{0}};

    memset(wanted, 0, sizeof(wanted));
    memset(found, 0, sizeof(found));
    make_domains(&in, SPACE, &domains);
    for (int r = 0; r < REQUESTERS; r++) {
        collio_tiling_t view = {0};
        int64_t stream, bytes;

        make_view(&in, &view);
        stream = input_below(&in, 2 * view.size);
        bytes = input_below(&in, 3 * view.size + 1);
        want(&view, stream, bytes, wanted);
        REQUIRE(0 == collio_split_view(&view, stream, bytes, &domains, window, &split[r], &pieces));
        collio_tiling_fini(&view);
    }
    for (int aggregator = 0; aggregator < domains.aggregators; aggregator++) {
        split_t arrived[REQUESTERS] = {{0}};

        for (int r = 0; r < REQUESTERS; r++) {
            over_the_wire(&split[r], aggregator, &arrived[r]);
            check_windows(&split[r], aggregator, &arrived[r]);
        }
        check_owner(&domains, aggregator, arrived, wanted, found);
        for (int r = 0; r < REQUESTERS; r++) {
            collio_split_fini(&arrived[r]);
        }
    }
    for (int i = 0; i < SPACE; i++) {
        REQUIRE((0 != wanted[i]) == found[i]);
    }
    for (int r = 0; r < REQUESTERS; r++) {
        collio_split_fini(&split[r]);
    }
    collio_domains_fini(&domains);
    return 0;
}
