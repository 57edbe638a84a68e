/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * write: file access overlaps, communication blocks.
 *
 *   write   S1 | W1 S2 | W2 S3 | W3 ...        the last writes continue while a shuffle blocks
 *   read    R1 R2 | S1 R3 | S2 R4 | S3 ...     the next read starts before a shuffle blocks
 */
#include "schedule.h"
#include "stages.h"

static bool may_shuffle(const collio_progress_t *progress)
{
    collio_stages_t stages = collio_stages(progress);

    return collio_shuffle_possible(progress, 2)
           && (progress->write ? collio_second_behind_may_first(&stages)
                               : collio_first_ahead_may_second(&stages));
}

static bool may_access(const collio_progress_t *progress)
{
    collio_stages_t stages = collio_stages(progress);

    return collio_access_possible(progress, 2)
           && (!progress->write || collio_second_behind_may_second(&stages));
}

const collio_schedule_t collio_schedule_write = {
    .name = "write",
    .description = "accesses run in the background of a blocking shuffle",
    .buffers = 2,
    .asynchronous = true,
    .may_shuffle = may_shuffle,
    .may_access = may_access,
};
