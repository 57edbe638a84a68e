/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Layer 1 of a plan: what planning, cycles and transports ask of it. See relay.h.
 */
#include "plan/relay.h"

#include <stdlib.h>

int64_t collio_relay_memory(const collio_relay_t *relay)
{
    int64_t bytes = collio_split_memory(&relay->mine)
                    + (int64_t) (relay->forwarded * sizeof(*relay->place)
                                 + relay->rounds.cycle_count * sizeof(*relay->rounds.cycle)
                                 + relay->rounds.source_count * sizeof(*relay->rounds.source));

    for (int m = 0; NULL != relay->requests && m < relay->member_count; ++m) {
        bytes += collio_split_memory(&relay->requests[m]);
    }
    return bytes;
}

void collio_relay_fini(collio_relay_t *relay)
{
    collio_split_fini(&relay->own);
    collio_split_fini(&relay->mine);
    for (int m = 0; NULL != relay->requests && m < relay->member_count; ++m) {
        collio_split_fini(&relay->requests[m]);
    }
    free(relay->requests);
    free(relay->place);
    collio_collect_fini(&relay->rounds);
    free(relay->move[0]);
    free(relay->move[1]);
    collio_bytes_fini(&relay->making.list);
    memset(relay, 0, sizeof(*relay));
}

bool collio_relay_may_share(const collio_exchange_t *ex)
{
    return !ex->atomic && COLLIO_INTRA_ISEND != ex->file->settings.intra
           && !collio_by_rack(ex->file)
           && COLLIO_SHARED_FAILED != ex->file->context->kept->relay_shared.state;
}

int collio_relay_rank(const collio_exchange_t *ex, int member)
{
    const collio_nodes_t *groups = collio_groups(ex->file);
    int aggregator = ex->plan->layer1.relay->aggregator;

    return collio_node_member(groups, collio_node_of(groups, aggregator),
                              collio_node_local(groups, aggregator) + member);
}

int64_t collio_relay_limits_bytes(const collio_file_t *file)
{
    int64_t bytes = 2 * file->derived.aggregator_count * (int64_t) sizeof(int64_t);

    return (bytes + 63) / 64 * 64;
}
