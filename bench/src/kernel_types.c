/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scattered memory: a rank's part of the file is contiguous, but comes from many pieces of memory
 * at irregular distances, one call per step. With --new-types every call is the first use of its
 * memory type, and its time is mostly that of finding out where the pieces are.
 *
 *   memory   x.x..x.x.x..x     each piece in the first or second third of its slot: none touch
 */
#include "bench.h"

#include <stdio.h>

void bench_types(const bench_options_t *opt, int rank, int ranks, bench_plan_t *plan)
{
    int64_t elem = opt->elem > 0 ? opt->elem : 4;
    int64_t count = opt->blocks > 0 ? opt->blocks : opt->size / ranks / elem;
    int64_t room = 0;
    bench_call_t *call;

    count = count > 0 ? count : 1;
    plan->step_bytes = count * elem * ranks;
    bench_plan_calls(plan, 1);
    call = &plan->calls[0];
    bench_call_piece(call, &room, rank * count * elem, count * elem);
    call->mem_row_bytes = elem;
    call->mem_extent = 3 * count * elem;
    call->mem_rows = bench_alloc((int64_t) sizeof(*call->mem_rows) * count);
    for (int64_t i = 0; i < count; i++) { /* slots of three elements: pieces never touch */
        call->mem_rows[i] = (3 * i + (int64_t) (bench_mix(opt->seed + (uint64_t) i) & 1)) * elem;
    }
    MPI_Type_dup(MPI_BYTE, &call->mem_type); /* to be replaced */
    bench_renew_mem_type(call);
    snprintf(plan->shape, sizeof(plan->shape), "%lld pieces of %lld bytes in each rank's memory%s",
             (long long) count, (long long) elem, opt->new_types ? ", a new type each step" : "");
}
