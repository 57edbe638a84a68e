/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Numbers: one for each window, which the aggregator sends to the requester once per plan. The
 * number is the round of put_fence that moves the window, or the place of the window's message in
 * the staging for packed puts.
 */
#include "plan/plan.h"

#include <errno.h>
#include <stdlib.h>

int collio_numbers_prepare(collio_plan_t *plan, collio_numbers_t *numbers)
{
    size_t windows = plan->split.window_count + 1, sources = plan->collect.source_count + 1;
    size_t requesters = plan->requester_count + 1;
    size_t messages = requesters + plan->split.share_count;

    if (NULL != numbers->received) {
        return 0;
    }
    numbers->received = calloc(windows, sizeof(*numbers->received));
    numbers->sent = calloc(sources, sizeof(*numbers->sent));
    numbers->first = calloc(requesters, sizeof(*numbers->first));
    numbers->messages = calloc(messages, sizeof(*numbers->messages));
    plan->memory_bytes +=
        (int64_t) (windows * sizeof(*numbers->received) + sources * sizeof(*numbers->sent)
                   + requesters * sizeof(*numbers->first) + messages * sizeof(*numbers->messages));
    if (NULL == numbers->received || NULL == numbers->sent || NULL == numbers->first
        || NULL == numbers->messages) {
        return -ENOMEM;
    }
    for (size_t r = 0; r < plan->requester_count; ++r) {
        numbers->first[r + 1] = numbers->first[r] + plan->requests[r].window_count;
    }
    return 0;
}

int collio_numbers_exchange(collio_exchange_t *ex, collio_numbers_t *numbers, int kind)
{
    collio_plan_t *plan = ex->plan;
    int tag = collio_exchange_tag(ex, kind);
    size_t count = 0;
    int rc = OMPI_SUCCESS;

    for (size_t s = 0; OMPI_SUCCESS == rc && s < plan->split.share_count; ++s) {
        const collio_share_t *share = &plan->split.share[s];

        rc = collio_irecv(&numbers->received[share->first], share->count * sizeof(int64_t),
                          ex->file->derived.aggregators[share->aggregator], tag,
                          ex->file->context->comm, &numbers->messages[count++]);
    }
    for (size_t r = 0; OMPI_SUCCESS == rc && r < plan->requester_count; ++r) {
        rc = collio_isend(&numbers->sent[numbers->first[r]],
                          plan->requests[r].window_count * sizeof(int64_t), plan->requester[r], tag,
                          false, ex->file->context->comm, &numbers->messages[count++]);
    }
    if (OMPI_SUCCESS == rc) {
        rc = ompi_request_wait_all(count, numbers->messages, MPI_STATUSES_IGNORE);
    }
    numbers->complete = OMPI_SUCCESS == rc;
    return rc;
}

void collio_numbers_fini(collio_numbers_t *numbers)
{
    free(numbers->received);
    free(numbers->sent);
    free(numbers->first);
    free(numbers->messages);
    *numbers = (collio_numbers_t){0};
}
