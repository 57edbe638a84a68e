/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Buffers of all layouts, with guard bytes before, between and after the pieces:
 *
 *     |guard| piece |guard| piece |guard| ... |guard|
 */
#include "t_mem.h"

#include <stdlib.h>
#include <string.h>

#include "t_pattern.h"

enum { GUARD_BYTES = 64, GUARD = 0xa5, PIECE_UNITS = 5 };

const char *const t_mem_names[T_MEM_KINDS] = {"contig", "vector", "reversed", "spread"};

static void make_vector(t_mem *mem, int64_t units, MPI_Datatype base)
{
    int64_t unit = mem->unit, full = units / 3, rest = units % 3;
    MPI_Datatype parts[2];
    MPI_Aint at[2] = {0, (MPI_Aint) (full * 5 * unit)};
    int lengths[2] = {1, (int) rest};

    for (int64_t i = 0; i < full; i++) {
        t_list_add(&mem->map, GUARD_BYTES + i * 5 * unit, 3 * unit);
    }
    t_list_add(&mem->map, GUARD_BYTES + full * 5 * unit, rest * unit);
    MPI_Type_vector((int) full, 3, 5, base, &parts[0]);
    parts[1] = base;
    MPI_Type_create_struct(2, lengths, at, parts, &mem->type);
    MPI_Type_free(&parts[0]);
    mem->count = 1;
}

static void make_reversed(t_mem *mem, int64_t units, MPI_Datatype base)
{
    int64_t unit = mem->unit, n = (units + PIECE_UNITS - 1) / PIECE_UNITS;
    int *lengths = t_alloc((size_t) n * sizeof(*lengths));
    MPI_Aint *at = t_alloc((size_t) n * sizeof(*at));

    for (int64_t i = 0; i < n; i++) {
        int64_t left = units - i * PIECE_UNITS;

        lengths[i] = (int) (left < PIECE_UNITS ? left : PIECE_UNITS);
        at[i] = (MPI_Aint) ((n - 1 - i) * (PIECE_UNITS + 1) * unit);
        t_list_add(&mem->map, GUARD_BYTES + (int64_t) at[i], lengths[i] * unit);
    }
    MPI_Type_create_hindexed((int) n, lengths, at, base, &mem->type);
    mem->count = 1;
    free(lengths);
    free(at);
}

static void make_spread(t_mem *mem, int64_t units, MPI_Datatype base)
{
    for (int64_t i = 0; i < units; i++) {
        t_list_add(&mem->map, GUARD_BYTES + i * 2 * mem->unit, mem->unit);
    }
    MPI_Type_create_resized(base, 0, (MPI_Aint) (2 * mem->unit), &mem->type);
    mem->count = (int) units;
}

void t_mem_make(t_mem *mem, t_mem_kind kind, int64_t bytes, int64_t unit)
{
    int64_t units = bytes / unit;

    memset(mem, 0, sizeof(*mem));
    mem->unit = unit;
    mem->own_type = T_MEM_CONTIG != kind && 0 < units;
    if (!mem->own_type) {
        mem->type = t_unit_type(unit);
        mem->count = (int) units;
        t_list_add(&mem->map, GUARD_BYTES, bytes);
    } else if (T_MEM_VECTOR == kind) {
        make_vector(mem, units, t_unit_type(unit));
    } else if (T_MEM_REVERSED == kind) {
        make_reversed(mem, units, t_unit_type(unit));
    } else {
        make_spread(mem, units, t_unit_type(unit));
    }
    if (mem->own_type) {
        MPI_Type_commit(&mem->type);
    }
    mem->all_bytes = (size_t) t_list_end(&mem->map) + 2 * GUARD_BYTES;
    mem->all = t_alloc(mem->all_bytes);
    memset(mem->all, GUARD, mem->all_bytes);
    mem->addr = mem->all + GUARD_BYTES;
}

void t_mem_free(t_mem *mem)
{
    if (mem->own_type) {
        MPI_Type_free(&mem->type);
    }
    t_list_free(&mem->map);
    free(mem->all);
    memset(mem, 0, sizeof(*mem));
}

/** Place in the stream of stream byte i, with the bytes of a unit reversed when swap is set. */
static int64_t swapped(int64_t i, int64_t unit, bool swap)
{
    return swap ? i - i % unit + unit - 1 - i % unit : i;
}

void t_mem_put(t_mem *mem, const unsigned char *stream, bool swap)
{
    int64_t at = 0;

    for (size_t k = 0; k < mem->map.n; k++) {
        for (int64_t i = 0; i < mem->map.v[k].len; i++, at++) {
            mem->all[mem->map.v[k].off + i] = stream[swapped(at, mem->unit, swap)];
        }
    }
}

void t_mem_get(const t_mem *mem, unsigned char *stream, bool swap)
{
    int64_t at = 0;

    for (size_t k = 0; k < mem->map.n; k++) {
        for (int64_t i = 0; i < mem->map.v[k].len; i++, at++) {
            stream[swapped(at, mem->unit, swap)] = mem->all[mem->map.v[k].off + i];
        }
    }
}

void t_mem_check_guards(const t_mem *mem, const char *what)
{
    unsigned char *used = t_alloc(mem->all_bytes);

    memset(used, 0, mem->all_bytes);
    for (size_t k = 0; k < mem->map.n; k++) {
        memset(used + mem->map.v[k].off, 1, (size_t) mem->map.v[k].len);
    }
    for (size_t i = 0; i < mem->all_bytes; i++) {
        if (0 == used[i] && GUARD != mem->all[i]) {
            t_fail("%s: memory outside the buffer changed at %lld: got 0x%02x", what,
                   (long long) i - GUARD_BYTES, mem->all[i]);
            break;
        }
    }
    free(used);
}
