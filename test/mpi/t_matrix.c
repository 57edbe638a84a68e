/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * The matrix: one mpirun runs many cases; a case is one write or read, byte-checked.
 *
 *     t_matrix [--list] [--full] [--modes FILE] [--only CASE]... [--np-list 1,2,4] [--from N]
 *              [--exclude GLOB]... [--progress FILE] [--mutate byte|gap|size|count|buffer]
 *              [--tiny-bytes N] [--dir DIR] [--individual] [--atomic]
 *
 * Without --only the cases come from a covering array over all dimensions (every pair of values
 * at least once), the same for every run. --np-list makes the number of ranks a dimension too:
 * each mpirun takes its own share. --from N goes on after a case that hung or crashed; --exclude
 * leaves out cases by name (stock components have known bugs in some). --individual takes calls
 * that are not collective; --atomic sets atomic mode on every file.
 */
#include <fnmatch.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "t_matrix.h"

enum { MAX_EXCLUDES = 32 };

typedef struct options {
    t_run_options run;
    t_space space;
    t_cases cases;
    bool list, full, given;
    size_t from;
    const char *progress;
    const char *exclude[MAX_EXCLUDES];
    int excludes;
} options;

static const struct option long_options[] = {
    {"list", no_argument, NULL, 'l'},
    {"full", no_argument, NULL, 'f'},
    {"modes", required_argument, NULL, 'm'},
    {"only", required_argument, NULL, 'o'},
    {"np-list", required_argument, NULL, 'n'},
    {"from", required_argument, NULL, 's'},
    {"progress", required_argument, NULL, 'p'},
    {"mutate", required_argument, NULL, 'x'},
    {"tiny-bytes", required_argument, NULL, 't'},
    {"dir", required_argument, NULL, 'd'},
    {"exclude", required_argument, NULL, 'e'},
    {"individual", no_argument, NULL, 'i'},
    {"atomic", no_argument, NULL, 'a'},
    {NULL, 0, NULL, 0},
};

static void parse_np(t_space *space, char *list)
{
    space->n[D_NP] = 0;
    for (char *w = strtok(list, ","); NULL != w && space->n[D_NP] < MAX_NP; w = strtok(NULL, ",")) {
        space->np[space->n[D_NP]++] = atoi(w);
    }
}

static bool add_only(options *o, const char *name)
{
    t_case c;

    if (!t_case_parse(&o->space, name, &c)) {
        fprintf(stderr, "t_matrix: no such case: %s\n", name);
        return false;
    }
    o->given = true;
    t_cases_add(&o->cases, &c);
    return true;
}

static bool parse(options *o, int argc, char *argv[])
{
    int letter;

    while (-1 != (letter = getopt_long(argc, argv, "", long_options, NULL))) {
        o->list |= 'l' == letter;
        o->full |= 'f' == letter;
        o->run.atomic |= 'a' == letter;
        o->from = 's' == letter ? strtoull(optarg, NULL, 10) : o->from;
        o->progress = 'p' == letter ? optarg : o->progress;
        o->run.mutate = 'x' == letter ? optarg : o->run.mutate;
        o->run.tiny_bytes = 't' == letter ? atoi(optarg) : o->run.tiny_bytes;
        o->run.dir = 'd' == letter ? optarg : o->run.dir;
        if ('n' == letter) {
            parse_np(&o->space, optarg);
        } else if ('e' == letter) {
            o->exclude[o->excludes < MAX_EXCLUDES - 1 ? o->excludes++ : o->excludes] = optarg;
        } else if ('i' == letter) {
            o->space.individual = true;
            o->space.n[D_HOW] = HOWS;
            o->space.n[D_AGG] = o->space.n[D_BUF] = 1;
        } else if ('m' == letter && !t_space_read_modes(&o->space, optarg)) {
            fprintf(stderr, "t_matrix: no modes in %s\n", optarg);
            return false;
        } else if ('?' == letter || ('o' == letter && !add_only(o, optarg))) {
            return false;
        }
    }
    return true;
}

static bool excluded(const options *o, const char *name)
{
    for (int i = 0; i < o->excludes; i++) {
        if (0 == fnmatch(o->exclude[i], name, 0)) {
            return true;
        }
    }
    return false;
}

/** Tells the runner which case is under way, so that a hang or a crash can be named. */
static void note_progress(const options *o, size_t index, const char *name)
{
    FILE *file = NULL == o->progress || 0 != t_rank ? NULL : fopen(o->progress, "w");

    if (NULL != file) {
        fprintf(file, "%zu %s\n", index, name);
        fclose(file);
    }
}

static int run_cases(options *o)
{
    int failed = 0;
    char name[1200], why[256];

    for (size_t i = 0, index = 0; i < o->cases.n; i++) {
        const t_case *c = &o->cases.v[i];
        int result;

        if (!o->given && t_size != o->space.np[c->v[D_NP]]) {
            continue;
        }
        t_case_name(&o->space, c, name, sizeof(name));
        if (index++ < o->from || excluded(o, name)) {
            continue;
        }
        if (o->list) {
            if (0 == t_rank) {
                printf("%s\n", name);
            }
            continue;
        }
        note_progress(o, index - 1, name);
        result = t_case_run(&o->space, c, &o->run, why, sizeof(why));
        failed += CASE_FAILED == result;
        if (0 == t_rank) {
            printf("%s %zu %s%s%s\n",
                   CASE_OK == result       ? "ok"
                   : CASE_FAILED == result ? "not ok"
                                           : "skip",
                   index - 1, name, CASE_SKIPPED == result ? " # " : "",
                   CASE_SKIPPED == result ? why : "");
        }
    }
    return failed;
}

int main(int argc, char *argv[])
{
    static options o;
    char dir[512];
    int failed;

    t_init(&argc, &argv);
    t_path(dir, sizeof(dir), ".");
    t_space_init(&o.space);
    o.run.dir = dir;
    o.run.tiny_bytes = 4096;
    if (!parse(&o, argc, argv)) {
        MPI_Finalize();
        return 2;
    }
    if (!o.given) {
        (o.full ? t_cases_full : t_cases_pairwise)(&o.space, &o.cases);
    }
    failed = run_cases(&o);
    if (0 == t_rank && NULL != o.progress) {
        note_progress(&o, o.cases.n, "done");
    }
    MPI_Finalize();
    return 0 == failed ? EXIT_SUCCESS : EXIT_FAILURE;
}
