/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Block-distributed arrays, one call per step:
 *   dist3d     block-block-block array of 8-byte elements, as a subarray (levels 0 to 3)
 *   coll_perf  the same of ints, through MPI_Type_create_darray, as the ROMIO test does
 *   lattice    4-D array of sites of 192 bytes (a lattice QCD field), as a subarray
 */
#include "bench.h"

#include <stdio.h>

typedef struct block_t {
    int dims;
    int np[BENCH_MAX_DIMS];
    int64_t elem;
    int64_t whole[BENCH_MAX_DIMS];
    int64_t start[BENCH_MAX_DIMS];
    int64_t part[BENCH_MAX_DIMS];
} block_t;

/** My block: ceil(n / np) wide as HPF and darray say, so the last ones may be shorter. */
static void cut(const bench_options_t *opt, int rank, int ranks, int dims, int64_t elem,
                block_t *block)
{
    int64_t side = bench_root(opt->size / elem, dims);
    int rest = rank;

    *block = (block_t){.dims = dims, .elem = elem};
    MPI_Dims_create(ranks, dims, block->np);
    for (int d = dims - 1; d >= 0; d--) { /* row-major: the last dimension varies fastest */
        int64_t n = opt->grid_dims == dims ? opt->grid[d] : side;
        int64_t width = (n + block->np[d] - 1) / block->np[d];
        int64_t from = width * (rest % block->np[d]);

        rest /= block->np[d];
        block->whole[d] = n;
        block->start[d] = from < n ? from : n;
        block->part[d] = (from + width < n ? from + width : n) - block->start[d];
    }
}

static void finish(const block_t *block, bench_plan_t *plan)
{
    char *at = plan->shape;
    char *end = plan->shape + sizeof(plan->shape);

    plan->step_bytes = block->elem;
    for (int d = 0; d < block->dims; d++) {
        plan->step_bytes *= block->whole[d];
        at += snprintf(at, (size_t) (end - at), "%s%lld", d > 0 ? "x" : "",
                       (long long) block->whole[d]);
    }
    at += snprintf(at, (size_t) (end - at), " elements of %lld bytes, ", (long long) block->elem);
    for (int d = 0; d < block->dims; d++) {
        at += snprintf(at, (size_t) (end - at), "%s%d", d > 0 ? "x" : "", block->np[d]);
    }
    snprintf(at, (size_t) (end - at), " ranks");
    plan->view = true;
    bench_plan_calls(plan, 1);
    bench_block_pieces(&plan->calls[0], block->dims, block->whole, block->start, block->part,
                       block->elem);
}

static void subarray(const block_t *block, bench_plan_t *plan)
{
    finish(block, plan);
    plan->calls[0].file_type = bench_block_type(block->dims, block->whole, block->start,
                                                block->part, block->elem);
}

void bench_dist3d(const bench_options_t *opt, int rank, int ranks, bench_plan_t *plan)
{
    block_t block;

    cut(opt, rank, ranks, 3, opt->elem > 0 ? opt->elem : 8, &block);
    subarray(&block, plan);
}

void bench_lattice(const bench_options_t *opt, int rank, int ranks, bench_plan_t *plan)
{
    block_t block;

    cut(opt, rank, ranks, 4, opt->elem > 0 ? opt->elem : 192, &block);
    subarray(&block, plan);
}

void bench_coll_perf(const bench_options_t *opt, int rank, int ranks, bench_plan_t *plan)
{
    block_t block;
    int sizes[3];
    int kinds[3];
    int args[3];

    cut(opt, rank, ranks, 3, sizeof(int), &block);
    finish(&block, plan);
    plan->etype = MPI_INT;
    for (int d = 0; d < 3; d++) {
        sizes[d] = (int) block.whole[d];
        kinds[d] = MPI_DISTRIBUTE_BLOCK;
        args[d] = MPI_DISTRIBUTE_DFLT_DARG;
    }
    if (0 == plan->calls[0].bytes) {
        return;
    }
    MPI_Type_create_darray(ranks, rank, 3, sizes, kinds, args, block.np, MPI_ORDER_C, MPI_INT,
                           &plan->calls[0].file_type);
    MPI_Type_commit(&plan->calls[0].file_type);
}
