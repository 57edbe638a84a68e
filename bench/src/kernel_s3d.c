/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * S3D-IO: the checkpoint of a combustion solver on an n^3 grid, x fastest, block-block-block over
 * a process grid with rank = px + npx * (py + npy * pz). Four variables per step with 11, 3, 1
 * and 1 doubles a point, one collective call each; a variable of m components is m grids, one
 * after the other. Pieces are rows of n / npx points.
 */
#include "bench.h"

#include <stdio.h>

void bench_s3d(const bench_options_t *opt, int rank, int ranks, bench_plan_t *plan)
{
    static const int components[4] = {11, 3, 1, 1};
    int64_t side = bench_root(opt->size / (16 * 8), 3);
    int np[3] = {0, 0, 0}; /* z, y, x */
    int64_t whole[4];
    int64_t start[4];
    int64_t part[4];
    int64_t points;

    MPI_Dims_create(ranks, 3, np);
    const int64_t at[3] = {rank / (np[2] * np[1]), rank / np[2] % np[1], rank % np[2]};
    for (int d = 0; d < 3; d++) {
        whole[d + 1] = 3 == opt->grid_dims ? opt->grid[d] : side;
        start[d + 1] = whole[d + 1] * at[d] / np[d];
        part[d + 1] = whole[d + 1] * (at[d] + 1) / np[d] - start[d + 1];
    }
    points = whole[1] * whole[2] * whole[3];
    plan->view = true;
    bench_plan_calls(plan, 4);
    plan->etype = MPI_DOUBLE;
    for (int v = 0; v < 4; v++) {
        whole[0] = components[v];
        start[0] = 0;
        part[0] = components[v];
        plan->calls[v].base = plan->step_bytes;
        bench_block_pieces(&plan->calls[v], 4, whole, start, part, 8);
        plan->calls[v].file_type = bench_block_type(4, whole, start, part, 8);
        plan->step_bytes += points * components[v] * 8;
    }
    snprintf(plan->shape, sizeof(plan->shape),
             "%lldx%lldx%lld points of 16 doubles in 4 variables, %dx%dx%d ranks",
             (long long) whole[1], (long long) whole[2], (long long) whole[3], np[0], np[1], np[2]);
}
