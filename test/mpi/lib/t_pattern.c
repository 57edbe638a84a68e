/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* The table of patterns; the name is what the user of --only types. */
#include "t_pattern.h"

#include <string.h>

enum { RW = T_WRITE | T_READ, RWS = T_WRITE | T_READ | T_SHORT };

#define GIB (INT64_C(1) << 30)

const t_pattern t_patterns[] = {
    {"segmented", RWS, .row = {.first = 1000, .step = 8192, .block = 8192, .count = 1, .unit = 1}},
    /* one contiguous view for all; a rank's place is its offset in etypes */
    {"offset", RWS, .row = {.first = 16, .start_step = 4000, .block = 4000, .count = 1, .unit = 8}},
    {"default_view", RWS,
     .row = {.start = 5, .start_step = 3001, .block = 3001, .count = 1, .unit = 1}},
    {"interleaved", RWS, .row = {.first = 8, .step = 96, .block = 96, .count = 40, .unit = 8}},
    /* blocks longer than the tiny collective buffer: a block crosses windows */
    {"interleaved_large", RWS, .row = {.step = 5003, .block = 5003, .count = 3, .unit = 1}},
    /* small gaps: what read-modify-write is for */
    {"holes", RWS,
     .row = {.first = 100, .step = 24, .block = 24, .gap = 40, .count = 100, .unit = 8}},
    /* gaps larger than the data: whole windows are empty with the tiny buffer */
    {"holes_wide", RWS,
     .row = {.first = 4000, .step = 512, .block = 512, .gap = 20000, .count = 6, .unit = 4}},
    {"tiles", RWS, .shape = t_shape_tiles, .view = t_view_tiles},
    {"empty_ranks", RWS, .row = {.step = 130, .block = 130, .count = 25, .unit = 1, .who = T_ODD}},
    {"one_rank", RWS,
     .row = {.first = 40, .block = 64, .stride = 200, .count = 90, .unit = 8, .who = T_LAST}},
    {"nobody", RW, .row = {.step = 10, .unit = 1, .who = T_NOBODY}},
    {"append", T_WRITE | T_APPEND,
     .row = {.start = T_APPEND_BASE, .start_step = 2001, .block = 2001, .count = 1, .unit = 1}},
    {"huge", RWS,
     .row = {.first = 5 * GIB + 123, .step = 400, .block = 400, .count = 12, .unit = 4}},
    /* a stride past 2^31: the span of one call is larger than any int */
    {"wide_stride", RW,
     .row = {.first = 77, .step = 200, .block = 200, .stride = 3 * GIB + 5, .count = 3, .unit = 1}},
    {"external32", RW | T_SWAP,
     .row = {.first = 64, .step = 60, .block = 60, .count = 30, .unit = 4}},
    {"external32_double", RW | T_SWAP,
     .row = {.first = 64, .step = 80, .block = 80, .gap = 16, .count = 20, .unit = 8}},
    {"block3d", RWS, .shape = t_shape_block3d, .view = t_view_block3d},
    {"btio", RWS, .shape = t_shape_btio, .view = t_view_btio},
    {"darray", RWS, .shape = t_shape_darray, .view = t_view_darray},
    {"e3sm", RWS, .shape = t_shape_e3sm},
    {"ragged", RWS | T_EMPTIES, .shape = t_shape_ragged},
    {"far", RW, .shape = t_shape_far},
    /* all ranks read the same bytes */
    {"same_read", T_READ | T_SHORT, .row = {.first = 333, .block = 20000, .count = 1, .unit = 1}},
    /* repetitions of the filetype overlap: more pieces than bytes of the file */
    {"repeated_read", T_READ | T_SHORT, .shape = t_shape_repeated_read,
     .view = t_view_repeated_read},
    {"overlap_read", T_READ | T_SHORT | T_REFUSABLE, .shape = t_shape_overlap_read},
    {"unsorted_read", T_READ | T_SHORT | T_REFUSABLE, .shape = t_shape_unsorted_read},
    /* each byte is written by up to four ranks */
    {"atomic", T_WRITE | T_ATOMIC,
     .row = {.first = 50, .step = 150, .block = 600, .gap = 500, .count = 400, .unit = 1}},
};

const int t_pattern_count = sizeof(t_patterns) / sizeof(t_patterns[0]);

const t_pattern *t_pattern_find(const char *name)
{
    for (int i = 0; i < t_pattern_count; i++) {
        if (0 == strcmp(t_patterns[i].name, name)) {
            return &t_patterns[i];
        }
    }
    return NULL;
}

MPI_Datatype t_unit_type(int64_t unit)
{
    return 8 == unit ? MPI_DOUBLE : 4 == unit ? MPI_INT : MPI_BYTE;
}

void t_pattern_shape(const t_pattern *pattern, int rank, int size, t_shape *shape)
{
    *shape = (t_shape){{0}, 0, 1, 1};
    if (NULL == pattern->shape) {
        t_row_shape(&pattern->row, rank, size, shape);
    } else {
        pattern->shape(rank, size, shape);
    }
}

void t_pattern_view(const t_pattern *pattern, int rank, int size, t_view *view)
{
    *view = (t_view){true, 0, MPI_BYTE, MPI_BYTE,
                     0 != (pattern->flags & T_SWAP) ? "external32" : "native"};
    if (NULL != pattern->view) {
        pattern->view(rank, size, view);
    } else if (NULL == pattern->shape) {
        t_row_view(&pattern->row, rank, size, view);
    } else {
        t_shape shape;

        t_pattern_shape(pattern, rank, size, &shape);
        t_list_view(&shape, 0 != (pattern->flags & T_EMPTIES), view);
        t_shape_free(&shape);
    }
}

static void free_type(MPI_Datatype *type)
{
    int ints, addresses, types, combiner;

    if (MPI_DATATYPE_NULL == *type) {
        return;
    }
    MPI_Type_get_envelope(*type, &ints, &addresses, &types, &combiner);
    if (MPI_COMBINER_NAMED != combiner) {
        MPI_Type_free(type);
    }
    *type = MPI_DATATYPE_NULL;
}

void t_view_free(t_view *view)
{
    bool same = view->etype == view->filetype;

    free_type(&view->filetype);
    if (!same) {
        free_type(&view->etype);
    }
}

void t_shape_free(t_shape *shape)
{
    t_list_free(&shape->list);
}
