/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * Cycle plan: conservation. Every byte of every requester must end exactly once in its aggregator's
 * cycle, at the right local place. Arrays are painted: every byte of a requester has its own value,
 * goes the whole way (split, pack, wire, decode, collect, place), and is looked for in the "file".
 */
#include "cycle.h"
#include "unit.h"
#include "wire.h"

enum { SPAN = 4000, MOST_BYTES = 4 * SPAN, MOST_PIECES = 400, MAX_RANKS = 6 };

/* The request of a rank, and the file offset of each of its bytes by the definition of a view. */
typedef struct request_t {
    collio_tiling_t view;
    int64_t skip, bytes;
    int64_t place[MOST_BYTES];
} request_t;

typedef struct world_t {
    collio_domains_t domains;
    int64_t window_bytes;
    int ranks;
    request_t request[MAX_RANKS];
    collio_split_t splits[MAX_RANKS];
    int64_t base;
} world_t;

static int divide(const collio_partition_t *partition, int64_t lo, int64_t hi, int64_t unit,
                  int aggregators, collio_domains_t *domains)
{
    collio_division_t division = {
        .lo = lo, .hi = hi, .unit = unit, .stripe = unit, .aggregators = aggregators};

    return collio_domains_make(partition, &division, domains);
}

static void make_domains(world_t *world, int64_t lo, int64_t hi)
{
    const collio_partition_t *const partitions[] = {
        &collio_partition_even, &collio_partition_static_cyclic, &collio_partition_group_cyclic,
        &collio_partition_memory};
    const collio_given_t given[] = {{lo, 2, 100}, {lo + (hi - lo) / 5, 0, 37}, {hi - 11, 1, 64}};
    int64_t unit = unit_below(3) ? unit_between(1, 300) : 1, bytes[16];
    bool memory = hi - lo > 100 && 0 == unit_below(4);
    collio_division_t division = {.lo = lo,
                                  .hi = hi,
                                  .aggregators = memory ? 3 : (int) unit_between(1, 7),
                                  .unit = unit,
                                  .stripe = unit,
                                  .stripe_count = (int) unit_between(1, 9),
                                  .bytes = unit_below(2) ? bytes : NULL,
                                  .bins = 16,
                                  .given = given,
                                  .given_count = 3};

    for (int i = 0; i < 16; ++i) {
        bytes[i] = unit_below(2) ? unit_below(1000) : 0;
    }
    ck_assert_int_eq(
        0, collio_domains_make(partitions[memory ? 3 : unit_below(3)], &division, &world->domains));
}

/* Notes the bytes of the request, up to the end of the span. */
static void walk(request_t *request, int64_t base, int64_t extent, const collio_extent_t *piece,
                 size_t count)
{
    int64_t stream = -request->skip;

    for (size_t i = 0; 0 < count; ++i) {
        int64_t at = (int64_t) (i / count) * extent + piece[i % count].offset;

        for (int64_t b = 0; b < piece[i % count].length; ++b, ++stream) {
            if (at + b >= SPAN || stream >= MOST_BYTES) {
                return;
            }
            if (0 <= stream) {
                request->place[stream] = base + at + b;
                request->bytes = stream + 1;
            }
        }
    }
}

/* Random pieces, forward or backward, repeated in [base, base + SPAN); with `overlap` some pieces
 * overlap. */
static void make_request(world_t *world, int rank, bool overlap)
{
    request_t *request = &world->request[rank];
    collio_extent_t piece[MOST_PIECES];
    int64_t end = SPAN / unit_between(1, 4), at = unit_below(end / 2), extent = 1;
    int64_t longest = unit_below(4) ? 20 : 1500;
    bool backward = 0 == unit_below(4);
    size_t count = 0;

    while (at < end && count < MOST_PIECES && unit_below(60)) {
        int64_t length = unit_between(1, longest);

        length = length < end - at ? length : end - at;
        piece[count++] = (collio_extent_t){at, length};
        extent = at + length > extent ? at + length : extent;
        at += overlap && unit_below(2) ? unit_below(length) : length + unit_below(30);
    }
    for (size_t i = 0; backward && i < count / 2; ++i) {
        collio_extent_t swap = piece[i];

        piece[i] = piece[count - 1 - i];
        piece[count - 1 - i] = swap;
    }
    extent += unit_below(30);
    ck_assert_int_eq(0, collio_tiling_init(&request->view, world->base, extent, piece, count));
    request->skip = 0 < count ? unit_below(request->view.size) : 0;
    walk(request, world->base, extent, piece, count);
}

static void make_world(world_t *world, bool overlap)
{
    int64_t lo = INT64_MAX, hi = 0, pieces;

    memset(world, 0, sizeof(*world));
    world->base = unit_below(3) ? unit_below(1000) : (INT64_C(1) << 40) + unit_below(1000);
    world->base = unit_below(5) ? world->base : INT64_MAX - 4 * SPAN;
    world->ranks = (int) unit_between(1, MAX_RANKS);
    world->window_bytes = unit_below(3) ? unit_between(1, 700) : unit_between(1, 20);
    for (int rank = 0; rank < world->ranks; ++rank) {
        const request_t *request = &world->request[rank];

        make_request(world, rank, overlap);
        for (int64_t i = 0; i < request->bytes; ++i) {
            lo = request->place[i] < lo ? request->place[i] : lo;
            hi = request->place[i] >= hi ? request->place[i] + 1 : hi;
        }
    }
    if (lo > hi) {
        lo = hi = world->base;
    }
    make_domains(world, lo, hi);
    for (int rank = 0; rank < world->ranks; ++rank) {
        const request_t *request = &world->request[rank];

        unit_equal(0,
                   collio_split_view(&request->view, request->skip, request->bytes, &world->domains,
                                     world->window_bytes, &world->splits[rank], &pieces));
    }
}

static void free_world(world_t *world)
{
    for (int rank = 0; rank < world->ranks; ++rank) {
        collio_tiling_fini(&world->request[rank].view);
        collio_split_fini(&world->splits[rank]);
    }
    collio_domains_fini(&world->domains);
}

/* The pieces of a window in local coordinates, put together from what a reader returns in random
 * steps. The caller frees them. */
static collio_piece_t *read_window(const collio_split_t *split, const collio_window_t *window)
{
    collio_piece_t *pieces = malloc(window->count * sizeof(*pieces));
    collio_reader_t reader = collio_reader(split, window);
    int64_t within = 0;
    size_t n = 0;

    while (0 < reader.left) {
        collio_fragment_t cut;
        int64_t bytes = unit_below(3) ? unit_between(1, reader.left) : reader.left;
        collio_run_t run = collio_reader_next(&reader, bytes, &cut);

        for (const collio_fragment_t *piece = run.at; piece < run.end; ++piece) {
            if (0 == within) {
                pieces[n] = (collio_piece_t){window->lo + piece->offset, 0, run.stream};
            }
            unit_equal(pieces[n].offset + within, window->lo + piece->offset);
            unit_equal(pieces[n].stream + within, run.stream);
            within = pieces[n].length += piece->length;
            run.stream += piece->length;
            run.bytes -= piece->length;
            if (within == split->piece[window->first + n].length) {
                within = 0;
                ++n;
            }
        }
        unit_equal(0, run.bytes);
    }
    unit_equal(n, window->count);
    return pieces;
}

/* Where a window is cut that has data below `limit` only. */
static void check_limit(const collio_split_t *split, const collio_window_t *window,
                        const collio_piece_t *read, int64_t limit)
{
    int64_t stop = INT64_MAX, prefix = 0, before = 0;

    for (const collio_piece_t *piece = read; piece < read + window->count; ++piece) {
        int64_t below = limit - piece->offset;

        below = below < 0 ? 0 : below < piece->length ? below : piece->length;
        if (0 < below) {
            prefix = before + below;
        }
        if (below < piece->length && piece->stream + below < stop) {
            stop = piece->stream + below;
        }
        before += piece->length;
    }
    unit_equal(prefix, collio_window_prefix(split, window, limit));
    if (0 < split->strand_count) { /* lists that have arrived have no streams */
        unit_equal(stop, collio_window_stop(split, window, limit));
    }
}

/* What the header promises about the order of a split. */
static void check_order(const collio_split_t *split, const collio_domains_t *domains)
{
    size_t windows = 0;
    size_t parts = 0;

    for (size_t s = 0; s < split->share_count; ++s) {
        const collio_share_t *share = &split->share[s];
        int64_t bytes = 0;
        int64_t each = NULL == domains
                           ? split->window_bytes
                           : collio_domains_window(domains, share->aggregator, split->window_bytes);

        unit_assert(0 == s || split->share[s - 1].aggregator < share->aggregator);
        unit_equal(windows, share->first);
        unit_assert(0 < share->count);
        for (size_t w = share->first; w < share->first + share->count; ++w) {
            const collio_window_t *window = &split->window[w];
            collio_piece_t *read = read_window(split, window);
            int64_t window_bytes = 0, hi = 0;
            bool consecutive = true;
            collio_reader_t reader = collio_reader(split, window);

            unit_assert(w == share->first || split->window[w - 1].index < window->index);
            unit_equal(parts, window->first);
            unit_assert(0 < window->count);
            unit_equal(window->lo, read->offset);
            for (const collio_piece_t *piece = read; piece < read + window->count; ++piece) {
                unit_assert(0 < piece->length);
                unit_equal(window->index, piece->offset / each);
                unit_equal(window->index, (piece->offset + piece->length - 1) / each);
                unit_assert(piece == read || piece[-1].offset <= piece->offset);
                consecutive &= piece == read
                               || piece[-1].stream + piece[-1].length == piece->stream;
                window_bytes += piece->length;
                hi = piece->offset + piece->length > hi ? piece->offset + piece->length : hi;
            }
            unit_equal(consecutive, reader.strand_end == reader.end);
            unit_equal(window_bytes, window->bytes);
            unit_equal(hi, window->hi);
            check_limit(split, window, read, window->lo + (hi - window->lo) / 3);
            check_limit(split, window, read, hi);
            free(read);
            bytes += window_bytes;
            parts += window->count;
        }
        unit_equal(bytes, share->bytes);
        windows += share->count;
    }
    unit_equal(windows, split->window_count);
    unit_equal(parts, split->piece_count);
}

static unsigned char paint(int rank, int64_t stream)
{
    return (unsigned char) ((uint64_t) (stream + 1) * 2654435761u * (unsigned) (rank + 3) >> 7);
}

/* One requester's share of an aggregator as it arrives: over the wire, then cut again. */
static void receive(const world_t *world, int rank, const collio_share_t *share,
                    collio_split_t *received)
{
    const collio_split_t *split = &world->splits[rank];
    int64_t window_bytes = collio_domains_window(&world->domains, share->aggregator,
                                                 world->window_bytes);
    collio_bytes_t wire = {0};
    collio_extents_t list = {0};
    collio_extents_t sent = {0};

    unit_equal(0, collio_split_list(split, share->first, share->count, &sent));
    unit_equal(0, collio_wire_encode(&sent, &wire));
    unit_equal(0, collio_wire_decode(wire.at, wire.count, sent.count, &list));
    unit_equal(0, collio_split_extents(&list, window_bytes, received));
    check_order(received, NULL);
    unit_equal(share->count, received->window_count);
    unit_equal(1, received->share_count);
    collio_bytes_fini(&wire);
    collio_extents_fini(&sent);
    collio_extents_fini(&list);
}

/* Writes a requester's bytes for an aggregator into the "file" as a cycle would: the packed message
 * of each window is scattered by the aggregator's own list. Every byte must hit its file place
 * once. */
static void deliver(const world_t *world, int rank, const collio_share_t *share,
                    const collio_split_t *received, unsigned char *file, int *hits)
{
    const collio_split_t *split = &world->splits[rank];
    unsigned char message[MAX_RANKS * SPAN * 4];

    for (size_t w = 0; w < share->count; ++w) {
        const collio_window_t *mine = &split->window[share->first + w];
        const collio_window_t *theirs = &received->window[w];
        collio_piece_t *pieces = read_window(split, mine);
        int64_t packed = 0;

        unit_equal(mine->index, theirs->index);
        unit_equal(mine->bytes, theirs->bytes);
        for (size_t i = 0; i < mine->count; ++i) {
            for (int64_t b = 0; b < pieces[i].length; ++b) {
                message[packed++] = paint(rank, pieces[i].stream + b);
            }
        }
        packed = 0;
        for (size_t i = theirs->first; i < theirs->first + theirs->count; ++i) {
            const collio_fragment_t *piece = &received->piece[i];

            for (int64_t b = 0; b < piece->length; ++b) {
                int64_t run;
                int64_t offset = collio_domains_offset(&world->domains, share->aggregator,
                                                       theirs->lo + piece->offset + b, &run);

                unit_assert(0 < run);
                file[offset - world->base] = message[packed++];
                hits[offset - world->base]++;
            }
        }
        free(pieces);
    }
}

/* Painted the same way without any plan. */
static void check_rank(const world_t *world, int rank, const unsigned char *file, const int *hits)
{
    int wanted[SPAN] = {0};
    const request_t *request = &world->request[rank];

    for (int64_t i = 0; i < request->bytes; ++i) {
        wanted[request->place[i] - world->base]++;
    }
    for (int64_t at = 0; at < SPAN; ++at) {
        unit_equal(wanted[at], hits[at]);
    }
    for (int64_t i = 0; i < request->bytes; ++i) {
        int64_t at = request->place[i] - world->base;

        if (1 == wanted[at]) {
            unit_equal(paint(rank, i), file[at]);
        }
    }
}

/* The cycles of one aggregator against what its requesters' pieces say, byte by byte. */
static void check_collect(const collio_split_t *received, size_t count, int64_t window_bytes)
{
    collio_collect_t collect;
    size_t sources = 0;
    size_t runs = 0;
    int64_t bytes = 0;

    unit_equal(0, collio_collect_build(received, count, NULL, &collect));
    for (size_t c = 0; c < collect.cycle_count; ++c) {
        const collio_cycle_t *cycle = &collect.cycle[c];
        int *wanted = calloc((size_t) window_bytes, sizeof(int));
        int64_t sum = 0;
        int64_t from = cycle->index * window_bytes;

        unit_assert(0 == c || collect.cycle[c - 1].index < cycle->index);
        unit_equal(sources, cycle->source);
        unit_equal(runs, cycle->run);
        for (size_t s = cycle->source; s < cycle->source + cycle->source_count; ++s) {
            const collio_source_t *source = &collect.source[s];
            const collio_split_t *split = &received[source->requester];
            const collio_window_t *window = &split->window[source->window];

            unit_assert(s == cycle->source || collect.source[s - 1].requester < source->requester);
            unit_equal(cycle->index, window->index);
            sum += window->bytes;
            for (size_t i = window->first; i < window->first + window->count; ++i) {
                for (int64_t b = 0; b < split->piece[i].length; ++b) {
                    bytes += 0 == wanted[window->lo + split->piece[i].offset + b - from]++;
                }
            }
        }
        unit_equal(sum, cycle->bytes);
        unit_equal(cycle->lo, collect.runs.at[cycle->run].offset);
        for (size_t r = cycle->run; r < cycle->run + cycle->run_count; ++r) {
            const collio_extent_t *run = &collect.runs.at[r];

            unit_assert(r == cycle->run || run[-1].offset + run[-1].length < run->offset);
            for (int64_t b = 0; b < run->length; ++b) {
                unit_assert(0 < wanted[run->offset + b - from]);
                bytes--;
            }
            unit_assert(run->offset + run->length <= cycle->hi);
        }
        free(wanted);
        sources += cycle->source_count;
        runs += cycle->run_count;
    }
    unit_equal(0, bytes); /* as many different bytes wanted as in the runs */
    unit_equal(sources, collect.source_count);
    unit_equal(runs, collect.runs.count);
    for (size_t i = 0, windows = 0; i < count; ++i) {
        windows += received[i].window_count;
        unit_assert(i + 1 < count || windows == sources);
    }
    collio_collect_fini(&collect);
}

static void run_world(bool overlap)
{
    static world_t world;
    collio_split_t received[MAX_RANKS];

    make_world(&world, overlap);
    for (int rank = 0; rank < world.ranks; ++rank) {
        unsigned char file[SPAN] = {0};
        int hits[SPAN] = {0};

        check_order(&world.splits[rank], &world.domains);
        for (size_t s = 0; s < world.splits[rank].share_count; ++s) {
            const collio_share_t *share = &world.splits[rank].share[s];

            receive(&world, rank, share, &received[0]);
            deliver(&world, rank, share, &received[0], file, hits);
            collio_split_fini(&received[0]);
        }
        check_rank(&world, rank, file, hits);
    }
    for (int aggregator = 0; aggregator < world.domains.aggregators; ++aggregator) {
        size_t count = 0;

        for (int rank = 0; rank < world.ranks; ++rank) {
            const collio_split_t *split = &world.splits[rank];

            for (size_t s = 0; s < split->share_count; ++s) {
                if (split->share[s].aggregator == aggregator) {
                    receive(&world, rank, &split->share[s], &received[count++]);
                }
            }
        }
        check_collect(received, count,
                      collio_domains_window(&world.domains, aggregator, world.window_bytes));
        while (0 < count) {
            collio_split_fini(&received[--count]);
        }
    }
    free_world(&world);
}

UNIT_TEST(cycle_random_every_byte_once)
{
    for (int round = unit_rounds(400); 0 < round; --round) {
        run_world(false);
    }
}

UNIT_TEST(cycle_random_overlapping_reads)
{
    for (int round = unit_rounds(400); 0 < round; --round) {
        run_world(true);
    }
}

UNIT_TEST(cycle_nothing)
{
    collio_pieces_t pieces = {0};
    collio_extents_t list = {0};
    collio_domains_t domains;
    collio_split_t split;
    collio_collect_t collect;

    ck_assert_int_eq(0, divide(&collio_partition_even, 0, 0, 1, 4, &domains));
    ck_assert_int_eq(0, collio_split_pieces(&pieces, &domains, 100, &split));
    ck_assert_uint_eq(0, split.share_count);
    ck_assert_uint_eq(0, split.window_count);
    ck_assert_int_eq(0, collio_collect_build(&split, 1, NULL, &collect));
    ck_assert_uint_eq(0, collect.cycle_count);
    collio_collect_fini(&collect);
    ck_assert_int_eq(0, collio_collect_build(NULL, 0, NULL, &collect));
    collio_collect_fini(&collect);
    collio_split_fini(&split);
    ck_assert_int_eq(0, collio_split_extents(&list, 100, &split));
    ck_assert_uint_eq(0, split.share_count);
    collio_split_fini(&split);
    collio_split_fini(&split);
    collio_domains_fini(&domains);
}

/* 8 GiB over 64 stripes of 128 MiB and 4 aggregators, in windows of 100 MiB. */
UNIT_TEST(cycle_one_huge_piece)
{
    const int64_t mib = INT64_C(1) << 20;
    collio_pieces_t pieces = {0};
    collio_domains_t domains;
    collio_split_t split;
    int64_t sum = 0;

    ck_assert_int_eq(0, collio_pieces_append(&pieces, INT64_C(1) << 40, 8192 * mib, 0));
    ck_assert_int_eq(0, divide(&collio_partition_static_cyclic, INT64_C(1) << 40,
                               (INT64_C(1) << 40) + 8192 * mib, 128 * mib, 4, &domains));
    ck_assert_int_eq(0, collio_split_pieces(&pieces, &domains, 100 * mib, &split));
    check_order(&split, NULL);
    ck_assert_uint_eq(4, split.share_count);
    for (size_t s = 0; s < split.share_count; ++s) {
        ck_assert_int_eq(2048 * mib, split.share[s].bytes);
        ck_assert_uint_eq(21, split.share[s].count); /* ceil(2048 / 100) */
        sum += split.share[s].bytes;
    }
    ck_assert_int_eq(8192 * mib, sum);
    collio_split_fini(&split);
    collio_domains_fini(&domains);
    collio_pieces_fini(&pieces);
}

UNIT_TEST(cycle_many_aggregators_one_piece_each)
{
    enum { OWNERS = 100000 };
    collio_pieces_t pieces = {0};
    collio_domains_t domains;
    collio_split_t split;

    for (int64_t i = 0; i < OWNERS; ++i) {
        ck_assert_int_eq(0, collio_pieces_append(&pieces, i * 1000 + 10, 8, i * 8));
    }
    ck_assert_int_eq(
        0, divide(&collio_partition_even, 10, INT64_C(1000) * OWNERS, 1000, OWNERS, &domains));
    ck_assert_int_eq(0, collio_split_pieces(&pieces, &domains, 1 << 20, &split));
    check_order(&split, NULL);
    ck_assert_uint_eq(OWNERS, split.share_count);
    for (int i = 0; i < OWNERS; ++i) {
        ck_assert_int_eq(i, split.share[i].aggregator);
        ck_assert_int_eq(10, split.window[i].lo);
    }
    collio_split_fini(&split);
    collio_domains_fini(&domains);
    collio_pieces_fini(&pieces);
}
