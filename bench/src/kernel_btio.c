/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * NPB's BTIO: an n^3 grid with 5 doubles a point, x fastest, in the multi-partition of the BT
 * solver. With q = sqrt(ranks) the grid is cut into q^3 cells; rank i + q*j owns the q cells
 * x = (i + c) mod q, y = (j - c) mod q, z = c, one in every z layer:
 *
 *   layer z=0   |0 1|     layer z=1   |3 2|       q = 2
 *               |2 3|                 |1 0|
 *
 * A step writes q * (n/q)^2 rows of n/q * 40 bytes per rank, n^2 * q in all. The number of ranks
 * must be a square; ranks beyond the largest square take part without data.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

enum { POINT_BYTES = 40 };

/** Where cell c of q starts on an axis of n points: the first n mod q cells are one longer. */
static int64_t cell_start(int64_t n, int64_t q, int64_t c)
{
    int64_t rest = n % q;

    return c * (n / q) + (c < rest ? c : rest);
}

static void add_cell(bench_call_t *call, int64_t *room, int64_t n, const int64_t *start,
                     const int64_t *part)
{
    for (int64_t z = start[0]; z < start[0] + part[0]; z++) {
        for (int64_t y = start[1]; y < start[1] + part[1]; y++) {
            bench_call_piece(call, room, ((z * n + y) * n + start[2]) * POINT_BYTES,
                             part[2] * POINT_BYTES);
        }
    }
}

void bench_btio(const bench_options_t *opt, int rank, int ranks, bench_plan_t *plan)
{
    int64_t n = opt->grid_dims > 0 ? opt->grid[0] : bench_root(opt->size / POINT_BYTES, 3);
    int64_t q = bench_root(ranks, 2);
    int64_t whole[3] = {n, n, n};
    int64_t room = 0;
    MPI_Datatype *cells = bench_alloc((int64_t) sizeof(MPI_Datatype) * q);
    MPI_Aint *zeros = bench_alloc((int64_t) sizeof(MPI_Aint) * q);
    int *ones = bench_alloc((int64_t) sizeof(int) * q);

    if (n < q) {
        bench_die("btio: a grid of %lld is too small for %lld cells", (long long) n, (long long) q);
    }
    plan->step_bytes = n * n * n * POINT_BYTES;
    plan->view = true;
    bench_plan_calls(plan, 1);
    for (int64_t c = 0; c < q && rank < q * q; c++) {
        int64_t cell[3] = {c, (rank / q - c + q) % q, (rank % q + c) % q}; /* z, y, x */
        int64_t start[3];
        int64_t part[3];

        for (int d = 0; d < 3; d++) {
            start[d] = cell_start(n, q, cell[d]);
            part[d] = cell_start(n, q, cell[d] + 1) - start[d];
        }
        add_cell(&plan->calls[0], &room, n, start, part);
        cells[c] = bench_block_type(3, whole, start, part, POINT_BYTES);
        zeros[c] = 0;
        ones[c] = 1;
    }
    if (rank < q * q) {
        MPI_Type_create_struct((int) q, ones, zeros, cells, &plan->calls[0].file_type);
        MPI_Type_commit(&plan->calls[0].file_type);
        for (int64_t c = 0; c < q; c++) {
            MPI_Type_free(&cells[c]);
        }
    }
    free(ones);
    free(zeros);
    free(cells);
    snprintf(plan->shape, sizeof(plan->shape), "%lld^3 points of 40 bytes, %lldx%lldx%lld cells",
             (long long) n, (long long) q, (long long) q, (long long) q);
}
