/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * The command line: one table that is parsed and printed, so the two cannot differ.
 */
#include "bench.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef enum kind_t {
    TEXT,
    NUMBER,
    SIZE,
    DIMS,
    ON,
    OFF,
    API,
    PHASES,
    HINT,
    READ_HINT,
    NODE_HINT,
    HEAD
} kind_t;

typedef struct option_row_t {
    const char *name;
    kind_t kind;
    size_t at;
    const char *value; /* what the help calls the value */
    const char *help;
} option_row_t;

#define AT(field) offsetof(bench_options_t, field)

static const option_row_t rows[] = {
    {"Work", HEAD, 0, NULL, NULL},
    {"kernel", TEXT, AT(kernel), "NAME", "the access pattern, see the list below"},
    {"size", SIZE, AT(size), "BYTES", "about how much a time step moves, all ranks together (16m)"},
    {"steps", NUMBER, AT(steps), "N", "time steps; step n follows step n-1 in the file (3)"},
    {"phases", PHASES, 0, "LIST", "write, read, or both with a comma (write,read)"},
    {"level", NUMBER, AT(level), "0-3",
     "how the program asks: 0 one independent call per piece, 1 one collective call per "
     "piece, 2 one independent call with a file view, 3 one collective call with a view (3)"},
    {"one-shot", ON, AT(one_shot), NULL,
     "a step is MPI_File_open, the calls of one step, MPI_File_close, all timed, always in the "
     "same place of the file; the parts are in open_, call_ and close_seconds"},
    {"fresh", ON, AT(fresh), NULL, "with --one-shot: remove the file before each write step"},
    {"outstanding", NUMBER, AT(outstanding), "N",
     "nonblocking calls, N under way at a time; 0: blocking calls (0)"},
    {"new-types", ON, AT(new_types), NULL,
     "types, flash: every step has memory types made for it (not timed), so each is a first use"},
    {"api", API, 0, "NAME",
     "mpi, or limit: the same bytes per rank by contiguous pwrite/pread (mpi)"},
    {"seed", SIZE, AT(seed), "N", "of the file's content and of the irregular kernels (1)"},
    {"Shape; what is not given follows from --size", HEAD, 0, NULL, NULL},
    {"grid", DIMS, AT(grid), "NxNx..",
     "points of btio, s3d, dist3d, coll_perf, lattice (slowest "
     "first); columns or cells of e3sm-*, elements of unstruc"},
    {"elem", SIZE, AT(elem), "BYTES", "size of an element of tile, dist3d, unstruc, lattice, e3sm"},
    {"tile", DIMS, AT(tile), "YxX", "elements of a rank's tile (tile)"},
    {"transfer", SIZE, AT(transfer), "BYTES", "bytes per rank and call of ior-* (1m)"},
    {"calls", SIZE, AT(calls), "N", "calls per time step of ior-*"},
    {"view", ON, AT(one_view), NULL, "ior-*: a step's transfers in one call, through a file view"},
    {"vars", SIZE, AT(vars), "N", "variables of e3sm-* (12, 8), e3sm (8) and flash (24)"},
    {"decomposition", TEXT, AT(decomposition), "FILE",
     "e3sm: a decomposition that PIO or Scorpio wrote as text (piodecomp*.dat); its tasks are "
     "shared "
     "out to the ranks, and every element needs a task"},
    {"blocks", SIZE, AT(blocks), "N", "blocks per rank of flash; pieces in memory of types"},
    {"packed", ON, AT(packed), NULL, "flash: no guard cells in memory"},
    {"File", HEAD, 0, NULL, NULL},
    {"dir", TEXT, AT(dir), "PATH", "where the file goes; every rank must see it (.)"},
    {"hint", HINT, 0, "KEY=VALUE", "an MPI_Info hint for the open; may be repeated"},
    {"read-hint", READ_HINT, 0, "KEY=VALUE", "a hint for reads only; wins over --hint"},
    {"node-hint", NODE_HINT, 0, "KEY=V,V,...",
     "a hint with a value for each node, in the order of their first ranks; the last one is for "
     "all further nodes"},
    {"sync", ON, AT(sync), NULL, "fsync in every write step, and count it"},
    {"keep", ON, AT(keep), NULL, "leave the file there"},
    {"no-check", OFF, AT(check), NULL, "do not check the bytes"},
    {"Output: one JSON object per phase and line on standard output", HEAD, 0, NULL, NULL},
    {"label", TEXT, AT(label), "TEXT", "copied to the output"},
    {"progress", ON, AT(progress), NULL, "say what runs on standard error (a terminal: always)"},
    {NULL, HEAD, 0, NULL, NULL},
};

/** Prints text from column 27 on, broken at blanks. */
static void print_wrapped(const char *text)
{
    int column = 26;

    while ('\0' != *text) {
        int n = (int) strcspn(text, " ");

        if (column + 1 + n > 96) {
            printf("\n%26s", "");
            column = 26;
        }
        printf(" %.*s", n, text);
        column += 1 + n;
        text += n + (' ' == text[n]);
    }
    putchar('\n');
}

static void print_help(void)
{
    puts("usage: mpirun -n RANKS collio_bench --kernel NAME [options] [--then --kernel ...]\n\n"
         "Writes and reads one file as well-known parallel programs do, checks every byte, and\n"
         "tells how long it took. Sizes take a suffix k, m or g (powers of 1024). --then starts\n"
         "another run, with options of its own, in the same job.");
    for (const option_row_t *row = rows; NULL != row->name; row++) {
        char left[64];

        if (HEAD == row->kind) {
            printf("\n%s:\n", row->name);
            continue;
        }
        snprintf(left, sizeof(left), "--%s %s", row->name, NULL != row->value ? row->value : "");
        printf("  %-24s", left);
        print_wrapped(row->help);
    }
    puts("\nKernels:");
    for (const bench_kernel_t *kernel = bench_kernels; NULL != kernel->name; kernel++) {
        printf("  %-24s", kernel->name);
        print_wrapped(kernel->what);
    }
    puts("\nFor example:\n"
         "  mpirun -n 16 --mca fcoll overlap collio_bench --kernel btio --size 64m --steps 5 "
         "--dir /dev/shm");
}

static int64_t parse_size(const char *name, const char *text)
{
    char *end;
    long long n;
    static const char suffix[] = "kmg";

    errno = 0;
    n = strtoll(text, &end, 10);
    for (int i = 0; i < 3; i++) {
        if ('\0' != *end && (suffix[i] | 0x20) == (*end | 0x20) && '\0' == end[1]) {
            n <<= 10 * (i + 1);
            end++;
        }
    }
    if (0 != errno || end == text || '\0' != *end || n < 0) {
        bench_die("--%s %s: want a number, perhaps with k, m or g", name, text);
    }
    return n;
}

static int parse_dims(const char *name, const char *text, int64_t *dims, int room)
{
    int count = 0;

    while ('\0' != *text) {
        char part[24];
        int n = (int) strcspn(text, "x");

        if (count == room || n >= (int) sizeof(part)) {
            bench_die("--%s %s: want up to %d numbers joined by x", name, text, room);
        }
        memcpy(part, text, (size_t) n);
        part[n] = '\0';
        dims[count] = parse_size(name, part);
        if (0 == dims[count++]) {
            bench_die("--%s: a size of 0", name);
        }
        text += n + ('x' == text[n]);
    }
    return count;
}

static void set_value(bench_options_t *opt, const option_row_t *row, const char *value)
{
    char *field = (char *) opt + row->at;

    switch (row->kind) {
    case TEXT:
        *(const char **) field = value;
        break;
    case NUMBER:
        *(int *) field = (int) parse_size(row->name, value);
        break;
    case SIZE:
        *(int64_t *) field = parse_size(row->name, value);
        break;
    case DIMS:
        if (AT(grid) == row->at) {
            opt->grid_dims = parse_dims(row->name, value, opt->grid, BENCH_MAX_DIMS);
        } else if (2 != parse_dims(row->name, value, opt->tile, 2)) {
            bench_die("--tile %s: want two numbers, as in 64x64", value);
        }
        break;
    case API:
        opt->api = 0 == strcmp(value, "limit") ? BENCH_API_LIMIT : BENCH_API_MPI;
        if (0 != strcmp(value, "limit") && 0 != strcmp(value, "mpi")) {
            bench_die("--api %s: want mpi or limit", value);
        }
        break;
    case PHASES:
        opt->do_write = NULL != strstr(value, "write");
        opt->do_read = NULL != strstr(value, "read");
        if (!opt->do_write && !opt->do_read) {
            bench_die("--phases %s: want write, read or write,read", value);
        }
        break;
    case HINT:
        if (BENCH_MAX_HINTS == opt->hint_count || NULL == strchr(value, '=')) {
            bench_die("--hint %s: want key=value, at most %d of them", value, BENCH_MAX_HINTS);
        }
        opt->hints[opt->hint_count++] = value;
        break;
    case READ_HINT:
        if (NULL != opt->read_hint || NULL == strchr(value, '=')) {
            bench_die("--read-hint %s: want key=value, once", value);
        }
        opt->read_hint = value;
        break;
    case NODE_HINT:
        if (NULL != opt->node_hint || NULL == strchr(value, '=')) {
            bench_die("--node-hint %s: want key=value,value,... once", value);
        }
        opt->node_hint = value;
        break;
    case ON:
    case OFF:
    case HEAD:
        *(bool *) field = ON == row->kind;
        break;
    }
}

static const option_row_t *find(const char *name)
{
    for (const option_row_t *row = rows; NULL != row->name; row++) {
        if (HEAD != row->kind && 0 == strcmp(row->name, name)) {
            return row;
        }
    }
    return NULL;
}

void bench_options_parse(int argc, char **argv, bench_options_t *opt)
{
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    *opt = (bench_options_t){.dir = ".",
                             .label = "",
                             .do_write = true,
                             .do_read = true,
                             .check = true,
                             .steps = 3,
                             .level = 3,
                             .size = 16 << 20,
                             .seed = 1};
    opt->progress = isatty(STDERR_FILENO);
    for (int i = 0; i < argc; i++) {
        const option_row_t *row = 0 == strncmp(argv[i], "--", 2) ? find(argv[i] + 2) : NULL;
        bool help = 0 == strcmp(argv[i], "--help") || 0 == strcmp(argv[i], "-h");

        if (help) {
            if (0 == rank) {
                print_help();
            }
            MPI_Finalize();
            exit(0);
        }
        if (NULL == row) {
            bench_die("unknown option '%s' (--help lists them)", argv[i]);
        }
        if (NULL != row->value && i + 1 == argc) {
            bench_die("%s wants a value (%s)", argv[i], row->value);
        }
        set_value(opt, row, NULL != row->value ? argv[++i] : NULL);
    }
    if (NULL == opt->kernel) {
        bench_die("which --kernel? (--help lists them)");
    }
    if (opt->level < 0 || opt->level > 3 || opt->steps < 1 || opt->size < 1) {
        bench_die("--level is 0 to 3, --steps and --size at least 1");
    }
    if (opt->fresh && !opt->one_shot) {
        bench_die("--fresh goes with --one-shot only");
    }
}
