/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Records of open files: allocation, search, counters. open/ creates and frees the records.
 */
#include "file/file.h"

#include "view/view.h"

#include "core/debug_assert.h"

#define STAT(id, name, kind, layers, help) COLLIO_COUNTER(#name, kind, help),
const collio_counter_t collio_stat_counters[] = {COLLIO_STATS(STAT)};
#undef STAT

enum { one = 1, two = 2 };
#define STAT(id, name, kind, layers, help) layers,
static const int layers_of[] = {COLLIO_STATS(STAT)};
#undef STAT

void collio_stats_register(collio_stats_t *stats, bool two_layers, const mca_base_component_t *mca)
{
    for (int i = 0; i < COLLIO_STAT_COUNT; ++i) {
        if (one == layers_of[i] || two_layers) {
            collio_counter_register(&collio_stat_counters[i], NULL, &stats->at[i], mca);
        }
    }
}

_Atomic bool collio_background;

collio_file_t *collio_file_take(void)
{
    collio_file_t *file = collio_spare_take(sizeof(*file));

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

void collio_file_memory(collio_file_t *file, int64_t bytes)
{
    file->memory_bytes += bytes;
    COLLIO_ASSERT(0 <= file->memory_bytes); /* no memory is subtracted twice */
    collio_file_high(file, COLLIO_STAT_MEMORY_HIGH, file->memory_bytes + collio_flat_held());
}

void collio_file_high(collio_file_t *file, int stat, int64_t value)
{
    uint64_t *high = &file->stats[0].at[stat], *component_high = &file->component->stats.at[stat];

    *high = value > (int64_t) *high ? (uint64_t) value : *high;
    *component_high = *high > *component_high ? *high : *component_high;
}
