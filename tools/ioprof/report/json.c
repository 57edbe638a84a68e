/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* The report as JSON: everything that is in the profile, and the sentences made of it. Layout:
 * docs/ioprof-page.md. */
#include "report/json.h"
#include "report/report.h"
#include "report/rows.h"
#include "report/text.h"

#define LAYOUT 1 /* "ioprof_report": greater when a member changes its meaning */

static void put_totals(struct ioprof_json_sink *sink, const struct ioprof_profile *p)
{
    struct ioprof_json *json = &sink->json;
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
    ioprof_row_cells(&sink->sink, cells);
    ioprof_json_close(json, '}');
}

/** Lists: a row on each line. */
#define ROWS(name, items, row)                    \
    ioprof_json_open(&json->json, name, '[');     \
    for (size_t i = 0; i < p->n##items; i++) {    \
        fputc('\n', json->json.out);              \
        ioprof_json_open(&json->json, NULL, '{'); \
        row(&json->sink, &p->items[i]);           \
        ioprof_json_close(&json->json, '}');      \
    }                                             \
    ioprof_json_close(&json->json, ']');

static void put_records(struct ioprof_json_sink *json, const struct ioprof_profile *p)
{
    ioprof_json_functions(&json->json, p);
    ROWS("ranks", ranks, ioprof_row_rank)
    ROWS("files", files, ioprof_row_file)
}

/** Bins of the time line that have something. */
#define BINS(name, has, row)                          \
    ioprof_json_open(&json->json, name, '[');         \
    for (int bin = 0; bin < IOPROF_BINS; bin++) {     \
        if (has(&p->time, bin)) {                     \
            ioprof_json_open(&json->json, NULL, '{'); \
            row(&json->sink, &p->time, bin);          \
            ioprof_json_close(&json->json, '}');      \
        }                                             \
    }                                                 \
    ioprof_json_close(&json->json, ']');

static void put_bin(struct ioprof_sink *sink, const struct ioprof_timeline *time, int bin,
                    int layer, int kind)
{
    struct ioprof_json *json = &((struct ioprof_json_sink *) sink)->json;

    ioprof_json_open(json, NULL, '{');
    ioprof_row_bin(sink, time, bin, layer, kind);
    ioprof_json_close(json, '}');
}

static void put_time(struct ioprof_json_sink *json, const struct ioprof_profile *p)
{
    ioprof_json_open(&json->json, "time", '{');
    ioprof_json_number(&json->json, "start_ns", p->time.start_ns);
    ioprof_json_number(&json->json, "width_ns", p->time.width_ns);
    ioprof_json_open(&json->json, "bins", '[');
    ioprof_each_bin(&p->time, &json->sink, put_bin);
    ioprof_json_close(&json->json, ']');
    BINS("memory", ioprof_has_memory, ioprof_row_memory)
    BINS("node", ioprof_has_node, ioprof_row_node)
    ioprof_json_close(&json->json, '}');
}

static void put_events(struct ioprof_json_sink *json, const struct ioprof_profile *p)
{
    ioprof_json_open(&json->json, "events", '[');
    for (size_t i = 0; i < p->nchunks; i++) {
        struct ioprof_events *events = ioprof_events_open(&p->chunks[i]);
        struct ioprof_event event;

        while (NULL != events && ioprof_events_next(events, &event)) {
            fputc('\n', json->json.out);
            ioprof_json_open(&json->json, NULL, '{');
            ioprof_row_event(&json->sink, p->chunks[i].rank, &event);
            ioprof_json_close(&json->json, '}');
        }
        ioprof_events_close(events);
    }
    ioprof_json_close(&json->json, ']');
}

int ioprof_report_json(struct ioprof_profile *profile, FILE *out)
{
    struct ioprof_json_sink sink = ioprof_json_sink(out);
    struct ioprof_json *json = &sink.json;

    ioprof_json_open(json, NULL, '{');
    ioprof_json_number(json, "ioprof_report", LAYOUT);
    ioprof_json_facts(json, profile);
    put_totals(&sink, profile);
    ioprof_json_answers(json, profile);
    ioprof_json_findings(json, profile);
    ioprof_json_numbers(json, "size_from", ioprof_size_from, IOPROF_SIZES);
    put_records(&sink, profile);
    put_time(&sink, profile);
    ioprof_json_variables(json, profile);
    put_events(&sink, profile);
    ioprof_json_close(json, '}');
    fputc('\n', out);
    return ferror(out) ? -1 : 0;
}
