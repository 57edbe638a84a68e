/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* Events: one record for each call, in a table of fixed size. */
#include "record/record.h"

#include <string.h>
#include <sys/mman.h>

struct event {
    uint64_t begin, ns, offset, bytes;
    int32_t file;
    uint16_t id, thread;
    uint8_t inside, complete;
};

bool ioprof_events_on;
static struct event *events;
static uint64_t count;

void ioprof_events_start(void)
{
    void *memory = mmap(NULL, ioprof_settings.max_events * sizeof(*events), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (MAP_FAILED != memory) {
        events = memory;
    }
    ioprof_events_on = NULL != events;
}

void ioprof_event_add(const struct ioprof_call *call, int thread)
{
    uint64_t at = IOPROF_ADD(count, 1);
    struct event *event;

    if (at >= ioprof_settings.max_events) {
        IOPROF_ADD(ioprof_me.events_dropped, 1);
        return;
    }
    event = &events[at];
    event->begin = call->begin;
    event->ns = call->end - call->begin;
    event->offset = call->offset;
    event->bytes = call->bytes;
    event->file = call->file;
    event->id = (uint16_t) call->id;
    event->inside = call->inside;
    event->thread = (uint16_t) thread;
    __atomic_store_n(&event->complete, 1, __ATOMIC_RELEASE);
}

/** Number of the files that the payload names: the table's indices up to the last one. */
static int files_named(uint64_t n)
{
    int files = 0;

    for (uint64_t i = 0; i < n; i++) {
        if (events[i].file >= files) {
            files = events[i].file + 1;
        }
    }
    return files;
}

void ioprof_events_encode(struct ioprof_buffer *out)
{
    uint64_t all = __atomic_load_n(&count, __ATOMIC_RELAXED), n = 0;
    uint64_t last = ioprof_me.start_ns;
    int files;

    /* An event that another thread is writing just now ends the list. */
    if (all >= ioprof_settings.max_events) {
        all = ioprof_settings.max_events;
    }
    while (n < all && __atomic_load_n(&events[n].complete, __ATOMIC_ACQUIRE)) {
        n++;
    }
    files = files_named(n);
    ioprof_put(out, ioprof_me.rank);
    ioprof_put(out, ioprof_me.start_ns);
    ioprof_put(out, ioprof_me.events_dropped);
    ioprof_put(out, 2 * IOPROF_IDS);
    for (int i = 0; i < 2 * IOPROF_IDS; i++) {
        const struct ioprof_func *func = ioprof_function(i / 2, i % 2);

        ioprof_put_string(out, func->name);
        ioprof_put(out, func->kind);
        ioprof_put(out, func->class);
    }
    ioprof_put(out, (uint64_t) files);
    for (int i = 0; i < files; i++) {
        ioprof_put_string(out, ioprof_file_record(i)->path);
    }
    ioprof_put(out, n);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t begin = ioprof_unix_time(events[i].begin);

        ioprof_put_signed(out, (int64_t) (begin - last));
        ioprof_put(out, events[i].ns);
        ioprof_put(out, 2U * events[i].id + events[i].inside);
        ioprof_put(out, (uint64_t) (events[i].file + 1));
        ioprof_put(out, events[i].offset + 1);
        ioprof_put(out, events[i].bytes);
        ioprof_put(out, events[i].thread);
        last = begin;
    }
    ioprof_me.events = n;
}
