/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_SCHEDULE_H
#define COLLIO_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Schedules: when an aggregator may start each of the two stages of a cycle. A write has shuffle,
 * then access; a read has access, then shuffle. The engine (a state machine) tests after every
 * event which stages may start, and starts them. A schedule never waits, so it serves blocking and
 * nonblocking calls, writes and reads.
 *
 *   cycle        1     2     3
 *   write_comm   S1 | W1 S2 | W2 S3 | W3          ( | = both must be finished )
 *
 * Stages start in the order of the cycles. A `done` counter counts finished cycles without a gap:
 * an access that finishes before its predecessor is counted when the predecessor has finished.
 */
typedef struct collio_progress_t {
    size_t cycles;           /* number of all cycles */
    size_t shuffles_started; /* number of cycles whose shuffle has started */
    size_t shuffles_done;    /* number of cycles whose shuffle has ended, without a gap */
    size_t accesses_started; /* number of cycles whose access has started */
    size_t accesses_done;    /* number of cycles whose access has ended, without a gap */
    bool write;              /* true: shuffle, then access; false: access, then shuffle */
} collio_progress_t;

/** The order of the first and the second stages of cycles; see schedule.c. */
typedef enum collio_order_t {
    COLLIO_ORDER_FREE = 0,     /* no rule but order of stages and free buffers */
    COLLIO_ORDER_FIRST_AHEAD,  /* the second stage blocks during the next first stage */
    COLLIO_ORDER_SECOND_LATER, /* the first stage blocks during the last second stage */
    COLLIO_ORDER_TOGETHER      /* a second stage and the next first stage start and end together */
} collio_order_t;

typedef struct collio_schedule_t {
    const char *name;     /* value of the setting `schedule` */
    int buffers;          /* number of collective buffers: 1 or 2 */
    bool asynchronous;    /* accesses run in the background, through an engine */
    collio_order_t write; /* order of stages in a write */
    collio_order_t read;  /* order of stages in a read */
    bool measured;        /* `auto` may measure the schedule (core/choice.h) */
    /** When `auto` measures it: `faster` was faster than `slower`. NULL: whenever there is time to
     *  hide. */
    const struct collio_schedule_t *faster, *slower;
} collio_schedule_t;

/** Every schedule, in the order of the parameter's choices. `auto` tries them in this order: `none`
 *  is first, and a schedule follows those that its row names. */
#define COLLIO_SCHEDULE_LIST(each) \
    each(none) each(write_comm) each(write_comm2) each(write) each(comm)

#define COLLIO_SCHEDULE_ONE(name) +1
enum { COLLIO_SCHEDULES = 0 COLLIO_SCHEDULE_LIST(COLLIO_SCHEDULE_ONE) };

#define COLLIO_DECLARE_SCHEDULE(name) extern const collio_schedule_t collio_schedule_##name;
COLLIO_SCHEDULE_LIST(COLLIO_DECLARE_SCHEDULE)

/** All schedules, NULL-terminated. */
extern const collio_schedule_t *const collio_schedules[];

/** Return true if the next shuffle, or the next access, may start. Every schedule keeps the order
 *  of stages, has at most `buffers` cycles in flight and starts no stage beyond `cycles`. */
bool collio_schedule_may_shuffle(const collio_schedule_t *schedule,
                                 const collio_progress_t *progress);
bool collio_schedule_may_access(const collio_schedule_t *schedule,
                                const collio_progress_t *progress);

/** A step of put_fence, in which a step may wait and all ranks make the same steps together. */
typedef enum collio_step_t {
    COLLIO_STEP_NONE = 0,    /* all cycles have ended */
    COLLIO_STEP_SHUFFLE,     /* start the next shuffle */
    COLLIO_STEP_ACCESS,      /* start the next access */
    COLLIO_STEP_END_SHUFFLE, /* wait for the shuffle */
    COLLIO_STEP_END_ACCESS   /* wait for the oldest access */
} collio_step_t;

/** Returns the next step. `progress` counts stages that a rank has waited for, not stages that have
 *  ended, so it is the same on all ranks, and so is the order of steps. A step starts a stage if
 *  the schedule allows it. Otherwise it ends one: an access that is not asynchronous, else the
 *  shuffle, else the oldest access. With asynchronous accesses only one shuffle is open at a time:
 *  starting the next one first would delay the access that follows the open one. Therefore
 *  write_comm2 makes the steps of `write`. */
collio_step_t collio_schedule_step(const collio_schedule_t *schedule,
                                   const collio_progress_t *progress);

/** For asserts: no stage ends before it starts, the second stage of a cycle follows the first, and
 *  at most `buffers` cycles are in flight. */
bool collio_progress_holds(const collio_progress_t *progress, int buffers);

#endif /* COLLIO_SCHEDULE_H */
