/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * none: no overlap. One collective buffer of full size, so half as many cycles as other schedules.
 *
 *   S1 | W1 | S2 | W2 | S3 | W3
 *
 * With one buffer the rules of every schedule allow this order only.
 */
#include "schedule.h"

static bool may_shuffle(const collio_progress_t *progress)
{
    return collio_shuffle_possible(progress, 1);
}

static bool may_access(const collio_progress_t *progress)
{
    return collio_access_possible(progress, 1);
}

const collio_schedule_t collio_schedule_none = {
    .name = "none",
    .description = "shuffle, then access, in one full-size buffer",
    .buffers = 1,
    .asynchronous = false,
    .may_shuffle = may_shuffle,
    .may_access = may_access,
};
