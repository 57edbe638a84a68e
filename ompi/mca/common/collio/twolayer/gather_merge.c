/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * The merge of layer 1: from the lists of its members a local aggregator makes
 *   - its request to each aggregator: per window the union of all pieces, adjacent pieces joined,
 *   - the rounds: where each relayed window, and each byte of each member, lies in the buffer.
 *
 *   member 0   a  c      window of aggregator 5    a b c d    one run, one message
 *   member 1    b  d     places                    0 1 2 3    0: {0,2}   1: {1,3}
 *
 * A k-way heap merge per aggregator (core/collect): O(n log k) for n pieces of k members.
 */
#include "twolayer/gather.h"

#include <errno.h>
#include <stdlib.h>

#include "core/number.h"
#include "core/split.h"

typedef collio_relay_t relay_t;

/* The relayed shares of all members for one aggregator. */
typedef struct channel_t {
    collio_split_t *split; /* per member: its pieces by window; owned; NULL: no member has any */
    size_t next;           /* first cycle of the merged lists that is not in the requests yet */
} channel_t;

typedef struct merger_t {
    collio_exchange_t *ex;    /* the exchange */
    channel_t *channel;       /* one per aggregator; owned */
    collio_collect_t *merged; /* the merged lists of each channel; owned */
    int aggregators;          /* number of aggregators of the file */
    int members;              /* number of members of this local aggregator */
    int64_t gathered;         /* number of extents in all lists, this rank's lists included */
} merger_t;

static int merger_init(merger_t *merger)
{
    merger->channel = calloc((size_t) merger->aggregators, sizeof(*merger->channel));
    merger->merged = calloc((size_t) merger->aggregators, sizeof(*merger->merged));
    return NULL == merger->channel || NULL == merger->merged ? -ENOMEM : 0;
}

static void merger_fini(merger_t *merger)
{
    for (int o = 0; NULL != merger->channel && o < merger->aggregators; ++o) {
        channel_t *channel = &merger->channel[o];

        for (int m = 0; NULL != channel->split && m < merger->members; ++m) {
            collio_split_fini(&channel->split[m]);
        }
        free(channel->split);
    }
    for (int o = 0; NULL != merger->merged && o < merger->aggregators; ++o) {
        collio_collect_fini(&merger->merged[o]);
    }
    free(merger->channel);
    free(merger->merged);
}

/* ---- the lists ---- */

static int add_list(merger_t *merger, int aggregator, int member, const collio_extents_t *list)
{
    channel_t *channel = &merger->channel[aggregator];

    if (NULL == channel->split) {
        channel->split = calloc((size_t) merger->members, sizeof(*channel->split));
        if (NULL == channel->split) {
            return -ENOMEM;
        }
    }
    if (channel->split[member].window_count > 0) {
        return -EBADMSG; /* a second list of the member */
    }
    merger->gathered += (int64_t) list->count;
    return collio_split_extents(list, collio_plan_window(merger->ex->plan, aggregator),
                                &channel->split[member]);
}

static int add_lists(merger_t *merger, const collio_arrival_t *lists)
{
    const collio_nodes_t *groups = collio_groups(merger->ex->file);
    int member = collio_node_local(groups, lists->peer)
                 - collio_node_local(groups, merger->ex->file->rank);
    size_t at = 0;
    int rc = 0;

    while (0 == rc && at < lists->bytes) {
        collio_list_head_t head;
        collio_extents_t list = {0};
        int aggregator;

        if (lists->bytes - at < sizeof(head)) {
            return -EBADMSG;
        }
        memcpy(&head, lists->list + at, sizeof(head));
        at += sizeof(head);
        if (head.aggregator < 0 || head.aggregator >= merger->aggregators || head.bytes < 0
            || (size_t) head.bytes > lists->bytes - at
            || !collio_relayed(merger->ex, (int) head.aggregator)) {
            return -EBADMSG;
        }
        aggregator = (int) head.aggregator;
        rc = collio_wire_decode_within(
            lists->list + at, (size_t) head.bytes, (size_t) merger->ex->range.bytes,
            collio_domains_size(&merger->ex->plan->domains, aggregator), &list);
        if (0 == rc) {
            rc = add_list(merger, aggregator, member, &list);
        }
        collio_extents_fini(&list);
        at += (size_t) head.bytes;
    }
    return rc;
}

static int merge_add_own(merger_t *merger, const collio_share_t *share)
{
    const collio_split_t *split = &merger->ex->plan->split;
    collio_extents_t list = {0};
    int rc = collio_split_list(split, share->first, share->count, &list);

    if (0 == rc) {
        rc = add_list(merger, share->aggregator, 0, &list);
    }
    collio_extents_fini(&list);
    return rc;
}

/* ---- the request to the aggregators ---- */

/* Appends a share of `own` to a split that has room for its pieces. Returns 0 or -ENOMEM. */
static int add_direct(collio_split_t *split, const collio_split_t *own, const collio_share_t *share)
{
    collio_share_t *to = &split->share[split->share_count++];

    *to = *share;
    to->first = split->window_count;
    for (size_t w = share->first; w < share->first + share->count; ++w) {
        if (0 != collio_split_copy(split, own, &own->window[w])) {
            return -ENOMEM;
        }
    }
    return 0;
}

/* Appends the merged runs for one aggregator to the split. They have no streams: their message is
 * in the staging. */
static void add_merged(collio_split_t *split, int aggregator, const collio_collect_t *collect)
{
    collio_share_t *share = &split->share[split->share_count++];

    *share = (collio_share_t){aggregator, split->window_count, collect->cycle_count, 0};
    for (size_t c = 0; c < collect->cycle_count; ++c) {
        const collio_cycle_t *cycle = &collect->cycle[c];
        collio_window_t *window = &split->window[split->window_count++];

        *window = (collio_window_t){.index = cycle->index,
                                    .first = split->piece_count,
                                    .count = cycle->run_count,
                                    .lo = cycle->lo,
                                    .hi = cycle->hi};
        for (size_t r = cycle->run; r < cycle->run + cycle->run_count; ++r) {
            const collio_extent_t *run = &collect->runs.at[r];

            split->piece[split->piece_count++] = (collio_fragment_t){
                (uint32_t) (run->offset - cycle->lo), (uint32_t) run->length};
            window->bytes += run->length;
        }
        share->bytes += window->bytes;
    }
}

/* Allocates a split for the direct shares of `own` and the merged shares. */
static int reserve_split(const collio_split_t *own, const collio_collect_t *merged, int aggregators,
                         collio_split_t *split)
{
    size_t pieces = own->piece_count, windows = own->window_count, shares = own->share_count;

    for (int o = 0; NULL != merged && o < aggregators; ++o) {
        pieces += merged[o].runs.count;
        windows += merged[o].cycle_count;
        shares += merged[o].cycle_count > 0;
    }
    return collio_split_reserve(split, pieces, windows, shares);
}

int collio_gather_split(collio_exchange_t *ex, const collio_collect_t *merged)
{
    collio_plan_t *plan = ex->plan;
    int aggregators = ex->file->derived.aggregator_count;
    collio_split_t split = {.window_bytes = plan->window_bytes};
    int rc = reserve_split(&plan->split, merged, aggregators, &split);
    size_t s = 0;

    for (int o = 0; 0 == rc && o < aggregators; ++o) {
        bool mine = s < plan->split.share_count && plan->split.share[s].aggregator == o;

        if (NULL != merged && merged[o].cycle_count > 0) {
            add_merged(&split, o, &merged[o]);
        } else if (mine && !collio_relayed(ex, o)) {
            rc = add_direct(&split, &plan->split, &plan->split.share[s]);
        }
        s += mine;
    }
    if (0 != rc) {
        collio_split_fini(&split);
        return rc;
    }
    plan->layer1.relay->own = plan->split;
    plan->layer1.own = &plan->layer1.relay->own;
    plan->split = split;
    return collio_plan_index(plan);
}

static int make_split(merger_t *merger)
{
    return collio_gather_split(merger->ex, merger->merged);
}

/* ---- rounds and places ---- */

/* Numbers the rounds, and gives each relayed window its place. Direct windows come first in
 * plan->order. */
static int merge_number_rounds(merger_t *merger)
{
    collio_plan_t *plan = merger->ex->plan;
    relay_t *relay = plan->layer1.relay;
    const collio_split_t *split = &plan->split;
    size_t *relayed = malloc((split->window_count + 1) * sizeof(*relayed)), direct = 0;
    collio_cycle_t *round = NULL;

    relay->place = malloc((split->window_count + 1) * sizeof(*relay->place));
    relay->rounds.cycle = malloc((split->window_count + 1) * sizeof(*relay->rounds.cycle));
    if (NULL == relayed || NULL == relay->place || NULL == relay->rounds.cycle) {
        free(relayed);
        return -ENOMEM;
    }
    for (size_t i = 0; i < split->window_count; ++i) {
        size_t w = plan->order[i];
        const collio_window_t *window = &split->window[w];

        if (NULL == merger->channel[split->share[plan->share_of[w]].aggregator].split) {
            plan->order[direct++] = w;
            continue;
        }
        if (NULL == round || round->index != window->index) {
            round = &relay->rounds.cycle[relay->rounds.cycle_count++];
            *round = (collio_cycle_t){.index = window->index, .run = relay->forwarded};
        }
        relay->place[relay->forwarded] = round->hi;
        relayed[relay->forwarded++] = w;
        round->hi += window->bytes;
        ++round->run_count;
        relay->buffer_bytes = collio_max(round->hi, relay->buffer_bytes);
    }
    memcpy(plan->order + direct, relayed, relay->forwarded * sizeof(*relayed));
    free(relayed);
    return 0;
}

static int reserve_requests(merger_t *merger)
{
    relay_t *relay = merger->ex->plan->layer1.relay;
    int rc = 0;

    relay->requests = calloc((size_t) merger->members, sizeof(*relay->requests));
    for (int m = 0; 0 == rc && NULL != relay->requests && m < merger->members; ++m) {
        size_t pieces = 0, windows = 0;

        for (int o = 0; o < merger->aggregators; ++o) {
            const collio_split_t *split = merger->channel[o].split;

            pieces += NULL == split ? 0 : split[m].piece_count;
            windows += NULL == split ? 0 : split[m].window_count;
        }
        rc = collio_split_reserve(&relay->requests[m], pieces, windows, windows);
    }
    return NULL == relay->requests ? -ENOMEM : rc;
}

/* Adds a source's pieces of a window, with their places, to a request. Each piece lies inside one
 * run of the merged window; pieces and runs ascend. */
static void place_source(collio_split_t *request, const collio_split_t *merged,
                         const collio_window_t *runs, int64_t place, const collio_split_t *split,
                         const collio_window_t *window)
{
    const collio_fragment_t *run = &merged->piece[runs->first];

    for (size_t i = window->first; i < window->first + window->count; ++i) {
        int64_t offset = window->lo + split->piece[i].offset - runs->lo;

        for (; run->offset + (int64_t) run->length <= offset; ++run) {
            place += run->length;
        }
        collio_places_piece(request, place + offset - run->offset, split->piece[i].length);
    }
}

/* Places the pieces of forwarded window i, which is in `round`. */
static void merge_place_window(merger_t *merger, size_t i, int round)
{
    const collio_plan_t *plan = merger->ex->plan;
    relay_t *relay = plan->layer1.relay;
    size_t w = plan->order[plan->split.window_count - relay->forwarded + i];
    int aggregator = plan->split.share[plan->share_of[w]].aggregator;
    channel_t *channel = &merger->channel[aggregator];
    const collio_collect_t *collect = &merger->merged[aggregator];
    const collio_cycle_t *cycle = &collect->cycle[channel->next++];

    /* every relayed window has a cycle: NOLINTNEXTLINE(clang-analyzer-core.*) */
    for (size_t s = cycle->source; s < cycle->source + cycle->source_count; ++s) {
        const collio_source_t *source = &collect->source[s];
        const collio_split_t *split = &channel->split[source->requester];
        collio_split_t *request = &relay->requests[source->requester];

        collio_places_window(request, round, aggregator);
        place_source(request, &plan->split, &plan->split.window[w], relay->place[i], split,
                     &split->window[source->window]);
    }
}

/* Places the pieces of a round, and adds its sources: a member and the share that it has in this
 * round. */
static void place_round(merger_t *merger, int number)
{
    relay_t *relay = merger->ex->plan->layer1.relay;
    collio_cycle_t *round = &relay->rounds.cycle[number];
    int64_t room = 0;

    for (size_t i = round->run; i < round->run + round->run_count; ++i) {
        merge_place_window(merger, i, number);
    }
    round->source = relay->rounds.source_count;
    for (int m = 0; m < merger->members; ++m) {
        const collio_split_t *request = &relay->requests[m];
        const collio_share_t *end = request->share + request->share_count;

        if (0 < request->share_count && end[-1].aggregator == number) {
            relay->rounds.source[relay->rounds.source_count++] = (collio_source_t){
                (size_t) m, request->share_count - 1};
            room += 0 < m ? end[-1].bytes + collio_relay_lengths(end[-1].count) : 0;
        }
    }
    round->source_count = relay->rounds.source_count - round->source;
    relay->message_bytes = collio_max(room, relay->message_bytes);
}

static int place_rounds(merger_t *merger)
{
    relay_t *relay = merger->ex->plan->layer1.relay;
    size_t sources = 0;
    int rc = reserve_requests(merger);

    for (int m = 0; 0 == rc && m < merger->members; ++m) {
        sources += relay->requests[m].window_capacity;
    }
    relay->rounds.source = malloc((sources + 1) * sizeof(*relay->rounds.source));
    if (0 != rc || NULL == relay->rounds.source) {
        return -ENOMEM;
    }
    for (size_t number = 0; number < relay->rounds.cycle_count; ++number) {
        place_round(merger, (int) number);
    }
    return 0;
}

/* Sets the places of this rank's own bytes, and frees the list that has them. */
static int place_own(merger_t *merger)
{
    relay_t *relay = merger->ex->plan->layer1.relay;
    collio_split_t *list = &relay->requests[0];
    collio_extents_t places = {0};
    int rc = collio_split_list(list, 0, list->window_count, &places);

    if (0 == rc) {
        rc = collio_places_set(&relay->mine, &places);
    }
    collio_extents_fini(&places);
    collio_split_fini(list);
    return rc;
}

/* Returns the number of runs in the list for the aggregator: a run that window borders cut counts
 * once. */
static int64_t count_runs(const collio_extents_t *runs)
{
    int64_t count = (int64_t) runs->count;

    for (size_t i = 1; i < runs->count; ++i) {
        count -= runs->at[i - 1].offset + runs->at[i - 1].length == runs->at[i].offset;
    }
    return count;
}

static int merge_channels(merger_t *merger)
{
    int64_t merged = 0;
    int rc = 0;

    for (int o = 0; 0 == rc && o < merger->aggregators; ++o) {
        const channel_t *channel = &merger->channel[o];

        if (NULL != channel->split) {
            rc = collio_collect_build(channel->split, (size_t) merger->members, NULL,
                                      &merger->merged[o]);
            merged += count_runs(&merger->merged[o].runs);
            merger->ex->plan->layer1.relay->rounds.overlap_bytes += merger->merged[o].overlap_bytes;
        }
    }
    collio_file_count(merger->ex->file, COLLIO_STAT_REQUESTS_GATHERED, (uint64_t) merger->gathered);
    collio_file_count(merger->ex->file, COLLIO_STAT_REQUESTS_MERGED, (uint64_t) merged);
    return rc;
}

/* Adds this rank's own lists, then the lists of the other members. */
static int add_all(merger_t *merger, const collio_arrival_t *lists)
{
    const collio_split_t *split = &merger->ex->plan->split;
    int rc = 0;

    for (size_t s = 0; 0 == rc && s < split->share_count; ++s) {
        if (collio_relayed(merger->ex, split->share[s].aggregator)) {
            rc = merge_add_own(merger, &split->share[s]);
        }
    }
    for (; 0 == rc && NULL != lists; lists = lists->next) {
        rc = add_lists(merger, lists);
    }
    return rc;
}

int collio_gather_merge(collio_exchange_t *ex, const collio_arrival_t *lists)
{
    static int (*const steps[])(merger_t * merger) = {merge_channels, make_split,
                                                      merge_number_rounds, place_rounds, place_own};
    merger_t merger = {.ex = ex,
                       .aggregators = ex->file->derived.aggregator_count,
                       .members = ex->plan->layer1.relay->member_count};
    uint64_t start = collio_now();
    int rc = merger_init(&merger);

    if (0 == rc) {
        rc = add_all(&merger, lists);
    }
    for (size_t i = 0; 0 == rc && i < sizeof(steps) / sizeof(steps[0]); ++i) {
        rc = steps[i](&merger);
    }
    merger_fini(&merger);
    collio_file_count(ex->file, COLLIO_STAT_TIME_GATHER_MERGE, collio_now() - start);
    return rc;
}
