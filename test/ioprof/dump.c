/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* Prints profiles as lines of words, for the checks of `run`:
 *
 *   func CLASS NAME CALLS ERRORS BYTES RANKS SPAN
 *   file CLASS KIND CALLS ERRORS BYTES PATH
 *   about RANKS FILES OPEN_RANKS APPEND VIEWS UNALIGNED SEQUENTIAL LOW HIGH PATH
 *   rank RANK END CODE FORKS FILES_DROPPED EVENTS EVENTS_DROPPED THREADS REQUESTS_DROPPED
 *   event RANK CLASS NAME OFFSET BYTES NS PATH
 *   time LAYER KIND CALLS BYTES
 *   hint PATH TEXT            pvar NAME SUM            fact KEY VALUE */
#include "profile/profile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define U PRIu64

static void dump_files(const struct ioprof_profile *p)
{
    for (size_t i = 0; i < p->nfiles; i++) {
        const struct ioprof_file *f = &p->files[i];

        for (int k = 0; k < IOPROF_CLASSES * IOPROF_KINDS; k++) {
            const struct ioprof_cell *cell = &f->cell[0][0] + k;

            if (0 != cell->calls) {
                printf("file %d %s %" U " %" U " %" U " %s\n", k / IOPROF_KINDS,
                       ioprof_kind_name((uint64_t) k % IOPROF_KINDS), cell->calls, cell->errors,
                       cell->bytes, f->path);
            }
        }
        printf("about %" U " %" U " %" U " %" U " %" U " %" U " %" U " %" PRId64 " %" U " %s\n",
               f->ranks, f->files, f->open_ranks, f->append, f->views, f->unaligned, f->sequential,
               (int64_t) f->low, f->high, f->path);
        if (NULL != f->hints) {
            for (const char *at = f->hints; '\0' != *at; at++) {
                printf("%s%c", at == f->hints ? "hint " : "", '\n' == *at ? ' ' : *at);
            }
            printf("\n");
        }
    }
}

static void dump_events(const struct ioprof_profile *p)
{
    for (size_t i = 0; i < p->nchunks; i++) {
        struct ioprof_events *events = ioprof_events_open(&p->chunks[i]);
        struct ioprof_event e;

        while (NULL != events && ioprof_events_next(events, &e)) {
            printf("event %" U " %" U " %s %" PRId64 " %" U " %" U " %s\n", p->chunks[i].rank,
                   e.class, e.func, (int64_t) e.offset, e.bytes, e.ns,
                   NULL == e.path ? "-" : e.path);
        }
        ioprof_events_close(events);
    }
}

static void dump_time(const struct ioprof_profile *p)
{
    for (int layer = 0; layer < IOPROF_BIN_LAYERS; layer++) {
        for (int kind = 0; kind < IOPROF_BIN_KINDS; kind++) {
            uint64_t calls = 0, bytes = 0;

            for (int i = 0; i < IOPROF_BINS; i++) {
                calls += p->time.bin[i][layer][kind].calls;
                bytes += p->time.bin[i][layer][kind].bytes;
            }
            printf("time %d %s %" U " %" U "\n", layer, ioprof_kind_name((uint64_t) kind), calls,
                   bytes);
        }
    }
}

int main(int argc, char **argv)
{
    struct ioprof_profile *p;
    char why[512];

    if (ioprof_read_all(argv + 1, argc - 1, &p, why, sizeof(why)) < 0 || NULL == p) {
        fprintf(stderr, "%s\n", why);
        return 1;
    }
    for (size_t i = 0; i < p->nfacts; i++) {
        printf("fact %s %s\n", p->facts[i].key, p->facts[i].value);
    }
    for (size_t i = 0; i < p->nfuncs; i++) {
        const struct ioprof_func *f = &p->funcs[i];

        printf("func %" U " %s %" U " %" U " %" U " %" U " %" U "\n", f->class, f->name, f->calls,
               f->errors, f->bytes, f->ranks, f->span_ns);
    }
    dump_files(p);
    for (size_t i = 0; i < p->nranks; i++) {
        const struct ioprof_rank *r = &p->ranks[i];

        printf("rank %" U " %" U " %" U " %" U " %" U " %" U " %" U " %" U " %" U "\n", r->rank,
               r->end, r->end_code, r->forks, r->files_dropped, r->events, r->events_dropped,
               r->max_threads, r->requests_dropped);
    }
    for (size_t i = 0; i < p->npvars; i++) {
        printf("pvar %s %" U "\n", p->pvars[i].name, p->pvars[i].sum);
    }
    dump_events(p);
    dump_time(p);
    ioprof_free(p);
    return 0;
}
