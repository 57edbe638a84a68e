/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/* The report as JSON: everything that is in the profile, and the sentences made of it. Layout:
 * docs/ioprof-page.md. */
#include "report/json.h"
#include "command/command.h"
#include "profile/fields.h"
#include "report/text.h"

#define LAYOUT 1 /* "ioprof_report": greater when a member changes its meaning */

static void put_cells(struct ioprof_json *json,
                      const struct ioprof_cell cells[IOPROF_CLASSES][IOPROF_KINDS])
{
    ioprof_json_open(json, "cells", '{');
    for (uint64_t class = 0; class < IOPROF_CLASSES; class ++) {
        int used = 0;

        for (uint64_t kind = 0; kind < IOPROF_KINDS; kind++) {
            const struct ioprof_cell *cell = &cells[class][kind];

            if (0 == cell->calls) {
                continue;
            }
            if (!used++) {
                ioprof_json_open(json, ioprof_class_key(class), '{');
            }
            ioprof_json_open(json, ioprof_kind_name(kind), '{');
            ioprof_json_number(json, "calls", cell->calls);
            ioprof_json_number(json, "errors", cell->errors);
            ioprof_json_number(json, "ns", cell->ns);
            ioprof_json_number(json, "bytes", cell->bytes);
            ioprof_json_close(json, '}');
        }
        if (used) {
            ioprof_json_close(json, '}');
        }
    }
    ioprof_json_close(json, '}');
}

static void put_totals(struct ioprof_json *json, const struct ioprof_profile *p)
{
    struct ioprof_cell cells[IOPROF_CLASSES][IOPROF_KINDS];
    struct ioprof_figures f;

    ioprof_figure(p, &f);
    for (int class = 0; class < IOPROF_CLASSES; class ++) {
        for (int kind = 0; kind < IOPROF_KINDS; kind++) {
            cells[class][kind] = ioprof_sum(p, (enum ioprof_class) class, (enum ioprof_kind) kind);
        }
    }
    ioprof_json_open(json, "totals", '{');
    ioprof_json_number(json, "wall_ns", (uint64_t) f.wall_ns);
    ioprof_json_number(json, "io_ns", (uint64_t) f.io_ns);
    ioprof_json_number(json, "mpi_ns", (uint64_t) f.mpi_ns);
    ioprof_json_number(json, "posix_ns", (uint64_t) f.posix_ns);
    ioprof_json_number(json, "inside_ns", (uint64_t) f.inside_ns);
    ioprof_json_number(json, "mpi_bytes", (uint64_t) f.mpi_bytes);
    ioprof_json_number(json, "posix_bytes", (uint64_t) f.posix_bytes);
    ioprof_json_number(json, "inside_bytes", (uint64_t) f.inside_bytes);
    put_cells(json, cells);
    ioprof_json_close(json, '}');
}

#define FIELD(field)      ioprof_json_number(json, #field, record->field);
#define FIELD_N(field, n) put_elements(json, #field, record->field, n);

static void put_elements(struct ioprof_json *json, const char *key, const uint64_t *values, int n)
{
    ioprof_json_open(json, key, '{');
    for (int i = 0; i < n; i++) {
        ioprof_json_number(json, ioprof_element_key(n, i), values[i]);
    }
    ioprof_json_close(json, '}');
}

static void put_ranks(struct ioprof_json *json, const struct ioprof_profile *p)
{
    ioprof_json_open(json, "ranks", '[');
    for (size_t i = 0; i < p->nranks; i++) {
        const struct ioprof_rank *record = &p->ranks[i];

        fputc('\n', json->out);
        ioprof_json_open(json, NULL, '{');
        ioprof_json_text(json, "host", record->host);
        ioprof_json_text(json, "ended", ioprof_end_key(record->end));
        IOPROF_RANK_FIELDS(FIELD, FIELD_N, FIELD, FIELD_N, FIELD, FIELD_N, FIELD)
        put_cells(json, record->cell);
        ioprof_json_close(json, '}');
    }
    ioprof_json_close(json, ']');
}

static void put_file_sizes(struct ioprof_json *json, const struct ioprof_file *file)
{
    ioprof_json_open(json, "sizes", '{');
    for (uint64_t class = 0; class < IOPROF_CLASSES; class ++) {
        ioprof_json_open(json, ioprof_class_key(class), '{');
        ioprof_json_numbers(json, "read", file->sizes[class][0], IOPROF_SIZES);
        ioprof_json_numbers(json, "write", file->sizes[class][1], IOPROF_SIZES);
        ioprof_json_close(json, '}');
    }
    ioprof_json_close(json, '}');
}

static void put_files(struct ioprof_json *json, const struct ioprof_profile *p)
{
    ioprof_json_open(json, "files", '[');
    for (size_t i = 0; i < p->nfiles; i++) {
        const struct ioprof_file *record = &p->files[i];

        fputc('\n', json->out);
        ioprof_json_open(json, NULL, '{');
        ioprof_json_text(json, "path", record->path);
        ioprof_json_text(json, "hints", record->hints);
        IOPROF_FILE_FIELDS(FIELD, FIELD_N, FIELD, FIELD_N, FIELD, FIELD_N, FIELD)
        put_cells(json, record->cell);
        put_file_sizes(json, record);
        ioprof_json_close(json, '}');
    }
    ioprof_json_close(json, ']');
}

static void put_bin(struct ioprof_json *json, int bin, int layer, int kind,
                    const struct ioprof_bin *value)
{
    if (0 == value->calls && 0 == value->ns && 0 == value->bytes) {
        return;
    }
    ioprof_json_open(json, NULL, '{');
    ioprof_json_number(json, "bin", (uint64_t) bin);
    ioprof_json_text(json, "layer", 0 == layer ? "mpi" : "posix");
    ioprof_json_text(json, "kind", ioprof_kind_name((uint64_t) kind));
    ioprof_json_number(json, "calls", value->calls);
    ioprof_json_number(json, "ns", value->ns);
    ioprof_json_number(json, "bytes", value->bytes);
    ioprof_json_close(json, '}');
}

static void put_time(struct ioprof_json *json, const struct ioprof_profile *p)
{
    ioprof_json_open(json, "time", '{');
    ioprof_json_number(json, "start_ns", p->time.start_ns);
    ioprof_json_number(json, "width_ns", p->time.width_ns);
    ioprof_json_open(json, "bins", '[');
    for (int bin = 0; bin < IOPROF_BINS; bin++) {
        for (int layer = 0; layer < IOPROF_BIN_LAYERS; layer++) {
            for (int kind = 0; kind < IOPROF_BIN_KINDS; kind++) {
                put_bin(json, bin, layer, kind, &p->time.bin[bin][layer][kind]);
            }
        }
    }
    ioprof_json_close(json, ']');
    ioprof_json_close(json, '}');
}

static void put_event(struct ioprof_json *json, uint64_t rank, const struct ioprof_event *event)
{
    fputc('\n', json->out);
    ioprof_json_open(json, NULL, '{');
    ioprof_json_number(json, "rank", rank);
    ioprof_json_number(json, "thread", event->thread);
    ioprof_json_text(json, "function", event->func);
    ioprof_json_text(json, "class", ioprof_class_key(event->class));
    ioprof_json_text(json, "kind", ioprof_kind_name(event->kind));
    ioprof_json_text(json, "path", event->path);
    ioprof_json_number(json, "start_ns", event->start_ns);
    ioprof_json_number(json, "ns", event->ns);
    ioprof_json_number(json, "offset", event->offset);
    ioprof_json_number(json, "bytes", event->bytes);
    ioprof_json_close(json, '}');
}

static void put_events(struct ioprof_json *json, const struct ioprof_profile *p)
{
    ioprof_json_open(json, "events", '[');
    for (size_t i = 0; i < p->nchunks; i++) {
        struct ioprof_events *events = ioprof_events_open(&p->chunks[i]);
        struct ioprof_event event;

        while (NULL != events && ioprof_events_next(events, &event)) {
            put_event(json, p->chunks[i].rank, &event);
        }
        ioprof_events_close(events);
    }
    ioprof_json_close(json, ']');
}

int ioprof_report_json(struct ioprof_profile *profile, FILE *out)
{
    struct ioprof_json json = {out, 0};

    ioprof_json_open(&json, NULL, '{');
    ioprof_json_number(&json, "ioprof_report", LAYOUT);
    ioprof_json_facts(&json, profile);
    put_totals(&json, profile);
    ioprof_json_answers(&json, profile);
    ioprof_json_findings(&json, profile);
    ioprof_json_numbers(&json, "size_from", ioprof_size_from, IOPROF_SIZES);
    ioprof_json_functions(&json, profile);
    put_ranks(&json, profile);
    put_files(&json, profile);
    put_time(&json, profile);
    ioprof_json_variables(&json, profile);
    put_events(&json, profile);
    ioprof_json_close(&json, '}');
    fputc('\n', out);
    return ferror(out) ? -1 : 0;
}
