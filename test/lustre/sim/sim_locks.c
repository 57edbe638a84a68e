/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/**
 * Extent locks as Lustre's servers and clients treat them (README.md has the sources).
 *
 *   request -> own cache covers it? ---------------------------> use it, no message
 *           -> server: a conflicting lock?  no  -> grow it as far as no conflicting lock is met
 *                                           yes -> speculative: drop the request
 *                                                  else call the holder back and wait for it
 *
 * Each object's locks are one unsorted list: a request costs a walk of it, which is enough for the
 * some thousand locks of a test.
 */

#include "sim_manager.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define GROWN_MAX ((UINT64_C(32) << 20) - 1) /* growth limit of objects in demand */
enum { LLA_SENT = 0, LLA_DIFFERENT = 1, LLA_SAME = 2 };

static uint64_t now_ns(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t) time.tv_sec * UINT64_C(1000000000) + (uint64_t) time.tv_nsec;
}

/* `count` messages were sent, of which the client waited for `in_turn`, one after the other. */
static void messages(sim_space_t *space, uint32_t client, uint64_t count, uint64_t in_turn)
{
    SIM_COUNT(space, rpcs, count);
    sim_clock_messages(space, client, in_turn);
}

static bool overlap(const sim_lock_t *lock, uint64_t start, uint64_t end)
{
    return lock->start <= end && start <= lock->end;
}

static bool compatible(const sim_lock_t *lock, const sim_request_t *request)
{
    if (SIM_GROUP == lock->mode && SIM_GROUP == request->mode) {
        return lock->gid == request->gid;
    }
    return SIM_READ == lock->mode && SIM_READ == request->mode;
}

static bool listed(const sim_space_t *space, int32_t head, int32_t index)
{
    while (-1 != head && head != index) {
        head = space->lock[head].next;
    }
    return head == index;
}

static void free_lock(sim_space_t *space, int32_t *head, int32_t index)
{
    int32_t *link = head;

    while (*link != index) {
        link = &space->lock[*link].next;
    }
    *link = space->lock[index].next;
    space->lock[index].next = space->free_lock;
    space->free_lock = index;
}

/* A lock in the client's cache that serves the request; prefers one with exactly its extent. One
 * that is still on its way to the client does not. */
static int32_t cached(sim_space_t *space, const sim_request_t *request, int32_t head,
                      uint64_t start, uint64_t end, bool *exact)
{
    uint64_t now = now_ns();
    int32_t found = -1;
    bool coming = false;

    *exact = false;
    for (int32_t l = head; - 1 != l && !*exact; l = space->lock[l].next) {
        const sim_lock_t *lock = &space->lock[l];

        if (lock->client == request->client && 0 == lock->called && SIM_GROUP != lock->mode
            && lock->mode >= (uint32_t) request->mode && lock->start <= start && end <= lock->end) {
            if (lock->here_ns > now) {
                coming = true;
                continue;
            }
            *exact = lock->start == start && lock->end == end;
            found = l;
        }
    }
    if (-1 == found && coming) {
        SIM_COUNT(space, in_flight, 1);
    }
    return found;
}

/* The largest extent around [*start, *end] that meets no conflicting lock. A lock grows downwards
 * only on an object without conflicting locks, and not far upwards where there are many. */
static void grow(sim_space_t *space, const sim_request_t *request, int32_t head, uint64_t *start,
                 uint64_t *end)
{
    uint64_t hi = SIM_EOF;
    uint64_t align = SIM_PAGE;
    size_t conflicting = 0;

    for (int32_t l = head; - 1 != l; l = space->lock[l].next) {
        const sim_lock_t *lock = &space->lock[l];

        if (compatible(lock, request)) {
            continue;
        }
        ++conflicting;
        if (lock->start > *end && lock->start - 1 < hi) {
            hi = lock->start - 1;
        }
    }
    if (32 < conflicting && SIM_WRITE == request->mode && *end < *start + GROWN_MAX
        && hi > *start + GROWN_MAX) {
        hi = *start + GROWN_MAX;
    }
    /* The result is aligned as well as the request was. */
    while (0 == (((*end + 1) | *start) & align) && 0 != align << 1) {
        align <<= 1;
    }
    *start = 0 == conflicting ? 0 : *start;
    *end = SIM_EOF == hi ? SIM_EOF : ((hi + 1) & ~(align - 1)) - 1;
}

static int32_t grant(sim_space_t *space, const sim_request_t *request, int32_t *head,
                     uint64_t start, uint64_t end)
{
    int32_t index = space->free_lock;
    sim_lock_t *lock;

    if (-1 == index) {
        fprintf(stderr, "lustresim: more than %d locks\n", SIM_LOCKS);
        abort();
    }
    if (!request->no_expand && SIM_GROUP != request->mode) {
        uint64_t asked = end - start;

        grow(space, request, *head, &start, &end);
        if (end - start > asked) {
            SIM_COUNT(space, expanded, 1);
        }
    }
    lock = &space->lock[index];
    space->free_lock = lock->next;
    *lock = (sim_lock_t){.start = start,
                         .end = end,
                         .client = request->client,
                         .mode = request->mode,
                         .gid = request->gid,
                         .users = 1,
                         .next = *head};
    *head = index;
    return index;
}

static void give_back(sim_space_t *space, uint32_t file, uint32_t object, int32_t index)
{
    uint64_t *freed = &space->file[file].freed_ns[object];

    *freed = space->lock[index].clean_ns > *freed ? space->lock[index].clean_ns : *freed;
    free_lock(space, &space->file[file].locks[object], index);
}

/* Calls conflicting locks back. Returns how many still stand in the way (in use, or group locks,
 * which are never called back); *called is how many callbacks went out now. */
static size_t call_back(sim_space_t *space, const sim_request_t *request, uint32_t object,
                        uint64_t start, uint64_t end, size_t *called)
{
    int32_t *head = &space->file[request->file].locks[object];
    size_t standing = 0;
    int32_t next;

    *called = 0;
    for (int32_t l = *head; - 1 != l; l = next) {
        sim_lock_t *lock = &space->lock[l];

        next = lock->next;
        if (compatible(lock, request) || !overlap(lock, start, end)) {
            continue;
        }
        if (SIM_GROUP == lock->mode) {
            ++standing;
            continue;
        }
        if (0 == lock->called) {
            lock->called = 1;
            ++*called;
            if (lock->client == request->client) {
                SIM_COUNT(space, self_revocations, 1);
            } else {
                SIM_COUNT(space, revocations, 1);
            }
        }
        if (0 == lock->users) {
            give_back(space, request->file, object, l);
        } else {
            ++standing;
        }
    }
    return standing;
}

static bool group_in_the_way(sim_space_t *space, const sim_request_t *request, int32_t head,
                             uint64_t start, uint64_t end)
{
    for (int32_t l = head; - 1 != l; l = space->lock[l].next) {
        if (SIM_GROUP == space->lock[l].mode && !compatible(&space->lock[l], request)
            && overlap(&space->lock[l], start, end)) {
            return true;
        }
    }
    return false;
}

static bool conflict(sim_space_t *space, const sim_request_t *request, int32_t head, uint64_t start,
                     uint64_t end)
{
    for (int32_t l = head; - 1 != l; l = space->lock[l].next) {
        if (!compatible(&space->lock[l], request) && overlap(&space->lock[l], start, end)) {
            return true;
        }
    }
    return false;
}

/* A holder that gave nothing back for so long is dead or stuck: Lustre evicts it. */
static void evict(sim_space_t *space, const sim_request_t *request, int32_t *head, uint64_t start,
                  uint64_t end)
{
    int32_t next;

    for (int32_t l = *head; - 1 != l; l = next) {
        next = space->lock[l].next;
        if (!compatible(&space->lock[l], request) && overlap(&space->lock[l], start, end)) {
            fprintf(stderr, "lustresim: client %s does not give a lock back: evicted\n",
                    space->client[space->lock[l].client]);
            sim_evict(space, space->lock[l].client);
            next = *head; /* several locks of the list may be gone */
        }
    }
}

/* Nothing to do but wait for others: real time, which the model does not count. */
static void pause_outside(sim_space_t *space)
{
    struct timespec time = {.tv_nsec = 200000};

    sim_leave(space);
    nanosleep(&time, NULL);
    sim_enter(space);
}

/* The server's side: waits until the lock can be granted. Called, and returns, inside the mutex. */
static int32_t enqueue(sim_space_t *space, const sim_request_t *request, uint32_t object,
                       uint64_t start, uint64_t end)
{
    const char *limit = getenv("LUSTRESIM_TIMEOUT");
    time_t give_up = time(NULL) + (NULL == limit ? 60 : atoi(limit));
    sim_file_t *file = &space->file[request->file];
    int32_t *head = &file->locks[object];
    bool waited = false;

    SIM_COUNT(space, enqueues, 1);
    if (request->speculative && conflict(space, request, *head, start, end)) {
        SIM_COUNT(space, denied, 1);
        return -EAGAIN;
    }
    for (;;) {
        size_t called;
        size_t standing = call_back(space, request, object, start, end, &called);

        if (0 != called) { /* the callbacks go out together, and so do the cancels */
            messages(space, request->client, 2 * called, 2);
        }
        if (0 == standing) {
            if (0 != called || waited) {
                sim_clock_wait(space, request->client, file->freed_ns[object]);
                SIM_COUNT(space, completions, 1);
                messages(space, request->client, 1, 0); /* the wait for the cancel contains it */
            }
            return grant(space, request, head, start, end);
        }
        if (request->no_wait && group_in_the_way(space, request, *head, start, end)) {
            return -EAGAIN;
        }
        if (!waited) {
            waited = true;
            SIM_COUNT(space, waits, 1);
        }
        pause_outside(space);
        if (time(NULL) > give_up) {
            evict(space, request, head, start, end);
        }
    }
}

int32_t sim_lock(sim_space_t *space, const sim_request_t *request, const sim_span_t *span)
{
    uint64_t start = span->start & ~(uint64_t) (SIM_PAGE - 1);
    uint64_t end = span->end | (SIM_PAGE - 1);
    uint64_t before;
    bool exact;
    int32_t found = -1;

    sim_enter(space);
    before = space->client_ns[request->client];
    if (SIM_GROUP != request->mode) {
        found = cached(space, request, space->file[request->file].locks[span->object], start, end,
                       &exact);
    }
    if (-1 != found) {
        SIM_COUNT(space, matches, 1);
        ++space->lock[found].users;
    } else {
        messages(space, request->client, 1, 1);
        found = enqueue(space, request, span->object, start, end);
    }
    sim_leave(space);
    sim_clock_pace(space, request->client, before);
    return found;
}

void sim_unlock(sim_space_t *space, uint32_t file, uint32_t object, int32_t index)
{
    sim_lock_t *lock = &space->lock[index];
    uint32_t client = lock->client;
    uint64_t before;

    sim_enter(space);
    before = space->client_ns[client];
    if (listed(space, space->file[file].locks[object], index)) { /* else: evicted meanwhile */
        bool group = SIM_GROUP == lock->mode;

        if (space->client_ns[client] > lock->clean_ns) {
            lock->clean_ns = space->client_ns[client];
        }
        --lock->users;
        if (0 == lock->users && (0 != lock->called || group)) {
            give_back(space, file, object, index);
        }
        if (group) {
            messages(space, client, 1, 1);
        }
    }
    sim_leave(space);
    sim_clock_pace(space, client, before);
}

int sim_lockahead(sim_space_t *space, const sim_request_t *request, const sim_span_t *span)
{
    uint64_t start = span->start & ~(uint64_t) (SIM_PAGE - 1);
    uint64_t end = span->end | (SIM_PAGE - 1);
    uint64_t before;
    bool exact;
    int32_t found;

    sim_enter(space);
    before = space->client_ns[request->client];
    found = cached(space, request, space->file[request->file].locks[span->object], start, end,
                   &exact);
    if (-1 != found) {
        SIM_COUNT(space, matches, 1);
        sim_leave(space);
        return !request->speculative ? LLA_SENT : exact ? LLA_SAME : LLA_DIFFERENT;
    }
    messages(space, request->client, 1, request->speculative ? 0 : 1);
    found = enqueue(space, request, span->object, start, end);
    if (0 <= found) {
        --space->lock[found].users;
        if (request->speculative) {
            space->lock[found].here_ns = now_ns() + (uint64_t) space->config.async_us * 1000;
        }
    }
    sim_leave(space);
    sim_clock_pace(space, request->client, before);
    return LLA_SENT;
}

static void drop_client(sim_space_t *space, int32_t *head, uint32_t client)
{
    int32_t next;

    for (int32_t l = *head; - 1 != l; l = next) {
        next = space->lock[l].next;
        if (client == space->lock[l].client) {
            free_lock(space, head, l);
        }
    }
}

void sim_evict(sim_space_t *space, uint32_t client)
{
    for (size_t f = 0; f < SIM_FILES; ++f) {
        for (size_t o = 0; 0 != space->file[f].inode && o < SIM_OBJECTS; ++o) {
            drop_client(space, &space->file[f].locks[o], client);
        }
    }
    ++space->evicted[client];
    SIM_COUNT(space, evictions, 1);
}

void sim_file_forget(sim_space_t *space, uint64_t device, uint64_t inode, uint64_t birth)
{
    sim_enter(space);
    for (size_t f = 0; f < SIM_FILES; ++f) {
        sim_file_t *file = &space->file[f];

        if (device != file->device || inode != file->inode || birth != file->birth) {
            continue;
        }
        for (size_t o = 0; o < SIM_OBJECTS; ++o) {
            while (-1 != file->locks[o]) {
                free_lock(space, &file->locks[o], file->locks[o]);
            }
        }
        file->device = file->inode = 0;
        file->layout.count = 0;
    }
    sim_leave(space);
}

/* A client that holds a lock up to the end of an object knows its size; else it asks, and the
 * server asks the writer with the highest lock. */
void sim_glimpse(sim_space_t *space, uint32_t client, uint32_t file)
{
    uint64_t count = 0;
    uint64_t in_turn = 0;
    uint64_t before;

    sim_enter(space);
    before = space->client_ns[client];
    for (uint32_t n = 0; n < space->file[file].layout.count; ++n) {
        const sim_component_t *component = &space->file[file].layout.component[n];

        for (uint32_t i = 0; !component->empty && i < component->stripe_count; ++i) {
            int32_t head = space->file[file].locks[n * SIM_STRIPES + i];
            bool known = false;
            bool other = false;

            for (int32_t l = head; - 1 != l; l = space->lock[l].next) {
                known = known || (client == space->lock[l].client && SIM_EOF == space->lock[l].end);
                other = other
                        || (client != space->lock[l].client && SIM_WRITE == space->lock[l].mode);
            }
            if (!known) {
                SIM_COUNT(space, glimpses, 1);
                count += other ? 2 : 1;
                in_turn = other ? 2 : 0 == in_turn ? 1 : in_turn;
            }
        }
    }
    messages(space, client, count, in_turn); /* the objects are asked at the same time */
    sim_leave(space);
    sim_clock_pace(space, client, before);
}
