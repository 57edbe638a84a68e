/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * A real decomposition: the text file that PIO (Scorpio), the I/O library of E3SM and CESM, writes
 * for a run of a model (piodecomp*.dat):
 *
 *   version 2001 npes TASKS ndims D
 *   sizes of the D dimensions
 *   0 COUNT                                for each task: its number, and its elements, counted
 *   element element 0 element ...          from 1; 0: memory that is not in the file
 *
 * Text after the last task (a stack trace) is not read. The tasks are shared out to the ranks in
 * order. All --vars variables of a step go in one call, as E3SM flushes them.
 */
#include "bench.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct map_t {
    const char *path;
    FILE *file;
    int tasks;
    int64_t n;    /* elements of the array */
    int *rank_of; /* [n]: rank of each element; -1: none */
} map_t;

/** The next number, between least and most. */
static int64_t next(const map_t *map, int64_t least, int64_t most)
{
    long long number;

    if (1 != fscanf(map->file, "%lld", &number)) {
        bench_die("%s: the decomposition ends too early", map->path);
    }
    if (number < least || number > most) {
        bench_die("%s: %lld: want a number from %lld to %lld", map->path, number, (long long) least,
                  (long long) most);
    }
    return number;
}

static void read_head(map_t *map)
{
    int version;
    int dims;

    if (3 != fscanf(map->file, "version %d npes %d ndims %d", &version, &map->tasks, &dims)
        || map->tasks < 1 || dims < 1) {
        bench_die("%s: not a decomposition: want 'version V npes N ndims N'", map->path);
    }
    map->n = 1;
    for (int d = 0; d < dims; d++) {
        map->n *= next(map, 1, (INT64_C(1) << 40) / map->n);
    }
    map->rank_of = bench_alloc((int64_t) sizeof(int) * map->n);
    for (int64_t i = 0; i < map->n; i++) {
        map->rank_of[i] = -1;
    }
}

static void read_task(const map_t *map, int task, int ranks)
{
    int64_t count;

    next(map, task, task);
    count = next(map, 0, INT64_MAX);
    for (int64_t i = 0; i < count; i++) {
        int64_t element = next(map, 0, map->n);

        if (0 == element) {
            continue;
        }
        if (-1 != map->rank_of[element - 1]) {
            bench_die("%s: element %lld has two tasks", map->path, (long long) element);
        }
        map->rank_of[element - 1] = (int) ((int64_t) task * ranks / map->tasks);
    }
}

static void read_map(map_t *map, int ranks)
{
    int64_t left = 0;

    map->file = fopen(map->path, "r");
    if (NULL == map->file) {
        bench_die("%s: %s", map->path, strerror(errno));
    }
    read_head(map);
    for (int task = 0; task < map->tasks; task++) {
        read_task(map, task, ranks);
    }
    fclose(map->file);
    for (int64_t i = 0; i < map->n; i++) {
        left += -1 == map->rank_of[i];
    }
    if (left > 0) { /* every byte of the file is checked */
        bench_die("%s: %lld of %lld elements have no task", map->path, (long long) left,
                  (long long) map->n);
    }
}

void bench_e3sm(const bench_options_t *opt, int rank, int ranks, bench_plan_t *plan)
{
    int64_t elem = opt->elem > 0 ? opt->elem : 8;
    int64_t vars = opt->vars > 0 ? opt->vars : 8;
    int64_t room = 0;
    map_t map = {.path = opt->decomposition};

    if (NULL == opt->decomposition) {
        bench_die("--kernel e3sm wants --decomposition FILE");
    }
    read_map(&map, ranks);
    plan->view = true;
    plan->step_bytes = vars * map.n * elem;
    bench_plan_calls(plan, 1);
    for (int64_t i = 0; i < vars * map.n; i++) {
        if (rank == map.rank_of[i % map.n]) {
            bench_call_piece(&plan->calls[0], &room, i * elem, elem);
        }
    }
    plan->calls[0].file_type = bench_pieces_type(&plan->calls[0]);
    free(map.rank_of);
    snprintf(plan->shape, sizeof(plan->shape), "%lld variables of %lld elements of %d tasks",
             (long long) vars, (long long) map.n, map.tasks);
}
