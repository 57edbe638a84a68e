/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exact counts without enumerating extents: rows of one class are looked at once.
 *
 * As the rows cover the file without a hole, the bytes of one requester join exactly where two runs
 * that follow each other in the file are both its own. So the extents of a stretch of file are the
 * changes of the requester along it, plus one; and a requester takes part in a cycle if one of its
 * runs touches the window. Nothing of core/ is used here: replay.c must come to the same numbers.
 * Who asks an aggregator under TAM is in machine.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "scale.h"

/* Who asks, in one of the two ways. */
typedef struct count_side_t {
    const int *id_of;             /* of a rank; NULL = the rank itself */
    const scale_askers_t *askers; /* of the aggregator; NULL = there is none */
    bool tam;                     /* ids are those of the askers */
    int ids;                      /* so many different ones, */
    int limit;                    /* each below this */
    int own;                      /* the aggregator's id */
    int64_t *seen;                /* [ids]: the last stretch this id was seen in */
    int64_t *class_seen;          /* [classes of rows]: the same for whole rows */
    int64_t all; /* requesters of a row, where all rows are alike; 0 = not known yet */
    bool own_in_all;
    int64_t near_in_all;
    int64_t near; /* of the last requesters(): on the aggregator's node */
    int last;     /* id of the last run counted; -1 = none */
    scale_figures_t *figures;
} side_t;

static int id_of(const side_t *side, int rank)
{
    if (side->tam) {
        return scale_asker_of(side->askers, rank);
    }
    return NULL == side->id_of ? rank : side->id_of[rank];
}

static bool carried(const side_t *side, int rank)
{
    return NULL != side->askers && scale_carried(side->askers, rank);
}

/* Counts runs [from, to) of the loaded row, in `rows` rows one after the other. */
static void count_extents(side_t *side, const scale_run_t *runs, size_t from, size_t to,
                          int64_t rows)
{
    int first = id_of(side, runs[from].rank);
    int id = first;
    int64_t changes = 0;
    int64_t own = 0;     /* changes to the aggregator's id, */
    int64_t through = 0; /* to one that layer 1 carries */
    int64_t between;     /* rows, and what was before */

    for (size_t i = from + 1; i < to; ++i) {
        int next = id_of(side, runs[i].rank);

        changes += next != id;
        own += next != id && next == side->own;
        through += next != id && carried(side, runs[i].rank);
        id = next;
    }
    between = (rows - 1) * (first != id) + (first != side->last);
    side->figures->extents += rows * changes + between;
    side->figures->self_extents += rows * own + (first == side->own ? between : 0);
    side->figures->carried += rows * through + (carried(side, runs[from].rank) ? between : 0);
    side->last = id;
}

/* The first run that ends after `offset` of the row. */
static size_t find_run(const scale_pattern_t *pattern, int64_t offset)
{
    size_t first = 0;
    size_t count = pattern->run_count;

    while (1 < count) {
        size_t half = count / 2;

        if (pattern->runs[first + half].start <= offset) {
            first += half;
            count -= half;
        } else {
            count = half;
        }
    }
    return first;
}

/* A stretch of rows of one class, or a part of one row: runs [from, to), `rows` times. Loads the
 * runs; moves *at past it. */
typedef struct count_block_t {
    size_t from;
    size_t to;
    int64_t rows;
    bool whole;
} block_t;

static block_t next_block(scale_pattern_t *pattern, int64_t *at, int64_t hi)
{
    int64_t row = *at / pattern->row_bytes;
    int64_t start = row * pattern->row_bytes;
    int64_t whole = hi / pattern->row_bytes; /* rows before this one end inside */
    block_t block;

    scale_pattern_load(pattern, row);
    if (*at == start && row < whole) {
        int64_t end = scale_pattern_class_end(pattern, row);

        end = end < whole ? end : whole;
        *at = end * pattern->row_bytes;
        return (block_t){0, pattern->run_count, end - row, true};
    }
    block.from = find_run(pattern, *at - start);
    *at = hi < start + pattern->row_bytes ? hi : start + pattern->row_bytes;
    block.to = find_run(pattern, *at - 1 - start) + 1;
    block.rows = 1;
    block.whole = false;
    return block;
}

/* Marks the requesters of [lo, hi) with the number `stamp`; returns how many are new. */
static int64_t touch(scale_pattern_t *pattern, side_t *side, int64_t lo, int64_t hi, int64_t stamp,
                     int64_t limit)
{
    int64_t touched = 0;

    while (lo < hi && touched < limit) {
        block_t block = next_block(pattern, &lo, hi);

        if (stamp == side->class_seen[pattern->loaded]) {
            continue; /* the same rows again, in another plane */
        }
        if (block.whole) {
            side->class_seen[pattern->loaded] = stamp;
        }
        for (size_t i = block.from; i < block.to; ++i) {
            int id = id_of(side, pattern->runs[i].rank);

            if (stamp != side->seen[id]) {
                side->seen[id] = stamp;
                ++touched;
            }
        }
    }
    return touched;
}

/* Those that were marked, on the aggregator's node. (A node's ranks, and its groups, are
 * neighbours.) */
static int64_t near_requesters(const side_t *side, int64_t stamp)
{
    const scale_machine_t *machine = side->askers->machine;
    int node = collio_node_of(&machine->nodes, side->askers->aggregator_rank);
    int first = collio_node_member(&machine->nodes, node, 0);
    int last = first + collio_node_size(&machine->nodes, node) - 1;
    int64_t count = 0;

    if (side->tam) {
        first = machine->group_of[first];
        last = machine->group_of[last];
        for (int id = machine->groups; id < side->limit; ++id) {
            count += stamp == side->seen[id];
        }
    }
    for (int id = first; id <= last; ++id) {
        count += stamp == side->seen[id];
    }
    return count;
}

/* Requesters in [lo, hi): whole rows first, which often have them all. */
static int64_t find_requesters(scale_pattern_t *pattern, side_t *side, int64_t lo, int64_t hi,
                               int64_t stamp)
{
    int64_t bytes = pattern->row_bytes;
    int64_t first = (lo + bytes - 1) / bytes * bytes;
    int64_t end = hi / bytes * bytes;
    int64_t count = 0;

    if (first >= end) {
        count = touch(pattern, side, lo, hi, stamp, INT64_MAX);
        side->near = near_requesters(side, stamp);
        return count;
    }
    if (0 == pattern->np[0]) { /* all rows are alike: one of them has every requester */
        if (0 == side->all) {
            side->all = touch(pattern, side, first, end, stamp, side->ids);
            side->own_in_all = stamp == side->seen[side->own];
            side->near_in_all = near_requesters(side, stamp);
        }
        side->near = side->near_in_all;
        if (side->own_in_all) {
            side->seen[side->own] = stamp;
        }
        return side->all;
    }
    count = touch(pattern, side, first, end, stamp, side->ids);
    count += touch(pattern, side, lo, first, stamp, side->ids - count);
    count += touch(pattern, side, end, hi, stamp, side->ids - count);
    side->near = near_requesters(side, stamp);
    return count;
}

/* (member, aggregator) pairs of layer 1. Here `seen` is complete: nothing was known before. */
static int64_t count_lists1(const side_t *side, int64_t stamp)
{
    const scale_machine_t *machine = side->askers->machine;
    int64_t count = 0;

    for (int rank = 0; rank < machine->ranks; ++rank) {
        count += stamp == side->seen[rank] && carried(side, rank) && !scale_is_local(machine, rank);
    }
    return count;
}

int64_t scale_count_extents(scale_pattern_t *pattern, const int *id_of_rank)
{
    scale_figures_t figures = {0};
    side_t side = {.id_of = id_of_rank, .own = -1, .last = -1, .figures = &figures};
    int64_t hi = pattern->rows * pattern->row_bytes;

    for (int64_t at = 0; at < hi;) {
        block_t block = next_block(pattern, &at, hi);

        count_extents(&side, pattern->runs, block.from, block.to, block.rows);
    }
    return figures.extents;
}

/* Bytes of the loaded row's runs [from, to) that come from other nodes, within [lo, hi) of the
 * row. Layer 1 does not take bytes to another node, so this holds for both ways. */
static int64_t bytes_between(const scale_pattern_t *pattern, const side_t *side,
                             const block_t *block, int64_t lo, int64_t hi)
{
    const collio_nodes_t *nodes = &side->askers->machine->nodes;
    int node = collio_node_of(nodes, side->askers->aggregator_rank);
    int64_t bytes = 0;

    for (size_t i = block->from; i < block->to; ++i) {
        int64_t start = pattern->runs[i].start;
        int64_t end = i + 1 < pattern->run_count ? pattern->runs[i + 1].start : pattern->row_bytes;

        start = start > lo ? start : lo;
        end = end < hi ? end : hi;
        bytes += node != collio_node_of(nodes, pattern->runs[i].rank) ? end - start : 0;
    }
    return bytes;
}

static void count_side(scale_pattern_t *pattern, const scale_machine_t *machine, side_t *side,
                       int64_t lo, int64_t hi)
{
    scale_figures_t *figures = side->figures;
    int64_t stamp = 1;

    for (int64_t at = lo; at < hi;) {
        int64_t start = at / pattern->row_bytes * pattern->row_bytes, from = at - start;
        block_t block = next_block(pattern, &at, hi);
        int64_t end = block.whole ? pattern->row_bytes : at - start;

        count_extents(side, pattern->runs, block.from, block.to, block.rows);
        figures->between_bytes += block.rows * bytes_between(pattern, side, &block, from, end);
    }
    figures->pairs = find_requesters(pattern, side, lo, hi, stamp);
    figures->self_pairs = stamp == side->seen[side->own];
    figures->lists1 = side->tam ? 0 : count_lists1(side, stamp);
    for (int64_t at = lo; at < hi; at += machine->window_bytes) {
        int64_t end = hi - at < machine->window_bytes ? hi : at + machine->window_bytes;

        int64_t count = find_requesters(pattern, side, at, end, ++stamp);

        figures->messages += count;
        figures->between += count - side->near;
        figures->self_messages += stamp == side->seen[side->own];
        figures->cycles++;
    }
}

static size_t classes_of(const scale_pattern_t *pattern)
{
    return 0 < pattern->np[0] ? (size_t) (pattern->np[1] * pattern->np[2]) : 1;
}

int scale_count(scale_pattern_t *pattern, const scale_machine_t *machine, scale_stretch_t stretch,
                scale_figures_t figures[SCALE_WAYS])
{
    scale_askers_t askers = scale_askers(machine, stretch.aggregator);
    size_t ids = (size_t) (askers.limit > machine->ranks ? askers.limit : machine->ranks);
    size_t seen_count = ids + classes_of(pattern);
    int64_t *seen = malloc(sizeof(*seen) * seen_count);

    if (NULL == seen) {
        return -ENOMEM;
    }
    memset(figures, 0, SCALE_WAYS * sizeof(*figures));
    for (int way = 0; way < SCALE_WAYS; ++way) {
        bool tam = SCALE_TAM == way;
        side_t side = {.askers = &askers,
                       .tam = tam,
                       .ids = tam ? askers.count : machine->ranks,
                       .limit = tam ? askers.limit : machine->ranks,
                       .own = tam ? machine->groups : askers.aggregator_rank,
                       .seen = seen,
                       .class_seen = seen + ids,
                       .last = -1,
                       .figures = &figures[way]};

        memset(seen, 0, sizeof(*seen) * seen_count);
        count_side(pattern, machine, &side, stretch.lo, stretch.hi);
    }
    free(seen);
    return 0;
}

/* Members with something for the aggregator in [lo, hi) that were not in the round before. */
static int64_t touch_members(scale_pattern_t *pattern, const scale_askers_t *askers, int64_t lo,
                             int64_t hi, int64_t round, int64_t *seen, int64_t *class_seen,
                             int64_t stamp)
{
    int64_t touched = 0;

    while (lo < hi) {
        block_t block = next_block(pattern, &lo, hi);

        if (block.whole && stamp == class_seen[pattern->loaded]) {
            continue;
        }
        if (block.whole) {
            class_seen[pattern->loaded] = stamp;
        }
        for (size_t i = block.from; i < block.to; ++i) {
            int rank = pattern->runs[i].rank;

            if (round != seen[rank] && scale_carried(askers, rank)
                && !scale_is_local(askers->machine, rank)) {
                seen[rank] = round;
                ++touched;
            }
        }
    }
    return touched;
}

/* Round by round, aggregator by aggregator, until all members are in the round. */
int scale_count_turns(scale_pattern_t *pattern, const scale_machine_t *machine,
                      const collio_domains_t *domains, int64_t *turns)
{
    size_t seen_count = (size_t) machine->ranks + classes_of(pattern);
    int64_t *seen = calloc(seen_count, sizeof(*seen));
    int64_t members = machine->ranks - machine->groups;
    bool more = 0 < members;
    int64_t stamp = 0;

    *turns = 0;
    if (NULL == seen) {
        return -ENOMEM;
    }
    for (int64_t round = 1; more; ++round) {
        int64_t touched = 0;

        more = false;
        for (int aggregator = 0; aggregator < machine->aggregators; ++aggregator) {
            scale_askers_t askers = scale_askers(machine, aggregator);
            int64_t lo = domains->bound[aggregator] + (round - 1) * machine->window_bytes;
            int64_t hi = domains->bound[aggregator + 1];

            more |= lo < hi;
            hi = hi - lo < machine->window_bytes ? hi : lo + machine->window_bytes;
            if (lo < hi && touched < members) {
                touched += touch_members(pattern, &askers, lo, hi, round, seen,
                                         seen + machine->ranks, ++stamp);
            }
        }
        *turns += touched;
    }
    free(seen);
    return 0;
}
