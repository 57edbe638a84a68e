/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * scale [--csv FILE] [--svg FILE]                      the standard runs, a few seconds
 * scale --pattern NAME --ranks N [options]             one run
 * scale --machine FILE ...                             times with the costs of bench/machines/...
 * scale --memory                                       partition memory on 16 to 15,625 nodes
 * scale --footprint [--ranks N]                        memory that depends on the number of ranks
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cycle.h"
#include "number.h"
#include "scale.h"

enum { MOST_RESULTS = 128 };

/* The standard runs: 64 ranks per node, 56 aggregators and cycles of 1 MiB, as in the TAM paper. */
static const struct {
    const char *pattern;
    int ranks;
} standard[] = {
    {"btio", 256},    {"btio", 1024},   {"btio", 4096},    {"btio", 16384},  {"s3d", 256},
    {"s3d", 1024},    {"s3d", 4096},    {"s3d", 16384},    {"s3d", 131072},  {"s3d", 1000000},
    {"e3sm-f", 1024}, {"e3sm-f", 4096}, {"e3sm-f", 16384}, {"e3sm-g", 1024}, {"e3sm-g", 16384},
};

static const char usage[] =
    "usage: scale [--csv FILE] [--svg FILE] [--replay EXTENTS]\n"
    "       scale --pattern btio|s3d|e3sm-f|e3sm-g|segmented|interleaved\n"
    "             --ranks N [--per-node N] [--aggregators N]\n"
    "             [--local N] [--grid N] [--window BYTES] [--unit BYTES] [--csv FILE]\n"
    "             [--machine FILE]\n"
    "       scale --memory\n"
    "       scale --footprint [--ranks N] [--per-node N] [--aggregators N]\n\n"
    "Computes, with the planning code of the components, what two-phase and two-layer\n"
    "aggregation (tam) exchange: extents, messages, offset lists, memory, estimated time.\n\n"
    "  --per-node     ranks on a node (64)\n"
    "  --aggregators  aggregators (56)\n"
    "  --local        local aggregators on a node; 0 = by the cost rule (0)\n"
    "  --grid         points on an edge, or cells of a record; 0 = the published size (0)\n"
    "  --window       bytes of a cycle of an aggregator (1048576; 2 GiB at most)\n"
    "  --unit         file domains begin at multiples of it (1)\n"
    "  --machine      a file of bench/machines: times with the costs of its network\n"
    "  --memory       partition memory on nodes with uneven memory: buffers, cost of a plan\n"
    "  --footprint    CSV: bytes that depend on the number of ranks, on a rank, on a node, and on\n"
    "                 an aggregator for each plan\n"
    "  --replay       plan as many aggregators as hold so many extents (1000000); the exact\n"
    "                 counts of all aggregators are checked against these\n";

typedef struct scale_outputs_t {
    bool memory;    /* --memory */
    bool footprint; /* --footprint */
    const char *csv;
    const char *svg;
    scale_result_t results[MOST_RESULTS];
    size_t count;
} outputs_t;

static int run(const scale_options_t *options, outputs_t *outputs)
{
    scale_result_t *results = &outputs->results[outputs->count];
    const char *error = scale_compute(options, results);

    if (NULL != error) {
        fprintf(stderr, "scale: %s, %d ranks: %s\n", options->pattern, options->ranks, error);
        return EXIT_FAILURE;
    }
    for (int way = 0; way < SCALE_WAYS; ++way) {
        scale_report_line(stdout, &results[way]);
    }
    fflush(stdout);
    outputs->count += SCALE_WAYS;
    return EXIT_SUCCESS;
}

static int run_standard(scale_options_t options, outputs_t *outputs)
{
    int rc = EXIT_SUCCESS;

    for (size_t i = 0; EXIT_SUCCESS == rc && i < sizeof(standard) / sizeof(standard[0]); ++i) {
        options.pattern = standard[i].pattern;
        options.ranks = standard[i].ranks;
        rc = run(&options, outputs);
    }
    return rc;
}

/* Buffers of 32 MiB an aggregator, as the authors of the method varied them; 512 MiB a node. */
static int run_memory(int per_node)
{
    static const int ranks[] = {1024, 16384, 131072, 640000, 1000000};

    scale_memory_head(stdout);
    for (size_t i = 0; i < sizeof(ranks) / sizeof(ranks[0]); ++i) {
        scale_memory_t memory = {.ranks = ranks[i],
                                 .ranks_per_node = per_node,
                                 .buffer_bytes = 32 << 20,
                                 .deviation = 50 << 20,
                                 .least = 1 << 20,
                                 .node_bytes = 512 << 20};
        scale_memory_result_t result;
        const char *error = scale_memory(&memory, &result);

        if (NULL != error) {
            fprintf(stderr, "scale: memory, %d ranks: %s\n", ranks[i], error);
            return EXIT_FAILURE;
        }
        scale_memory_line(stdout, &memory, &result);
    }
    return EXIT_SUCCESS;
}

static int run_footprint(const scale_options_t *options)
{
    static const int ranks[] = {256, 1024, 16384, 131072, 1000000};

    printf("ranks,nodes,aggregators,rank_bytes,node_bytes,aggregator_bytes\n");
    if (0 != options->ranks) {
        scale_footprint_print(stdout, options->ranks, options->per_node, options->aggregators);
        return EXIT_SUCCESS;
    }
    for (size_t i = 0; i < sizeof(ranks) / sizeof(ranks[0]); ++i) {
        scale_footprint_print(stdout, ranks[i], options->per_node, options->aggregators);
    }
    return EXIT_SUCCESS;
}

static int write_file(const char *name, const outputs_t *outputs, bool csv)
{
    FILE *out = fopen(name, "w");

    if (NULL == out) {
        fprintf(stderr, "scale: cannot write %s: %s\n", name, strerror(errno));
        return EXIT_FAILURE;
    }
    if (csv) {
        scale_csv_head(out);
        for (size_t i = 0; i < outputs->count; ++i) {
            scale_csv_line(out, &outputs->results[i]);
        }
    } else {
        scale_plot(out, outputs->results, outputs->count);
    }
    return 0 == fclose(out) ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* A number of at least `least`, or the end. */
static int64_t number(const char *name, const char *text, int64_t least)
{
    char *end;
    long long value;

    errno = 0;
    value = strtoll(text, &end, 10);
    if (0 != errno || end == text || '\0' != *end || value < least || value > INT64_MAX / 16) {
        fprintf(stderr, "scale: --%s: '%s' is not a number of at least %d\n", name, text,
                (int) least);
        exit(EXIT_FAILURE);
    }
    return value;
}

static void read_costs(const char *path)
{
    const char *error = scale_costs_read(path);

    if (NULL != error) {
        fprintf(stderr, "scale: %s: %s\n", path, error);
        exit(EXIT_FAILURE);
    }
}

static void parse(int argc, char **argv, scale_options_t *options, outputs_t *outputs)
{
    static const struct option names[] = {
        {"pattern", 1, NULL, 'p'},   {"ranks", 1, NULL, 'n'},
        {"per-node", 1, NULL, 'q'},  {"aggregators", 1, NULL, 'a'},
        {"local", 1, NULL, 'l'},     {"grid", 1, NULL, 'g'},
        {"window", 1, NULL, 'w'},    {"unit", 1, NULL, 'u'},
        {"replay", 1, NULL, 'r'},    {"csv", 1, NULL, 'c'},
        {"svg", 1, NULL, 's'},       {"help", 0, NULL, 'h'},
        {"memory", 0, NULL, 'm'},    {"machine", 1, NULL, 'M'},
        {"footprint", 0, NULL, 'f'}, {NULL, 0, NULL, 0}};
    int index = 0;
    int letter;

    while (-1 != (letter = getopt_long(argc, argv, "", names, &index))) {
        const char *name = names[index].name;

        switch (letter) {
        case 'p':
            options->pattern = optarg;
            break;
        case 'n':
            options->ranks = (int) number(name, optarg, 1);
            break;
        case 'q':
            options->per_node = (int) number(name, optarg, 1);
            break;
        case 'a':
            options->aggregators = (int) number(name, optarg, 1);
            break;
        case 'l':
            options->local = (int) number(name, optarg, 0);
            break;
        case 'g':
            options->grid = number(name, optarg, 0);
            break;
        case 'w':
            options->window_bytes = collio_min(number(name, optarg, 1), COLLIO_WINDOW_MAX);
            break;
        case 'u':
            options->unit = number(name, optarg, 1);
            break;
        case 'r':
            options->replay_extents = number(name, optarg, 0);
            break;
        case 'm':
            outputs->memory = true;
            break;
        case 'f':
            outputs->footprint = true;
            break;
        case 'M':
            read_costs(optarg);
            break;
        case 'c':
            outputs->csv = optarg;
            break;
        case 's':
            outputs->svg = optarg;
            break;
        default:
            fputs(usage, 'h' == letter ? stdout : stderr);
            exit('h' == letter ? EXIT_SUCCESS : EXIT_FAILURE);
        }
    }
    if (optind < argc
        || (!outputs->footprint && (NULL == options->pattern) != (0 == options->ranks))) {
        fputs(usage, stderr);
        exit(EXIT_FAILURE);
    }
}

int main(int argc, char **argv)
{
    static outputs_t outputs;
    scale_options_t options = {.per_node = 64,
                               .aggregators = 56,
                               .window_bytes = 1 << 20,
                               .unit = 1,
                               .replay_extents = 1000000};
    int rc;

    parse(argc, argv, &options, &outputs);
    if (outputs.memory) {
        return run_memory(options.per_node);
    }
    if (outputs.footprint) {
        return run_footprint(&options);
    }
    scale_report_head(stdout);
    rc = NULL == options.pattern ? run_standard(options, &outputs) : run(&options, &outputs);
    if (EXIT_SUCCESS == rc) {
        scale_report_costs(stdout);
    }
    if (EXIT_SUCCESS == rc && NULL != outputs.csv) {
        rc = write_file(outputs.csv, &outputs, true);
    }
    if (EXIT_SUCCESS == rc && NULL != outputs.svg) {
        rc = write_file(outputs.svg, &outputs, false);
    }
    return rc;
}
