/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/**
 * Partition memory, what a file has of it: whether it is used, what the node can give, and memory
 * for the reductions of a new plan, which must not fail.
 */
#include "file/common_collio_file.h"

#include <stdlib.h>

#include "node/common_collio_node_available.h"

#include "core/common_collio_available.h"

int64_t mca_common_collio_file_memory_usable(const mca_common_collio_file_t *file)
{
    if (0 != file->settings.memory_available) {
        return (int64_t) file->settings.memory_available;
    }
    return mca_common_collio_available_bytes(file->settings.memory_root) / 2;
}

/* Do the buffers of my node's aggregators, as they would be without this policy, not fit? */
static bool falls_short(const mca_common_collio_file_t *file, int64_t buffer_bytes)
{
    int here = 0;

    for (int i = 0; i < file->aggregator_count; ++i) {
        here += file->nodes.node_of[file->aggregators[i]] == file->nodes.node_of[file->rank];
    }
    return here > 0
           && mca_common_collio_available_short(mca_common_collio_file_memory_usable(file), here,
                                                buffer_bytes);
}

int mca_common_collio_file_memory_decide(mca_common_collio_file_t *file, int64_t buffer_bytes)
{
    int mine, any = 0, rc;

    if (0 != file->settings.partition) {
        file->memory.used = 1 + MCA_COMMON_COLLIO_PARTITION_MEMORY == file->settings.partition;
        return OMPI_SUCCESS;
    }
    mine = falls_short(file, buffer_bytes);
    rc = mca_common_collio_allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, file->comm);
    file->memory.used = OMPI_SUCCESS == rc && 0 != any;
    return rc;
}

int mca_common_collio_file_memory_open(mca_common_collio_file_t *file, int bins)
{
    mca_common_collio_file_memory_t *memory = &file->memory;

    if (!memory->used) {
        return OMPI_SUCCESS;
    }
    memory->words = (bins + 63) / 64;
    memory->records = calloc(2 * (size_t) file->nodes.nodes * (size_t) (1 + memory->words),
                             sizeof(*memory->records));
    memory->part = calloc((size_t) file->aggregator_count, sizeof(*memory->part));
    return NULL == memory->records || NULL == memory->part ? OMPI_ERR_OUT_OF_RESOURCE
                                                           : OMPI_SUCCESS;
}

void mca_common_collio_file_memory_close(mca_common_collio_file_t *file)
{
    free(file->memory.records);
    free(file->memory.part);
}

int64_t mca_common_collio_file_buffers_held(const mca_common_collio_file_t *file)
{
    int64_t held = file->buffers.bytes;

    if (MCA_COMMON_COLLIO_SHARED_READY == file->shared.state && NULL != file->shared.at
        && file->shared.mine) {
        held += file->shared.region_bytes;
    }
    if (file->put.open && file->put.mine) {
        held += file->put.buffers * file->put.slot_bytes;
    }
    return held;
}

void mca_common_collio_file_high(mca_common_collio_file_t *file, int stat, int64_t value)
{
    uint64_t *high = &file->stats.at[stat], *component_high = &file->component->stats.at[stat];

    *high = value > (int64_t) *high ? (uint64_t) value : *high;
    *component_high = *high > *component_high ? *high : *component_high;
}
