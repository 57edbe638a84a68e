/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Packed puts. One-sided transfers of scattered pieces are carried out piece by piece, so small
 * pieces travel as one message per requester and window to a room beside the collective buffer.
 *
 *   requester  user memory --(pack)--> message ==put==> room --(scatter)--> buffer     aggregator
 *
 * The aggregator knows the size of every message from the merged plan. It gives each a place, in
 * the order of the cycle's sources, and tells the requesters once per plan. A message
 * that finds no room (bytes that several ranks want may exceed the window), or that is one large
 * piece, is put directly.
 */
#include "transport/onesided/put.h"

#include "transport/transport.h"

#include <errno.h>
#include <stdlib.h>

#include "core/put_rule.h"

int collio_put_prepare_places(collio_plan_t *plan)
{
    size_t windows = plan->split.window_count + 1, sources = plan->collect.source_count + 1;
    size_t requesters = plan->requester_count + 1;
    size_t messages = plan->requester_count + plan->split.share_count + 1;

    if (NULL != plan->places.at) {
        return 0;
    }
    plan->places.at = malloc(windows * sizeof(*plan->places.at));
    plan->places.mine = malloc(sources * sizeof(*plan->places.mine));
    plan->places.first = calloc(requesters, sizeof(*plan->places.first));
    plan->places.telling = calloc(messages, sizeof(*plan->places.telling));
    plan->memory_bytes += (int64_t) (windows * sizeof(*plan->places.at)
                                     + sources * sizeof(*plan->places.mine)
                                     + requesters * sizeof(*plan->places.first)
                                     + messages * sizeof(*plan->places.telling));
    if (NULL == plan->places.at || NULL == plan->places.mine || NULL == plan->places.first
        || NULL == plan->places.telling) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < windows; ++i) {
        plan->places.at[i] = -1; /* not told: straight to the pieces' own places */
    }
    return 0;
}

/* An aggregator's own bytes are put only where all ranks take rounds together. */
static bool is_put(const collio_exchange_t *ex, const collio_source_t *source)
{
    return ex->way.transport->rounds || ex->plan->requester[source->requester] != ex->file->rank;
}

static void give_places(const collio_exchange_t *ex)
{
    collio_plan_t *plan = ex->plan;

    for (size_t r = 0; r < plan->requester_count; ++r) {
        plan->places.first[r + 1] = plan->places.first[r] + plan->requests[r].window_count;
    }
    for (size_t c = 0; c < plan->collect.cycle_count; ++c) {
        const collio_cycle_t *cycle = &plan->collect.cycle[c];
        collio_put_room_t room = {.bytes = ex->buffer_bytes};

        for (size_t s = cycle->source; s < cycle->source + cycle->source_count; ++s) {
            const collio_source_t *source = &plan->collect.source[s];
            const collio_window_t *window =
                &plan->requests[source->requester].window[source->window];

            plan->places.mine[plan->places.first[source->requester] + source->window] =
                is_put(ex, source) ? collio_put_place(&room, (int64_t) window->count, window->bytes)
                                   : -1;
        }
    }
}

/* Everybody is in here, so waiting is safe. */
int collio_put_tell_places(collio_exchange_t *ex)
{
    collio_plan_t *plan = ex->plan;
    int tag = collio_exchange_tag(ex, COLLIO_TAG_DATA);
    size_t count = 0;
    int rc = OMPI_SUCCESS;

    give_places(ex);
    for (size_t s = 0; OMPI_SUCCESS == rc && s < plan->split.share_count; ++s) {
        const collio_share_t *share = &plan->split.share[s];

        rc = collio_irecv(&plan->places.at[share->first], share->count * sizeof(int64_t),
                          ex->file->derived.aggregators[share->aggregator], tag, ex->file->comm,
                          &plan->places.telling[count++]);
    }
    for (size_t r = 0; OMPI_SUCCESS == rc && r < plan->requester_count; ++r) {
        rc = collio_isend(&plan->places.mine[plan->places.first[r]],
                          plan->requests[r].window_count * sizeof(int64_t), plan->requester[r], tag,
                          false, ex->file->comm, &plan->places.telling[count++]);
    }
    if (OMPI_SUCCESS == rc) {
        rc = ompi_request_wait_all(count, plan->places.telling, MPI_STATUSES_IGNORE);
    }
    plan->places.told = OMPI_SUCCESS == rc;
    return rc;
}

/* The message of one source of the slot's cycle, in the room; NULL: its pieces are put directly. */
static char *packed_message(const collio_exchange_t *ex, const collio_slot_t *slot, size_t source)
{
    const collio_plan_t *plan = ex->plan;
    const collio_source_t *from = &plan->collect.source[slot->cycle->source + source];
    int64_t place;

    if (!plan->packed) {
        return NULL;
    }
    place = plan->places.mine[plan->places.first[from->requester] + from->window];
    return place < 0 ? NULL : slot->buffer + ex->buffer_bytes + place;
}

void collio_put_copy(collio_exchange_t *ex, const collio_slot_t *slot, size_t source)
{
    const collio_source_t *from = &ex->plan->collect.source[slot->cycle->source + source];
    const collio_split_t *request = &ex->plan->requests[from->requester];
    const collio_window_t *window = &request->window[from->window];
    const collio_piece_t *piece = &request->piece[window->first];
    char *message = packed_message(ex, slot, source);
    int64_t local = slot->local, copied;

    if (NULL == message) {
        return;
    }
    copied = ex->write
                 ? collio_copy_scatter(window, piece, slot->buffer, local, message)
                 : collio_copy_gather(window, piece, slot->buffer, local, slot->limit, message);
    collio_file_count(ex->file, COLLIO_STAT_COPIED_BYTES, (uint64_t) copied);
}

void collio_put_copy_all(collio_exchange_t *ex, const collio_slot_t *slot)
{
    for (size_t i = 0; i < slot->cycle->source_count; ++i) {
        collio_put_copy(ex, slot, i);
    }
}
