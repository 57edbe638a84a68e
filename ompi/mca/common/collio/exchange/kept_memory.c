/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Partition memory, the state of one file: whether the node lacks memory, the bytes that collective
 * buffers may use, and memory for the reductions of a new plan, which must not fail.
 */
#include "exchange/kept.h"

#include <pthread.h>
#include <stdlib.h>

#include "file/file.h"
#include "node/node_available.h"

int64_t collio_kept_memory_usable(const collio_file_t *file)
{
    if (0 != file->settings.memory_available) {
        return (int64_t) file->settings.memory_available;
    }
    return collio_available_bytes(file->settings.memory_root) / 2;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects measured_ns and found */
static uint64_t measured_ns;                             /* time of `found`; 0: discarded */
static int64_t found;                                    /* cached usable bytes of the node */

void collio_kept_memory_changed(void)
{
    pthread_mutex_lock(&lock);
    measured_ns = 0;
    pthread_mutex_unlock(&lock);
}

/* True if the available memory of the node is read from the kernel, and not set by the user. */
static bool measures(const collio_file_t *file)
{
    return 0 == file->settings.memory_available && '\0' == file->settings.memory_root[0];
}

/* Returns collio_kept_memory_usable from a cache that is at most a second old: programs open many
 * files one after the other, and reading the kernel's files is the slowest step of such an open. */
static int64_t usable_lately(const collio_file_t *file)
{
    enum { LATELY_NS = 1000000000 };
    uint64_t now = collio_now();
    int64_t usable;

    if (!measures(file)) {
        return collio_kept_memory_usable(file);
    }
    pthread_mutex_lock(&lock);
    if (0 == measured_ns || now - measured_ns > LATELY_NS) {
        measured_ns = now;
        found = collio_kept_memory_usable(file);
    }
    usable = found;
    pthread_mutex_unlock(&lock);
    return usable;
}

static int aggregators_here(const collio_file_t *file)
{
    int here = 0;

    for (int i = 0; i < file->derived.aggregator_count; ++i) {
        here += collio_node_of(&file->nodes, file->derived.aggregators[i])
                == collio_node_of(&file->nodes, file->rank);
    }
    return here;
}

bool collio_kept_falls_short(const collio_file_t *file)
{
    enum { SMALL = 8 << 20 }; /* bytes of buffers that every node has; a measurement costs more */
    int here;

    if (file->derived.my_aggregator < 0) {
        return false; /* only aggregators check: reading the kernel's files costs time */
    }
    here = aggregators_here(file);
    if (measures(file) && here * file->derived.buffer_bytes <= SMALL) {
        return false;
    }
    return here > 0
           && collio_available_short(usable_lately(file), here, file->derived.buffer_bytes);
}

int collio_kept_memory_open(collio_file_t *file, int bins)
{
    collio_file_memory_t *memory = &file->memory;

    if (!file->derived.partition->by_memory) {
        return OMPI_SUCCESS;
    }
    memory->words = collio_memory_words(bins);
    memory->records = calloc((size_t) file->nodes.nodes * (size_t) (1 + memory->words),
                             sizeof(*memory->records));
    return NULL == memory->records ? OMPI_ERR_OUT_OF_RESOURCE : OMPI_SUCCESS;
}

void collio_kept_memory_close(collio_file_t *file)
{
    free(file->memory.records);
    collio_memory_layout_fini(&file->memory.layout);
}

int64_t collio_kept_buffers(const collio_kept_t *kept)
{
    int64_t held = kept->buffers.bytes;

    if (COLLIO_SHARED_READY == kept->shared.state && NULL != kept->shared.at && kept->shared.mine) {
        held += kept->shared.region_bytes;
    }
    if (kept->put.open && kept->put.mine) {
        held += kept->put.buffers * kept->put.slot_bytes;
    }
    return held;
}

int64_t collio_kept_charge(const collio_file_t *file)
{
    const collio_shared_t *relay = &file->context->kept->relay_shared;
    int ranks = collio_node_size(&file->nodes, collio_node_of(&file->nodes, file->rank));

    if (0 == file->context->memory_bytes && NULL == file->context->kept->shared.at) {
        return 0; /* no call has made an exchange */
    }
    return aggregators_here(file) * file->derived.buffer_bytes / ranks
           + (NULL == relay->at ? 0 : (int64_t) relay->bytes / ranks);
}
