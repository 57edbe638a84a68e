/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Inbox: receives messages whose senders or sizes are not known before a probe.
 */
#include "plan/plan.h"

#include <errno.h>
#include <stdlib.h>

static void receive(collio_exchange_t *ex, collio_inbox_t *inbox, int tag,
                    const ompi_status_public_t *status)
{
    collio_arrival_t *arrival = malloc(sizeof(*arrival) + status->_ucount);

    ++inbox->matched;
    if (NULL == arrival) {
        collio_exchange_fail(ex, ENOMEM);
        if (OMPI_SUCCESS
            != collio_irecv(NULL, 0, status->MPI_SOURCE, tag, ex->file->context->comm,
                            &inbox->discarded)) {
            inbox->discarded = NULL;
        }
        return;
    }
    arrival->peer = status->MPI_SOURCE;
    arrival->bytes = status->_ucount;
    if (OMPI_SUCCESS
        != collio_irecv(arrival->list, arrival->bytes, arrival->peer, tag, ex->file->context->comm,
                        &arrival->request)) {
        collio_exchange_lose(ex);
        free(arrival);
        return;
    }
    collio_file_memory(ex->file, (int64_t) arrival->bytes);
    arrival->next = inbox->arrivals;
    inbox->arrivals = arrival;
}

static void probe(collio_exchange_t *ex, collio_inbox_t *inbox, int tag)
{
    ompi_status_public_t status;
    int matched = 1;

    if (NULL != inbox->discarded
        && collio_request_ended(ex->file, &inbox->discarded, NULL, MPI_ERR_TRUNCATE)) {
        inbox->discarded = NULL;
    }
    while (matched && NULL == inbox->discarded) { /* one truncated receive at a time */
        matched = 0;
        if (OMPI_SUCCESS != collio_iprobe(tag, ex->file->context->comm, &matched, &status)) {
            collio_exchange_lose(ex);
            return;
        }
        if (matched) {
            receive(ex, inbox, tag, &status);
        }
    }
}

collio_arrival_t *collio_inbox_poll(collio_exchange_t *ex, collio_inbox_t *inbox, int tag)
{
    collio_arrival_t *complete = NULL;

    probe(ex, inbox, tag);
    for (collio_arrival_t **at = &inbox->arrivals; NULL != *at;) {
        collio_arrival_t *arrival = *at;

        if (!collio_request_done(ex->file, &arrival->request, NULL)) {
            at = &arrival->next;
            continue;
        }
        *at = arrival->next;
        arrival->next = complete;
        complete = arrival;
    }
    return complete;
}

collio_arrival_t *collio_arrival_free(collio_exchange_t *ex, collio_arrival_t *arrival)
{
    collio_arrival_t *next = arrival->next;

    collio_file_memory(ex->file, -(int64_t) arrival->bytes);
    free(arrival);
    return next;
}
