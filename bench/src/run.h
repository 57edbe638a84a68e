/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_BENCH_RUN_H
#define COLLIO_BENCH_RUN_H

#include "bench.h"

#include <limits.h>

/** One stretch that is contiguous in memory and in the file. */
typedef struct bench_segment_t {
    char *mem;
    int64_t offset;
    int64_t length;
} bench_segment_t;

typedef struct bench_segments_t {
    bench_segment_t *list;
    int64_t count;
    int64_t room;
    int64_t most; /* over all ranks: how often a collective call must be made */
} bench_segments_t;

/** A phase in progress. */
typedef struct bench_run_t {
    const bench_options_t *opt;
    const bench_plan_t *plan;
    MPI_Comm comm;
    int rank;
    bool write;
    bool shared_clock; /* one kernel: times of different ranks can be compared */
    char path[PATH_MAX];
    char *buffer;
    MPI_File file;
    int fd;
    MPI_Datatype view_type;     /* the one view of a plan with one call */
    bench_segments_t *segments; /* levels 0 and 1, per call */
    double view_seconds;
    MPI_Request *requests; /* --outstanding of them */
    int request_count;     /* under way */
} bench_run_t;

/* system.c */
double bench_now(void);
double bench_cpu_seconds(void);
void bench_count_in(int change);
bool bench_one_clock(MPI_Comm comm);
int64_t bench_status_kib(const char *key);
void bench_reset_peak(void);

/* calls.c: the file and the ways to ask for its bytes */
void bench_open_file(bench_run_t *run);
void bench_close_file(bench_run_t *run);
void bench_make_segments(bench_run_t *run);
void bench_free_segments(bench_run_t *run);

/** Every call of one time step, as --api and --level say. */
void bench_do_step(bench_run_t *run, int step);

#endif
