/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * The real plan of one aggregator, or of its first cycles: its part of every rank's request goes
 * the way it goes in a run.
 *
 *   rank's pieces -> [TAM: merge of a group] -> split -> wire -> decode -> split -> collect
 *
 * Ranks' pieces are made from the rows of that stretch only, so that one aggregator of a machine
 * of a million ranks costs what this aggregator would have to do there.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cycle.h"
#include "grow.h"
#include "scale.h"
#include "wire.h"

/* Calls `put` for each run of [lo, hi), in file order. */
static void walk(scale_pattern_t *pattern, int64_t lo, int64_t hi, void *context,
                 void (*put)(void *context, int rank, int64_t offset, int64_t length))
{
    for (int64_t row = lo / pattern->row_bytes; row * pattern->row_bytes < hi; ++row) {
        int64_t start = row * pattern->row_bytes;

        scale_pattern_load(pattern, row);
        for (size_t i = 0; i < pattern->run_count; ++i) {
            int64_t from = start + pattern->runs[i].start;
            int64_t to = i + 1 < pattern->run_count ? start + pattern->runs[i + 1].start
                                                    : start + pattern->row_bytes;

            from = from > lo ? from : lo;
            to = to < hi ? to : hi;
            if (from < to) {
                put(context, pattern->runs[i].rank, from, to - from);
            }
        }
    }
}

static void count_run(void *context, int rank, int64_t offset, int64_t length)
{
    size_t *count = context;

    (void) offset;
    (void) length;
    count[rank]++;
}

static void put_run(void *context, int rank, int64_t offset, int64_t length)
{
    collio_pieces_t *pieces = (collio_pieces_t *) context + rank;
    const collio_piece_t *last = 0 < pieces->count ? &pieces->at[pieces->count - 1] : NULL;
    int64_t stream = NULL == last ? 0 : last->stream + last->length;

    /* there is room for every run, so this does not allocate */
    (void) collio_pieces_append(pieces, offset, length, stream);
}

/* Pieces of every rank in [lo, hi), all in one array. */
static int make_requests(scale_pattern_t *pattern, int64_t lo, int64_t hi, collio_pieces_t *pieces,
                         collio_piece_t **array)
{
    size_t *count = calloc((size_t) pattern->ranks, sizeof(*count));
    size_t total = 0;

    if (NULL == count) {
        return -ENOMEM;
    }
    walk(pattern, lo, hi, count, count_run);
    for (int rank = 0; rank < pattern->ranks; ++rank) {
        total += count[rank];
    }
    *array = collio_resize(NULL, total + 1, sizeof(**array));
    if (NULL == *array) {
        free(count);
        return -ENOMEM;
    }
    total = 0;
    for (int rank = 0; rank < pattern->ranks; ++rank) {
        pieces[rank] = (collio_pieces_t){*array + total, 0, count[rank]};
        total += count[rank];
    }
    free(count);
    walk(pattern, lo, hi, pieces, put_run);
    return 0;
}

/* Layer 1: the merged list of a group; without an aggregator that has its part already. */
static int merge_group(const scale_askers_t *askers, int group, const collio_pieces_t *ranks,
                       collio_pieces_t *merged)
{
    const scale_machine_t *machine = askers->machine;
    int first = machine->group_first[group];
    int end = machine->group_first[group + 1];
    size_t members = 0;
    collio_split_t *splits = calloc((size_t) (end - first), sizeof(*splits));
    collio_collect_t all = {0};
    int64_t stream = 0;
    int rc = NULL == splits ? -ENOMEM : 0;

    for (int i = first; 0 == rc && i < end; ++i) {
        const collio_pieces_t *pieces = &ranks[machine->member[i]];
        collio_extents_t list = {0};

        if (group != scale_asker_of(askers, machine->member[i])) {
            continue;
        }
        for (size_t p = 0; 0 == rc && p < pieces->count; ++p) {
            rc = collio_extents_push(&list, pieces->at[p].offset, pieces->at[p].length);
        }
        if (0 == rc) {
            rc = collio_split_extents(&list, machine->window_bytes, &splits[members++]);
        }
        collio_extents_fini(&list);
    }
    if (0 == rc) {
        rc = collio_collect_build(splits, members, NULL, &all);
    }
    for (size_t i = 0; 0 == rc && i < all.runs.count; ++i) {
        rc = collio_pieces_append(merged, all.runs.at[i].offset, all.runs.at[i].length, stream);
        stream += all.runs.at[i].length;
    }
    while (0 < members) {
        collio_split_fini(&splits[--members]);
    }
    free(splits);
    collio_collect_fini(&all);
    return rc;
}

/* One requester: split by aggregator, over the wire, and cut again as the aggregator does. What is
 * the aggregator's own needs no message. */
static int deliver(const collio_pieces_t *pieces, const collio_domains_t *domains,
                   const scale_askers_t *askers, int rank, scale_figures_t *figures,
                   collio_split_t *received)
{
    const scale_machine_t *machine = askers->machine;
    int64_t window_bytes = machine->window_bytes;
    bool own = rank == askers->aggregator_rank;
    bool far = collio_node_of(&machine->nodes, rank)
               != collio_node_of(&machine->nodes, askers->aggregator_rank);
    collio_split_t split;
    collio_bytes_t wire = {0};
    collio_extents_t sent = {0}, list = {0};
    int rc = collio_split_pieces(pieces, domains, window_bytes, &split);

    if (0 == rc) {
        rc = collio_split_list(&split, 0, split.window_count, &sent);
    }
    if (0 == rc) {
        rc = collio_wire_encode(&sent, &wire);
    }
    if (0 == rc) {
        rc = collio_wire_decode(wire.at, wire.count, split.piece_count, &list);
    }
    if (0 == rc) {
        rc = collio_split_extents(&list, window_bytes, received);
    }
    if (0 == rc) {
        figures->extents += (int64_t) list.count;
        for (size_t i = 0; i < list.count && far; ++i) {
            figures->between_bytes += list.at[i].length;
        }
        figures->self_extents += own ? (int64_t) list.count : 0;
        figures->wire_bytes += own ? 0 : (int64_t) wire.count;
        if (scale_carried(askers, rank)) {
            figures->carried += (int64_t) list.count;
            figures->lists1 += !scale_is_local(machine, rank);
            figures->wire1_bytes += scale_is_local(machine, rank) ? 0 : (int64_t) wire.count;
        }
        figures->memory_bytes += collio_split_memory(received);
    }
    collio_split_fini(&split);
    collio_bytes_fini(&wire);
    collio_extents_fini(&sent);
    collio_extents_fini(&list);
    return rc;
}

/* The aggregator's cycles from what arrived. */
static int collect(const collio_split_t *received, const int *requester_rank, size_t count,
                   const scale_askers_t *askers, scale_figures_t *figures)
{
    const collio_nodes_t *nodes = &askers->machine->nodes;
    int own = askers->aggregator_rank;
    collio_collect_t plan;
    int rc = collio_collect_build(received, count, NULL, &plan);

    if (0 != rc) {
        return rc;
    }
    figures->pairs = (int64_t) count;
    figures->messages = (int64_t) plan.source_count;
    figures->cycles = (int64_t) plan.cycle_count;
    for (size_t i = 0; i < count; ++i) {
        figures->self_pairs += own == requester_rank[i];
    }
    for (size_t i = 0; i < plan.source_count; ++i) {
        int rank = requester_rank[plan.source[i].requester];

        figures->self_messages += own == rank;
        figures->between += collio_node_of(nodes, own) != collio_node_of(nodes, rank);
    }
    figures->memory_bytes += (int64_t) (plan.cycle_count * sizeof(*plan.cycle)
                                        + plan.source_count * sizeof(*plan.source)
                                        + plan.runs.count * sizeof(*plan.runs.at));
    collio_collect_fini(&plan);
    return 0;
}

static int replay_way(const scale_machine_t *machine, const collio_domains_t *domains,
                      int aggregator, bool tam, const collio_pieces_t *ranks,
                      scale_figures_t *figures)
{
    scale_askers_t askers = scale_askers(machine, aggregator);
    int requesters = tam ? askers.limit : machine->ranks;
    collio_split_t *received = calloc((size_t) requesters, sizeof(*received));
    int *rank_of = malloc((size_t) requesters * sizeof(*rank_of));
    size_t count = 0;
    int rc = NULL == received || NULL == rank_of ? -ENOMEM : 0;

    for (int i = 0; 0 == rc && i < requesters; ++i) {
        collio_pieces_t merged = {0};
        bool group = tam && i < machine->groups;
        int rank = tam ? scale_asker_rank(&askers, i) : i;

        if (group) {
            rc = merge_group(&askers, i, ranks, &merged);
        }
        if (0 == rc && 0 < (group ? merged.count : ranks[rank].count)) {
            rank_of[count] = rank;
            rc = deliver(group ? &merged : &ranks[rank], domains, &askers, rank, figures,
                         &received[count]);
            ++count;
        }
        collio_pieces_fini(&merged);
    }
    if (0 == rc) {
        rc = collect(received, rank_of, count, &askers, figures);
    }
    while (0 < count) {
        collio_split_fini(&received[--count]);
    }
    free(received);
    free(rank_of);
    return rc;
}

int scale_replay(scale_pattern_t *pattern, const scale_machine_t *machine,
                 const collio_domains_t *domains, scale_stretch_t stretch,
                 scale_figures_t figures[SCALE_WAYS])
{
    collio_pieces_t *ranks = calloc((size_t) machine->ranks, sizeof(*ranks));
    collio_piece_t *array = NULL;
    int rc = NULL == ranks ? -ENOMEM : 0;

    memset(figures, 0, SCALE_WAYS * sizeof(*figures));
    if (0 == rc) {
        rc = make_requests(pattern, stretch.lo, stretch.hi, ranks, &array);
    }
    for (int way = 0; 0 == rc && way < SCALE_WAYS; ++way) {
        rc = replay_way(machine, domains, stretch.aggregator, SCALE_TAM == way, ranks,
                        &figures[way]);
    }
    free(array);
    free(ranks);
    return rc;
}
