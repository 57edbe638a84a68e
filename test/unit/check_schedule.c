/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * Schedules: a simulated aggregator asks the schedule, starts what it may, and lets stages finish
 * in random order. Every start is checked against the published description of the schedule, and
 * over many runs each schedule must have overlapped exactly what it promises to.
 */
#include "schedule.h"

#include "unit.h"

enum { MOST_CYCLES = 12 };
enum { SHUFFLE = 0, ACCESS = 1 };

/* Which pairs of stages were in flight at the same time. */
enum { TWO_SHUFFLES = 1, TWO_ACCESSES = 2, SHUFFLE_AND_ACCESS = 4 };

typedef struct simulation_t {
    const collio_schedule_t *schedule;
    collio_progress_t progress;
    bool finished[2][MOST_CYCLES]; /* stages may overtake each other */
    unsigned seen;
} simulation_t;

static size_t started(const simulation_t *run, int stage)
{
    return SHUFFLE == stage ? run->progress.shuffles_started : run->progress.accesses_started;
}

static size_t in_flight(const simulation_t *run, int stage)
{
    size_t count = 0;

    for (size_t i = 0; i < started(run, stage); ++i) {
        count += !run->finished[stage][i];
    }
    return count;
}

static bool is(const simulation_t *run, const char *name)
{
    return 0 == strcmp(name, run->schedule->name);
}

/* For every schedule: order of the stages, and a buffer for each cycle in flight. */
static bool possible(const simulation_t *run, int stage)
{
    int first = run->progress.write ? SHUFFLE : ACCESS;
    size_t cycle = started(run, stage);
    size_t buffers = (size_t) run->schedule->buffers;

    if (cycle == run->progress.cycles) {
        return false;
    }
    if (stage == first) {
        return cycle < buffers || run->finished[!first][cycle - buffers];
    }
    return run->finished[first][cycle];
}

/* What the description of each schedule says about a stage that starts now. */
static void check_start(const simulation_t *run, int stage)
{
    int first = run->progress.write ? SHUFFLE : ACCESS;
    int second = !first;
    size_t cycle = started(run, stage);
    size_t shuffling = in_flight(run, SHUFFLE);
    size_t accessing = in_flight(run, ACCESS);
    /* the stage that blocks the caller in this schedule */
    int blocking = is(run, "comm") ? ACCESS : SHUFFLE;

    unit_assert(possible(run, stage));
    if (is(run, "none")) {
        unit_equal(0, shuffling + accessing);
    } else if (is(run, "comm") || is(run, "write")) {
        unit_equal(0, in_flight(run, blocking)); /* nothing starts while it blocks */
        if (stage == blocking && stage == second) {
            /* the next first stage is under way before this one blocks */
            unit_assert(cycle + 1 == run->progress.cycles || started(run, first) > cycle + 1);
        }
        if (stage == blocking && stage == first) {
            /* all that was ready for the second stage has been started */
            unit_equal(cycle, started(run, second));
        }
    } else if (is(run, "write_comm")) {
        if (stage == second) { /* a step begins when both are finished */
            unit_equal(0, shuffling + accessing);
        } else { /* and the other joins it */
            unit_equal(0, in_flight(run, first));
            unit_equal(cycle, started(run, second));
        }
    }
}

/* A stage that could run and does not: only write_comm2 promises never to let that happen. */
static void check_refused(const simulation_t *run, int stage)
{
    unit_assert(!is(run, "write_comm2") || !possible(run, stage));
}

static void finish(simulation_t *run, int stage, size_t cycle)
{
    size_t *done = SHUFFLE == stage ? &run->progress.shuffles_done : &run->progress.accesses_done;

    run->finished[stage][cycle] = true;
    while (*done < started(run, stage) && run->finished[stage][*done]) {
        ++*done;
    }
}

static bool try_start(simulation_t *run, int stage, bool blocking_access)
{
    size_t cycle = started(run, stage);
    bool may = SHUFFLE == stage ? collio_schedule_may_shuffle(run->schedule, &run->progress)
                                : collio_schedule_may_access(run->schedule, &run->progress);

    if (!may) {
        check_refused(run, stage);
        return false;
    }
    check_start(run, stage);
    if (SHUFFLE == stage) {
        run->progress.shuffles_started++;
    } else {
        run->progress.accesses_started++;
    }
    run->seen |= 1 < in_flight(run, SHUFFLE) ? TWO_SHUFFLES : 0;
    run->seen |= 1 < in_flight(run, ACCESS) ? TWO_ACCESSES : 0;
    run->seen |= in_flight(run, SHUFFLE) && in_flight(run, ACCESS) ? SHUFFLE_AND_ACCESS : 0;
    if (ACCESS == stage && blocking_access) {
        finish(run, stage, cycle);
    }
    return true;
}

static void finish_any(simulation_t *run)
{
    for (;;) {
        int stage = (int) unit_below(2);
        size_t cycle;

        if (0 == started(run, stage)) {
            continue;
        }
        cycle = (size_t) unit_below((int64_t) started(run, stage));
        if (!run->finished[stage][cycle]) {
            finish(run, stage, cycle);
            return;
        }
    }
}

/* Runs to the end; returns which overlaps were seen. */
static unsigned simulate(const collio_schedule_t *schedule, size_t cycles, bool write)
{
    simulation_t run = {.schedule = schedule, .progress = {.cycles = cycles, .write = write}};
    bool blocking_access = !schedule->asynchronous && unit_below(2);

    for (;;) {
        int stage = (int) unit_below(2); /* the order of asking must not matter */
        bool any = false;

        any = try_start(&run, stage, blocking_access) || any;
        any = try_start(&run, !stage, blocking_access) || any;
        if (any) {
            continue;
        }
        if (0 == in_flight(&run, SHUFFLE) + in_flight(&run, ACCESS)) {
            break;
        }
        finish_any(&run);
    }
    /* nothing in flight and nothing may start: that must be the end, not a deadlock */
    unit_equal(cycles, run.progress.shuffles_done);
    unit_equal(cycles, run.progress.accesses_done);
    return run.seen;
}

static const collio_schedule_t *by_name(const char *name)
{
    size_t i = 0;

    while (NULL != collio_schedules[i] && 0 != strcmp(name, collio_schedules[i]->name)) {
        ++i;
    }
    return collio_schedules[i];
}

/* The published five come first, in this order; others may follow, and keep the rules in the
 * simulator. */
UNIT_TEST(schedule_table)
{
    static const struct {
        const char *name;
        int buffers;
        bool asynchronous;
        unsigned overlaps;
    } row[] = {
        {"none", 1, false, 0},
        {"write_comm", 2, true, SHUFFLE_AND_ACCESS},
        {"write_comm2", 2, true, TWO_SHUFFLES | TWO_ACCESSES | SHUFFLE_AND_ACCESS},
        {"write", 2, true, TWO_ACCESSES | SHUFFLE_AND_ACCESS},
        {"comm", 2, false, TWO_SHUFFLES | SHUFFLE_AND_ACCESS},
    };
    size_t rows = sizeof(row) / sizeof(row[0]), i = 0;

    for (; NULL != collio_schedules[i]; ++i) {
        const collio_schedule_t *schedule = collio_schedules[i];

        for (int write = 0; write < 2; ++write) {
            unsigned seen = 0;

            unit_equal(0, simulate(schedule, 0, write));
            unit_equal(0, simulate(schedule, 1, write));
            for (int round = unit_rounds(1000); 0 < round; --round) {
                seen |= simulate(schedule, (size_t) unit_between(1, MOST_CYCLES), write);
            }
            unit_assert(i >= rows || row[i].overlaps == seen);
        }
        if (i < rows) {
            ck_assert_str_eq(row[i].name, schedule->name);
            unit_equal(row[i].buffers, schedule->buffers);
            unit_equal(row[i].asynchronous, schedule->asynchronous);
        }
    }
    unit_assert(i >= rows);
}

/* The order of starts when shuffles are quicker than accesses: the rows of the published table. As
 * the header says, what empties a buffer is asked first. */
static collio_step_t start(const collio_schedule_t *schedule, const collio_progress_t *run)
{
    bool shuffle = collio_schedule_may_shuffle(schedule, run);

    if (collio_schedule_may_access(schedule, run) && (run->write || !shuffle)) {
        return COLLIO_STEP_ACCESS;
    }
    if (shuffle) {
        return COLLIO_STEP_SHUFFLE;
    }
    if (run->shuffles_done < run->shuffles_started) {
        return COLLIO_STEP_END_SHUFFLE;
    }
    return run->accesses_done < run->accesses_started ? COLLIO_STEP_END_ACCESS : COLLIO_STEP_NONE;
}

/* Capital = start, small = finished. */
typedef struct order_t {
    const char *name;
    bool write;
    const char *order;
} order_t;

static void check_order(const order_t *row,
                        collio_step_t (*next)(const collio_schedule_t *, const collio_progress_t *))
{
    const collio_schedule_t *schedule = by_name(row->name);
    size_t cycles = strlen(row->order) / 8;
    collio_progress_t run = {.cycles = cycles, .write = row->write};
    size_t *const count[] = {[COLLIO_STEP_SHUFFLE] = &run.shuffles_started,
                             [COLLIO_STEP_ACCESS] = &run.accesses_started,
                             [COLLIO_STEP_END_SHUFFLE] = &run.shuffles_done,
                             [COLLIO_STEP_END_ACCESS] = &run.accesses_done};
    char order[64], *out = order;
    collio_step_t step;

    while (COLLIO_STEP_NONE != (step = next(schedule, &run))) {
        *out++ = "-SAsa"[step];
        *out++ = (char) ('1' + (*count[step])++);
    }
    *out = '\0';
    ck_assert_str_eq(row->order, order);
    unit_equal(cycles, run.shuffles_done);
    unit_equal(cycles, run.accesses_done);
}

UNIT_TEST(schedule_rows_of_the_table)
{
    static const order_t row[] = {
        {"none", true, "S1s1A1a1S2s2A2a2"},
        {"none", false, "A1a1S1s1A2a2S2s2"},
        {"comm", true, "S1S2s1A1s2a1S3A2s3a2A3a3"},
        {"comm", false, "A1a1S1A2s1a2S2A3s2a3S3s3"},
        {"write", true, "S1s1A1S2s2A2a1S3s3A3a2a3"},
        {"write", false, "A1A2a1S1s1A3a2S2s2a3S3s3"},
        {"write_comm", true, "S1s1A1S2s2a1A2S3s3a2A3a3"},
        {"write_comm", false, "A1a1S1A2s1a2S2A3s2a3S3s3"},
        {"write_comm2", true, "S1S2s1A1s2A2a1S3s3A3a2a3"},
        {"write_comm2", false, "A1A2a1S1s1A3a2S2s2a3S3s3"},
    };

    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); ++i) {
        check_order(&row[i], start);
    }
}

/* The order of put_fence's steps. */
UNIT_TEST(schedule_steps_together)
{
    static const order_t row[] = {
        {"none", true, "S1s1A1a1S2s2A2a2S3s3A3a3"},
        {"none", false, "A1a1S1s1A2a2S2s2A3a3S3s3"},
        {"comm", true, "S1S2s1A1a1S3s2A2a2s3A3a3"},
        {"comm", false, "A1a1S1A2a2S2s1A3a3S3s2s3"},
        {"write", true, "S1s1A1S2s2A2a1S3s3A3a2a3"},
        {"write", false, "A1A2a1S1s1A3a2S2s2a3S3s3"},
        {"write_comm", true, "S1s1A1S2s2a1A2S3s3a2A3a3"},
        {"write_comm", false, "A1a1S1A2s1a2S2A3s2a3S3s3"},
        {"write_comm2", true, "S1s1A1S2s2A2a1S3s3A3a2a3"},
        {"write_comm2", false, "A1A2a1S1s1A3a2S2s2a3S3s3"},
    };

    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); ++i) {
        check_order(&row[i], collio_schedule_step);
    }
}
