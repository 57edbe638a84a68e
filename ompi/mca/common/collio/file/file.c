/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Records of open files: allocation, search, counters. open/ creates and frees the records.
 */
#include "file/file.h"

#include "view/view.h"

#include "core/debug_assert.h"

enum { one, two };
#define STAT(id, name, kind, layers, help) \
    COLLIO_COUNTER(#name, kind, help, COLLIO_STAT_##id, layers),
static const collio_counter_t stats[] = {COLLIO_STATS(STAT)};
#undef STAT

void collio_stats_init(collio_counters_t *counters, const char *component)
{
    *counters = (collio_counters_t){.component = component,
                                    .list = stats,
                                    .count = COLLIO_STAT_COUNT,
                                    .tables = 2,
                                    .table_name = {"read", "write"},
                                    .traffic_name = {"write", "read"}};
}

void collio_file_enter(collio_file_t *file)
{
    collio_counters_enter(&file->component->counters, &file->tally, file->stats[0].at);
    file->handle->place[COLLIO_PLACE_FCOLL] = file;
}

void collio_file_leave(collio_file_t *file)
{
    collio_counters_leave(&file->component->counters, &file->tally);
    collio_handle_clear(file->fh, COLLIO_PLACE_FCOLL);
}

_Atomic bool collio_background;

collio_file_t *collio_file_take(void)
{
    collio_file_t *file = collio_spare_take(sizeof(*file));

    if (NULL != file) {
        file->derived.my_aggregator = -1;
        file->entry = -1;
    }
    return file;
}

collio_file_t *collio_file_find(ompio_file_t *fh)
{
    return collio_handle_get(fh, COLLIO_PLACE_FCOLL);
}

void collio_file_memory(collio_file_t *file, int64_t bytes)
{
    file->context->memory_bytes += bytes;
    COLLIO_ASSERT(0 <= file->context->memory_bytes); /* no memory is subtracted twice */
    collio_file_high(file, COLLIO_STAT_MEMORY_HIGH,
                     file->context->memory_bytes + collio_flat_held());
}

void collio_file_high(collio_file_t *file, int stat, int64_t value)
{
    if (0 < value && file->stats[0].at[stat] < (uint64_t) value) {
        file->stats[0].at[stat] = (uint64_t) value;
    }
}
