/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_SCHEDULE_H
#define COLLIO_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * How an aggregator interleaves its two stages. Each cycle passes two stages: for a write shuffle
 * then access, for a read access then shuffle. A schedule says when a stage may start; the engine
 * (a state machine) asks after every event and starts what is allowed. So a schedule is a few
 * lines without a wait in them, and serves blocking and nonblocking calls, writes and reads alike.
 *
 *   cycle        1     2     3
 *   write_comm   S1 | W1 S2 | W2 S3 | W3          ( | = both must be finished )
 *
 * Stages are started in the order of the cycles, and "done" counts the cycles from the first one on
 * whose stage is finished without a gap: an access that finishes before its predecessor counts only
 * when that one has finished. After every event the engine asks may_shuffle, then may_access; a
 * schedule must not depend on that order.
 */
typedef struct collio_progress_t {
    size_t cycles; /* in all */
    size_t shuffles_started;
    size_t shuffles_done;
    size_t accesses_started;
    size_t accesses_done;
    bool write; /* shuffle feeds access; else access feeds shuffle */
} collio_progress_t;

typedef struct collio_schedule_t {
    const char *name;
    const char *description;
    int buffers;       /* parts the collective buffer is cut in: 1 or 2 */
    bool asynchronous; /* accesses run in the background, through an engine */
    bool (*may_shuffle)(const collio_progress_t *progress);
    bool (*may_access)(const collio_progress_t *progress);
} collio_schedule_t;

/** Every schedule, in the order of the parameter's choices (none first): a file schedule_<name>.c
 *  and one line here. */
#define COLLIO_SCHEDULE_LIST(each) \
    each(none) each(comm) each(write) each(write_comm) each(write_comm2)

#define COLLIO_DECLARE_SCHEDULE(name) extern const collio_schedule_t collio_schedule_##name;
COLLIO_SCHEDULE_LIST(COLLIO_DECLARE_SCHEDULE)

/** All of them, NULL-terminated. */
extern const collio_schedule_t *const collio_schedules[];

/** The rules of every schedule: order of stages, at most `buffers` cycles in flight, no stage
 *  started beyond `cycles`. The schedules above call these first. */
bool collio_shuffle_possible(const collio_progress_t *progress, int buffers);
bool collio_access_possible(const collio_progress_t *progress, int buffers);

/** For ranks that take every step together (put_fence), where a step may wait: what to do next.
 *  The progress counts what was waited for, not what has happened, so it is the same on all ranks
 *  and so is the order of their steps. A stage is started if the schedule allows it. Otherwise one
 *  is ended: an access that is not asynchronous at once, then the shuffle, then the oldest access.
 *  With asynchronous accesses one shuffle is open at a time: opening the next one first would delay
 *  the access that follows the open one. So write_comm2 takes the steps of `write`. */
typedef enum collio_step_t {
    COLLIO_STEP_NONE = 0, /* all cycles are over */
    COLLIO_STEP_SHUFFLE,
    COLLIO_STEP_ACCESS,
    COLLIO_STEP_END_SHUFFLE,
    COLLIO_STEP_END_ACCESS
} collio_step_t;

collio_step_t collio_schedule_step(const collio_schedule_t *schedule,
                                   const collio_progress_t *progress);

/** For asserts: no stage ends before it begins, the second stage of a cycle follows the first, and
 *  no more cycles are under way than there are buffers. */
bool collio_progress_holds(const collio_progress_t *progress, int buffers);

#endif /* COLLIO_SCHEDULE_H */
