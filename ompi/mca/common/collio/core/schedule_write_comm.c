/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * write_comm: both stages start together, and both must end before the next step.
 *
 *   write   S1 | W1 S2 | W2 S3 | W3
 *   read    R1 | S1 R2 | S2 R3 | S3
 *
 * In a step the second stage of the last cycle starts first, because its data are ready.
 */
#include "schedule.h"
#include "stages.h"

/* A second stage begins a step, which requires that no stage is in flight. */
static bool may_second(const collio_stages_t *stages)
{
    return stages->first_started == stages->first_done
           && stages->second_started == stages->second_done;
}

/* A first stage joins the step that the second stage of the last cycle has begun. */
static bool may_first(const collio_stages_t *stages)
{
    return stages->first_started == stages->first_done
           && stages->second_started == stages->first_started;
}

static bool may_shuffle(const collio_progress_t *progress)
{
    collio_stages_t stages = collio_stages(progress);

    return collio_shuffle_possible(progress, 2)
           && (progress->write ? may_first(&stages) : may_second(&stages));
}

static bool may_access(const collio_progress_t *progress)
{
    collio_stages_t stages = collio_stages(progress);

    return collio_access_possible(progress, 2)
           && (progress->write ? may_second(&stages) : may_first(&stages));
}

const collio_schedule_t collio_schedule_write_comm = {
    .name = "write_comm",
    .description = "an access and the next shuffle start together, and both are waited for",
    .buffers = 2,
    .asynchronous = true,
    .may_shuffle = may_shuffle,
    .may_access = may_access,
};
