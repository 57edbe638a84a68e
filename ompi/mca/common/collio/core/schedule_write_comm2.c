/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

/*
 * write_comm2: data-flow. A finished shuffle starts its access at once, a finished access the next
 * shuffle into its buffer; two cycles in flight, each at its own pace. Only the second cycle waits
 * until the first has changed its stage, so that they do not start in step. (They may still fall
 * into step later, when requesters fill both buffers in one go.)
 *
 *   buffer 1   S1 W1  S3 W3 ...
 *   buffer 2      S2 W2  S4 W4 ...
 */
#include "common_collio_schedule.h"

static bool may_shuffle(const mca_common_collio_progress_t *progress)
{
    return mca_common_collio_shuffle_possible(progress, 2)
           && (!progress->write || 1 != progress->shuffles_started || progress->shuffles_done > 0);
}

static bool may_access(const mca_common_collio_progress_t *progress)
{
    return mca_common_collio_access_possible(progress, 2)
           && (progress->write || 1 != progress->accesses_started || progress->accesses_done > 0);
}

const mca_common_collio_schedule_t mca_common_collio_schedule_write_comm2 = {
    .name = "write_comm2",
    .description = "data-flow: whatever is finished starts what follows it",
    .buffers = 2,
    .asynchronous = true,
    .may_shuffle = may_shuffle,
    .may_access = may_access,
};
