/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Layers: decides whether a call has layer 1, the number of local aggregators of each node or rack,
 * and which shares go through local aggregators. Every decision is a function of agreed values, so
 * all ranks make the same decision.
 */
#include "twolayer/gather.h"

#include "core/policy.h"

static int auto_local_aggregators(const collio_exchange_t *ex)
{
    const collio_file_t *file = ex->file;
    collio_tam_facts_t facts = {
        .ranks_per_node = 1,
        .nodes = collio_groups(file)->nodes,
        .global_aggregators = file->derived.aggregator_count,
        .extents_per_rank = ex->range.pieces / file->size,
        .bytes_per_rank = ex->range.bytes / file->size,
        .window_bytes = collio_layout_window(ex),
        .calls_per_plan = file->context->kept->reuse.calls_per_plan,
        .costs = file->costs,
        .shared_memory = COLLIO_INTRA_ISEND != file->settings.intra && !collio_by_rack(file),
    };
    int best;

    if (collio_by_rack(file)) {
        facts.costs.local_ns = file->costs.message_ns; /* messages to a local aggregator */
    }
    for (int group = 0; group < collio_groups(file)->nodes; ++group) {
        int ranks = collio_node_size(collio_groups(file), group);

        facts.ranks_per_node = ranks > facts.ranks_per_node ? ranks : facts.ranks_per_node;
    }
    best = collio_policy_local_aggregators(&facts);
    return best == facts.ranks_per_node ? file->size : best; /* one layer on smaller nodes too */
}

/* Returns the number of local aggregators of a group. */
static int count_in(const collio_exchange_t *ex, int group)
{
    return collio_local_aggregators_on(collio_groups(ex->file), ex->layer1.local_aggregators,
                                       group);
}

/* Returns true if shares for aggregators of this rank's own node or rack do not use layer 1: in
 * shared memory a copy to a collective buffer costs no more than a copy to the staging. `auto`
 * tries several transports; the layers must not depend on the transport, because each trial would
 * need a new plan. */
static bool near_is_direct(const collio_exchange_t *ex)
{
    return collio_by_rack(ex->file)
           || (COLLIO_INTRA_ISEND != ex->file->settings.intra
               && collio_buffers_allowed(ex->file, COLLIO_BUFFERS_SHARED));
}

static int layers_of(const collio_exchange_t *ex)
{
    const collio_file_t *file = ex->file;
    bool all_alone = true;

    for (int group = 0; group < collio_groups(file)->nodes; ++group) {
        all_alone = all_alone
                    && count_in(ex, group) == collio_node_size(collio_groups(file), group);
    }
    if (all_alone) {
        return COLLIO_LAYERS_ONE;
    }
    if (ex->atomic) {
        return COLLIO_LAYERS_ORDERED;
    }
    return near_is_direct(ex) ? COLLIO_LAYERS_BETWEEN : COLLIO_LAYERS_ALL;
}

static collio_reason_t why_layers(const collio_exchange_t *ex)
{
    const collio_file_t *file = ex->file;
    bool set = file->settings.local_aggregators + file->settings.local_aggregators_per_node > 0;

    if (1 == collio_groups(file)->nodes && COLLIO_LAYERS_BETWEEN == ex->layer1.kind) {
        return collio_by_rack(file) ? COLLIO_REASON_SAME_RACK : COLLIO_REASON_SAME_NODE;
    }
    if (file->size == collio_groups(file)->nodes) {
        return COLLIO_REASON_ONE_PER_NODE;
    }
    if (set && COLLIO_LAYERS_ONE == ex->layer1.kind) {
        return COLLIO_REASON_EVERY_RANK;
    }
    return set ? COLLIO_REASON_SET : COLLIO_REASON_ESTIMATE;
}

/* Prints why no byte of this call goes through local aggregators, if the user has set a mode of two
 * layers. */
static void print_one_layer(collio_exchange_t *ex, collio_reason_t why)
{
    const collio_file_t *file = ex->file;

    if (collio_settings_layers(&file->settings) && 1 < file->size
        && collio_exchange_first(ex, why)) {
        collio_file_help(file, COLLIO_HELP_ONE_LAYER, collio_reason_text(why));
    }
}

static collio_reason_t decide(collio_exchange_t *ex)
{
    collio_file_t *file = ex->file;

    if (ex->way.can.rounds) {
        return COLLIO_REASON_FENCE;
    }
    ex->layer1.local_aggregators = file->derived.local_aggregators;
    if (0 == file->settings.local_aggregators) { /* a total number has precedence */
        ex->layer1.local_aggregators.level = file->settings.local_aggregators_per_node > 0
                                                 ? file->settings.local_aggregators_per_node
                                                 : auto_local_aggregators(ex);
    }
    ex->layer1.kind = layers_of(ex);
    return why_layers(ex);
}

void collio_layers_decide(collio_exchange_t *ex)
{
    collio_reason_t why;

    ex->layer1.kind = COLLIO_LAYERS_ONE;
    if (!ex->file->derived.two_layers) {
        return;
    }
    why = decide(ex);
    ex->way.two_layers = COLLIO_LAYERS_ONE != ex->layer1.kind && COLLIO_REASON_SAME_NODE != why
                         && COLLIO_REASON_SAME_RACK != why;
    ex->way.why[COLLIO_DECISION_LAYERS] = why;
    if (!ex->way.two_layers) {
        print_one_layer(ex, why);
    }
    ex->file->context->kept->layers_used = ex->layer1.kind;
    ex->file->context->kept->local_used = ex->layer1.local_aggregators;
}

/* True if shares for aggregators of this rank's own group use layer 1: all shares do, or the ranks
 * of the node cannot copy to the aggregators' buffers themselves. The nodes of a rack need not have
 * that state in common, so a rack does not read it. */
static bool near_is_relayed(const collio_exchange_t *ex)
{
    return COLLIO_LAYERS_ALL == ex->layer1.kind
           || (!collio_by_rack(ex->file)
               && COLLIO_SHARED_FAILED == ex->file->context->kept->shared.state);
}

bool collio_relayed(const collio_exchange_t *ex, int aggregator)
{
    const collio_relay_t *relay = ex->plan->layer1.relay;
    const collio_file_t *file = ex->file;
    const collio_nodes_t *groups = collio_groups(file);
    int rank = file->derived.aggregators[aggregator];

    if (!relay->active || 1 == relay->member_count || rank == relay->aggregator) {
        return false;
    }
    if (COLLIO_LAYERS_ORDERED == ex->layer1.kind) {
        return true;
    }
    return rank != file->rank
           && (near_is_relayed(ex)
               || collio_node_of(groups, rank) != collio_node_of(groups, file->rank));
}
