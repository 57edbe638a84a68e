/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regular patterns: a block every so many bytes. One picture for most of them, three ranks:
 *
 *     first |000|111|222|....|000|111|222|....|000| ...
 *           <block>     <gap>
 */
#include "t_pattern.h"

/** count blocks of block bytes, one every stride bytes, the first at first. */
static void add_blocks(t_shape *shape, int64_t first, int64_t block, int64_t stride, int count)
{
    for (int i = 0; i < count; i++) {
        t_list_add(&shape->list, first + i * stride, block);
    }
}

static bool has_bytes(const t_row *row, int rank, int size)
{
    switch (row->who) {
    case T_ODD:
        return 1 == rank % 2;
    case T_LAST:
        return size - 1 == rank;
    default:
        return T_ALL == row->who;
    }
}

static int64_t stride_of(const t_row *row, int size)
{
    return 0 < row->stride ? row->stride : size * row->step + row->gap;
}

void t_row_shape(const t_row *row, int rank, int size, t_shape *shape)
{
    shape->unit = shape->etype = row->unit;
    shape->start = row->start + rank * row->start_step;
    if (has_bytes(row, rank, size)) {
        add_blocks(shape, row->first + rank * row->step, shape->start + row->block,
                   stride_of(row, size), row->count);
    }
}

/** A filetype is one block, resized to the stride, repeated by the view itself. */
void t_row_view(const t_row *row, int rank, int size, t_view *view)
{
    MPI_Datatype one;

    view->set = 0 < row->first + row->step;
    view->disp = row->first + rank * row->step;
    view->etype = view->filetype = t_unit_type(row->unit);
    if (1 < row->count && has_bytes(row, rank, size)) {
        MPI_Type_contiguous((int) (row->block / row->unit), view->etype, &one);
        MPI_Type_create_resized(one, 0, stride_of(row, size), &view->filetype);
        MPI_Type_commit(&view->filetype);
        MPI_Type_free(&one);
    }
}

/* The filetype itself has holes, and a lower bound below its first byte. */
enum { TILE = 80 };

void t_shape_tiles(int rank, int size, t_shape *shape)
{
    shape->unit = 4;
    shape->etype = 8;
    for (int tile = 0; tile < 30; tile++) {
        add_blocks(shape, 3 + (int64_t) (tile * size + rank) * TILE + 12, 8, 20, 3);
    }
}

void t_view_tiles(int rank, int size, t_view *view)
{
    MPI_Datatype pair, vector, moved;
    int one = 1;
    MPI_Aint shift = 12;

    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_create_hvector(3, 1, 20, pair, &vector);
    MPI_Type_create_hindexed(1, &one, &shift, vector, &moved);
    MPI_Type_create_resized(moved, 0, (MPI_Aint) size * TILE, &view->filetype);
    MPI_Type_commit(&view->filetype);
    MPI_Type_commit(&pair);
    view->disp = 3 + rank * TILE;
    view->etype = pair;
    MPI_Type_free(&vector);
    MPI_Type_free(&moved);
}
