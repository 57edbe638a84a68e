/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs a plan: open, time steps, close; once to write and once to read.
 *
 *   barrier | set_view, write_at_all (call 0) | ... (call n-1) |      one step
 *            ^ first rank leaves the barrier                    ^ last rank is done
 *
 * With the clock of one kernel (all ranks have the same boot id) a step's time is from the first
 * rank's start to the last rank's end. A rank's own span would flatter whatever does not
 * synchronise: with more ranks than cores, the ranks that start late would not count the wait.
 * On several machines a second barrier closes the step and the longest span counts.
 *
 * One-shot steps contain open and close, as programs that make one call per file have them:
 *
 *   barrier | open, set_view | write_at_all (call 0) | ... (call n-1) | close |
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

/** Adds the part of a step that ends now; returns when that is. */
static double part(double *seconds, double begin)
{
    double now = bench_now();

    *seconds += now - begin;
    return now;
}

/** Open, the calls of a step, close, with their times. */
static void one_shot(bench_run_t *run, bench_result_t *res)
{
    double begin = bench_now();

    bench_open_file(run);
    begin = part(&res->open_seconds, begin);
    bench_do_step(run, 0);
    begin = part(&res->call_seconds, begin);
    bench_close_file(run);
    run->view_type = MPI_DATATYPE_NULL;
    (void) part(&res->close_seconds, begin);
}

static double time_step(bench_run_t *run, int step, bench_result_t *res)
{
    double span[2]; /* minus the start, the end: one maximum gives both */

    MPI_Barrier(run->comm);
    bench_count_in(1);
    res->cpu_seconds -= bench_cpu_seconds();
    span[0] = -bench_now();
    if (run->opt->one_shot) {
        one_shot(run, res);
    } else {
        bench_do_step(run, step);
    }
    if (!run->shared_clock) {
        MPI_Barrier(run->comm);
        span[1] = bench_now() + span[0];
        span[0] = 0;
    } else {
        span[1] = bench_now();
    }
    res->cpu_seconds += bench_cpu_seconds();
    bench_count_in(-1);
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

/** What a step needs and is not timed: content, an empty place, new types. */
static void prepare_step(bench_run_t *run, int step)
{
    if (run->write) {
        each_byte(run, step, fill);
    } else if (run->opt->check) {
        memset(run->buffer, 0, (size_t) run->plan->buffer_bytes);
    }
    if (run->write && run->opt->fresh && 0 == run->rank) {
        unlink(run->path);
    }
    for (int i = 0; run->opt->new_types && i < run->plan->call_count; i++) {
        bench_renew_mem_type(&run->plan->calls[i]);
    }
}

/** Leaves the file open, so that variables bound to it can still be read. */
static void run_steps(bench_run_t *run, bench_result_t *res)
{
    int64_t rss;

    bench_reset_peak();
    rss = bench_status_kib("VmRSS");
    for (int step = 0; step < run->opt->steps; step++) {
        int place = run->opt->one_shot ? 0 : step; /* in the file */

        prepare_step(run, place);
        res->step_seconds[step] = time_step(run, place, res);
        if (!run->write && run->opt->check) {
            res->bad_bytes += each_byte(run, place, check);
        }
        progress(run, step);
    }
    res->rss_kib = bench_status_kib("VmHWM");
    res->rss_extra_kib = res->rss_kib - rss;
}

/** All steps with one open file. */
static void run_open_file(bench_run_t *run, bench_result_t *res)
{
    double begin;

    MPI_Barrier(run->comm);
    begin = bench_now();
    bench_open_file(run);
    res->open_seconds = longest(bench_now() - begin - run->view_seconds, run->comm);
    if (BENCH_API_MPI == run->opt->api) {
        res->pvars = bench_pvars_open(run->file, run->comm);
    }
    run_steps(run, res);
    bench_pvars_read(res->pvars, run->comm);
    begin = bench_now();
    bench_close_file(run);
    res->close_seconds = longest(bench_now() - begin, run->comm);
}

/** A file for each step. Variables bound to a file end with it, so none are read. */
static void run_one_shots(bench_run_t *run, bench_result_t *res)
{
    run_steps(run, res);
    res->open_seconds = longest(res->open_seconds / run->opt->steps, run->comm);
    res->call_seconds = longest(res->call_seconds / run->opt->steps, run->comm);
    res->close_seconds = longest(res->close_seconds / run->opt->steps, run->comm);
}

static int64_t file_bytes(const bench_run_t *run)
{
    return (run->opt->one_shot ? 1 : run->opt->steps) * run->plan->step_bytes;
}

static void run_phase(bench_run_t *run, bool write)
{
    const bench_options_t *opt = run->opt;
    bench_result_t res = {.phase = write ? "write" : "read"};

    res.step_seconds = bench_alloc((int64_t) sizeof(double) * opt->steps);
    run->write = write;
    run->view_seconds = 0;
    run->view_type = MPI_DATATYPE_NULL;
    if (opt->one_shot) {
        run_one_shots(run, &res);
    } else {
        run_open_file(run, &res);
    }
    res.view_seconds = longest(run->view_seconds, run->comm);
    MPI_Allreduce(MPI_IN_PLACE, &res.bad_bytes, 1, MPI_INT64_T, MPI_SUM, run->comm);
    if (write && opt->check) {
        res.bad_bytes = bench_verify_file(run->path, file_bytes(run), opt->seed, run->comm);
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

/** Of whole pages. Where malloc puts a large block depends on what was freed before, so on the
 * component; 16 bytes past the start of a page the kernel copies at less than half the speed. */
static char *page_buffer(int64_t bytes)
{
    size_t page = (size_t) sysconf(_SC_PAGESIZE);
    size_t whole = ((size_t) bytes + page) / page * page;
    char *buffer = aligned_alloc(page, whole);

    if (NULL == buffer) {
        bench_die("out of memory (%lld bytes)", (long long) bytes);
    }
    memset(buffer, 0, whole);
    return buffer;
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
    run.buffer = page_buffer(plan->buffer_bytes);
    if (opt->level < 2) {
        bench_make_segments(&run);
    }
    run.requests = bench_alloc((int64_t) sizeof(MPI_Request) * opt->outstanding);
    name_file(&run);
    if (!opt->do_write || (opt->one_shot && !opt->fresh)) {
        /* an existing file has other content than what is written to it */
        bench_create_file(run.path, file_bytes(&run), opt->seed + opt->do_write, comm);
    }
    if (opt->do_write) {
        run_phase(&run, true);
    }
    if (opt->do_read) {
        run_phase(&run, false);
    }
    MPI_Barrier(comm);
    if (0 == run.rank && !opt->keep) {
        unlink(run.path);
    }
    bench_free_segments(&run);
    free(run.requests);
    free(run.buffer);
}
