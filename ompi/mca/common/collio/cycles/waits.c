/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Describes whom an exchange waits for. Called only if a call has waited for long.
 */
#include "cycles/cycles.h"

#include <stdio.h>

/* Appends a rank to a list "3,7"; a rank that is in the list is not added again. */
static void add_rank(char *text, size_t size, int rank)
{
    size_t used = strlen(text);
    char number[16];
    const char *found;

    snprintf(number, sizeof(number), "%d", rank);
    for (found = text; NULL != (found = strstr(found, number)); ++found) {
        size_t end = strlen(number);

        if ((found == text || ',' == found[-1]) && (',' == found[end] || '\0' == found[end])) {
            return;
        }
    }
    snprintf(text + used, size - used, "%s%s", 0 == used ? "" : ",", number);
}

static bool waits_for_lock(const collio_exchange_t *ex)
{
    for (int i = 0; i < 2; ++i) {
        const collio_slot_t *slot = &ex->aggregator.slot[i];

        if (NULL != slot->cycle && !slot->job.done && slot->job.lock.wanted) {
            return true;
        }
    }
    return false;
}

/* Adds the sources of shuffles under way. A local aggregator grants a round of a read before its
 * shuffle begins: until then its members wait for it. */
static void add_sources(const collio_exchange_t *ex, const collio_owner_t *owner, char *text,
                        size_t size)
{
    const collio_progress_t *progress = &owner->progress;

    for (size_t i = progress->shuffles_done; i < progress->shuffles_started; ++i) {
        const collio_slot_t *slot = &owner->slot[i % (size_t) owner->schedule->buffers];

        for (size_t j = slot->batch; 0 < slot->pending && j < slot->next_source; ++j) {
            if (!slot->move[j].done && slot->move[j].peer != ex->file->rank) {
                add_rank(text, size, slot->move[j].peer);
            }
        }
    }
}

static void add_moves(const collio_exchange_t *ex, const collio_requester_t *requester, char *text,
                      size_t size)
{
    for (size_t i = requester->first; i < requester->next; ++i) {
        const collio_move_t *move = &requester->move[i];

        if (COLLIO_MOVE_COUNTED != move->state && move->peer != ex->file->rank) {
            add_rank(text, size, move->peer);
        }
    }
}

void collio_cycles_waits(const collio_exchange_t *ex, char *text, size_t size)
{
    const collio_progress_t *progress = &ex->aggregator.progress;

    text[0] = '\0';
    if (waits_for_lock(ex)) {
        snprintf(text, size, "lock");
        return;
    }
    if (progress->accesses_started > progress->accesses_done) {
        snprintf(text, size, "access");
        return;
    }
    for (int i = 0; i < COLLIO_REQUESTERS; ++i) {
        add_moves(ex, &ex->requester[i], text, size);
    }
    add_sources(ex, &ex->local, text, size);
    add_sources(ex, &ex->aggregator, text, size);
    if ('\0' == text[0]) { /* between two windows, or inside an epoch of put_fence */
        snprintf(text, size, "all");
    }
}
