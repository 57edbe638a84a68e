/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_SCHEDULE_H
#define MCA_COMMON_COLLIO_SCHEDULE_H

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
typedef struct mca_common_collio_progress_t {
    size_t cycles; /* in all */
    size_t shuffles_started;
    size_t shuffles_done;
    size_t accesses_started;
    size_t accesses_done;
    bool write; /* shuffle feeds access; else access feeds shuffle */
} mca_common_collio_progress_t;

typedef struct mca_common_collio_schedule_t {
    const char *name;
    const char *description;
    int buffers;       /* parts the collective buffer is cut in: 1 or 2 */
    bool asynchronous; /* accesses run in the background, through an engine */
    bool data_flow;    /* goes on after whichever stage ends first */
    bool (*may_shuffle)(const mca_common_collio_progress_t *progress);
    bool (*may_access)(const mca_common_collio_progress_t *progress);
} mca_common_collio_schedule_t;

/** Every schedule, in the order of the parameter's choices (none first): a file schedule_<name>.c
 *  and one line here. */
#define MCA_COMMON_COLLIO_SCHEDULE_LIST(each) \
    each(none) each(comm) each(write) each(write_comm) each(write_comm2)

#define MCA_COMMON_COLLIO_DECLARE_SCHEDULE(name) \
    extern const mca_common_collio_schedule_t mca_common_collio_schedule_##name;
MCA_COMMON_COLLIO_SCHEDULE_LIST(MCA_COMMON_COLLIO_DECLARE_SCHEDULE)

/** All of them, NULL-terminated. */
extern const mca_common_collio_schedule_t *const mca_common_collio_schedules[];

/** The rules of every schedule: order of stages, at most `buffers` cycles in flight, no stage
 *  started beyond `cycles`. The schedules above call these first. */
bool mca_common_collio_shuffle_possible(const mca_common_collio_progress_t *progress, int buffers);
bool mca_common_collio_access_possible(const mca_common_collio_progress_t *progress, int buffers);

/** For ranks that take every step together (put_fence), where a step may wait: what to do next. The
 *  progress counts what was waited for, not what has happened, so it is the same on all ranks and so
 *  is the order of their steps. A stage is started if the schedule allows it. Otherwise one is
 *  ended: an access that is not asynchronous at once, then the shuffle, then the oldest access. Data
 *  flow with both in flight: END_EITHER, the access if it is complete on all ranks, else the
 *  shuffle. */
typedef enum mca_common_collio_step_t {
    MCA_COMMON_COLLIO_STEP_NONE = 0, /* all cycles are over */
    MCA_COMMON_COLLIO_STEP_SHUFFLE,
    MCA_COMMON_COLLIO_STEP_ACCESS,
    MCA_COMMON_COLLIO_STEP_END_SHUFFLE,
    MCA_COMMON_COLLIO_STEP_END_ACCESS,
    MCA_COMMON_COLLIO_STEP_END_EITHER
} mca_common_collio_step_t;

mca_common_collio_step_t
mca_common_collio_schedule_step(const mca_common_collio_schedule_t *schedule,
                                const mca_common_collio_progress_t *progress);

#endif /* MCA_COMMON_COLLIO_SCHEDULE_H */
