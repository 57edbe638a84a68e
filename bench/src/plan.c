/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Building blocks of the kernels: lists of pieces, blocks of N-D arrays as pieces and as MPI
 * types, and the limit, which is the same number of bytes per rank without any pattern:
 *
 *   pattern   |0|1|2|0|1|2|0|1|2|        limit   |000|111|222|
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *bench_alloc(int64_t bytes)
{
    void *p = malloc(bytes > 0 ? (size_t) bytes : 1);

    if (NULL == p) {
        bench_die("out of memory (%lld bytes)", (long long) bytes);
    }
    return p;
}

uint64_t bench_mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

int64_t bench_root(int64_t a, int n)
{
    int64_t r = 1;

    for (;;) {
        int64_t power = 1;

        for (int i = 0; i < n; i++) {
            power *= r + 1;
        }
        if (power > a) {
            return r;
        }
        r++;
    }
}

void bench_plan_calls(bench_plan_t *plan, int count)
{
    plan->call_count = count;
    plan->calls = bench_alloc((int64_t) sizeof(*plan->calls) * count);
    memset(plan->calls, 0, sizeof(*plan->calls) * (size_t) count);
    for (int i = 0; i < count; i++) {
        plan->calls[i].file_type = MPI_DATATYPE_NULL;
        plan->calls[i].mem_type = MPI_DATATYPE_NULL;
    }
}

void bench_call_piece(bench_call_t *call, int64_t *room, int64_t offset, int64_t length)
{
    bench_piece_t *last = call->count > 0 ? &call->pieces[call->count - 1] : NULL;

    if (0 == length) {
        return;
    }
    call->bytes += length;
    if (NULL != last && last->offset + last->length == offset) {
        last->length += length;
        return;
    }
    if (call->count == *room) {
        *room = *room > 0 ? 2 * *room : 16;
        call->pieces = realloc(call->pieces, (size_t) *room * sizeof(*call->pieces));
        if (NULL == call->pieces) {
            bench_die("out of memory for %lld pieces", (long long) *room);
        }
    }
    call->pieces[call->count++] = (bench_piece_t){offset, length};
}

void bench_plan_finish(bench_plan_t *plan)
{
    for (int i = 0; i < plan->call_count; i++) {
        bench_call_t *call = &plan->calls[i];

        call->mem_base = plan->buffer_bytes;
        if (NULL == call->mem_rows) {
            call->mem_extent = call->bytes;
        }
        plan->buffer_bytes += (call->mem_extent + 63) / 64 * 64;
        plan->my_bytes += call->bytes;
        plan->my_pieces += call->count;
    }
}

void bench_plan_free(bench_plan_t *plan)
{
    for (int i = 0; i < plan->call_count; i++) {
        bench_call_t *call = &plan->calls[i];

        if (MPI_DATATYPE_NULL != call->file_type) {
            MPI_Type_free(&call->file_type);
        }
        if (MPI_DATATYPE_NULL != call->mem_type) {
            MPI_Type_free(&call->mem_type);
        }
        free(call->mem_rows);
        free(call->pieces);
    }
    free(plan->calls);
    memset(plan, 0, sizeof(*plan));
}

void bench_plan_limit(bench_plan_t *plan, MPI_Comm comm)
{
    bench_plan_t limit = {.etype = MPI_BYTE, .step_bytes = plan->step_bytes};
    int64_t start = 0;
    int64_t room = 0;
    int rank;

    MPI_Comm_rank(comm, &rank);
    MPI_Exscan(&plan->my_bytes, &start, 1, MPI_INT64_T, MPI_SUM, comm);
    bench_plan_calls(&limit, 1);
    bench_call_piece(&limit.calls[0], &room, 0 == rank ? 0 : start, plan->my_bytes);
    snprintf(limit.shape, sizeof(limit.shape), "limit of: %.140s", plan->shape);
    bench_plan_free(plan);
    bench_plan_finish(&limit);
    *plan = limit;
}

void bench_block_pieces(bench_call_t *call, int dims, const int64_t *whole, const int64_t *start,
                        const int64_t *part, int64_t elem_bytes)
{
    int64_t index[BENCH_MAX_DIMS] = {0};
    int64_t room = 0;
    int d = 0;

    for (int i = 0; i < dims; i++) {
        if (0 == part[i]) {
            return;
        }
    }
    while (d >= 0) {
        int64_t offset = 0;

        for (int i = 0; i < dims; i++) {
            offset = offset * whole[i] + start[i] + index[i];
        }
        bench_call_piece(call, &room, offset * elem_bytes, part[dims - 1] * elem_bytes);
        for (d = dims - 2; d >= 0; d--) { /* the next row, like an odometer */
            if (++index[d] < part[d]) {
                break;
            }
            index[d] = 0;
        }
    }
}

MPI_Datatype bench_block_type(int dims, const int64_t *whole, const int64_t *start,
                              const int64_t *part, int64_t elem_bytes)
{
    int sizes[BENCH_MAX_DIMS];
    int subsizes[BENCH_MAX_DIMS];
    int starts[BENCH_MAX_DIMS];
    MPI_Datatype elem;
    MPI_Datatype block;

    for (int i = 0; i < dims; i++) {
        if (0 == part[i]) {
            return MPI_DATATYPE_NULL;
        }
        sizes[i] = (int) whole[i];
        subsizes[i] = (int) part[i];
        starts[i] = (int) start[i];
    }
    MPI_Type_contiguous((int) elem_bytes, MPI_BYTE, &elem);
    MPI_Type_create_subarray(dims, sizes, subsizes, starts, MPI_ORDER_C, elem, &block);
    MPI_Type_commit(&block);
    MPI_Type_free(&elem);
    return block;
}

void bench_renew_mem_type(bench_call_t *call)
{
    int64_t count;
    MPI_Aint *at;

    if (NULL == call->mem_rows || MPI_DATATYPE_NULL == call->mem_type) {
        return;
    }
    MPI_Type_free(&call->mem_type);
    count = call->bytes / call->mem_row_bytes;
    at = bench_alloc((int64_t) sizeof(*at) * count);
    for (int64_t i = 0; i < count; i++) {
        at[i] = (MPI_Aint) call->mem_rows[i];
    }
    MPI_Type_create_hindexed_block((int) count, (int) call->mem_row_bytes, at, MPI_BYTE,
                                   &call->mem_type);
    MPI_Type_commit(&call->mem_type);
    free(at);
}

MPI_Datatype bench_pieces_type(const bench_call_t *call)
{
    int *lengths = bench_alloc((int64_t) sizeof(int) * call->count);
    MPI_Aint *offsets = bench_alloc((int64_t) sizeof(MPI_Aint) * call->count);
    MPI_Datatype type = MPI_DATATYPE_NULL;

    for (int64_t i = 0; i < call->count; i++) {
        lengths[i] = (int) call->pieces[i].length;
        offsets[i] = (MPI_Aint) call->pieces[i].offset;
    }
    if (call->count > 0) {
        MPI_Type_create_hindexed((int) call->count, lengths, offsets, MPI_BYTE, &type);
        MPI_Type_commit(&type);
    }
    free(offsets);
    free(lengths);
    return type;
}
