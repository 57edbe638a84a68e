/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrays shared out among ranks: block-block-block, NPB BTIO's diagonal multi-
 * partition, and a block-cyclic distribution. The shape walks the array row by row; the view is
 * what MPI's own constructors (subarray, darray) make of it.
 */
#include "t_pattern.h"

/** Most square factors of size: f[0] >= f[1] >= ..., n of them. */
static void factors(int size, int n, int f[])
{
    for (int d = 0; d < n; d++) {
        int best = 1;

        for (int x = 1; x <= size; x++) {
            int power = 1;

            for (int k = d; k < n; k++) {
                power *= x;
            }
            if (0 == size % x && power <= size) {
                best = x;
            }
        }
        f[n - 1 - d] = best;
        size /= best;
    }
    f[0] *= size;
}

/** Part i of n, cut in p parts that differ by one at most: begin and length. */
static void part(int n, int p, int i, int *begin, int *length)
{
    *begin = (int) ((int64_t) n * i / p);
    *length = (int) ((int64_t) n * (i + 1) / p) - *begin;
}

typedef struct box {
    int full[3], sub[3], at[3];
} box;

/** The rows (last dimension fastest) of a box, point bytes each. */
static void box_rows(t_shape *shape, int64_t base, const box *b, int64_t point)
{
    for (int z = 0; z < b->sub[0]; z++) {
        for (int y = 0; y < b->sub[1]; y++) {
            int64_t row = ((int64_t) (b->at[0] + z) * b->full[1] + b->at[1] + y) * b->full[2]
                          + b->at[2];

            t_list_add(&shape->list, base + row * point, b->sub[2] * point);
        }
    }
}

static box block3d_box(int rank, int size)
{
    box b = {{11, 13, 17}, {0, 0, 0}, {0, 0, 0}};
    int f[3];

    factors(size, 3, f);
    part(b.full[0], f[0], rank / (f[1] * f[2]), &b.at[0], &b.sub[0]);
    part(b.full[1], f[1], rank / f[2] % f[1], &b.at[1], &b.sub[1]);
    part(b.full[2], f[2], rank % f[2], &b.at[2], &b.sub[2]);
    return b;
}

void t_shape_block3d(int rank, int size, t_shape *shape)
{
    box b = block3d_box(rank, size);

    shape->unit = shape->etype = 8;
    box_rows(shape, 0, &b, 8);
}

void t_view_block3d(int rank, int size, t_view *view)
{
    box b = block3d_box(rank, size);

    view->etype = MPI_DOUBLE;
    MPI_Type_create_subarray(3, b.full, b.sub, b.at, MPI_ORDER_C, MPI_DOUBLE, &view->filetype);
    MPI_Type_commit(&view->filetype);
}

/*
 * BTIO: q = floor(sqrt(P)); rank i + q j owns the q cells c at x = (i + c) mod q,
 * y = (j - c) mod q, z = c; x is fastest; a point is 5 doubles. Ranks past q*q own nothing.
 */
enum { BT_POINTS = 12, BT_MAX_CELLS = 12 };

static int bt_q(int size)
{
    int q = 1;

    while ((q + 1) * (q + 1) <= size && q + 1 <= BT_MAX_CELLS) {
        q++;
    }
    return q;
}

static box bt_cell(int rank, int q, int c)
{
    box b = {{BT_POINTS, BT_POINTS, BT_POINTS}, {0, 0, 0}, {0, 0, 0}};
    int i = rank % q, j = rank / q;

    part(BT_POINTS, q, c, &b.at[0], &b.sub[0]);
    part(BT_POINTS, q, ((j - c) % q + q) % q, &b.at[1], &b.sub[1]);
    part(BT_POINTS, q, (i + c) % q, &b.at[2], &b.sub[2]);
    return b;
}

void t_shape_btio(int rank, int size, t_shape *shape)
{
    int q = bt_q(size);

    shape->unit = 8;
    shape->etype = 40;
    for (int c = 0; c < q && rank < q * q; c++) {
        box b = bt_cell(rank, q, c);

        box_rows(shape, 8, &b, 40);
    }
}

void t_view_btio(int rank, int size, t_view *view)
{
    MPI_Datatype point, cells[BT_MAX_CELLS];
    MPI_Aint zero[BT_MAX_CELLS] = {0};
    int one[BT_MAX_CELLS], q = bt_q(size);

    MPI_Type_contiguous(5, MPI_DOUBLE, &point);
    MPI_Type_commit(&point);
    view->disp = 8;
    view->etype = view->filetype = point;
    if (rank >= q * q) {
        return;
    }
    for (int c = 0; c < q; c++) {
        box b = bt_cell(rank, q, c);

        one[c] = 1;
        MPI_Type_create_subarray(3, b.full, b.sub, b.at, MPI_ORDER_C, point, &cells[c]);
    }
    MPI_Type_create_struct(q, one, zero, cells, &view->filetype);
    MPI_Type_commit(&view->filetype);
    for (int c = 0; c < q; c++) {
        MPI_Type_free(&cells[c]);
    }
}

/* Rows in blocks, columns dealt out three at a time. */
enum { DA_ROWS = 19, DA_COLUMNS = 64, DA_DEAL = 3 };

void t_shape_darray(int rank, int size, t_shape *shape)
{
    int f[2], rows, begin, end;

    factors(size, 2, f);
    shape->unit = shape->etype = 8;
    rows = (DA_ROWS + f[0] - 1) / f[0]; /* MPI_DISTRIBUTE_BLOCK rounds up */
    begin = rank / f[1] * rows;
    end = begin + rows < DA_ROWS ? begin + rows : DA_ROWS;
    for (int y = begin; y < end; y++) {
        for (int x = 0; x < DA_COLUMNS; x++) {
            if (x / DA_DEAL % f[1] == rank % f[1]) {
                t_list_add(&shape->list, 24 + ((int64_t) y * DA_COLUMNS + x) * 8, 8);
            }
        }
    }
}

void t_view_darray(int rank, int size, t_view *view)
{
    int f[2], full[2] = {DA_ROWS, DA_COLUMNS};
    int how[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
    int argument[2] = {MPI_DISTRIBUTE_DFLT_DARG, DA_DEAL};
    t_shape mine = {{0}, 0, 1, 1};

    factors(size, 2, f);
    view->disp = 24;
    view->etype = view->filetype = MPI_DOUBLE;
    t_shape_darray(rank, size, &mine);
    if (0 < mine.list.n) { /* a rank past the last row block has no type to build */
        MPI_Type_create_darray(size, rank, 2, full, how, argument, f, MPI_ORDER_C, MPI_DOUBLE,
                               &view->filetype);
        MPI_Type_commit(&view->filetype);
    }
    t_shape_free(&mine);
}
