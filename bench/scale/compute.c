/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * One pattern on one machine: exact counts of every aggregator, the real plan of as many
 * aggregators (or of so many cycles of one) as the limit allows, which must agree, and the sums of
 * both.
 */
#include <stdlib.h>
#include <string.h>

#include "scale.h"

/* Figures of one call, from all aggregators. */
typedef struct compute_call_t {
    scale_figures_t sum[SCALE_WAYS];
    scale_figures_t replayed[SCALE_WAYS]; /* sums over what was replayed */
    scale_figures_t *aggregator;          /* [aggregators * SCALE_WAYS] */
    int64_t merge_ops2[SCALE_WAYS];
    int64_t turns;
} call_t;

static bool agree(const scale_figures_t *a, const scale_figures_t *b)
{
    return a->extents == b->extents && a->self_extents == b->self_extents && a->pairs == b->pairs
           && a->messages == b->messages && a->self_pairs == b->self_pairs
           && a->self_messages == b->self_messages && a->cycles == b->cycles
           && a->between == b->between && a->between_bytes == b->between_bytes
           && a->carried == b->carried && a->lists1 == b->lists1;
}

static void add(scale_figures_t *sum, const scale_figures_t *figures)
{
    sum->extents += figures->extents;
    sum->self_extents += figures->self_extents;
    sum->pairs += figures->pairs - figures->self_pairs;
    sum->messages += figures->messages - figures->self_messages;
    sum->between += figures->between;
    sum->between_bytes += figures->between_bytes;
    sum->carried += figures->carried;
    sum->lists1 += figures->lists1;
    sum->wire_bytes += figures->wire_bytes;
    sum->wire1_bytes += figures->wire1_bytes;
    sum->memory_bytes += figures->memory_bytes;
}

static const char *replay(scale_pattern_t *pattern, const scale_machine_t *machine,
                          const collio_domains_t *domains, scale_stretch_t stretch, call_t *call)
{
    scale_figures_t planned[SCALE_WAYS];
    scale_figures_t counted[SCALE_WAYS];

    if (0 != scale_replay(pattern, machine, domains, stretch, planned)
        || 0 != scale_count(pattern, machine, stretch, counted)) {
        return "out of memory";
    }
    for (int way = 0; way < SCALE_WAYS; ++way) {
        if (!agree(&planned[way], &counted[way])) {
            return "the plan of core/ and the exact counts disagree";
        }
        add(&call->replayed[way], &planned[way]);
    }
    return NULL;
}

/* All aggregators if they are small, else some that are spread over the file; if even one is too
 * large, the first cycles of one in the middle. */
static const char *replay_some(scale_pattern_t *pattern, const scale_machine_t *machine,
                               const collio_domains_t *domains, int64_t limit, call_t *call)
{
    int64_t each = call->sum[SCALE_TWO_PHASE].extents / machine->aggregators + 1;
    int64_t count = limit / each < machine->aggregators ? limit / each : machine->aggregators;
    const char *error = NULL;

    if (0 == count) {
        int aggregator = machine->aggregators / 2;
        int64_t lo = domains->bound[aggregator];
        int64_t size = domains->bound[aggregator + 1] - lo;
        int64_t cycles = (int64_t) ((double) size * (double) limit / (double) each
                                    / (double) machine->window_bytes);
        int64_t part = (1 > cycles ? 1 : cycles) * machine->window_bytes;

        return replay(pattern, machine, domains,
                      (scale_stretch_t){aggregator, lo, lo + (part < size ? part : size)}, call);
    }
    for (int64_t i = 0; NULL == error && i < count; ++i) {
        int aggregator = (int) (i * machine->aggregators / count);

        error = replay(pattern, machine, domains,
                       (scale_stretch_t){aggregator, domains->bound[aggregator],
                                         domains->bound[aggregator + 1]},
                       call);
    }
    return error;
}

static const char *count_call(scale_pattern_t *pattern, const scale_machine_t *machine,
                              const scale_options_t *options, call_t *call)
{
    collio_domains_t domains;
    const char *error = NULL;

    if (0
        != collio_domains_make(&collio_partition_even,
                               &(collio_division_t){.lo = 0,
                                                    .hi = pattern->rows * pattern->row_bytes,
                                                    .unit = machine->unit,
                                                    .aggregators = machine->aggregators},
                               &domains)) {
        return "out of memory";
    }
    for (int aggregator = 0; NULL == error && aggregator < machine->aggregators; ++aggregator) {
        scale_figures_t *figures = &call->aggregator[aggregator * SCALE_WAYS];

        scale_stretch_t all = {aggregator, domains.bound[aggregator],
                               domains.bound[aggregator + 1]};

        if (0 != scale_count(pattern, machine, all, figures)) {
            error = "out of memory";
            break;
        }
        for (int way = 0; way < SCALE_WAYS; ++way) {
            add(&call->sum[way], &figures[way]);
            call->merge_ops2[way] += figures[way].extents * scale_levels(figures[way].pairs);
        }
    }
    if (NULL == error && 0 != scale_count_turns(pattern, machine, &domains, &call->turns)) {
        error = "out of memory";
    }
    if (NULL == error) {
        error = replay_some(pattern, machine, &domains, options->replay_extents, call);
    }
    collio_domains_fini(&domains);
    return error;
}

/* Offset lists on the wire, from those that were replayed: a regular request is some sections for
 * each requester, whatever their lengths; an irregular one is some bytes an extent. */
static int64_t wire_bytes(const scale_pattern_t *pattern, const scale_figures_t *replayed,
                          const scale_figures_t *figures)
{
    bool regular = 0 < pattern->np[0];
    double known = (double) (regular ? replayed->pairs : replayed->extents);
    double wanted = (double) (regular ? figures->pairs : figures->extents);

    return 0 < known ? (int64_t) ((double) replayed->wire_bytes / known * wanted + 0.5) : 0;
}

/* Layer 1 of a call. Every member sends one list; each aggregator has a head of two integers. */
static void add_layer1(const scale_pattern_t *pattern, const scale_machine_t *machine,
                       const call_t *call, int64_t requested, scale_result_t *result)
{
    const scale_figures_t *before = &call->sum[SCALE_TWO_PHASE];
    const scale_figures_t *replayed = &call->replayed[SCALE_TWO_PHASE];
    bool regular = 0 < pattern->np[0];
    double known = (double) (regular ? replayed->lists1 : replayed->carried);
    double wanted = (double) (regular ? before->lists1 : before->carried);
    int64_t heads = before->lists1 * 2 * (int64_t) sizeof(int64_t);
    int64_t group = (machine->ranks + machine->groups - 1) / machine->groups;

    result->gathered += pattern->repeat * before->carried;
    result->merged += pattern->repeat * call->sum[SCALE_TAM].carried;
    result->meta1 += pattern->repeat * (machine->ranks - machine->groups);
    result->messages1 += pattern->repeat * call->turns;
    result->merge_ops1 += pattern->repeat * requested * scale_levels(group);
    if (0 < known) {
        double lists = (double) replayed->wire1_bytes / known * wanted;

        result->wire1_bytes += pattern->repeat * (heads + (int64_t) (lists + 0.5));
    }
}

/* What the cards do for one aggregator: messages that the aggregators of its node receive, or those
 * that the fullest node sends. */
static scale_load_t load_of(const scale_machine_t *machine, int way, const call_t *call,
                            int aggregator)
{
    const collio_nodes_t *nodes = &machine->nodes;
    int node = collio_node_of(nodes, machine->aggregator_rank[aggregator]);
    int senders = SCALE_TAM == way ? machine->groups : machine->ranks;
    int together = SCALE_TAM == way ? machine->c : machine->per_node;
    int64_t out = call->sum[way].between * together / senders;
    scale_load_t load = {0};

    for (int i = 0; i < machine->aggregators; ++i) {
        if (node == collio_node_of(nodes, machine->aggregator_rank[i])) {
            load.card += call->aggregator[i * SCALE_WAYS + way].between;
            load.sharing++;
        }
    }
    load.card = load.card > out ? load.card : out;
    return load;
}

static double exchange_of(const double seconds[SCALE_PARTS])
{
    return seconds[SCALE_LISTS] + seconds[SCALE_MERGE] + seconds[SCALE_DATA];
}

/* Adds a call to the step, `repeat` times. */
static void add_call(const scale_pattern_t *pattern, const scale_machine_t *machine, int way,
                     const call_t *call, int64_t requested, int64_t passed_on,
                     scale_result_t *result)
{
    const scale_figures_t *replayed = &call->replayed[way];
    double extents = replayed->extents > 0 ? (double) replayed->extents : 1;
    double list_bytes = (double) replayed->memory_bytes / extents;
    int64_t bytes = pattern->rows * pattern->row_bytes;
    int64_t cycles = 0;
    int64_t most = 0; /* extents of an aggregator */
    double worst[SCALE_PARTS] = {0};

    for (int aggregator = 0; aggregator < machine->aggregators; ++aggregator) {
        scale_figures_t figures = call->aggregator[aggregator * SCALE_WAYS + way];
        int64_t messages = figures.messages - figures.self_messages;
        int64_t others = figures.extents - figures.self_extents;
        scale_load_t load = load_of(machine, way, call, aggregator);
        double seconds[SCALE_PARTS];

        figures.wire_bytes = wire_bytes(pattern, replayed, &figures);
        load.bytes = bytes;
        load.requested = requested;
        scale_estimate(machine, way, &figures, &load, seconds);
        if (exchange_of(seconds) > exchange_of(worst)) {
            memcpy(worst, seconds, sizeof(worst));
        }
        result->worst = messages > result->worst ? messages : result->worst;
        result->worst_extents = others > result->worst_extents ? others : result->worst_extents;
        cycles = figures.cycles > cycles ? figures.cycles : cycles;
        most = figures.extents > most ? figures.extents : most;
    }
    for (int i = 0; i < SCALE_PARTS; ++i) {
        result->seconds[i] += (double) pattern->repeat * worst[i];
    }
    result->calls += pattern->repeat;
    result->bytes += pattern->repeat * bytes;
    result->requested += pattern->repeat * requested;
    result->passed_on += pattern->repeat * passed_on;
    result->extents += pattern->repeat * (call->sum[way].extents - call->sum[way].self_extents);
    result->meta += pattern->repeat * call->sum[way].pairs;
    result->messages += pattern->repeat * call->sum[way].messages;
    result->between += pattern->repeat * call->sum[way].between;
    result->between_bytes += pattern->repeat * call->sum[way].between_bytes;
    result->cycles += pattern->repeat * cycles;
    result->wire_bytes += pattern->repeat * wire_bytes(pattern, replayed, &call->sum[way]);
    result->merge_ops2 += pattern->repeat * call->merge_ops2[way];
    if (SCALE_TAM == way && machine->groups < machine->ranks) {
        add_layer1(pattern, machine, call, requested, result);
    }
    most = (int64_t) (list_bytes * (double) most) + 2 * machine->window_bytes;
    result->memory_bytes = most > result->memory_bytes ? most : result->memory_bytes;
    result->replayed += replayed->extents;
}

static void start(const scale_machine_t *machine, const char *name, int way, scale_result_t *result)
{
    *result = (scale_result_t){.way = way,
                               .ranks = machine->ranks,
                               .nodes = machine->nodes.nodes,
                               .aggregators = machine->aggregators,
                               .requesters = SCALE_TAM == way ? machine->groups : machine->ranks};
    (void) snprintf(result->pattern, sizeof(result->pattern), "%s", name);
}

static const char *compute_calls(scale_pattern_t *pattern, const scale_machine_t *machine,
                                 const scale_options_t *options, scale_result_t results[SCALE_WAYS])
{
    size_t size = sizeof(scale_figures_t) * SCALE_WAYS * (size_t) machine->aggregators;
    const char *error = NULL;

    for (int c = 0; NULL == error && c < scale_pattern_calls(pattern); ++c) {
        call_t call = {.aggregator = malloc(size)};

        scale_pattern_set_call(pattern, c);
        error = NULL == call.aggregator ? "out of memory"
                                        : count_call(pattern, machine, options, &call);
        if (NULL == error) {
            int64_t requested = scale_count_extents(pattern, NULL);
            int64_t merged = scale_count_extents(pattern, machine->group_of);

            add_call(pattern, machine, SCALE_TWO_PHASE, &call, requested, requested,
                     &results[SCALE_TWO_PHASE]);
            add_call(pattern, machine, SCALE_TAM, &call, requested, merged, &results[SCALE_TAM]);
        }
        free(call.aggregator);
    }
    return error;
}

const char *scale_compute(const scale_options_t *options, scale_result_t results[SCALE_WAYS])
{
    scale_pattern_t pattern;
    scale_machine_t machine = {0};
    const char *error = scale_pattern_init(&pattern, options->pattern, options->ranks,
                                           options->grid);

    if (NULL == error) {
        error = scale_machine_init(&machine, &pattern, options->per_node, options->aggregators,
                                   options->window_bytes, options->unit, options->local);
    }
    if (NULL == error) {
        for (int way = 0; way < SCALE_WAYS; ++way) {
            start(&machine, options->pattern, way, &results[way]);
        }
        error = compute_calls(&pattern, &machine, options, results);
    }
    scale_machine_fini(&machine);
    scale_pattern_fini(&pattern);
    return error;
}
