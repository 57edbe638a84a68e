/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Records of open files: allocation, search, counters. open/ creates and frees the records.
 */
#include "file/file.h"

#include <pthread.h>

#include "view/view.h"

#include "core/debug_assert.h"

#define STAT(id, name, kind, layers, help) COLLIO_COUNTER(#name, kind, help),
const collio_counter_t collio_stat_counters[] = {COLLIO_STATS(STAT)};
#undef STAT

enum { one = 1, two = 2 };
#define STAT(id, name, kind, layers, help) layers,
static const int layers_of[] = {COLLIO_STATS(STAT)};
#undef STAT

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* protects `closed` of components */

static void file_add(uint64_t *to, int stat, uint64_t value)
{
    if (COLLIO_UNIT_HIGH != collio_stat_counters[stat].unit) {
        *to += value;
    } else if (value > *to) {
        *to = value;
    }
}

/* A performance variable that is being read. */
typedef struct reading_t {
    const collio_pvar_t *pvar; /* component and counter */
    uint64_t value;            /* sum, or maximum of a high-water mark, up to now */
} reading_t;

static void file_add_file(void *value, void *data)
{
    const collio_file_t *file = value;
    reading_t *reading = data;
    int stat = reading->pvar->stat;

    if (file->component == reading->pvar->component) {
        file_add(&reading->value, stat,
                 __atomic_load_n(&file->stats[0].at[stat], __ATOMIC_RELAXED));
        file_add(&reading->value, stat,
                 __atomic_load_n(&file->stats[1].at[stat], __ATOMIC_RELAXED));
    }
}

static int file_get_value(const mca_base_pvar_t *pvar, void *value, void *object)
{
    reading_t reading = {.pvar = pvar->ctx};

    (void) object;
    pthread_mutex_lock(&mutex);
    reading.value = reading.pvar->component->closed.at[reading.pvar->stat];
    collio_handle_for_each(COLLIO_PLACE_FCOLL, file_add_file, &reading);
    pthread_mutex_unlock(&mutex);
    *(unsigned long long *) value = reading.value;
    return OPAL_SUCCESS;
}

void collio_stats_register(collio_component_t *component, const mca_base_component_t *mca)
{
    for (int i = 0; i < COLLIO_STAT_COUNT; ++i) {
        if (one == layers_of[i] || component->two_layers) {
            component->pvars[i] = (collio_pvar_t){component, i};
            collio_counter_register(&collio_stat_counters[i], file_get_value, &component->pvars[i],
                                    mca);
        }
    }
}

void collio_file_leave(collio_file_t *file)
{
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < COLLIO_STAT_COUNT; ++i) {
        file_add(&file->component->closed.at[i], i, file->stats[0].at[i]);
        file_add(&file->component->closed.at[i], i, file->stats[1].at[i]);
    }
    collio_handle_clear(file->fh, COLLIO_PLACE_FCOLL);
    pthread_mutex_unlock(&mutex);
}

_Atomic bool collio_background;

collio_file_t *collio_file_take(void)
{
    collio_file_t *file = collio_spare_take(sizeof(*file));

    if (NULL != file) {
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
    file->context->memory_bytes += bytes;
    COLLIO_ASSERT(0 <= file->context->memory_bytes); /* no memory is subtracted twice */
    collio_file_high(file, COLLIO_STAT_MEMORY_HIGH,
                     file->context->memory_bytes + collio_flat_held());
}

void collio_file_high(collio_file_t *file, int stat, int64_t value)
{
    if (0 < value) {
        file_add(&file->stats[0].at[stat], stat, (uint64_t) value);
    }
}
