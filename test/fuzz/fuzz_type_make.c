/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* Trees of constructors as MPI datatypes, and random trees. */
#include "fuzz_type.h"

#include <stdlib.h>

static MPI_Datatype triple = MPI_DATATYPE_NULL;

MPI_Datatype fuzz_leaf_type(fuzz_leaf leaf)
{
    switch (leaf) {
    case FUZZ_INT:
        return MPI_INT;
    case FUZZ_DOUBLE:
        return MPI_DOUBLE;
    case FUZZ_TRIPLE:
        if (MPI_DATATYPE_NULL == triple) {
            MPI_Type_contiguous(3, MPI_BYTE, &triple);
            MPI_Type_commit(&triple);
        }
        return triple;
    default:
        return MPI_BYTE;
    }
}

void fuzz_leaf_finish(void)
{
    if (MPI_DATATYPE_NULL != triple) {
        MPI_Type_free(&triple);
    }
}

/** MPI_Type_create_struct rounds the extent up to an alignment; the model does not. */
static void make_struct(const fuzz_type *t, MPI_Datatype child, MPI_Datatype *type)
{
    MPI_Aint at[FUZZ_LIST];
    MPI_Datatype children[FUZZ_LIST], unrounded;
    fuzz_flat flat;

    for (int i = 0; i < t->n; i++) {
        at[i] = (MPI_Aint) t->at[i];
        children[i] = child;
    }
    MPI_Type_create_struct(t->n, t->length, at, children, &unrounded);
    fuzz_type_flatten(t, &flat);
    MPI_Type_create_resized(unrounded, (MPI_Aint) flat.lb, (MPI_Aint) (flat.ub - flat.lb), type);
    MPI_Type_free(&unrounded);
    fuzz_flat_free(&flat);
}

static void make_list(const fuzz_type *t, MPI_Datatype child, MPI_Datatype *type)
{
    MPI_Aint at[FUZZ_LIST];
    int index[FUZZ_LIST];

    for (int i = 0; i < t->n; i++) {
        at[i] = (MPI_Aint) t->at[i];
        index[i] = (int) t->at[i];
    }
    switch (t->kind) {
    case FUZZ_INDEXED:
        MPI_Type_indexed(t->n, t->length, index, child, type);
        break;
    case FUZZ_INDEXED_BLOCK:
        MPI_Type_create_indexed_block(t->n, t->block, index, child, type);
        break;
    case FUZZ_HINDEXED_BLOCK:
        MPI_Type_create_hindexed_block(t->n, t->block, at, child, type);
        break;
    default:
        MPI_Type_create_hindexed(t->n, t->length, at, child, type);
    }
}

static MPI_Datatype make(const fuzz_type *t)
{
    MPI_Datatype child, type;

    if (FUZZ_LEAF == t->kind) {
        MPI_Type_dup(fuzz_leaf_type(t->leaf), &type);
        return type;
    }
    child = make(t->child);
    switch (t->kind) {
    case FUZZ_CONTIGUOUS:
        MPI_Type_contiguous(t->n, child, &type);
        break;
    case FUZZ_VECTOR:
        MPI_Type_vector(t->n, t->block, (int) t->stride, child, &type);
        break;
    case FUZZ_HVECTOR:
        MPI_Type_create_hvector(t->n, t->block, (MPI_Aint) t->stride, child, &type);
        break;
    case FUZZ_STRUCT:
        make_struct(t, child, &type);
        break;
    case FUZZ_SUBARRAY:
        MPI_Type_create_subarray(t->dims, t->sizes, t->sub, t->start, t->order, child, &type);
        break;
    case FUZZ_DARRAY:
        MPI_Type_create_darray(t->procs, t->rank, t->dims, t->sizes, t->distribution, t->argument,
                               t->grid, t->order, child, &type);
        break;
    case FUZZ_RESIZED:
        MPI_Type_create_resized(child, (MPI_Aint) t->lb, (MPI_Aint) t->stride, &type);
        break;
    case FUZZ_DUP:
        MPI_Type_dup(child, &type);
        break;
    default:
        make_list(t, child, &type);
    }
    MPI_Type_free(&child);
    return type;
}

MPI_Datatype fuzz_type_make(const fuzz_type *t)
{
    MPI_Datatype type = make(t);

    MPI_Type_commit(&type);
    return type;
}

/** Blocks of a list in slots of their own, so that they never overlap; shuffled unless sorted. */
static void random_list(uint64_t *random, fuzz_type *t, int64_t unit, bool sorted)
{
    int64_t at = fuzz_below(random, 3);

    t->n = 1 + fuzz_below(random, 5);
    t->block = 1 + fuzz_below(random, 2);
    for (int i = 0; i < t->n; i++) {
        t->length[i] = FUZZ_INDEXED_BLOCK == t->kind || FUZZ_HINDEXED_BLOCK == t->kind
                           ? t->block
                           : 1 + fuzz_below(random, 3);
        t->at[i] = at * unit;
        at += t->length[i] + fuzz_below(random, 3);
    }
    for (int i = t->n - 1; !sorted && i > 0; i--) {
        int other = fuzz_below(random, i + 1), length = t->length[i];
        int64_t where = t->at[i];

        t->at[i] = t->at[other];
        t->length[i] = t->length[other];
        t->at[other] = where;
        t->length[other] = length;
    }
}

static void random_array(uint64_t *random, fuzz_type *t)
{
    t->dims = 1 + fuzz_below(random, FUZZ_DIMS);
    t->order = fuzz_chance(random, 50) ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
    t->procs = 1;
    for (int d = 0; d < t->dims; d++) {
        t->sizes[d] = 1 + fuzz_below(random, 4);
        t->sub[d] = 1 + fuzz_below(random, t->sizes[d]);
        t->start[d] = fuzz_below(random, t->sizes[d] - t->sub[d] + 1);
        t->distribution[d] = fuzz_chance(random, 50) ? MPI_DISTRIBUTE_CYCLIC : MPI_DISTRIBUTE_BLOCK;
        t->argument[d] = MPI_DISTRIBUTE_DFLT_DARG;
        t->grid[d] = 1 + fuzz_below(random, t->sizes[d] < 2 ? 1 : 2);
        t->procs *= t->grid[d];
    }
    t->rank = fuzz_below(random, t->procs);
}

/* All displacements and extents are multiples of the leaf's size (unit): elsewhere MPI may round
 * the extent of a type up to the alignment of what is in it. */
static void random_level(uint64_t *random, fuzz_type *t, int64_t unit, bool sorted)
{
    fuzz_flat child;
    int64_t extent;

    fuzz_type_flatten(t->child, &child);
    extent = child.ub - child.lb;
    if (0 != child.lb && (FUZZ_SUBARRAY == t->kind || FUZZ_DARRAY == t->kind)) {
        t->kind = FUZZ_CONTIGUOUS; /* arrays of elements that begin elsewhere: not well defined */
    }
    switch (t->kind) {
    case FUZZ_CONTIGUOUS:
        t->n = 1 + fuzz_below(random, 4);
        break;
    case FUZZ_VECTOR:
    case FUZZ_HVECTOR:
        t->n = 1 + fuzz_below(random, 4);
        t->block = 1 + fuzz_below(random, 3);
        t->stride = t->block + fuzz_below(random, 4);
        t->stride *= FUZZ_HVECTOR == t->kind ? extent : 1;
        t->stride += FUZZ_HVECTOR == t->kind ? fuzz_below(random, 5) * unit : 0;
        break;
    case FUZZ_RESIZED:
        t->lb = sorted || fuzz_chance(random, 60) ? child.lb
                                                  : child.lb - fuzz_below(random, 9) * unit;
        t->stride = child.ub - t->lb + fuzz_below(random, 2) * fuzz_below(random, 20) * unit;
        break;
    case FUZZ_SUBARRAY:
    case FUZZ_DARRAY:
        random_array(random, t);
        break;
    case FUZZ_INDEXED:
    case FUZZ_INDEXED_BLOCK:
        random_list(random, t, 1, sorted);
        break;
    case FUZZ_DUP:
        break;
    default:
        random_list(random, t, extent, sorted);
    }
    fuzz_flat_free(&child);
}

fuzz_type *fuzz_type_random(uint64_t *random, fuzz_leaf leaf, bool sorted, int depth)
{
    fuzz_type *t = fuzz_type_leaf(leaf);

    for (int level = 0; level < depth; level++) {
        fuzz_flat flat;
        int64_t size;

        t = fuzz_type_new((fuzz_kind) (1 + fuzz_below(random, FUZZ_KINDS - 1)), t);
        random_level(random, t, fuzz_leaf_size(leaf), sorted);
        fuzz_type_flatten(t, &flat);
        size = flat.size;
        fuzz_flat_free(&flat);
        if (0 == size) { /* a process of a darray without elements */
            fuzz_type_free(t);
            t = fuzz_type_leaf(leaf);
        }
        if (size > 512) {
            break;
        }
    }
    return t;
}
