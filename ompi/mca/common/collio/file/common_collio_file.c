/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/**
 * What the fcoll has of open files: their counters and messages. open/ makes and ends them.
 */
#include "file/common_collio_file.h"

#include <stdarg.h>
#include <stdio.h>

#include "hook/common_collio_handle.h"
#include "hook/common_collio_spare.h"

#include "opal/util/output.h"

/* An open that finds no memory for its record would leave the other ranks waiting. */
static mca_common_collio_spare_t spare = MCA_COMMON_COLLIO_SPARE(mca_common_collio_file_t);

void mca_common_collio_file_reserve(void)
{
    mca_common_collio_spare_fill(&spare);
}

void mca_common_collio_file_unreserve(void)
{
    mca_common_collio_spare_drop(&spare);
}

mca_common_collio_file_t *mca_common_collio_file_take(void)
{
    mca_common_collio_file_t *file = mca_common_collio_spare_take(&spare);

    if (NULL != file) {
        file->comm = MPI_COMM_NULL;
        file->node_comm = MPI_COMM_NULL;
        file->my_aggregator = -1;
        file->slot = -1;
    }
    return file;
}

mca_common_collio_file_t *mca_common_collio_file_find(ompio_file_t *fh)
{
    return mca_common_collio_handle_get(fh, MCA_COMMON_COLLIO_PLACE_FCOLL);
}

struct visit {
    int (*each)(mca_common_collio_file_t *file);
    int *sum;
};

static void visit(void *file, void *data)
{
    const struct visit *visit = data;

    *visit->sum += visit->each(file);
}

void mca_common_collio_file_for_each(int (*each)(mca_common_collio_file_t *file), int *sum)
{
    struct visit all = {each, sum};

    mca_common_collio_handle_for_each(MCA_COMMON_COLLIO_PLACE_FCOLL, visit, &all);
}

void mca_common_collio_file_say(const mca_common_collio_file_t *file, const char *format, ...)
{
    char text[1024];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    opal_output(0, "fcoll/%s: %s: %s", file->component->name, file->fh->f_filename, text);
}

void mca_common_collio_file_count(mca_common_collio_file_t *file, int stat, uint64_t amount)
{
    file->stats[file->writing].at[stat] += amount;
    file->component->stats.at[stat] += amount;
}

void mca_common_collio_file_memory(mca_common_collio_file_t *file, int64_t bytes)
{
    uint64_t *high = &file->stats[0].at[MCA_COMMON_COLLIO_STAT_memory_high];
    uint64_t *component_high = &file->component->stats.at[MCA_COMMON_COLLIO_STAT_memory_high];

    file->memory_bytes += bytes;
    if (file->memory_bytes > (int64_t) *high) {
        *high = (uint64_t) file->memory_bytes;
    }
    if (*high > *component_high) {
        *component_high = *high;
    }
}

static _Atomic bool background;

bool mca_common_collio_file_background(void)
{
    return background;
}

bool mca_common_collio_file_set_background(bool used)
{
    return atomic_exchange(&background, used);
}

void mca_common_collio_file_high(mca_common_collio_file_t *file, int stat, int64_t value)
{
    uint64_t *high = &file->stats[0].at[stat], *component_high = &file->component->stats.at[stat];

    *high = value > (int64_t) *high ? (uint64_t) value : *high;
    *component_high = *high > *component_high ? *high : *component_high;
}
