/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef FUZZ_TYPE_H
#define FUZZ_TYPE_H

#include "lib/t_util.h"

/**
 * A datatype as a tree of constructors. From the same tree come the MPI datatype (fuzz_type_make)
 * and, by arithmetic of our own, the bytes that it covers (fuzz_type_flatten): the oracle never
 * asks MPI what a datatype means.
 */
enum { FUZZ_LIST = 64, FUZZ_DIMS = 3 };

typedef enum fuzz_kind {
    FUZZ_LEAF,
    FUZZ_CONTIGUOUS,
    FUZZ_VECTOR,
    FUZZ_HVECTOR,
    FUZZ_INDEXED,
    FUZZ_HINDEXED,
    FUZZ_INDEXED_BLOCK,
    FUZZ_HINDEXED_BLOCK,
    FUZZ_STRUCT,
    FUZZ_SUBARRAY,
    FUZZ_DARRAY,
    FUZZ_RESIZED,
    FUZZ_DUP,
    FUZZ_KINDS
} fuzz_kind;

/* Leaves: etypes of files, and what memory types are made of. */
typedef enum fuzz_leaf { FUZZ_BYTE, FUZZ_INT, FUZZ_DOUBLE, FUZZ_TRIPLE, FUZZ_LEAVES } fuzz_leaf;

typedef struct fuzz_type {
    fuzz_kind kind;
    fuzz_leaf leaf;
    struct fuzz_type *child;
    int n, block;                /* copies or blocks; children per block */
    int64_t stride;              /* children (vector) or bytes (hvector); extent (resized) */
    int64_t lb;                  /* resized */
    int length[FUZZ_LIST];       /* children in each block of a list */
    int64_t at[FUZZ_LIST];       /* where the block begins: children or bytes */
    int dims, sizes[FUZZ_DIMS];  /* arrays */
    int sub[FUZZ_DIMS];          /* subarray: sizes of the part */
    int start[FUZZ_DIMS];        /* subarray: where the part begins */
    int order;                   /* MPI_ORDER_C or MPI_ORDER_FORTRAN */
    int procs, rank;             /* darray */
    int distribution[FUZZ_DIMS]; /* darray: MPI_DISTRIBUTE_* */
    int argument[FUZZ_DIMS];     /* darray: block size, or MPI_DISTRIBUTE_DFLT_DARG */
    int grid[FUZZ_DIMS];         /* darray: processes in each dimension */
} fuzz_type;

typedef struct fuzz_segment {
    int64_t at, length;
} fuzz_segment;

/* One instance of a type: its bytes in the order of the typemap. */
typedef struct fuzz_flat {
    fuzz_segment *segment;
    int count, room;
    int64_t size, lb, ub;
} fuzz_flat;

int64_t fuzz_leaf_size(fuzz_leaf leaf);
MPI_Datatype fuzz_leaf_type(fuzz_leaf leaf); /* not to be freed */
void fuzz_leaf_finish(void);

/* Numbers below n, and true with a chance of percent. */
int fuzz_below(uint64_t *random, int n);
bool fuzz_chance(uint64_t *random, int percent);

fuzz_type *fuzz_type_leaf(fuzz_leaf leaf);
fuzz_type *fuzz_type_new(fuzz_kind kind, fuzz_type *child);
fuzz_type *fuzz_type_resized(fuzz_type *child, int64_t lb, int64_t extent);
/* One child, moved by bytes. */
fuzz_type *fuzz_type_moved(fuzz_type *child, int64_t bytes);
/* A random tree. Sorted: bytes ascend, which views must; no two bytes of any tree overlap. */
fuzz_type *fuzz_type_random(uint64_t *random, fuzz_leaf leaf, bool sorted, int depth);
void fuzz_type_free(fuzz_type *type);

void fuzz_type_flatten(const fuzz_type *type, fuzz_flat *flat);
void fuzz_flat_add(fuzz_flat *flat, int64_t at, int64_t length);
void fuzz_flat_free(fuzz_flat *flat);
MPI_Datatype fuzz_type_make(const fuzz_type *type); /* committed; free with MPI_Type_free */
/* "vector(3,2,5) of int" */
void fuzz_type_tell(const fuzz_type *type, char *text, size_t bytes);

#endif
