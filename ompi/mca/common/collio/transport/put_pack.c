/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Packed puts. One-sided transfers of scattered pieces are carried out piece by piece, so small
 * pieces travel as one message per requester and window to a room beside the collective buffer.
 *
 *   requester  user memory --(pack)--> message ==put==> room --(scatter)--> buffer     aggregator
 *
 * The aggregator has the size of every message in its merged lists. It assigns each message a
 * place, in the order of the cycle's sources, and sends the place to the requester, once per plan.
 * The pieces of a message that does not fit the room (ranks that request the same bytes may exceed
 * the window), or of few large pieces, are put directly.
 */
#include "transport/put.h"

#include "transport/transport.h"

#include <errno.h>
#include <stdlib.h>

#include "core/put_rule.h"

/* put_fence moves even the aggregator's own bytes by one-sided calls; put_lock copies them. */
static bool is_put(const collio_exchange_t *ex, const collio_source_t *source)
{
    return ex->way.can.rounds || ex->plan->requester[source->requester] != ex->file->rank;
}

static void give_places(const collio_exchange_t *ex)
{
    collio_plan_t *plan = ex->plan;

    for (size_t c = 0; c < plan->collect.cycle_count; ++c) {
        const collio_cycle_t *cycle = &plan->collect.cycle[c];
        collio_put_room_t room = {.bytes = ex->buffer_bytes};

        for (size_t s = cycle->source; s < cycle->source + cycle->source_count; ++s) {
            const collio_source_t *source = &plan->collect.source[s];
            const collio_window_t *window =
                &plan->requests[source->requester].window[source->window];

            *collio_numbers_of(&plan->places, source) =
                is_put(ex, source) ? collio_put_place(&room, (int64_t) window->count, window->bytes)
                                   : -1;
        }
    }
}

int collio_put_send_places(collio_exchange_t *ex)
{
    give_places(ex);
    return collio_numbers_exchange(ex, &ex->plan->places, COLLIO_TAG_DATA);
}

/* Returns the message of one source of the slot's cycle, in the room. NULL: the pieces of that
 * source are put directly. */
static char *packed_message(const collio_exchange_t *ex, const collio_slot_t *slot, size_t source)
{
    const collio_plan_t *plan = ex->plan;
    const collio_source_t *from = &plan->collect.source[slot->cycle->source + source];
    int64_t place;

    if (!plan->packed) {
        return NULL;
    }
    place = *collio_numbers_of(&plan->places, from);
    return place < 0 ? NULL : slot->buffer.at + ex->buffer_bytes + place;
}

void collio_put_copy(collio_exchange_t *ex, const collio_slot_t *slot, size_t source)
{
    const collio_source_t *from = &ex->plan->collect.source[slot->cycle->source + source];
    const collio_split_t *request = &ex->plan->requests[from->requester];
    collio_content_t what = collio_content(request, &request->window[from->window]);
    char *message = packed_message(ex, slot, source);

    if (NULL == message) {
        return;
    }
    if (ex->write) {
        (void) collio_copy_scatter(ex, &what, &slot->buffer, message);
    } else {
        (void) collio_copy_gather(ex, &what, &slot->buffer, message);
    }
}

void collio_put_copy_all(collio_exchange_t *ex, const collio_slot_t *slot)
{
    for (size_t i = 0; i < slot->cycle->source_count; ++i) {
        collio_put_copy(ex, slot, i);
    }
}
