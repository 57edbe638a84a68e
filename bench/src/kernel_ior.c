/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * IOR with one shared file. A step has n transfers of t bytes per rank, one collective call each,
 * at explicit offsets, as "ior -c" does; with --view all n in one call through a file view.
 *
 *   segmented     |0 0 0|1 1 1|2 2 2|         rank * n * t + k * t
 *   interleaved   |0 1 2|0 1 2|0 1 2|         (k * ranks + rank) * t
 */
#include "bench.h"

#include <stdio.h>

static void build(const bench_options_t *opt, int rank, int ranks, bool turns, bench_plan_t *plan)
{
    int64_t t = opt->transfer > 0 ? opt->transfer : 1 << 20;
    int64_t n = opt->calls > 0 ? opt->calls : opt->size / t / ranks;
    int64_t first = turns ? rank * t : rank * (n > 0 ? n : 1) * t;
    int64_t stride = turns ? ranks * t : t;

    n = n > 0 ? n : 1;
    plan->step_bytes = n * t * ranks;
    plan->view = opt->one_view;
    bench_plan_calls(plan, opt->one_view ? 1 : (int) n);
    for (int64_t k = 0, room = 0; k < n; k++) {
        bench_call_t *call = &plan->calls[opt->one_view ? 0 : k];

        room = opt->one_view ? room : 0;
        bench_call_piece(call, &room, first + k * stride, t);
    }
    if (opt->one_view) {
        MPI_Datatype type;
        MPI_Aint at = (MPI_Aint) first;
        int one = 1;

        MPI_Type_create_hvector((int) n, (int) t, (MPI_Aint) stride, MPI_BYTE, &type);
        MPI_Type_create_hindexed(1, &one, &at, type, &plan->calls[0].file_type);
        MPI_Type_commit(&plan->calls[0].file_type);
        MPI_Type_free(&type);
    }
    snprintf(plan->shape, sizeof(plan->shape), "%lld transfers of %lld bytes per rank, %s",
             (long long) n, (long long) t, turns ? "interleaved" : "segmented");
}

void bench_ior_segmented(const bench_options_t *opt, int rank, int ranks, bench_plan_t *plan)
{
    build(opt, rank, ranks, false, plan);
}

void bench_ior_interleaved(const bench_options_t *opt, int rank, int ranks, bench_plan_t *plan)
{
    build(opt, rank, ranks, true, plan);
}
