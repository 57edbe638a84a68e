/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* Views that look alike, and where their bytes are. */
#include "fuzz_view.h"

#include <string.h>

/** Small numbers are common, large ones come. */
static int some(uint64_t *random, int most)
{
    int bound = 1 + fuzz_below(random, most);

    return 1 + fuzz_below(random, bound);
}

void fuzz_views_random(uint64_t *random, bool same, fuzz_views *v)
{
    static const int blocks[] = {1, 2, 3, 4, 7, 8, 16, 64, 100, 250, 500};

    memset(v, 0, sizeof(*v));
    v->family = (fuzz_family) fuzz_below(random, FUZZ_FAMILIES);
    if (same) {
        v->family = fuzz_chance(random, 60) ? FUZZ_SAME : FUZZ_PLAIN;
    }
    v->etype = (fuzz_leaf) fuzz_below(random, FUZZ_LEAVES);
    v->base = fuzz_chance(random, 40) ? 0 : fuzz_below(random, 1 << (3 + fuzz_below(random, 11)));
    v->shift = fuzz_chance(random, 60) ? 0 : fuzz_below(random, 300);
    v->n = some(random, 20);
    v->block = blocks[fuzz_below(random, (int) (sizeof(blocks) / sizeof(blocks[0])))];
    v->gap = fuzz_chance(random, 40) ? 0 : some(random, 60);
    v->tile = fuzz_chance(random, 60) ? 0 : some(random, 50);
    v->form = fuzz_below(random, 8);
    v->in_type = fuzz_below(random, 2);
    v->turn = fuzz_chance(random, 80) ? 0 : 1 + fuzz_below(random, 7);
    v->seed = t_random(random);
    v->bound = (int) (v->seed >> 40) % 4;
    v->external = fuzz_chance(random, 4) && FUZZ_TRIPLE != v->etype;
}

static void alter(uint64_t *random, bool same, fuzz_views *v)
{
    switch (fuzz_below(random, 12)) {
    case 0:
    case 1:
        v->shift = fuzz_below(random, 400);
        break;
    case 2:
        v->base = fuzz_below(random, 4096);
        break;
    case 3: /* the same place, told otherwise */
        if (v->shift * fuzz_leaf_size(v->etype) <= v->base) {
            v->base -= v->shift * fuzz_leaf_size(v->etype);
            v->shift *= 2;
        }
        break;
    case 4:
        v->turn = same ? 0 : v->turn + 1;
        break;
    case 5:
        v->form = fuzz_below(random, 8);
        break;
    case 6:
        v->in_type = !v->in_type;
        v->bound = (v->bound + 1) % 4;
        break;
    case 7:
        v->gap += 1 + fuzz_below(random, 5);
        break;
    case 8:
        v->n = 1 + fuzz_below(random, 2 * v->n) % 60;
        break;
    case 9:
        v->tile = 0 == v->tile ? 1 + fuzz_below(random, 20) : 0;
        break;
    case 10:
        v->seed++;
        break;
    default:
        v->block = 1 + fuzz_below(random, v->block + 3);
    }
}

void fuzz_views_alike(uint64_t *random, bool same, fuzz_views *v)
{
    alter(random, same, v);
    if (fuzz_chance(random, 30)) {
        alter(random, same, v);
    }
}

/** A list of blocks as one of the constructors for lists; offsets and lengths are in etypes. */
static fuzz_type *list_type(int n, const int64_t at[], const int length[], int form, fuzz_leaf leaf)
{
    static const fuzz_kind kinds[] = {FUZZ_HINDEXED, FUZZ_INDEXED, FUZZ_STRUCT};
    fuzz_type *t = fuzz_type_new(kinds[form % 3], fuzz_type_leaf(leaf));

    t->n = n;
    for (int i = 0; i < n; i++) {
        t->at[i] = FUZZ_INDEXED == t->kind ? at[i] : at[i] * fuzz_leaf_size(leaf);
        t->length[i] = length[i];
    }
    return t;
}

static fuzz_type *block_list(int n, int block, int64_t stride, int form, fuzz_leaf leaf)
{
    int64_t at[FUZZ_LIST];
    int length[FUZZ_LIST];
    fuzz_type *t;

    for (int i = 0; i < n; i++) {
        at[i] = i * stride;
        length[i] = block;
    }
    t = list_type(n, at, length, form, leaf);
    if (3 == form) { /* list_type made hindexed of it */
        t->kind = FUZZ_HINDEXED_BLOCK;
        t->block = block;
    }
    return t;
}

/** n blocks at a stride, in one of several ways. */
static fuzz_type *regular(int n, int block, int64_t stride, int form, fuzz_leaf leaf)
{
    int64_t size = fuzz_leaf_size(leaf);
    fuzz_type *t, *row;

    switch (form) {
    case 4: /* a vector of rows that were made contiguous and wide first */
        row = fuzz_type_new(FUZZ_CONTIGUOUS, fuzz_type_leaf(leaf));
        row->n = block;
        t = fuzz_type_new(FUZZ_CONTIGUOUS, fuzz_type_resized(row, 0, stride * size));
        t->n = n;
        return t;
    case 5: /* rows of a matrix */
        t = fuzz_type_new(FUZZ_SUBARRAY, fuzz_type_leaf(leaf));
        t->dims = 2;
        t->sizes[0] = t->sub[0] = n;
        t->sizes[1] = (int) stride;
        t->sub[1] = block;
        return t;
    case 6:
        t = fuzz_type_new(FUZZ_HVECTOR, fuzz_type_leaf(leaf));
        t->stride = stride * size;
        break;
    case 7:
        t = fuzz_type_new(FUZZ_VECTOR, fuzz_type_leaf(leaf));
        t->stride = stride;
        break;
    default:
        return block_list(n, block, stride, form, leaf);
    }
    t->n = n;
    t->block = block;
    return t;
}

/** Moves the type by what the view keeps in it, and gives it the extent in etypes. */
static void finish(const fuzz_views *v, fuzz_view *view, fuzz_type *type, int64_t start,
                   int64_t extent)
{
    int64_t size = fuzz_leaf_size(v->etype);
    int64_t inside = v->shift + (v->in_type ? start : 0);

    view->displacement = v->base + (v->in_type ? 0 : start * size);
    if (0 != inside) {
        type = fuzz_type_moved(type, inside * size);
    }
    if (0 < extent) {
        int64_t bound = 2 == v->bound ? inside : 3 == v->bound ? -16 : 0;

        type = fuzz_type_resized(type, bound * size, (extent + v->tile) * size);
    }
    view->type = type;
}

static void make_array(const fuzz_views *v, int rank, int size, fuzz_view *view)
{
    int rows = 1;
    fuzz_type *t = fuzz_type_new(FUZZ_DARRAY, fuzz_type_leaf(v->etype));

    for (int d = 2; d * d <= size; d++) {
        rows = 0 == size % d ? d : rows;
    }
    t->dims = 2;
    t->procs = size;
    t->rank = rank;
    t->grid[0] = rows;
    t->grid[1] = size / rows;
    t->sizes[0] = rows * (v->n % 6 + 1);
    t->sizes[1] = t->grid[1] * (v->block % 40 + 1);
    t->order = v->form & 1 ? MPI_ORDER_FORTRAN : MPI_ORDER_C;
    for (int d = 0; d < 2; d++) {
        t->distribution[d] = FUZZ_CYCLIC == v->family ? MPI_DISTRIBUTE_CYCLIC
                                                      : MPI_DISTRIBUTE_BLOCK;
        t->argument[d] = MPI_DISTRIBUTE_DFLT_DARG;
    }
    if (FUZZ_GRID == v->family && v->form & 2) {
        t->kind = FUZZ_SUBARRAY;
        for (int d = 0; d < 2; d++) {
            t->sub[d] = t->sizes[d] / t->grid[d];
            t->start[d] = t->sub[d] * (0 == d ? rank / t->grid[1] : rank % t->grid[1]);
        }
    }
    finish(v, view, t, 0, (int64_t) t->sizes[0] * t->sizes[1]);
}

/** Every block belongs to one rank; the first blocks make sure that nobody is without. */
static void make_owners(const fuzz_views *v, int rank, int size, fuzz_view *view)
{
    uint64_t random = v->seed;
    int64_t at[FUZZ_LIST], where = 0;
    int length[FUZZ_LIST], n = 0;

    for (int i = 0; i < size + 3 * v->n && n < FUZZ_LIST; i++) {
        int owner = fuzz_below(&random, size), bytes = 1 + fuzz_below(&random, v->block);

        if (rank == (i < size ? i : owner)) {
            at[n] = where;
            length[n++] = bytes;
        }
        where += bytes + (fuzz_chance(&random, 50) ? 0 : fuzz_below(&random, v->gap + 1));
    }
    finish(v, view, list_type(n, at, length, v->form, v->etype), 0, where);
}

static void make_trees(const fuzz_views *v, int rank, int size, fuzz_view *view)
{
    int64_t unit = fuzz_leaf_size(v->etype), start = 0, where = 0;
    fuzz_type *mine = NULL;

    for (int r = 0; r < size; r++) {
        uint64_t random = v->seed + (uint64_t) (v->form & 1 ? r : 0);
        fuzz_type *t = fuzz_type_random(&random, v->etype, true, 1 + v->n % 3);
        fuzz_flat flat;

        fuzz_type_flatten(t, &flat);
        if (r == rank) {
            mine = t;
            start = where;
        } else {
            fuzz_type_free(t);
        }
        where += (flat.ub + unit - 1) / unit + v->gap;
        fuzz_flat_free(&flat);
    }
    finish(v, view, mine, start, where);
}

void fuzz_view_make(const fuzz_views *v, int rank, int size, fuzz_view *view)
{
    int place = (rank + v->turn) % size;
    int64_t stride = (int64_t) size * v->block + v->gap;
    fuzz_type *t;

    memset(view, 0, sizeof(*view));
    view->etype = v->etype;
    view->external = v->external;
    switch (v->family) {
    case FUZZ_BLOCKS:
        t = regular(v->n, v->block, stride, v->form, v->etype);
        finish(v, view, t, (int64_t) place * v->block, v->n * stride);
        break;
    case FUZZ_PARTS:
        t = fuzz_type_new(FUZZ_CONTIGUOUS, fuzz_type_leaf(v->etype));
        t->n = v->block;
        finish(v, view, t, (int64_t) place * v->block * v->n, 0);
        break;
    case FUZZ_GRID:
    case FUZZ_CYCLIC:
        make_array(v, place, size, view);
        break;
    case FUZZ_OWNERS:
        make_owners(v, place, size, view);
        break;
    case FUZZ_TREES:
        make_trees(v, place, size, view);
        break;
    case FUZZ_SAME:
        stride = v->block + v->gap;
        finish(v, view, regular(v->n, v->block, stride, v->form, v->etype), 0, v->n * stride);
        break;
    default:
        finish(v, view, fuzz_type_leaf(v->etype), 0, 0);
    }
    fuzz_type_flatten(view->type, &view->flat);
}

void fuzz_view_free(fuzz_view *view)
{
    fuzz_type_free(view->type);
    view->type = NULL;
    fuzz_flat_free(&view->flat);
}

bool fuzz_view_equal(const fuzz_view *a, const fuzz_view *b)
{
    bool equal = a->etype == b->etype && a->displacement == b->displacement
                 && a->flat.count == b->flat.count && a->flat.lb == b->flat.lb
                 && a->flat.ub == b->flat.ub;

    for (int i = 0; equal && i < a->flat.count; i++) {
        equal = a->flat.segment[i].at == b->flat.segment[i].at
                && a->flat.segment[i].length == b->flat.segment[i].length;
    }
    return equal;
}

void fuzz_view_map(const fuzz_view *view, int64_t from, int64_t bytes, fuzz_flat *segments)
{
    const fuzz_flat *flat = &view->flat;
    int64_t extent = flat->ub - flat->lb;
    int64_t tile = from / flat->size, skip = from % flat->size;

    memset(segments, 0, sizeof(*segments));
    for (; 0 < bytes; tile++) {
        for (int i = 0; i < flat->count && 0 < bytes; i++) {
            int64_t length = flat->segment[i].length - skip;

            if (0 >= length) {
                skip -= flat->segment[i].length;
                continue;
            }
            length = length < bytes ? length : bytes;
            fuzz_flat_add(segments, view->displacement + tile * extent + flat->segment[i].at + skip,
                          length);
            bytes -= length;
            skip = 0;
        }
    }
}
