/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Memory shared by the ranks of a node. The node's first rank creates the segment and all ranks
 * attach it. Its name is then removed, so a killed job leaves no memory. See shm.h.
 */
#include "node/shared.h"

#include <errno.h>
#include <stdlib.h>

#include "file/file.h"
#include "node/agreement.h"

enum { LINE = COLLIO_CACHE_LINE, PAGE = 4096 };

static size_t align_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

static size_t control_bytes(const collio_shared_t *shared)
{
    return sizeof(collio_shared_control_t) + (size_t) shared->local_ranks * LINE;
}

static size_t regions_start(const collio_shared_t *shared)
{
    return align_up((size_t) shared->owners * control_bytes(shared), PAGE);
}

collio_shared_control_t *collio_shared_control(const collio_shared_t *shared, int owner)
{
    return (void *) (shared->at + (size_t) owner * control_bytes(shared));
}

/* Returns the address of the grant for the k-th window of a pair. */
static _Atomic uint64_t *grant_at(const collio_shared_t *shared, int owner, int local_rank,
                                  uint64_t k)
{
    char *grants = (char *) (collio_shared_control(shared, owner) + 1);

    return (_Atomic uint64_t *) (void *) (grants + (size_t) local_rank * LINE) + (k & 1);
}

void collio_shared_grant(collio_shared_t *shared, int owner, int local_rank, int number)
{
    uint64_t k = shared->granted[local_rank]++;

    atomic_store_explicit(grant_at(shared, owner, local_rank, k), 2 * (k + 1) + (uint64_t) number,
                          memory_order_release);
}

int collio_shared_granted(const collio_shared_t *shared, int owner, int local_rank, uint64_t k)
{
    uint64_t grant = atomic_load_explicit(grant_at(shared, owner, local_rank, k),
                                          memory_order_acquire);

    return grant >> 1 == k + 1 ? (int) (grant & 1) : -1;
}

char *collio_shared_region(const collio_shared_t *shared, int owner)
{
    return shared->at + regions_start(shared) + (size_t) owner * (size_t) shared->region_bytes;
}

static void count_node(const collio_file_t *file, collio_shared_t *shared, int regions)
{
    int node = collio_node_of(&file->nodes, file->rank);

    shared->local_ranks = collio_node_size(&file->nodes, node);
    shared->owners = 0;
    for (int i = 0; i < file->derived.aggregator_count; ++i) {
        shared->owners += collio_node_of(&file->nodes, file->derived.aggregators[i]) == node;
    }
    shared->regions = regions < 0 ? shared->owners : regions;
    shared->peers = file->derived.aggregator_count;
    shared->mine = file->derived.my_aggregator >= 0
                   && file->derived.aggregator_owner[file->derived.my_aggregator] < shared->regions;
}

/* Begins an agreement of the node: maxima of making.own. */
static void shared_reduce(collio_file_t *file, collio_shared_t *shared, int count)
{
    if (OMPI_SUCCESS
        != collio_agreement_start(file, COLLIO_SCOPE_NODE, shared->making.own, shared->making.all,
                                  count)) {
        shared->state = COLLIO_SHARED_FAILED;
    }
}

void collio_shared_start(collio_file_t *file, collio_shared_t *shared, int64_t region_bytes,
                         int regions)
{
    shared->buffers = true;
    count_node(file, shared, regions);
    collio_shared_make(file, shared, region_bytes);
}

void collio_shared_make(collio_file_t *file, collio_shared_t *shared, int64_t region_bytes)
{
    memset(&shared->making, 0, sizeof(shared->making));
    shared->making.region_bytes = (int64_t) align_up((size_t) region_bytes, PAGE);
    shared->making.bytes = regions_start(shared)
                           + (size_t) shared->regions * (size_t) shared->making.region_bytes;
    if (0 == shared->owners) { /* a node without an aggregator needs no segment */
        shared->region_bytes = shared->making.region_bytes;
        shared->state = COLLIO_SHARED_READY;
        return;
    }
    if (0 == ompi_comm_rank(file->context->node_comm)) {
        (void) collio_shm_make(&shared->making.segment, shared->making.bytes, shared->making.own);
    }
    shared->state = COLLIO_SHARED_NAMING;
    shared_reduce(file, shared, COLLIO_SHM_KEY);
}

/* Step 2: reads the key of the node's first rank (the maximum; other ranks contributed 0), attaches
 * the segment, and contributes the errno of this rank to the next agreement. */
static void open_named(collio_file_t *file, collio_shared_t *shared)
{
    int mine = collio_shm_attach(&shared->making.segment, shared->making.bytes, shared->making.all);

    if (0 == mine && NULL == shared->granted) {
        shared->granted = calloc((size_t) shared->local_ranks, sizeof(uint64_t));
        shared->taken = calloc((size_t) shared->peers, sizeof(uint64_t));
        if (NULL == shared->granted || NULL == shared->taken) {
            mine = ENOMEM;
        }
    }
    shared->state = COLLIO_SHARED_MAPPING;
    shared->making.own[0] = mine;
    shared_reduce(file, shared, 1);
}

static void adopt(collio_file_t *file, collio_shared_t *shared)
{
    collio_shm_unlink(&shared->making.segment);
    if (0 != shared->making.all[0]) {
        collio_shm_fini(&shared->making.segment);
        if (0 == ompi_comm_rank(file->context->node_comm)) {
            collio_file_help(file, COLLIO_HELP_SHARED_MEMORY, shared->making.bytes,
                             strerror((int) shared->making.all[0]),
                             collio_shm_advice((int) shared->making.all[0]));
        }
        shared->state = COLLIO_SHARED_FAILED;
        collio_file_count(file, COLLIO_STAT_SHM_MISSING, shared->buffers);
        return;
    }
    if (NULL != shared->at) {
        collio_shm_fini(&shared->segment);
        collio_file_memory(file, -shared->mine_bytes);
    }
    shared->segment = shared->making.segment;
    shared->at = shared->segment.at;
    shared->bytes = shared->making.bytes;
    shared->region_bytes = shared->making.region_bytes;
    shared->state = COLLIO_SHARED_READY;
    memset(shared->granted, 0, (size_t) shared->local_ranks * sizeof(uint64_t));
    memset(shared->taken, 0, (size_t) shared->peers * sizeof(uint64_t));
    /* each rank with a region accounts for an equal part of the segment, other ranks for 0 */
    shared->mine_bytes = shared->mine ? (int64_t) shared->bytes / shared->regions : 0;
    collio_file_memory(file, shared->mine_bytes);
}

bool collio_shared_poll(collio_file_t *file, collio_shared_t *shared)
{
    if (COLLIO_SHARED_NAMING == shared->state && collio_agreement_poll(file)) {
        open_named(file, shared);
    }
    if (COLLIO_SHARED_MAPPING == shared->state && collio_agreement_poll(file)) {
        adopt(file, shared);
    }
    return COLLIO_SHARED_READY == shared->state || COLLIO_SHARED_FAILED == shared->state;
}

void collio_shared_discard(collio_shared_t *shared)
{
    collio_shm_discard(&shared->segment);
    collio_shared_fini(shared);
}

void collio_shared_fini(collio_shared_t *shared)
{
    collio_shm_fini(&shared->segment);
    free(shared->granted);
    free(shared->taken);
    memset(shared, 0, sizeof(*shared));
}
