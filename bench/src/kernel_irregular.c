/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Irregular decompositions from a seeded generator; every rank computes the same dealing.
 *
 *   unstruc  elements of 64 bytes, each dealt to a random rank
 *   e3sm-f   an atmosphere: columns in runs of one or two, each run on a random rank; 2-D fields
 *            of 4-byte values and 3-D fields of 72 levels of 8-byte values, level by level, so
 *            the pieces have about 11 bytes
 *   e3sm-g   an ocean: runs of one or two cells (or edges) with 60 levels of 8 bytes together,
 *            and some fields without levels; about 500 bytes a piece
 *
 * E3SM buffers its variables and flushes them in one collective call, which is the shape here.
 * Ranks own a little more or less than each other, as graph partitioners leave it.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

/** A field: repeat copies (levels) of n entries of entry_bytes, cut by the dealing of n. */
typedef struct field_t {
    int64_t repeat;
    int64_t n;
    int64_t entry_bytes;
} field_t;

/** Upper ends of the ranks' shares of the 32-bit numbers: weights from 1 to 1.25. */
static uint32_t *share_ends(int ranks, uint64_t seed)
{
    uint32_t *ends = bench_alloc((int64_t) sizeof(uint32_t) * ranks);
    double total = 0;
    double sum = 0;

    for (int r = 0; r < ranks; r++) {
        total += 1 + (double) (bench_mix(seed * 7919 + (uint64_t) r) % 256) / 1024;
    }
    for (int r = 0; r < ranks; r++) {
        sum += 1 + (double) (bench_mix(seed * 7919 + (uint64_t) r) % 256) / 1024;
        ends[r] = r + 1 == ranks ? UINT32_MAX : (uint32_t) (sum / total * UINT32_MAX);
    }
    return ends;
}

/** True if the run that starts at entry is dealt to rank. */
static bool mine(const uint32_t *ends, int rank, uint64_t hash)
{
    uint32_t x = (uint32_t) (hash >> 32);

    return x <= ends[rank] && (0 == rank || x > ends[rank - 1]);
}

/** My runs of 1 (60%) or 2 entries out of n, as pieces counted in entries. */
static void deal(int64_t n, int rank, int ranks, uint64_t seed, bench_call_t *runs)
{
    uint32_t *ends = share_ends(ranks, seed);
    int64_t room = 0;

    for (int64_t at = 0; at < n;) {
        uint64_t hash = bench_mix((uint64_t) at * 2654435761u + (seed << 32));
        int64_t length = hash % 10 < 6 || at + 1 == n ? 1 : 2;

        if (mine(ends, rank, hash)) {
            bench_call_piece(runs, &room, at, length);
        }
        at += length;
    }
    free(ends);
}

static void flush(const field_t *fields, int64_t count, int rank, int ranks, uint64_t seed,
                  bench_plan_t *plan)
{
    bench_call_t runs = {0};
    int64_t dealt = 0;
    int64_t room = 0;

    plan->view = true;
    bench_plan_calls(plan, 1);
    for (int64_t f = 0; f < count; f++) {
        const field_t *field = &fields[f];

        if (dealt != field->n) { /* fields on the same points share the decomposition */
            free(runs.pieces);
            runs = (bench_call_t){0};
            deal(field->n, rank, ranks, seed, &runs);
            dealt = field->n;
        }
        for (int64_t level = 0; level < field->repeat; level++) {
            for (int64_t i = 0; i < runs.count; i++) {
                bench_call_piece(&plan->calls[0], &room,
                                 plan->step_bytes + runs.pieces[i].offset * field->entry_bytes,
                                 runs.pieces[i].length * field->entry_bytes);
            }
            plan->step_bytes += field->n * field->entry_bytes;
        }
    }
    free(runs.pieces);
    plan->calls[0].file_type = bench_pieces_type(&plan->calls[0]);
}

void bench_e3sm_f(const bench_options_t *opt, int rank, int ranks, bench_plan_t *plan)
{
    int64_t vars = opt->vars > 0 ? opt->vars : 12;
    int64_t deep = (vars + 5) / 6; /* E3SM F: 63 of 388 fields have levels */
    int64_t column = (vars - deep) * 4 + deep * 72 * 8;
    int64_t n = opt->grid_dims > 0 ? opt->grid[0] : opt->size / column + 1;
    field_t *fields = bench_alloc((int64_t) sizeof(field_t) * vars);

    for (int64_t v = 0; v < vars; v++) {
        fields[v] = v < vars - deep ? (field_t){1, n, 4} : (field_t){72, n, 8};
    }
    flush(fields, vars, rank, ranks, opt->seed, plan);
    free(fields);
    snprintf(plan->shape, sizeof(plan->shape), "%lld columns, %lld fields, %lld with 72 levels",
             (long long) n, (long long) vars, (long long) deep);
}

void bench_e3sm_g(const bench_options_t *opt, int rank, int ranks, bench_plan_t *plan)
{
    int64_t vars = opt->vars > 0 ? opt->vars : 8;
    int64_t flat = vars / 4;
    int64_t edges = vars / 8;
    int64_t cell = flat * 8 + (vars - flat - edges) * 480 + edges * 3 * 480;
    int64_t n = opt->grid_dims > 0 ? opt->grid[0] : opt->size / cell + 1;
    field_t *fields = bench_alloc((int64_t) sizeof(field_t) * vars);

    for (int64_t v = 0; v < vars; v++) {
        fields[v] = v < flat           ? (field_t){1, n, 8}
                    : v < vars - edges ? (field_t){1, n, 480}
                                       : (field_t){1, 3 * n, 480};
    }
    flush(fields, vars, rank, ranks, opt->seed, plan);
    free(fields);
    snprintf(plan->shape, sizeof(plan->shape), "%lld cells, %lld fields, %lld without levels",
             (long long) n, (long long) vars, (long long) flat);
}

void bench_unstruc(const bench_options_t *opt, int rank, int ranks, bench_plan_t *plan)
{
    int64_t elem = opt->elem > 0 ? opt->elem : 64;
    int64_t n = opt->grid_dims > 0 ? opt->grid[0] : opt->size / elem + 1;
    uint32_t *ends = share_ends(ranks, opt->seed);
    int64_t room = 0;

    plan->view = true;
    bench_plan_calls(plan, 1);
    for (int64_t i = 0; i < n; i++) {
        if (mine(ends, rank, bench_mix((uint64_t) i + (opt->seed << 32)))) {
            bench_call_piece(&plan->calls[0], &room, i * elem, elem);
        }
    }
    free(ends);
    plan->step_bytes = n * elem;
    plan->calls[0].file_type = bench_pieces_type(&plan->calls[0]);
    snprintf(plan->shape, sizeof(plan->shape), "%lld elements of %lld bytes, dealt at random",
             (long long) n, (long long) elem);
}
