/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * The table of transports, the transport of a call, and the transport of a pair of ranks.
 */
#include "transport/transport.h"

#include "transport/put.h"

/* In the order of the values of the setting `transport`, in which 0 is `auto`. */
static const collio_transport_t *const transports[] = {
    &collio_transport_isend,
    &collio_transport_put_fence,
    &collio_transport_put_lock,
    &collio_transport_shm,
};

const char *collio_transport_value(size_t i)
{
    return i < sizeof(transports) / sizeof(transports[0]) ? transports[i]->name : NULL;
}

/* Returns the transport that the user has named; NULL: `auto`. */
static const collio_transport_t *named_in(const collio_settings_t *settings)
{
    return COLLIO_TRANSPORT_AUTO == settings->transport ? NULL
                                                        : transports[settings->transport - 1];
}

collio_buffers_set_t collio_transport_buffers(const collio_settings_t *settings)
{
    const collio_transport_t *named = named_in(settings);

    return NULL == named ? 1u << COLLIO_BUFFERS_PRIVATE | 1u << COLLIO_BUFFERS_SHARED
                         : 1u << named->can.buffers;
}

static void transports_use(collio_exchange_t *ex, const collio_transport_t *transport)
{
    ex->way.transport = transport;
    ex->way.can = transport->can;
}

void collio_transport_choose(collio_exchange_t *ex, collio_buffers_t wanted)
{
    const collio_transport_t *named = named_in(&ex->file->settings);
    const collio_transport_need_t need = {.atomic = ex->atomic,
                                          .blocking = ex->blocking,
                                          .no_window = ex->file->context->kept->put.failed};
    collio_reason_t why;

    if (NULL == named) {
        transports_use(ex, COLLIO_BUFFERS_SHARED == wanted ? &collio_transport_shm
                                                           : &collio_transport_isend);
        return;
    }
    why = collio_transport_limit(&named->can, &need);
    transports_use(ex, COLLIO_REASON_SET == why ? named : &collio_transport_isend);
    ex->way.why[COLLIO_DECISION_TRANSPORT] = why;
    /* an RMA window that cannot be made has its own help text */
    if (COLLIO_REASON_SET != why && COLLIO_REASON_NO_WINDOW != why
        && collio_exchange_first(ex, why)) {
        collio_file_help(ex->file, COLLIO_HELP_TRANSPORT_LIMITED, named->name,
                         collio_reason_text(why));
    }
}

void collio_transport_open(collio_exchange_t *ex)
{
    if (collio_exchange_puts(ex) && !collio_put_open(ex)) {
        transports_use(ex, &collio_transport_isend);
        ex->way.why[COLLIO_DECISION_TRANSPORT] = COLLIO_REASON_NO_WINDOW;
    }
}

const collio_transport_t *collio_transport_between(const collio_exchange_t *ex, int aggregator,
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

const collio_transport_t *collio_transport_inside(const collio_exchange_t *ex, int peer)
{
    if (peer == ex->file->rank) {
        return &collio_transport_self;
    }
    return NULL != ex->local.shared ? &collio_transport_shm : &collio_transport_isend;
}

const char *collio_transport_name(const collio_way_t *way)
{
    return way->transport->name;
}
