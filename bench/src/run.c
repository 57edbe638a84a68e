/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs a plan: open, time steps, close; once to write and once to read.
 *
 *   barrier | set_view, write_at_all (call 0) | ... (call n-1) |      one step
 *            ^ first rank leaves the barrier                    ^ last rank is done
 *
 * With the clock of one kernel (all ranks have the same boot id) a step's time is from the first
 * rank's start to the last rank's end. A rank's own span would flatter whatever does not
 * synchronise: with more ranks than cores, the ranks that start late would not count the wait.
 * On several machines a second barrier closes the step and the longest span counts.
 */
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct content_t {
    int64_t base;
    uint64_t seed;
    int64_t bad;
} content_t;

static void fill(void *arg, char *mem, int64_t offset, int64_t length)
{
    content_t *content = arg;

    bench_fill(mem, content->base + offset, length, content->seed);
}

static void check(void *arg, char *mem, int64_t offset, int64_t length)
{
    content_t *content = arg;

    content->bad += bench_check(mem, content->base + offset, length, content->seed);
}

/** Fills or checks the buffer for a step; returns the bad bytes. */
static int64_t each_byte(const bench_run_t *run, int step, bench_visit_t visit)
{
    content_t content = {.seed = run->opt->seed};

    for (int i = 0; i < run->plan->call_count; i++) {
        const bench_call_t *call = &run->plan->calls[i];

        content.base = step * run->plan->step_bytes + call->base;
        bench_walk(call, run->buffer, visit, &content);
    }
    return content.bad;
}

static double time_step(bench_run_t *run, int step)
{
    double span[2]; /* minus the start, the end: one maximum gives both */

    MPI_Barrier(run->comm);
    span[0] = -bench_now();
    bench_do_step(run, step);
    if (!run->shared_clock) {
        MPI_Barrier(run->comm);
        span[1] = bench_now() + span[0];
        span[0] = 0;
    } else {
        span[1] = bench_now();
    }
    MPI_Allreduce(MPI_IN_PLACE, span, 2, MPI_DOUBLE, MPI_MAX, run->comm);
    return span[1] + span[0];
}

static double longest(double seconds, MPI_Comm comm)
{
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm);
    return seconds;
}

static void progress(const bench_run_t *run, int step)
{
    if (0 == run->rank && run->opt->progress) {
        fprintf(stderr, "%s%-10s %-5s step %d of %d%s", isatty(STDERR_FILENO) ? "\r" : "",
                run->opt->kernel, run->write ? "write" : "read", step + 1, run->opt->steps,
                isatty(STDERR_FILENO) && step + 1 < run->opt->steps ? "" : "\n");
    }
}

/** Leaves the file open, so that variables bound to it can still be read. */
static void run_steps(bench_run_t *run, bench_result_t *res)
{
    int64_t rss;

    bench_reset_peak();
    rss = bench_status_kib("VmRSS");
    for (int step = 0; step < run->opt->steps; step++) {
        if (run->write) {
            each_byte(run, step, fill);
        } else if (run->opt->check) {
            memset(run->buffer, 0, (size_t) run->plan->buffer_bytes);
        }
        res->step_seconds[step] = time_step(run, step);
        if (!run->write && run->opt->check) {
            res->bad_bytes += each_byte(run, step, check);
        }
        progress(run, step);
    }
    res->rss_kib = bench_status_kib("VmHWM");
    res->rss_extra_kib = res->rss_kib - rss;
}

static void run_phase(bench_run_t *run, bool write)
{
    const bench_options_t *opt = run->opt;
    bench_result_t res = {.phase = write ? "write" : "read"};
    double begin;

    res.step_seconds = bench_alloc((int64_t) sizeof(double) * opt->steps);
    run->write = write;
    run->view_seconds = 0;
    run->view_type = MPI_DATATYPE_NULL;
    MPI_Barrier(run->comm);
    begin = bench_now();
    bench_open_file(run);
    res.open_seconds = longest(bench_now() - begin - run->view_seconds, run->comm);
    if (BENCH_API_MPI == opt->api) {
        res.pvars = bench_pvars_open(run->file, run->comm);
    }
    run_steps(run, &res);
    bench_pvars_read(res.pvars, run->comm);
    begin = bench_now();
    bench_close_file(run);
    res.close_seconds = longest(bench_now() - begin, run->comm);
    res.view_seconds = longest(run->view_seconds, run->comm);
    MPI_Allreduce(MPI_IN_PLACE, &res.bad_bytes, 1, MPI_INT64_T, MPI_SUM, run->comm);
    if (write && opt->check) {
        res.bad_bytes = bench_verify_file(run->path, opt->steps * run->plan->step_bytes, opt->seed,
                                          run->comm);
    }
    bench_report(opt, run->plan, &res, run->comm);
    if (res.bad_bytes > 0) {
        bench_die("%s %s: %lld bytes are wrong", opt->kernel, res.phase, (long long) res.bad_bytes);
    }
    bench_pvars_close(res.pvars);
    free(res.step_seconds);
}

static void name_file(bench_run_t *run)
{
    int pid = (int) getpid();

    MPI_Bcast(&pid, 1, MPI_INT, 0, run->comm);
    if (PATH_MAX <= snprintf(run->path, PATH_MAX, "%s/collio_bench.%d.dat", run->opt->dir, pid)) {
        bench_die("--dir is too long");
    }
    if (0 == run->rank) {
        unlink(run->path);
    }
    MPI_Barrier(run->comm);
}

void bench_run(const bench_options_t *opt, bench_plan_t *plan, MPI_Comm comm)
{
    bench_run_t run = {.opt = opt, .plan = plan, .comm = comm, .view_type = MPI_DATATYPE_NULL};

    for (int i = 0; i < plan->call_count; i++) {
        if (plan->calls[i].bytes > INT_MAX) {
            bench_die("a call moves %lld bytes per rank, the count of an MPI call is an int",
                      (long long) plan->calls[i].bytes);
        }
    }
    MPI_Comm_rank(comm, &run.rank);
    run.shared_clock = bench_one_clock(comm);
    run.buffer = bench_alloc(plan->buffer_bytes);
    memset(run.buffer, 0, (size_t) plan->buffer_bytes);
    if (opt->level < 2) {
        bench_make_segments(&run);
    }
    name_file(&run);
    if (opt->do_write) {
        run_phase(&run, true);
    } else {
        bench_create_file(run.path, opt->steps * plan->step_bytes, opt->seed, comm);
    }
    if (opt->do_read) {
        run_phase(&run, false);
    }
    MPI_Barrier(comm);
    if (0 == run.rank && !opt->keep) {
        unlink(run.path);
    }
    bench_free_segments(&run);
    free(run.buffer);
}
