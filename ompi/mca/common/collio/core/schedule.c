/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * The schedules, and the rules that the rows of the table name.
 *
 * A write has the stages shuffle, access; a read has access, shuffle. The rules are about the first
 * stage (F) and the second stage (S) of a cycle, so each rule serves writes and reads:
 *
 *   FREE            F1 F2 S1 F3 S2 ...                 each step as soon as it is possible
 *   FIRST_AHEAD     F1 F2 | S1 F3 | S2 F4 | S3 ...     S blocks; F of the next cycle is in flight
 *   SECOND_LATER    F1 | S1 F2 | S2 F3 | S3 ...        F blocks; S of the last cycle is in flight
 *   TOGETHER        F1 | S1 F2 | S2 F3 | S3 ...        S starts first, and both end at |
 */
#include "schedule.h"

/* No overlap: with one buffer of full size only one stage is possible at a time. */
const collio_schedule_t collio_schedule_none = {.name = "none", .buffers = 1, .measured = true};

/* An access and the next shuffle start together, and both are waited for. */
const collio_schedule_t collio_schedule_write_comm = {
    .name = "write_comm",
    .buffers = 2,
    .asynchronous = true,
    .write = COLLIO_ORDER_TOGETHER,
    .read = COLLIO_ORDER_TOGETHER,
    .measured = true,
};

/* Data flow: two cycles are in flight and do not wait for each other. The messages of both shuffles
 * may be in flight, but an aggregator makes the copies of the earlier shuffle first (cycles.c), so
 * that the two cycles stay in different stages. Measured if overlap gains. */
const collio_schedule_t collio_schedule_write_comm2 = {
    .name = "write_comm2",
    .buffers = 2,
    .asynchronous = true,
    .measured = true,
    .faster = &collio_schedule_write_comm,
    .slower = &collio_schedule_none,
};

/* File access overlaps, communication blocks. Measured if the order of stages gains. */
const collio_schedule_t collio_schedule_write = {
    .name = "write",
    .buffers = 2,
    .asynchronous = true,
    .write = COLLIO_ORDER_SECOND_LATER,
    .read = COLLIO_ORDER_FIRST_AHEAD,
    .measured = true,
    .faster = &collio_schedule_write_comm,
    .slower = &collio_schedule_write_comm2,
};

/* Communication overlaps, file access blocks. Measured if background access loses. */
const collio_schedule_t collio_schedule_comm = {
    .name = "comm",
    .buffers = 2,
    .write = COLLIO_ORDER_FIRST_AHEAD,
    .read = COLLIO_ORDER_SECOND_LATER,
    .measured = true,
    .faster = &collio_schedule_none,
    .slower = &collio_schedule_write_comm,
};

#define ADDRESS(name) &collio_schedule_##name,
const collio_schedule_t *const collio_schedules[] = {COLLIO_SCHEDULE_LIST(ADDRESS) NULL};

/* Progress of the two stages of the cycles. */
typedef struct stages_t {
    size_t cycles;         /* number of all cycles */
    size_t first_started;  /* number of cycles whose first stage has started */
    size_t first_done;     /* number of cycles whose first stage has ended, without a gap */
    size_t second_started; /* number of cycles whose second stage has started */
    size_t second_done;    /* number of cycles whose second stage has ended, without a gap */
} stages_t;

static stages_t stages_of(const collio_progress_t *progress)
{
    if (progress->write) {
        return (stages_t){progress->cycles, progress->shuffles_started, progress->shuffles_done,
                          progress->accesses_started, progress->accesses_done};
    }
    return (stages_t){progress->cycles, progress->accesses_started, progress->accesses_done,
                      progress->shuffles_started, progress->shuffles_done};
}

/* A first stage needs a free buffer; a cycle holds its buffer until its second stage has ended. If
 * the first stage blocks or both stages go together, no first stage is in flight, and all cycles
 * that are ready for their second stage have started it. */
static bool may_first(const stages_t *stages, collio_order_t order, int buffers)
{
    if (stages->first_started == stages->cycles
        || stages->first_started - stages->second_done >= (size_t) buffers) {
        return false;
    }
    if (COLLIO_ORDER_FREE == order || COLLIO_ORDER_FIRST_AHEAD == order) {
        return true;
    }
    return stages->first_started == stages->first_done
           && stages->second_started == stages->first_done;
}

static bool may_second(const stages_t *stages, collio_order_t order)
{
    bool no_first = stages->first_started == stages->first_done;
    bool no_second = stages->second_started == stages->second_done;

    if (stages->second_started == stages->first_done) {
        return false;
    }
    switch (order) {
    case COLLIO_ORDER_FIRST_AHEAD: /* the next first stage has started, or there is none */
        return no_second
               && (stages->first_started == stages->cycles
                   || stages->first_started > stages->second_started + 1);
    case COLLIO_ORDER_SECOND_LATER:
        return no_first;
    case COLLIO_ORDER_TOGETHER:
        return no_first && no_second;
    default:
        return true;
    }
}

bool collio_schedule_may_shuffle(const collio_schedule_t *schedule,
                                 const collio_progress_t *progress)
{
    stages_t stages = stages_of(progress);

    if (progress->write) {
        return may_first(&stages, schedule->write, schedule->buffers);
    }
    return may_second(&stages, schedule->read);
}

bool collio_schedule_may_access(const collio_schedule_t *schedule,
                                const collio_progress_t *progress)
{
    stages_t stages = stages_of(progress);

    if (progress->write) {
        return may_second(&stages, schedule->write);
    }
    return may_first(&stages, schedule->read, schedule->buffers);
}

collio_step_t collio_schedule_step(const collio_schedule_t *schedule,
                                   const collio_progress_t *progress)
{
    bool shuffling = progress->shuffles_started > progress->shuffles_done;
    bool accessing = progress->accesses_started > progress->accesses_done;

    if (collio_schedule_may_access(schedule, progress)) {
        return COLLIO_STEP_ACCESS;
    }
    if (!(schedule->asynchronous && shuffling) && collio_schedule_may_shuffle(schedule, progress)) {
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
    stages_t stages = stages_of(progress);

    return stages.second_done <= stages.second_started && stages.second_started <= stages.first_done
           && stages.first_done <= stages.first_started && stages.first_started <= stages.cycles
           && stages.first_started - stages.second_done <= (size_t) buffers;
}
