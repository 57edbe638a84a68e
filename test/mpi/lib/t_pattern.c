/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* The table of patterns; the name is what the user of --only types. */
#include "t_pattern.h"

#include <string.h>

enum { RW = T_WRITE | T_READ, RWS = T_WRITE | T_READ | T_SHORT };

#define ROW(name, flags)                            \
    {                                               \
#        name, flags, t_shape_##name, t_view_##name \
    }

const t_pattern t_patterns[] = {
    ROW(segmented, RWS),
    ROW(offset, RWS),
    ROW(default_view, RWS),
    ROW(interleaved, RWS),
    ROW(interleaved_large, RWS),
    ROW(holes, RWS),
    ROW(holes_wide, RWS),
    ROW(tiles, RWS),
    ROW(empty_ranks, RWS),
    ROW(one_rank, RWS),
    ROW(nobody, RW),
    ROW(append, T_WRITE | T_APPEND),
    ROW(huge, RWS),
    ROW(wide_stride, RW),
    ROW(external32, RW | T_SWAP),
    ROW(external32_double, RW | T_SWAP),
    ROW(block2d, RWS),
    ROW(block3d, RWS),
    ROW(btio, RWS),
    ROW(darray, RWS),
    ROW(e3sm, RWS),
    ROW(ragged, RWS),
    ROW(far, RW),
    ROW(same_read, T_READ | T_SHORT),
    ROW(overlap_read, T_READ | T_REFUSABLE),
    ROW(unsorted_read, T_READ | T_REFUSABLE),
    ROW(atomic, T_WRITE | T_ATOMIC),
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
