/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* The oracle of datatypes: trees, what they cover, and a text for the reproducer. */
#include "fuzz_type.h"

#include <stdlib.h>
#include <string.h>

int fuzz_below(uint64_t *random, int n)
{
    return 1 >= n ? 0 : (int) (t_random(random) % (uint64_t) n);
}

bool fuzz_chance(uint64_t *random, int percent)
{
    return fuzz_below(random, 100) < percent;
}

int64_t fuzz_leaf_size(fuzz_leaf leaf)
{
    static const int64_t sizes[FUZZ_LEAVES] = {1, 4, 8, 3};

    return sizes[leaf];
}

fuzz_type *fuzz_type_new(fuzz_kind kind, fuzz_type *child)
{
    fuzz_type *type = t_alloc(sizeof(*type));

    memset(type, 0, sizeof(*type));
    type->kind = kind;
    type->child = child;
    type->n = type->block = 1;
    type->order = MPI_ORDER_C;
    return type;
}

fuzz_type *fuzz_type_leaf(fuzz_leaf leaf)
{
    fuzz_type *type = fuzz_type_new(FUZZ_LEAF, NULL);

    type->leaf = leaf;
    return type;
}

fuzz_type *fuzz_type_resized(fuzz_type *child, int64_t lb, int64_t extent)
{
    fuzz_type *type = fuzz_type_new(FUZZ_RESIZED, child);

    type->lb = lb;
    type->stride = extent;
    return type;
}

fuzz_type *fuzz_type_moved(fuzz_type *child, int64_t bytes)
{
    fuzz_type *type = fuzz_type_new(FUZZ_HINDEXED, child);

    type->at[0] = bytes;
    type->length[0] = 1;
    return type;
}

void fuzz_type_free(fuzz_type *type)
{
    while (NULL != type) {
        fuzz_type *child = type->child;

        free(type);
        type = child;
    }
}

void fuzz_flat_free(fuzz_flat *flat)
{
    free(flat->segment);
    memset(flat, 0, sizeof(*flat));
}

void fuzz_flat_add(fuzz_flat *flat, int64_t at, int64_t length)
{
    flat->size += length;
    if (0 < flat->count) {
        fuzz_segment *last = &flat->segment[flat->count - 1];

        if (last->at + last->length == at) {
            last->length += length;
            return;
        }
    }
    if (flat->count == flat->room) {
        flat->room = 2 * flat->room + 8;
        flat->segment = realloc(flat->segment, (size_t) flat->room * sizeof(*flat->segment));
        if (NULL == flat->segment) {
            abort();
        }
    }
    flat->segment[flat->count++] = (fuzz_segment){at, length};
}

/** `copies` children, the first of them at `at`; bounds grow with them. */
static void place(fuzz_flat *flat, const fuzz_flat *child, int64_t at, int64_t copies, bool *first)
{
    int64_t extent = child->ub - child->lb;

    for (int64_t i = 0; i < copies; i++) {
        int64_t base = at + i * extent;

        for (int s = 0; s < child->count; s++) {
            fuzz_flat_add(flat, base + child->segment[s].at, child->segment[s].length);
        }
        if (*first || base + child->lb < flat->lb) {
            flat->lb = base + child->lb;
        }
        if (*first || base + child->ub > flat->ub) {
            flat->ub = base + child->ub;
        }
        *first = false;
    }
}

/** True if element `index` of a dimension of g elements is on coordinate c of p. */
static bool mine(const fuzz_type *t, int dim, int index, int coordinate)
{
    int g = t->sizes[dim], p = t->grid[dim], k = t->argument[dim];

    switch (t->distribution[dim]) {
    case MPI_DISTRIBUTE_BLOCK:
        k = MPI_DISTRIBUTE_DFLT_DARG == k ? (g + p - 1) / p : k;
        return index / k == coordinate;
    case MPI_DISTRIBUTE_CYCLIC:
        k = MPI_DISTRIBUTE_DFLT_DARG == k ? 1 : k;
        return index / k % p == coordinate;
    default:
        return true;
    }
}

static bool element_of(const fuzz_type *t, const int index[])
{
    int rest = t->rank;

    for (int d = t->dims - 1; d >= 0; d--) {
        if (FUZZ_SUBARRAY == t->kind) {
            if (index[d] < t->start[d] || index[d] >= t->start[d] + t->sub[d]) {
                return false;
            }
        } else {
            if (!mine(t, d, index[d], rest % t->grid[d])) {
                return false;
            }
            rest /= t->grid[d];
        }
    }
    return true;
}

/** Arrays: every element of the whole, in the order of the file, asked whether it belongs. */
static void flatten_array(const fuzz_type *t, const fuzz_flat *child, fuzz_flat *flat)
{
    int64_t extent = child->ub - child->lb, total = 1;
    bool first = true;

    for (int d = 0; d < t->dims; d++) {
        total *= t->sizes[d];
    }
    for (int64_t i = 0; i < total; i++) {
        int index[FUZZ_DIMS];
        int64_t rest = i;

        for (int k = 0; k < t->dims; k++) {
            int d = MPI_ORDER_C == t->order ? t->dims - 1 - k : k;

            index[d] = (int) (rest % t->sizes[d]);
            rest /= t->sizes[d];
        }
        if (element_of(t, index)) {
            place(flat, child, i * extent, 1, &first);
        }
    }
    flat->lb = 0;
    flat->ub = total * extent;
}

static void flatten_blocks(const fuzz_type *t, const fuzz_flat *child, fuzz_flat *flat)
{
    int64_t extent = child->ub - child->lb;
    bool first = true;

    for (int i = 0; i < t->n; i++) {
        switch (t->kind) {
        case FUZZ_VECTOR:
            place(flat, child, i * t->stride * extent, t->block, &first);
            break;
        case FUZZ_HVECTOR:
            place(flat, child, i * t->stride, t->block, &first);
            break;
        case FUZZ_INDEXED:
            place(flat, child, t->at[i] * extent, t->length[i], &first);
            break;
        case FUZZ_INDEXED_BLOCK:
            place(flat, child, t->at[i] * extent, t->block, &first);
            break;
        case FUZZ_HINDEXED_BLOCK:
            place(flat, child, t->at[i], t->block, &first);
            break;
        case FUZZ_HINDEXED:
        case FUZZ_STRUCT:
            place(flat, child, t->at[i], t->length[i], &first);
            break;
        default: /* contiguous, dup */
            place(flat, child, i * extent, 1, &first);
        }
    }
}

void fuzz_type_flatten(const fuzz_type *t, fuzz_flat *flat)
{
    fuzz_flat child = {0};

    memset(flat, 0, sizeof(*flat));
    if (FUZZ_LEAF == t->kind) {
        flat->ub = fuzz_leaf_size(t->leaf);
        fuzz_flat_add(flat, 0, flat->ub);
        return;
    }
    fuzz_type_flatten(t->child, &child);
    if (FUZZ_SUBARRAY == t->kind || FUZZ_DARRAY == t->kind) {
        flatten_array(t, &child, flat);
    } else {
        flatten_blocks(t, &child, flat);
    }
    if (FUZZ_RESIZED == t->kind) {
        flat->lb = t->lb;
        flat->ub = t->lb + t->stride;
    }
    fuzz_flat_free(&child);
}

static void tell_list(const fuzz_type *t, char *text, size_t bytes)
{
    size_t used = 0;

    for (int i = 0; i < t->n && used + 40 < bytes; i++) {
        if (FUZZ_INDEXED_BLOCK == t->kind || FUZZ_HINDEXED_BLOCK == t->kind) {
            used += (size_t) snprintf(text + used, bytes - used, "%s%lld", 0 == i ? "" : ",",
                                      (long long) t->at[i]);
        } else {
            used += (size_t) snprintf(text + used, bytes - used, "%s%lld:%d", 0 == i ? "" : ",",
                                      (long long) t->at[i], t->length[i]);
        }
    }
}

static void tell_array(const fuzz_type *t, char *text, size_t bytes)
{
    size_t used = 0;

    for (int d = 0; d < t->dims && used + 60 < bytes; d++) {
        const char *between = 0 == d ? "" : " x ";

        if (FUZZ_SUBARRAY == t->kind) {
            used += (size_t) snprintf(text + used, bytes - used, "%s%d+%d of %d", between,
                                      t->start[d], t->sub[d], t->sizes[d]);
        } else {
            used += (size_t) snprintf(text + used, bytes - used, "%s%d by %s(%d) over %d", between,
                                      t->sizes[d],
                                      MPI_DISTRIBUTE_CYCLIC == t->distribution[d]  ? "cyclic"
                                      : MPI_DISTRIBUTE_BLOCK == t->distribution[d] ? "block"
                                                                                   : "none",
                                      t->argument[d], t->grid[d]);
        }
    }
    snprintf(text + used, bytes - used, " %s rank %d of %d",
             MPI_ORDER_C == t->order ? "C" : "Fortran", t->rank, t->procs);
}

void fuzz_type_tell(const fuzz_type *t, char *text, size_t bytes)
{
    static const char *const names[FUZZ_KINDS] = {
        "",        "contiguous", "vector",        "hvector",
        "indexed", "hindexed",   "indexed_block", "hindexed_block",
        "struct",  "subarray",   "darray",        "resized",
        "dup"};
    static const char *const leaves[FUZZ_LEAVES] = {"byte", "int", "double", "3 bytes"};
    char inside[512] = "", child[1024];

    if (FUZZ_LEAF == t->kind) {
        snprintf(text, bytes, "%s", leaves[t->leaf]);
        return;
    }
    fuzz_type_tell(t->child, child, sizeof(child));
    switch (t->kind) {
    case FUZZ_VECTOR:
    case FUZZ_HVECTOR:
        snprintf(inside, sizeof(inside), "%d,%d,%lld", t->n, t->block, (long long) t->stride);
        break;
    case FUZZ_CONTIGUOUS:
        snprintf(inside, sizeof(inside), "%d", t->n);
        break;
    case FUZZ_RESIZED:
        snprintf(inside, sizeof(inside), "%lld,%lld", (long long) t->lb, (long long) t->stride);
        break;
    case FUZZ_SUBARRAY:
    case FUZZ_DARRAY:
        tell_array(t, inside, sizeof(inside));
        break;
    case FUZZ_DUP:
        break;
    default:
        tell_list(t, inside, sizeof(inside));
    }
    snprintf(text, bytes, "%s(%s) of %s", names[t->kind], inside, child);
}
