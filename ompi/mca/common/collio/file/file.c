/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Records of open files: allocation, search, counters. open/ creates and frees the records.
 */
#include "file/file.h"

#include "view/view.h"

#include "core/debug_assert.h"

/* Without a record an open could not take part in agreements, and other ranks would hang. */
collio_spare_t collio_file_spare = COLLIO_SPARE(collio_file_t);

collio_file_t *collio_file_take(void)
{
    collio_file_t *file = collio_spare_take(&collio_file_spare);

    if (NULL != file) {
        file->comm = file->node_comm = MPI_COMM_NULL;
        file->derived.my_aggregator = -1;
        file->slot = -1;
    }
    return file;
}

collio_file_t *collio_file_find(ompio_file_t *fh)
{
    return collio_handle_get(fh, COLLIO_PLACE_FCOLL);
}

struct visit {
    int (*each)(collio_file_t *file); /* function that is called for every file */
    int *sum;                         /* sum of the results of `each` */
};

static void visit(void *file, void *data)
{
    const struct visit *visit = data;

    *visit->sum += visit->each(file);
}

void collio_file_for_each(int (*each)(collio_file_t *file), int *sum)
{
    struct visit all = {each, sum};

    collio_handle_for_each(COLLIO_PLACE_FCOLL, visit, &all);
}

void collio_file_memory(collio_file_t *file, int64_t bytes)
{
    file->memory_bytes += bytes;
    COLLIO_ASSERT(0 <= file->memory_bytes); /* no memory is subtracted twice */
    collio_file_high(file, COLLIO_STAT_MEMORY_HIGH, file->memory_bytes + collio_flat_held());
}

static _Atomic bool background;

bool collio_file_background(void)
{
    return background;
}

bool collio_file_set_background(bool used)
{
    return atomic_exchange(&background, used);
}

void collio_file_high(collio_file_t *file, int stat, int64_t value)
{
    uint64_t *high = &file->stats[0].at[stat], *component_high = &file->component->stats.at[stat];

    *high = value > (int64_t) *high ? (uint64_t) value : *high;
    *component_high = *high > *component_high ? *high : *component_high;
}
