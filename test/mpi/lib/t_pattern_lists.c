/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Irregular lists of pieces: the shape draws them from the seed, the view hands the same list to
 * MPI_Type_create_hindexed. All ranks walk the same random stream, so pieces never overlap where
 * they must not.
 */
#include "t_pattern.h"

#include <stdlib.h>

void t_list_view(const t_shape *shape, bool empties, t_view *view)
{
    const t_list *list = &shape->list;
    int64_t unit = shape->unit;
    size_t n = list->n * (empties ? 2 : 1);
    int *lengths = t_alloc(n * sizeof(*lengths));
    MPI_Aint *at = t_alloc(n * sizeof(*at));

    view->etype = t_unit_type(unit);
    view->filetype = view->etype;
    for (size_t i = 0, k = 0; i < list->n; i++) {
        at[k] = (MPI_Aint) list->v[i].off;
        lengths[k++] = (int) (list->v[i].len / unit);
        if (empties) {
            at[k] = (MPI_Aint) (list->v[i].off + list->v[i].len);
            lengths[k++] = 0;
        }
    }
    if (0 < n) {
        MPI_Type_create_hindexed((int) n, lengths, at, view->etype, &view->filetype);
        MPI_Type_commit(&view->filetype);
    }
    free(lengths);
    free(at);
}

/* Climate model: each 8-byte value belongs to some rank. */
void t_shape_e3sm(int rank, int size, t_shape *shape)
{
    shape->unit = shape->etype = 8;
    for (int i = 0; i < 600 * size; i++) {
        if (t_mix(t_seed + (uint64_t) i) % (uint64_t) size == (uint64_t) rank) {
            t_list_add(&shape->list, 8 * (int64_t) i, 8);
        }
    }
}

/* Pieces of 1 to 300 bytes, some gaps, uneven shares (low ranks get more). */
void t_shape_ragged(int rank, int size, t_shape *shape)
{
    uint64_t state = t_seed * 3 + 1;
    int64_t at = 31;

    for (int i = 0; i < 40 * size; i++) {
        int64_t length = 1 + (int64_t) (t_random(&state) % 300);
        uint64_t draw = t_random(&state);
        int a = (int) (t_random(&state) % (uint64_t) size);
        int b = (int) (t_random(&state) % (uint64_t) size);

        if ((a < b ? a : b) == rank) {
            t_list_add(&shape->list, at, length);
        }
        at += length + (0 == draw % 4 ? (int64_t) (draw / 4 % 50) : 0);
    }
}

/* A header at the beginning and data at 1 TiB: two windows, not a million. */
void t_shape_far(int rank, int size, t_shape *shape)
{
    (void) size;
    t_list_add(&shape->list, rank * 100, 100);
    t_list_add(&shape->list, (INT64_C(1) << 40) + rank * 640, 640);
}

enum { REPEATED = 100, STEP = 1, BLOCKS = 20, BLOCK = 3, STRIDE = 7 };

/* The filetype is longer than its extent, so each repetition begins inside the one before. */
void t_shape_repeated_read(int rank, int size, t_shape *shape)
{
    (void) size;
    for (int i = 0; i < REPEATED * BLOCKS; i++) {
        t_list_add(&shape->list, rank * 5 + i / BLOCKS * STEP + i % BLOCKS * STRIDE, BLOCK);
    }
}

void t_view_repeated_read(int rank, int size, t_view *view)
{
    MPI_Datatype blocks;

    (void) size;
    MPI_Type_vector(BLOCKS, BLOCK, STRIDE, MPI_BYTE, &blocks);
    MPI_Type_create_resized(blocks, 0, STEP, &view->filetype);
    MPI_Type_commit(&view->filetype);
    MPI_Type_free(&blocks);
    view->disp = rank * 5;
}

/* Each piece begins inside the one before: a rank reads bytes twice, in rising order. */
void t_shape_overlap_read(int rank, int size, t_shape *shape)
{
    (void) size;
    for (int i = 0; i < 50; i++) {
        t_list_add(&shape->list, rank * 70 + i * 60, 100);
    }
}

/* Pieces from the last to the first. */
void t_shape_unsorted_read(int rank, int size, t_shape *shape)
{
    shape->unit = shape->etype = 4;
    for (int i = 49; i >= 0; i--) {
        t_list_add(&shape->list, ((int64_t) i * size + rank) * 48, 40);
    }
}
