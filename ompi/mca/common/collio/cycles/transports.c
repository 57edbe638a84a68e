/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * The table of transports, and the choice of the transport for a pair of ranks.
 */
#include "cycles/cycles.h"

#include "transport/onesided/put.h"

/* In the order of the values of the setting `transport`. `auto` uses the first transport of each
 * kind of buffers. */
const collio_transport_t *const collio_transports[] = {
    &collio_transport_isend,
    &collio_transport_put_fence,
    &collio_transport_put_lock,
    &collio_transport_shm,
    NULL,
};

const collio_transport_t *collio_cycles_pick(const collio_exchange_t *ex, int aggregator,
                                             int requester)
{
    const collio_transport_t *transport = ex->way.transport;
    int rank = ex->file->derived.aggregators[aggregator];

    if (rank == requester) {
        return &collio_transport_self;
    }
    if (NULL == transport->serves || transport->serves(ex, rank, requester)) {
        return transport;
    }
    return &collio_transport_isend;
}
