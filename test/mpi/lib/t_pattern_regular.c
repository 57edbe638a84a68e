/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regular patterns: a block every so many bytes. One picture for most of them, three ranks:
 *
 *     disp |000|111|222|....|000|111|222|....|000| ...
 *          <block>     <gap>
 *          <---- stride --->
 */
#include "t_pattern.h"

static const int64_t gib = INT64_C(1) << 30;

/** count blocks of block bytes, one every stride bytes, the first at first. */
static void blocks(t_shape *shape, int64_t first, int64_t block, int64_t stride, int count)
{
    for (int i = 0; i < count; i++) {
        t_list_add(&shape->list, first + i * stride, block);
    }
}

/** The same as a filetype: one block, resized to the stride, repeated by the view itself. */
static void blocks_view(t_view *view, int64_t first, int64_t block, int64_t stride, int64_t unit)
{
    MPI_Datatype one;

    view->disp = first;
    view->etype = t_unit_type(unit);
    MPI_Type_contiguous((int) (block / unit), view->etype, &one);
    MPI_Type_create_resized(one, 0, stride, &view->filetype);
    MPI_Type_commit(&view->filetype);
    MPI_Type_free(&one);
}

void t_shape_segmented(int rank, int size, t_shape *shape)
{
    (void) size;
    blocks(shape, 1000 + rank * 8192, 8192, 0, 1);
}

void t_view_segmented(int rank, int size, t_view *view)
{
    (void) size;
    view->disp = 1000 + rank * 8192;
}

/* One contiguous view for all; a rank's place is its offset in etypes. */
void t_shape_offset(int rank, int size, t_shape *shape)
{
    (void) size;
    shape->unit = shape->etype = 8;
    shape->start = rank * 4000;
    blocks(shape, 16, shape->start + 4000, 0, 1);
}

void t_view_offset(int rank, int size, t_view *view)
{
    (void) rank;
    (void) size;
    view->disp = 16;
    view->etype = view->filetype = MPI_DOUBLE;
}

void t_shape_default_view(int rank, int size, t_shape *shape)
{
    (void) size;
    shape->start = 5 + rank * 3001;
    blocks(shape, 0, shape->start + 3001, 0, 1);
}

void t_view_default_view(int rank, int size, t_view *view)
{
    (void) rank;
    (void) size;
    view->set = false;
}

void t_shape_interleaved(int rank, int size, t_shape *shape)
{
    shape->unit = shape->etype = 8;
    blocks(shape, 8 + rank * 96, 96, size * 96, 40);
}

void t_view_interleaved(int rank, int size, t_view *view)
{
    blocks_view(view, 8 + rank * 96, 96, size * 96, 8);
}

/* Blocks longer than the tiny collective buffer: a block crosses windows. */
void t_shape_interleaved_large(int rank, int size, t_shape *shape)
{
    blocks(shape, rank * 5003, 5003, size * 5003, 3);
}

void t_view_interleaved_large(int rank, int size, t_view *view)
{
    blocks_view(view, rank * 5003, 5003, size * 5003, 1);
}

/* Small gaps: what read-modify-write is for. */
void t_shape_holes(int rank, int size, t_shape *shape)
{
    shape->unit = shape->etype = 8;
    blocks(shape, 100 + rank * 24, 24, size * 24 + 40, 100);
}

void t_view_holes(int rank, int size, t_view *view)
{
    blocks_view(view, 100 + rank * 24, 24, size * 24 + 40, 8);
}

/* Gaps larger than the data: whole windows are empty with the tiny buffer. */
void t_shape_holes_wide(int rank, int size, t_shape *shape)
{
    shape->unit = shape->etype = 4;
    blocks(shape, 4000 + rank * 512, 512, size * 512 + 20000, 6);
}

void t_view_holes_wide(int rank, int size, t_view *view)
{
    blocks_view(view, 4000 + rank * 512, 512, size * 512 + 20000, 4);
}

/* The filetype itself has holes, and a lower bound below its first byte. */
enum { TILE = 80 };

void t_shape_tiles(int rank, int size, t_shape *shape)
{
    shape->unit = 4;
    shape->etype = 8;
    for (int tile = 0; tile < 30; tile++) {
        blocks(shape, 3 + (int64_t) (tile * size + rank) * TILE + 12, 8, 20, 3);
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

/* Every even rank has nothing; alone, nobody has anything. */
void t_shape_empty_ranks(int rank, int size, t_shape *shape)
{
    if (1 == rank % 2) {
        blocks(shape, rank * 130, 130, size * 130, 25);
    }
}

void t_view_empty_ranks(int rank, int size, t_view *view)
{
    if (1 == rank % 2) {
        blocks_view(view, rank * 130, 130, size * 130, 1);
    }
}

void t_shape_one_rank(int rank, int size, t_shape *shape)
{
    shape->unit = shape->etype = 8;
    if (size - 1 == rank) {
        blocks(shape, 40, 64, 200, 90);
    }
}

void t_view_one_rank(int rank, int size, t_view *view)
{
    if (size - 1 == rank) {
        blocks_view(view, 40, 64, 200, 8);
    } else {
        view->etype = view->filetype = MPI_DOUBLE;
    }
}

void t_shape_nobody(int rank, int size, t_shape *shape)
{
    (void) rank;
    (void) size;
    (void) shape;
}

void t_view_nobody(int rank, int size, t_view *view)
{
    (void) size;
    view->disp = rank * 10;
}

void t_shape_append(int rank, int size, t_shape *shape)
{
    (void) size;
    shape->start = T_APPEND_BASE + rank * 2001;
    blocks(shape, 0, shape->start + 2001, 0, 1);
}

void t_view_append(int rank, int size, t_view *view)
{
    t_view_default_view(rank, size, view);
}

void t_shape_huge(int rank, int size, t_shape *shape)
{
    shape->unit = shape->etype = 4;
    blocks(shape, 5 * gib + 123 + rank * 400, 400, size * 400, 12);
}

void t_view_huge(int rank, int size, t_view *view)
{
    blocks_view(view, 5 * gib + 123 + rank * 400, 400, size * 400, 4);
}

/* A stride past 2^31: the span of one call is larger than any int. */
void t_shape_wide_stride(int rank, int size, t_shape *shape)
{
    (void) size;
    blocks(shape, 77 + rank * 200, 200, 3 * gib + 5, 3);
}

void t_view_wide_stride(int rank, int size, t_view *view)
{
    (void) size;
    blocks_view(view, 77 + rank * 200, 200, 3 * gib + 5, 1);
}

void t_shape_external32(int rank, int size, t_shape *shape)
{
    shape->unit = shape->etype = 4;
    blocks(shape, 64 + rank * 60, 60, size * 60, 30);
}

void t_view_external32(int rank, int size, t_view *view)
{
    blocks_view(view, 64 + rank * 60, 60, size * 60, 4);
    view->datarep = "external32";
}

void t_shape_external32_double(int rank, int size, t_shape *shape)
{
    shape->unit = shape->etype = 8;
    blocks(shape, 64 + rank * 80, 80, size * 80 + 16, 20);
}

void t_view_external32_double(int rank, int size, t_view *view)
{
    blocks_view(view, 64 + rank * 80, 80, size * 80 + 16, 8);
    view->datarep = "external32";
}

/* All ranks read the same bytes. */
void t_shape_same_read(int rank, int size, t_shape *shape)
{
    (void) rank;
    (void) size;
    blocks(shape, 333, 20000, 0, 1);
}

void t_view_same_read(int rank, int size, t_view *view)
{
    (void) rank;
    (void) size;
    view->disp = 333;
}

/* Rank r and r+1 write the same bytes in atomic mode: half of each block is shared. */
void t_shape_atomic(int rank, int size, t_shape *shape)
{
    blocks(shape, 50 + rank * 300, 600, size * 300 + 500, 8);
}

void t_view_atomic(int rank, int size, t_view *view)
{
    blocks_view(view, 50 + rank * 300, 600, size * 300 + 500, 1);
}
