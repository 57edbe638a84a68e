/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef FUZZ_VIEW_H
#define FUZZ_VIEW_H

#include "fuzz_type.h"

/**
 * The views of all ranks as a few numbers. A small change of one number makes views that look like
 * the earlier ones: elsewhere, with other strides, told by another constructor, with ranks changed.
 */
typedef enum fuzz_family {
    FUZZ_BLOCKS, /* n blocks a rank, interleaved */
    FUZZ_PARTS,  /* a contiguous part for each rank */
    FUZZ_GRID,   /* blocks of a 2-D array */
    FUZZ_CYCLIC, /* a 2-D array, cyclic */
    FUZZ_OWNERS, /* a list of blocks of random lengths with random owners */
    FUZZ_TREES,  /* a random datatype for each rank */
    FUZZ_SAME,   /* all ranks have the same blocks */
    FUZZ_PLAIN,  /* bytes from the base on */
    FUZZ_FAMILIES
} fuzz_family;

typedef struct fuzz_views {
    fuzz_family family;
    fuzz_leaf etype;
    int64_t base;  /* bytes: displacement of all views */
    int shift;     /* etypes, in the type instead of the displacement */
    int n, block;  /* blocks of a rank, etypes in each */
    int gap;       /* etypes between the blocks of the last rank and the next of the first */
    int tile;      /* etypes added to the extent */
    int form;      /* which constructors */
    int in_type;   /* the rank's own start is in the type (1) or in the displacement (0) */
    int bound;     /* lower bound of the type: 0, 1 zero, 2 its first byte, 3 before it */
    int turn;      /* rank r takes the place of rank r + turn */
    uint64_t seed; /* of owners and trees */
    bool external; /* external32 */
} fuzz_views;

/* One rank's view, ready to use. */
typedef struct fuzz_view {
    fuzz_leaf etype;
    int64_t displacement;
    fuzz_type *type;
    fuzz_flat flat;
    bool external;
} fuzz_view;

void fuzz_views_random(uint64_t *random, bool same, fuzz_views *views);
/* Changes one or two numbers. */
void fuzz_views_alike(uint64_t *random, bool same, fuzz_views *views);

void fuzz_view_make(const fuzz_views *views, int rank, int size, fuzz_view *view);
void fuzz_view_free(fuzz_view *view);
bool fuzz_view_equal(const fuzz_view *a, const fuzz_view *b);
/* Where `bytes` bytes from byte `from` of the view on lie in the file. */
void fuzz_view_map(const fuzz_view *view, int64_t from, int64_t bytes, fuzz_flat *segments);

#endif
