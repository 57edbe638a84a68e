/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * The program: options, one kernel, its phases. See bench.h for the map and --help for the rest.
 */
#include "bench.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const bench_kernel_t bench_kernels[] = {
    {"ior-seg", "IOR, segmented: each rank a block of its own, --transfer bytes per call",
     bench_ior_segmented},
    {"ior-int", "IOR, interleaved: the ranks' transfers take turns in the file",
     bench_ior_interleaved},
    {"tile", "mpi-tile-io: a 2-D array of --elem byte elements, one tile per rank", bench_tile},
    {"btio", "NPB BTIO: block-tridiagonal multi-partition, 5 doubles a point", bench_btio},
    {"s3d", "S3D-IO checkpoint: 4 variables of 11, 3, 1, 1 doubles a point", bench_s3d},
    {"e3sm-f", "E3SM F-like: very many pieces of about 11 bytes, all variables in one call",
     bench_e3sm_f},
    {"e3sm-g", "E3SM G-like: many pieces of about 500 bytes, all variables in one call",
     bench_e3sm_g},
    {"e3sm", "--vars variables with the decomposition of a real run (--decomposition), in one call",
     bench_e3sm},
    {"flash", "FLASH-IO checkpoint: 24 variables, blocks with guard cells in memory", bench_flash},
    {"dist3d", "DIST3D: block-block-block array of 8-byte elements", bench_dist3d},
    {"unstruc", "UNSTRUC: 64-byte elements dealt to the ranks at random", bench_unstruc},
    {"lattice", "4-D block subarray: lattice sites of 192 bytes", bench_lattice},
    {"types", "a contiguous call per step from --blocks scattered pieces of --elem bytes in memory",
     bench_types},
    {"coll_perf", "coll_perf: 3-D block-distributed array of ints", bench_coll_perf},
    {NULL, NULL, NULL},
};

void bench_die(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fputs("collio_bench: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    MPI_Abort(MPI_COMM_WORLD, 1);
    __builtin_unreachable();
}

void bench_mpi(int code, const char *what)
{
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;

    if (MPI_SUCCESS == code) {
        return;
    }
    MPI_Error_string(code, text, &length);
    bench_die("%s: %s", what, text);
}

/** One kernel, from its options to its last phase. */
static void run_one(int argc, char **argv)
{
    bench_options_t opt;
    bench_plan_t plan = {.etype = MPI_BYTE};
    const bench_kernel_t *kernel = bench_kernels;
    int rank;
    int ranks;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    bench_options_parse(argc, argv, &opt);
    while (NULL != kernel->name && 0 != strcmp(kernel->name, opt.kernel)) {
        kernel++;
    }
    if (NULL == kernel->name) {
        bench_die("no kernel '%s' (--help lists them)", opt.kernel);
    }
    kernel->build(&opt, rank, ranks, &plan);
    bench_plan_finish(&plan);
    if (BENCH_API_LIMIT == opt.api) {
        bench_plan_limit(&plan, MPI_COMM_WORLD);
    }
    bench_run(&opt, &plan, MPI_COMM_WORLD);
    bench_plan_free(&plan);
}

int main(int argc, char **argv)
{
    int provided;
    int first = 1;

    MPI_Init(&argc, &argv);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    for (int i = 1; i <= argc; i++) {
        if (i == argc || 0 == strcmp(argv[i], "--then")) {
            run_one(i - first, argv + first);
            first = i + 1;
        }
    }
    MPI_T_finalize();
    MPI_Finalize();
    return 0;
}
