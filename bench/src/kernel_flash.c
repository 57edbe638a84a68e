/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * FLASH-IO checkpoint: 24 variables, one collective call each; in the file a variable is the
 * blocks of all ranks, one after the other, 8^3 doubles a block, so a rank's part is contiguous.
 * In memory every block is surrounded by 4 guard cells, so a call gathers rows of 8 doubles:
 *
 *   memory   g g g g g g       file   |block 0 of rank 0|block 1 of rank 0|..|block 0 of rank 1|
 *            g x x x x g
 *            g x x x x g       a rank has --blocks + rank mod 3 blocks, as the benchmark deals
 *            g g g g g g
 */
#include "bench.h"

#include <stdio.h>

enum { SIDE = 8, GUARD = 4, FULL = SIDE + 2 * GUARD, BLOCK_BYTES = SIDE * SIDE * SIDE * 8 };

static void guard_cells(bench_call_t *call, int64_t blocks)
{
    int sizes[4] = {(int) blocks, FULL, FULL, FULL};
    int subsizes[4] = {(int) blocks, SIDE, SIDE, SIDE};
    int starts[4] = {0, GUARD, GUARD, GUARD};
    int64_t row = 0;

    call->mem_row_bytes = SIDE * 8;
    call->mem_extent = blocks * FULL * FULL * FULL * 8;
    call->mem_rows = bench_alloc((int64_t) sizeof(int64_t) * blocks * SIDE * SIDE);
    for (int64_t b = 0; b < blocks; b++) {
        for (int64_t z = GUARD; z < GUARD + SIDE; z++) {
            for (int64_t y = GUARD; y < GUARD + SIDE; y++) {
                call->mem_rows[row++] = (((b * FULL + z) * FULL + y) * FULL + GUARD) * 8;
            }
        }
    }
    MPI_Type_create_subarray(4, sizes, subsizes, starts, MPI_ORDER_C, MPI_DOUBLE, &call->mem_type);
    MPI_Type_commit(&call->mem_type);
}

void bench_flash(const bench_options_t *opt, int rank, int ranks, bench_plan_t *plan)
{
    int64_t vars = opt->vars > 0 ? opt->vars : 24;
    int64_t base = opt->blocks > 0 ? opt->blocks : opt->size / (vars * BLOCK_BYTES * ranks);
    int64_t before = 0;
    int64_t total = 0;

    for (int r = 0; r < ranks; r++) {
        int64_t blocks = base + r % 3;

        before += r < rank ? blocks : 0;
        total += blocks;
    }
    bench_plan_calls(plan, (int) vars);
    plan->step_bytes = vars * total * BLOCK_BYTES;
    for (int64_t v = 0; v < vars; v++) {
        bench_call_t *call = &plan->calls[v];
        int64_t room = 0;

        call->base = v * total * BLOCK_BYTES;
        bench_call_piece(call, &room, before * BLOCK_BYTES, (base + rank % 3) * BLOCK_BYTES);
        if (!opt->packed && call->bytes > 0) {
            guard_cells(call, base + rank % 3);
        }
    }
    snprintf(plan->shape, sizeof(plan->shape), "%lld blocks of 8^3 doubles, %lld variables",
             (long long) total, (long long) vars);
}
