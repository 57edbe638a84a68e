/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Prepare: allocates the memory of the cycles before the first cycle. The plan and the file own it.
 * Therefore no rank runs out of memory while other ranks wait for it, and a call that reuses a plan
 * in the same way allocates nothing.
 *
 *   aggregator   collective buffers (in the shared segment, RMA windows or private memory), staging
 *                for the messages of each buffer, a move per source, segments of the access
 *   requester    a move per window, staging for the messages of two rounds
 */
#include "cycles/cycles.h"

#include <errno.h>
#include <stdlib.h>

#include "transport/put.h"

/* Returns the maximum number of segments of a cycle: its runs, cut at stripe borders if a domain is
 * not contiguous in the file. */
static size_t segments_max(const collio_exchange_t *ex)
{
    const collio_plan_t *plan = ex->plan;
    size_t stripes = 1;

    if (!plan->domains.partition->contiguous) {
        stripes += (size_t) (ex->buffer_bytes / plan->domains.unit) + 1;
    }
    return plan->runs_max + stripes;
}

/* Returns the collective buffer in the RMA window or in the node's shared segment. NULL: the buffer
 * is in private memory of this rank. */
static char *foreign_buffer(const collio_exchange_t *ex, int number)
{
    collio_file_t *file = ex->file;
    const collio_shared_t *shared = &file->context->kept->shared;

    if (collio_exchange_puts(ex)) {
        return file->context->kept->put.base[number];
    }
    if (!collio_layout_in_segment(ex) || COLLIO_SHARED_READY != shared->state) {
        return NULL;
    }
    return collio_shared_region(shared, file->derived.aggregator_owner[file->derived.my_aggregator])
           + number * ex->buffer_bytes;
}

/* Returns true if this aggregator may receive or send packed messages. */
static bool staging_used(const collio_exchange_t *ex, bool foreign)
{
    if (!foreign || COLLIO_BUFFERS_PRIVATE == ex->way.can.buffers) {
        return true;
    }
    return COLLIO_BUFFERS_SHARED == ex->way.can.buffers && ex->file->nodes.nodes > 1;
}

static int reserve_slots(collio_exchange_t *ex, bool foreign)
{
    int64_t bytes = foreign ? 0 : ex->buffer_bytes;

    ex->aggregator.staging_bytes = 0;
    if (staging_used(ex, foreign)) {
        ex->aggregator.staging_bytes = collio_max(ex->plan->source_bytes, ex->buffer_bytes);
    }
    return collio_arena_reserve(ex->file, &ex->file->context->kept->buffers,
                                ex->way.schedule->buffers * (bytes + ex->aggregator.staging_bytes));
}

static int prepare_slot(collio_exchange_t *ex, int number)
{
    collio_file_t *file = ex->file;
    collio_plan_t *plan = ex->plan;
    collio_slot_t *slot = &ex->aggregator.slot[number];
    char *foreign = foreign_buffer(ex, number);
    int64_t stride = (NULL != foreign ? 0 : ex->buffer_bytes) + ex->aggregator.staging_bytes;
    size_t moves = plan->sources_max + 1, segments = segments_max(ex);

    if (NULL == plan->prepared.move[number]) {
        plan->prepared.move[number] = calloc(moves, sizeof(*slot->move));
        plan->prepared.segments[number] = malloc(segments * sizeof(*slot->segments));
        plan->memory_bytes += (int64_t) (moves * sizeof(*slot->move)
                                         + segments * sizeof(*slot->segments));
    }
    slot->owner = &ex->aggregator;
    slot->number = number;
    slot->buffer.at = NULL != foreign ? foreign : file->context->kept->buffers.at + number * stride;
    slot->staging = file->context->kept->buffers.at + number * stride
                    + (NULL != foreign ? 0 : ex->buffer_bytes);
    slot->move = plan->prepared.move[number];
    slot->segments = plan->prepared.segments[number];
    return NULL == slot->move || NULL == slot->segments ? -ENOMEM : 0;
}

static int prepare_aggregator(collio_exchange_t *ex)
{
    collio_shared_t *shared = &ex->file->context->kept->shared;
    int rc = reserve_slots(ex, NULL != foreign_buffer(ex, 0));

    if (COLLIO_SHARED_READY == shared->state) {
        ex->aggregator.shared = shared;
        ex->aggregator.number = ex->file->derived.aggregator_owner[ex->file->derived.my_aggregator];
    }
    for (int i = 0; 0 == rc && i < ex->way.schedule->buffers; ++i) {
        rc = prepare_slot(ex, i);
    }
    return rc;
}

static const collio_driver_t *driver_of(const collio_exchange_t *ex)
{
    return ex->way.can.rounds ? &collio_driver_fence : &collio_driver_flow;
}

/* Returns the bit of what is prepared: the memory that this kind of buffers, driver and number of
 * buffers need. The same on all ranks. */
static unsigned way_of(const collio_exchange_t *ex)
{
    unsigned kind = 2u * ex->way.can.buffers + ex->way.can.rounds;

    return 1u << (2 * kind + (unsigned) ex->way.schedule->buffers - 1);
}

bool collio_cycles_prepared(const collio_exchange_t *ex)
{
    return 0 != (ex->plan->prepared.ways & way_of(ex));
}

static int64_t synchronous_each(const collio_exchange_t *ex)
{
    const collio_file_t *file = ex->file;

    if (COLLIO_SETTING_AUTO != file->settings.sync_send) {
        return COLLIO_SETTING_ON == file->settings.sync_send;
    }
    return collio_default_synchronous_each(ex->plan->window_bytes, file->derived.buffer_bytes,
                                           file->derived.partition->by_memory);
}

void collio_cycles_prepare(collio_exchange_t *ex)
{
    collio_plan_t *plan = ex->plan;
    int64_t before = plan->memory_bytes;
    int rc = 0;

    ex->stop_local = INT64_MAX;
    ex->aggregator.sink = &collio_sink_file;
    ex->aggregator.schedule = ex->way.schedule;
    ex->aggregator.collect = &plan->collect;
    ex->way.synchronous_each = synchronous_each(ex);
    if (0 == plan->prepared.ways) {
        plan->prepared.shared_failed = collio_kept_unshared(ex->file->context->kept);
    }
    plan->prepared.ways |= way_of(ex);
    if (plan->collect.cycle_count > 0) {
        rc = prepare_aggregator(ex);
    }
    if (0 == rc) {
        rc = driver_of(ex)->prepare(ex);
    }
    if (0 == rc && COLLIO_LAYERS_ONE != ex->layer1.kind) {
        rc = collio_forward_prepare(ex);
    }
    if (0 == rc && collio_exchange_puts(ex) && plan->packed) {
        rc = collio_numbers_prepare(plan, &plan->places);
    }
    collio_file_memory(ex->file, plan->memory_bytes - before);
    if (ex->file->derived.partition->by_memory) {
        collio_file_high(ex->file, COLLIO_STAT_BUFFER_HIGH,
                         collio_kept_buffers(ex->file->context->kept));
    }
    collio_exchange_check(ex, rc);
}

static void start_owner(const collio_exchange_t *ex, collio_owner_t *owner)
{
    owner->progress = (collio_progress_t){
        .cycles = NULL == owner->sink ? 0 : owner->collect->cycle_count, .write = ex->write};
}

void collio_cycles_start(collio_exchange_t *ex)
{
    int rc;

    start_owner(ex, &ex->aggregator);
    start_owner(ex, &ex->local);
    ex->timing.polled_ns = ex->layer1.polled_ns = collio_now();
    ex->timing.shuffling = ex->timing.accessing = false;
    ex->timing.exposed_ns = 0;
    collio_file_count(ex->file, COLLIO_STAT_CYCLES, ex->aggregator.progress.cycles);
    rc = driver_of(ex)->begin(ex);
    if (OMPI_SUCCESS != rc) {
        collio_exchange_lose(ex);
    }
}

bool collio_cycles_poll(collio_exchange_t *ex)
{
    return driver_of(ex)->poll(ex);
}
