/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * comm: communication overlaps, file access blocks.
 *
 *   write   S1 S2 | W1 S3 | W2 S4 | W3 ...     the next shuffle starts before a write blocks
 *   read    R1 | S1 R2 | S2 R3 | S3 ...        the last shuffle continues while a read blocks
 */
#include "schedule.h"
#include "stages.h"

static bool may_shuffle(const collio_progress_t *progress)
{
    collio_stages_t stages = collio_stages(progress);

    return collio_shuffle_possible(progress, 2)
           && (progress->write || collio_second_behind_may_second(&stages));
}

static bool may_access(const collio_progress_t *progress)
{
    collio_stages_t stages = collio_stages(progress);

    return collio_access_possible(progress, 2)
           && (progress->write ? collio_first_ahead_may_second(&stages)
                               : collio_second_behind_may_first(&stages));
}

const collio_schedule_t collio_schedule_comm = {
    .name = "comm",
    .description = "the next shuffle is under way during a blocking access",
    .buffers = 2,
    .asynchronous = false,
    .may_shuffle = may_shuffle,
    .may_access = may_access,
};
