/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Counters as MPI_T performance variables.
 */
#include "compat/compat.h"

#include "file/stats.h"

#include "opal/mca/base/mca_base_pvar.h"

typedef struct stat_t {
    const char *name;        /* name of the counter */
    collio_stat_kind_t kind; /* unit and class of the counter */
    int layers;              /* two: only for components with two layers; else one */
    const char *help;        /* description of the performance variable, with its unit */
} stat_t;

enum { one = 1, two = 2 };
#define UNIT_COUNT " [count]"
#define UNIT_BYTES " [bytes]"
#define UNIT_HIGH  " [bytes]"
#define UNIT_TIME  " [nanoseconds]"
#define STAT(id, name, kind, layers, help) \
    {#name, COLLIO_STAT_KIND_##kind, layers, help UNIT_##kind},
static const stat_t list[] = {COLLIO_STATS(STAT)};
#undef STAT

const char *collio_stat_name(int stat)
{
    return list[stat].name;
}

collio_stat_kind_t collio_stat_kind(int stat)
{
    return list[stat].kind;
}

void collio_stats_register(collio_stats_t *stats, bool two_layers, const mca_base_component_t *mca)
{
    for (int i = 0; i < COLLIO_STAT_COUNT; ++i) {
        int var_class = COLLIO_STAT_KIND_HIGH == list[i].kind ? MCA_BASE_PVAR_CLASS_HIGHWATERMARK
                                                              : MCA_BASE_PVAR_CLASS_COUNTER;

        if (two == list[i].layers && !two_layers) {
            continue;
        }
        (void) mca_base_component_pvar_register(
            mca, list[i].name, list[i].help, OPAL_INFO_LVL_4, var_class,
            MCA_BASE_VAR_TYPE_UNSIGNED_LONG_LONG, NULL, MCA_BASE_VAR_BIND_NO_OBJECT,
            MCA_BASE_PVAR_FLAG_READONLY | MCA_BASE_PVAR_FLAG_CONTINUOUS, NULL, NULL, NULL,
            &stats->at[i]);
    }
}
