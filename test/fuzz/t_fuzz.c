/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random sequences of file operations against a model of the file.
 *
 *     mpirun -np 8 t_fuzz --seed 1 --time 60          many sequences, groups of 1 to 8 ranks
 *     mpirun -np 3 t_fuzz --seed 77 --size 4 --ranks 0,1,3 --steps 2,5 --without hints --show
 *
 * The first splits the ranks again and again; every group runs sequences of its own. The second
 * runs one sequence, or what is left of it: --size is the number of ranks that it was made for,
 * --ranks those that are still there. --threads lets threads make calls. --weak is for a file
 * system whose nodes see what others wrote only after a sync.
 */
#include "fuzz_run.h"

#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PER_EPOCH = 8 };

typedef struct options {
    uint64_t seed;
    long count; /* sequences of a group; 0: until the time is over */
    double seconds;
    int size;
    int who[FUZZ_RANKS], actors;
    uint32_t steps, hints;
    uint64_t features;
    bool show, check_all, weak, one;
    int damage;
    int progress; /* a file that tells what is running, or -1 */
} options;

typedef struct totals {
    long sequences, steps, failures;
} totals;

static uint32_t bits(const char *list)
{
    uint32_t set = 0;
    char *end;

    while ('\0' != *list) {
        long number = strtol(list, &end, 10);

        if (end == list) {
            break;
        }
        set |= 0 <= number && number < 32 ? UINT32_C(1) << number : 0;
        list = ',' == *end ? end + 1 : end;
    }
    return set;
}

static uint64_t without(const char *list)
{
    uint64_t features = UINT64_MAX;

    while ('\0' != *list) {
        size_t length = strcspn(list, ",");
        int found = -1;

        for (int i = 0; i < FUZZ_FEATURE_COUNT; i++) {
            const char *name = fuzz_feature_name(i);

            found = strlen(name) == length && 0 == strncmp(name, list, length) ? i : found;
        }
        if (0 > found && 0 < length) {
            fprintf(stderr, "t_fuzz: no feature '%.*s'\n", (int) length, list);
            exit(2);
        }
        features &= 0 > found ? UINT64_MAX : ~(UINT64_C(1) << found);
        list += length + (',' == list[length]);
    }
    return features;
}

static void actors(options *o, const char *list)
{
    uint32_t set = bits(list);

    o->actors = 0;
    for (int i = 0; i < FUZZ_RANKS; i++) {
        if (0 != (set >> i & 1)) {
            o->who[o->actors++] = i;
        }
    }
}

/* Returns whether threads are asked for: they change what Open MPI does. */
static bool parse(int argc, char **argv, options *o)
{
    static const struct option names[] = {{"show", no_argument, NULL, 'v'},
                                          {"threads", no_argument, NULL, 'T'},
                                          {"weak", no_argument, NULL, 'k'},
                                          {"check-all", no_argument, NULL, 'a'},
                                          {"seed", required_argument, NULL, 's'},
                                          {"count", required_argument, NULL, 'c'},
                                          {"time", required_argument, NULL, 't'},
                                          {"size", required_argument, NULL, 'z'},
                                          {"ranks", required_argument, NULL, 'r'},
                                          {"steps", required_argument, NULL, 'e'},
                                          {"hints", required_argument, NULL, 'h'},
                                          {"without", required_argument, NULL, 'w'},
                                          {"progress", required_argument, NULL, 'p'},
                                          {"damage", required_argument, NULL, 'd'},
                                          {NULL, 0, NULL, 0}};
    bool threads = false;
    int name;

    *o = (options){.seed = 1,
                   .steps = UINT32_MAX,
                   .hints = UINT32_MAX,
                   .features = UINT64_MAX,
                   .progress = -1,
                   .damage = -1};
    for (int i = 0; i < FUZZ_RANKS; i++) {
        o->who[i] = i;
    }
    while (-1 != (name = getopt_long(argc, argv, "", names, NULL))) {
        threads |= 'T' == name;
        o->show |= 'v' == name;
        o->weak |= 'k' == name;
        o->check_all |= 'a' == name;
        o->one |= 'z' == name;
        o->seed = 's' == name ? strtoull(optarg, NULL, 0) : o->seed;
        o->count = 'c' == name ? strtol(optarg, NULL, 0) : o->count;
        o->seconds = 't' == name ? strtod(optarg, NULL) : o->seconds;
        o->size = 'z' == name ? atoi(optarg) : o->size;
        o->steps = 'e' == name ? bits(optarg) : o->steps;
        o->hints = 'h' == name ? bits(optarg) : o->hints;
        o->features = 'w' == name ? without(optarg) : o->features;
        o->damage = 'd' == name ? atoi(optarg) : o->damage;
        o->progress = 'p' == name ? open(optarg, O_WRONLY | O_CREAT, 0600) : o->progress;
        if ('r' == name) {
            actors(o, optarg);
        }
        if ('?' == name) {
            exit(2);
        }
    }
    return threads;
}

/** So that a hang or crash can be told: which sequence each group is in. */
static void note(const options *o, uint64_t seed, int size)
{
    char line[64];

    if (0 <= o->progress) {
        snprintf(line, sizeof(line), "%20llu %4d\n", (unsigned long long) seed, size);
        if (0 > pwrite(o->progress, line, strlen(line), (off_t) t_rank * 26)) {
            return;
        }
    }
}

static void name_file(fuzz_run *run, const char *name)
{
    static char path[512];

    t_path(path, sizeof(path), name);
    run->path = path;
}

static void one_sequence(const options *o, fuzz_run *run, uint64_t seed, int size, totals *sum)
{
    static fuzz_plan plan;
    char name[64];
    bool good;

    fuzz_plan_make(seed, size, &plan);
    run->plan = &plan;
    if (o->weak) { /* a node may know a file of the same name that is gone */
        snprintf(name, sizeof(name), "fuzz.%llu", (unsigned long long) seed);
        name_file(run, name);
    }
    if (0 == run->rank) {
        note(o, seed, size);
    }
    fuzz_show(run, "seed %llu, %d of %d ranks, %d steps", (unsigned long long) seed, run->ranks,
              size, plan.steps);
    good = fuzz_sequence(run);
    if (0 == run->rank) {
        sum->sequences++;
        sum->steps += plan.steps;
        sum->failures += !good;
        if (!good) {
            printf("FAIL seed=%llu size=%d\n", (unsigned long long) seed, size);
        }
    }
}

static void group_begin(const options *o, MPI_Comm comm, int leader, fuzz_run *run)
{
    char name[64];

    memset(run, 0, sizeof(*run));
    run->comm = comm;
    MPI_Comm_rank(comm, &run->rank);
    MPI_Comm_size(comm, &run->ranks);
    MPI_Comm_split(comm, 0, run->ranks - run->rank, &run->opposite);
    memcpy(run->who, o->who, sizeof(run->who));
    run->features = o->features;
    run->steps = o->steps;
    run->hints = o->hints;
    run->show = o->show;
    run->check_all = o->check_all;
    run->weak = o->weak;
    run->damage = o->damage;
    snprintf(name, sizeof(name), "fuzz.%d", leader);
    name_file(run, name);
    run->bytes = t_alloc(FUZZ_MODEL);
    run->touched = t_alloc(FUZZ_MODEL);
}

static void group_end(fuzz_run *run)
{
    MPI_Comm_free(&run->opposite);
    free(run->bytes);
    free(run->touched);
}

/** Cuts the ranks into groups: large ones are as common as small ones. */
static int cut(uint64_t random, int *leader)
{
    int color = 0;

    *leader = 0;
    while (true) {
        int left = t_size - *leader, size = 1 + fuzz_below(&random, left);

        if (t_rank < *leader + size) {
            return color;
        }
        *leader += size;
        color++;
    }
}

static void epoch(const options *o, uint64_t number, totals *sum)
{
    int leader, color = cut(t_mix(o->seed + number), &leader), size;
    fuzz_run run;
    MPI_Comm comm;

    MPI_Comm_split(MPI_COMM_WORLD, color, t_rank, &comm);
    MPI_Comm_size(comm, &size);
    group_begin(o, comm, leader, &run);
    for (int i = 0; i < PER_EPOCH; i++) {
        one_sequence(o, &run,
                     o->seed + (number * (uint64_t) t_size + (uint64_t) color) * PER_EPOCH
                         + (uint64_t) i,
                     size, sum);
    }
    group_end(&run);
    MPI_Comm_free(&comm);
}

static void told(const totals *mine, double seconds, const char *when)
{
    long have[3] = {mine->sequences, mine->steps, mine->failures}, all[3] = {0};

    MPI_Reduce(have, all, 3, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (0 == t_rank) {
        printf("%s: %ld sequences, %ld steps, %ld failures, %.0f s\n", when, all[0], all[1], all[2],
               seconds);
    }
}

static void many(const options *o, totals *sum)
{
    double begin = MPI_Wtime(), last = begin;
    int go_on = 1;

    for (uint64_t number = 0; go_on; number++) {
        double now;

        epoch(o, number, sum);
        now = MPI_Wtime();
        go_on = 0 < o->count ? (long) number + 1 < o->count : now - begin < o->seconds;
        go_on = go_on && now - last >= 5 ? 2 : go_on;
        MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
        if (2 == go_on) {
            told(sum, now - begin, "progress");
            last = now;
        }
    }
    told(sum, MPI_Wtime() - begin, "done");
}

int main(int argc, char **argv)
{
    options o;
    totals sum = {0};
    int failures = 0, all = 0, provided;

    provided = t_init_thread(&argc, &argv,
                             parse(argc, argv, &o) ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE);
    o.size = o.one ? o.size : t_size;
    o.actors = 0 < o.actors ? o.actors : t_size;
    if (MPI_THREAD_MULTIPLE != provided) {
        o.features &= ~(UINT64_C(1) << FUZZ_NUMBER_THREADS);
    }
    if (o.one) {
        fuzz_run run;

        if (o.actors != t_size || o.size > FUZZ_RANKS) {
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
        group_begin(&o, MPI_COMM_WORLD, 0, &run);
        for (long i = 0; i < (0 < o.count ? o.count : 1); i++) {
            one_sequence(&o, &run, o.seed + (uint64_t) i, o.size, &sum);
        }
        group_end(&run);
    } else {
        many(&o, &sum);
    }
    failures = 0 != sum.failures;
    MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    fuzz_leaf_finish();
    MPI_Finalize();
    return 0 == all ? EXIT_SUCCESS : EXIT_FAILURE;
}
