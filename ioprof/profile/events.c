/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#include "profile/profile.h"

#include <stdlib.h>
#include <string.h>

struct name {
    char *text;
    uint64_t kind, class;
};

struct ioprof_events {
    struct ioprof_cursor in;
    struct name *funcs, *files;
    uint64_t nfuncs, nfiles, left, last_ns;
};

static char *copy_string(struct ioprof_cursor *in)
{
    size_t bytes;
    const char *text = ioprof_get_string(in, &bytes);

    return strndup(text, bytes);
}

static struct name *read_names(struct ioprof_cursor *in, uint64_t *n, int functions)
{
    uint64_t count = ioprof_get(in);
    struct name *names;

    if (count > (uint64_t) (in->end - in->at)) {
        in->bad = 1;
        count = 0;
    }
    names = calloc(count + 1, sizeof(*names));
    *n = NULL == names ? 0 : count;
    for (uint64_t i = 0; i < *n; i++) {
        names[i].text = copy_string(in);
        if (functions) {
            names[i].kind = ioprof_get(in);
            names[i].class = ioprof_get(in);
        }
    }
    return names;
}

struct ioprof_events *ioprof_events_open(const struct ioprof_chunk *chunk)
{
    struct ioprof_events *events = calloc(1, sizeof(*events));

    if (NULL == events) {
        return NULL;
    }
    events->in = (struct ioprof_cursor){chunk->data, chunk->data + chunk->bytes, 0};
    (void) ioprof_get(&events->in); /* rank */
    events->last_ns = ioprof_get(&events->in);
    (void) ioprof_get(&events->in); /* dropped: ioprof_rank has it, too */
    events->funcs = read_names(&events->in, &events->nfuncs, 1);
    events->files = read_names(&events->in, &events->nfiles, 0);
    events->left = ioprof_get(&events->in);
    if (events->in.bad || NULL == events->funcs || NULL == events->files) {
        ioprof_events_close(events);
        return NULL;
    }
    return events;
}

int ioprof_events_next(struct ioprof_events *events, struct ioprof_event *event)
{
    struct ioprof_cursor *in = &events->in;
    uint64_t func, file;

    if (0 == events->left) {
        return 0;
    }
    events->left--;
    events->last_ns += (uint64_t) ioprof_get_signed(in);
    event->start_ns = events->last_ns;
    event->ns = ioprof_get(in);
    func = ioprof_get(in);
    file = ioprof_get(in);
    event->offset = ioprof_get(in) - 1;
    event->bytes = ioprof_get(in);
    event->thread = ioprof_get(in);
    if (in->bad || func >= events->nfuncs || file > events->nfiles) {
        events->left = 0;
        return 0;
    }
    event->func = events->funcs[func].text;
    event->kind = events->funcs[func].kind;
    event->class = events->funcs[func].class;
    event->path = 0 == file ? NULL : events->files[file - 1].text;
    return 1;
}

static void free_names(struct name *names, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        free(names[i].text);
    }
    free(names);
}

void ioprof_events_close(struct ioprof_events *events)
{
    if (NULL != events) {
        free_names(events->funcs, events->nfuncs);
        free_names(events->files, events->nfiles);
        free(events);
    }
}

void ioprof_each_event(const struct ioprof_profile *profile, void *data,
                       void (*visit)(void *data, uint64_t rank, const struct ioprof_event *event))
{
    for (size_t i = 0; i < profile->nchunks; i++) {
        struct ioprof_events *events = ioprof_events_open(&profile->chunks[i]);
        struct ioprof_event event;

        while (NULL != events && ioprof_events_next(events, &event)) {
            visit(data, profile->chunks[i].rank, &event);
        }
        ioprof_events_close(events);
    }
}
