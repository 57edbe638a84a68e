/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * write_comm2: data flow. A stage starts as soon as the rules of every schedule allow it: an access
 * when its shuffle has ended, a shuffle when a buffer is free. Two cycles are in flight and do not
 * wait for each other. The messages of both shuffles may be in flight, but an aggregator makes the
 * copies of the earlier shuffle first (cycles.c), so that the two cycles stay in different stages.
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
