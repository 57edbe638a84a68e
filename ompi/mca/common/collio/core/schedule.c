/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * Functions of all schedules: the rules of every schedule, and the two kinds of one-sided overlap
 * that `comm` and `write` use.
 *
 *   first ahead     F1 F2 | S1 F3 | S2 F4 | S3 ...     S blocks; F of the next cycle is in flight
 *   second behind   F1 | S1 F2 | S2 F3 | S3 ...        F blocks; S of the last cycle is in flight
 *
 *   write: F = shuffle, S = access     comm = first ahead,   write = second behind
 *   read:  F = access,  S = shuffle    comm = second behind, write = first ahead
 */
#include "schedule.h"

#include "stages.h"

/* A first stage needs a free buffer. A cycle holds its buffer until its second stage has ended. */
static bool first_possible(const collio_stages_t *stages, int buffers)
{
    return stages->first_started < stages->cycles
           && stages->first_started - stages->second_done < (size_t) buffers;
}

static bool second_possible(const collio_stages_t *stages)
{
    return stages->second_started < stages->first_done;
}

bool collio_shuffle_possible(const collio_progress_t *progress, int buffers)
{
    collio_stages_t stages = collio_stages(progress);

    return progress->write ? first_possible(&stages, buffers) : second_possible(&stages);
}

bool collio_access_possible(const collio_progress_t *progress, int buffers)
{
    collio_stages_t stages = collio_stages(progress);

    return progress->write ? second_possible(&stages) : first_possible(&stages, buffers);
}

bool collio_first_ahead_may_second(const collio_stages_t *stages)
{
    bool next_under_way = stages->first_started == stages->cycles
                          || stages->first_started > stages->second_started + 1;

    return next_under_way && stages->second_started == stages->second_done;
}

bool collio_second_behind_may_first(const collio_stages_t *stages)
{
    return stages->first_started == stages->first_done
           && stages->second_started == stages->first_done;
}

bool collio_second_behind_may_second(const collio_stages_t *stages)
{
    return stages->first_started == stages->first_done;
}

collio_step_t collio_schedule_step(const collio_schedule_t *schedule,
                                   const collio_progress_t *progress)
{
    bool shuffling = progress->shuffles_started > progress->shuffles_done;
    bool accessing = progress->accesses_started > progress->accesses_done;

    if (schedule->may_access(progress)) {
        return COLLIO_STEP_ACCESS;
    }
    if (schedule->may_shuffle(progress) && !(schedule->asynchronous && shuffling)) {
        return COLLIO_STEP_SHUFFLE;
    }
    if (accessing && !schedule->asynchronous) {
        return COLLIO_STEP_END_ACCESS;
    }
    if (shuffling) {
        return COLLIO_STEP_END_SHUFFLE;
    }
    return accessing ? COLLIO_STEP_END_ACCESS : COLLIO_STEP_NONE;
}

bool collio_progress_holds(const collio_progress_t *progress, int buffers)
{
    collio_stages_t stages = collio_stages(progress);

    return stages.second_done <= stages.second_started && stages.second_started <= stages.first_done
           && stages.first_done <= stages.first_started && stages.first_started <= stages.cycles
           && stages.first_started - stages.second_done <= (size_t) buffers;
}
