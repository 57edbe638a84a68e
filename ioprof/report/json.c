/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* The report as JSON: everything that is in the profile, and the sentences made of it. Layout:
 * docs/ioprof-page.md. */
#include "report/json.h"
#include "report/report.h"
#include "report/rows.h"
#include "report/text.h"

#define LAYOUT 1 /* "ioprof_report": greater when a member changes its meaning */

static void put_totals(struct ioprof_sink *json, const struct ioprof_profile *p)
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
    ioprof_json_number(json, "run_ns", (uint64_t) f.run_ns);
    ioprof_json_number(json, "io_ns", (uint64_t) f.io_ns);
    ioprof_json_number(json, "mpi_ns", (uint64_t) f.mpi_ns);
    ioprof_json_number(json, "posix_ns", (uint64_t) f.posix_ns);
    ioprof_json_number(json, "inside_ns", (uint64_t) f.inside_ns);
    ioprof_json_number(json, "mpi_bytes", (uint64_t) f.mpi_bytes);
    ioprof_json_number(json, "posix_bytes", (uint64_t) f.posix_bytes);
    ioprof_json_number(json, "inside_bytes", (uint64_t) f.inside_bytes);
    ioprof_row_cells(json, cells);
    ioprof_json_close(json, '}');
}

static void put_time(struct ioprof_sink *json, const struct ioprof_timeline *time)
{
    ioprof_json_open(json, "time", '{');
    ioprof_json_number(json, "start_ns", time->start_ns);
    ioprof_json_number(json, "width_ns", time->width_ns);
    ioprof_json_time(json, time);
    ioprof_json_close(json, '}');
}

static void put_event(void *data, uint64_t rank, const struct ioprof_event *event)
{
    struct ioprof_sink *json = data;

    fputc('\n', json->out);
    ioprof_json_open(json, NULL, '{');
    ioprof_row_event(json, rank, event);
    ioprof_json_close(json, '}');
}

int ioprof_report_json(struct ioprof_profile *profile, FILE *out)
{
    struct ioprof_sink sink = ioprof_json_sink(out), *json = &sink;

    ioprof_json_open(json, NULL, '{');
    ioprof_json_number(json, "ioprof_report", LAYOUT);
    ioprof_json_facts(json, profile);
    put_totals(json, profile);
    ioprof_json_answers(json, profile);
    ioprof_json_findings(json, profile);
    ioprof_json_numbers(json, "size_from", ioprof_size_from, IOPROF_SIZES);
    ioprof_json_functions(json, profile);
    IOPROF_JSON_LIST(json, "ranks", profile, ranks, ioprof_row_rank);
    IOPROF_JSON_LIST(json, "files", profile, files, ioprof_row_file);
    put_time(json, &profile->time);
    ioprof_json_variables(json, profile);
    ioprof_json_open(json, "events", '[');
    ioprof_each_event(profile, json, put_event);
    ioprof_json_close(json, ']');
    ioprof_json_close(json, '}');
    fputc('\n', out);
    if (ferror(out)) {
        return -1;
    }
    return 0;
}
