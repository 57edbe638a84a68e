/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Counters as MPI_T performance variables.
 */
#include "compat/compat.h"

#include "file/stats.h"

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
