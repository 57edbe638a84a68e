/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * write_comm2: data-flow. A finished shuffle starts its access at once, a finished access the next
 * shuffle into its buffer; two cycles in flight, each at its own pace. Only what is possible at
 * all holds it back. The messages of both shuffles may be under way, but an aggregator makes the
 * copies of the earlier one first (cycles.c), so that the two buffers do not end up in the same
 * stage.
 *
 *   buffer 1   S1 W1  S3 W3 ...
 *   buffer 2   S2  W2   S4 W4 ...
 */
#include "schedule.h"

static bool may_shuffle(const collio_progress_t *progress)
{
    return collio_shuffle_possible(progress, 2);
}

static bool may_access(const collio_progress_t *progress)
{
    return collio_access_possible(progress, 2);
}

const collio_schedule_t collio_schedule_write_comm2 = {
    .name = "write_comm2",
    .description = "data-flow: whatever is finished starts what follows it",
    .buffers = 2,
    .asynchronous = true,
    .may_shuffle = may_shuffle,
    .may_access = may_access,
};
