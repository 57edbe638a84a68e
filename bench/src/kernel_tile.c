/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi-tile-io: a dense 2-D array of elements (256 bytes, or 1 MiB), cut into as many tiles as
 * there are ranks; a tile's rows are its pieces.
 *
 *   |0 0|1 1|
 *   |0 0|1 1|      4 ranks, tiles of 2 x 2 elements: 2 pieces of 2 elements each
 *   |2 2|3 3|
 *   |2 2|3 3|
 */
#include "bench.h"

#include <stdio.h>

void bench_tile(const bench_options_t *opt, int rank, int ranks, bench_plan_t *plan)
{
    int64_t elem = opt->elem > 0 ? opt->elem : 256;
    int64_t side = bench_root(opt->size / ranks / elem, 2);
    int64_t part[2] = {opt->tile[0] > 0 ? opt->tile[0] : side,
                       opt->tile[1] > 0 ? opt->tile[1] : side};
    int tiles[2] = {0, 0};
    int64_t whole[2];
    int64_t start[2];

    MPI_Dims_create(ranks, 2, tiles);
    for (int d = 0; d < 2; d++) {
        whole[d] = part[d] * tiles[d];
    }
    start[0] = part[0] * (rank / tiles[1]);
    start[1] = part[1] * (rank % tiles[1]);
    plan->step_bytes = whole[0] * whole[1] * elem;
    plan->view = true;
    bench_plan_calls(plan, 1);
    bench_block_pieces(&plan->calls[0], 2, whole, start, part, elem);
    plan->calls[0].file_type = bench_block_type(2, whole, start, part, elem);
    snprintf(plan->shape, sizeof(plan->shape), "%dx%d tiles of %lldx%lld elements of %lld bytes",
             tiles[0], tiles[1], (long long) part[0], (long long) part[1], (long long) elem);
}
