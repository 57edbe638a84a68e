/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * One JSON object per phase, on one line of standard output.
 */
#include "bench.h"

#include <stdio.h>

typedef struct totals_t {
    int64_t pieces;
    int64_t pieces_most;
    int64_t rss_kib;
    int64_t rss_extra_kib;
    double cpu_seconds; /* of all ranks, in all steps */
    int nodes;
} totals_t;

static totals_t add_up(const bench_plan_t *plan, const bench_result_t *res, MPI_Comm comm)
{
    totals_t t = {.pieces = plan->my_pieces, .cpu_seconds = res->cpu_seconds};
    int64_t most[3] = {plan->my_pieces, res->rss_kib, res->rss_extra_kib};
    MPI_Comm node;
    int node_rank;

    MPI_Allreduce(MPI_IN_PLACE, &t.pieces, 1, MPI_INT64_T, MPI_SUM, comm);
    MPI_Allreduce(MPI_IN_PLACE, &t.cpu_seconds, 1, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Allreduce(MPI_IN_PLACE, most, 3, MPI_INT64_T, MPI_MAX, comm);
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &node_rank);
    MPI_Comm_free(&node);
    t.nodes = 0 == node_rank;
    MPI_Allreduce(MPI_IN_PLACE, &t.nodes, 1, MPI_INT, MPI_SUM, comm);
    t.pieces_most = most[0];
    t.rss_kib = most[1];
    t.rss_extra_kib = most[2];
    return t;
}

static void print_text(const char *key, const char *value)
{
    printf("\"%s\":\"", key);
    for (; '\0' != *value; value++) {
        if ('"' == *value || '\\' == *value) {
            putchar('\\');
        }
        putchar(*value >= ' ' ? *value : ' ');
    }
    printf("\",");
}

static void print_steps(const bench_options_t *opt, const bench_plan_t *plan,
                        const bench_result_t *res)
{
    double sum = 0;

    for (int i = 0; i < opt->steps; i++) {
        sum += res->step_seconds[i];
    }
    printf("\"seconds\":%.6f,\"first_seconds\":%.6f,", sum / opt->steps, res->step_seconds[0]);
    printf("\"later_seconds\":%.6f,",
           opt->steps > 1 ? (sum - res->step_seconds[0]) / (opt->steps - 1) : res->step_seconds[0]);
    printf("\"mib_per_second\":%.1f,\"step_seconds\":[",
           (double) plan->step_bytes * opt->steps / sum / (1 << 20));
    for (int i = 0; i < opt->steps; i++) {
        printf("%s%.6f", i > 0 ? "," : "", res->step_seconds[i]);
    }
    printf("],");
}

void bench_report(const bench_options_t *opt, const bench_plan_t *plan, bench_result_t *res,
                  MPI_Comm comm)
{
    totals_t t = add_up(plan, res, comm);
    int rank;
    int ranks;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    if (0 != rank) {
        return;
    }
    printf("{");
    print_text("label", opt->label);
    print_text("kernel", opt->kernel);
    print_text("phase", res->phase);
    print_text("api", BENCH_API_LIMIT == opt->api ? "limit" : "mpi");
    print_text("shape", plan->shape);
    printf("\"level\":%d,\"ranks\":%d,\"nodes\":%d,\"steps\":%d,\"calls\":%d,", opt->level, ranks,
           t.nodes, opt->steps, plan->call_count);
    printf("\"bytes\":%lld,\"pieces\":%lld,\"pieces_most\":%lld,\"seed\":%llu,",
           (long long) plan->step_bytes, (long long) t.pieces, (long long) t.pieces_most,
           (unsigned long long) opt->seed);
    print_steps(opt, plan, res);
    printf("\"view_seconds\":%.6f,\"open_seconds\":%.6f,\"close_seconds\":%.6f,", res->view_seconds,
           res->open_seconds, res->close_seconds);
    if (opt->one_shot) {
        printf("\"call_seconds\":%.6f,", res->call_seconds);
    }
    printf("\"cpu_seconds\":%.6f,", t.cpu_seconds);
    printf("\"rss_kib\":%lld,\"rss_extra_kib\":%lld,", (long long) t.rss_kib,
           (long long) t.rss_extra_kib);
    bench_pvars_print(res->pvars);
    if (opt->check) {
        printf("\"bad_bytes\":%lld}\n", (long long) res->bad_bytes);
    } else {
        printf("\"bad_bytes\":null}\n");
    }
    fflush(stdout);
}
