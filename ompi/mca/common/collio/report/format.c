/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Formats reports as tables, lines and JSON.
 */
#include "report/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define add collio_text_add

enum { CELL_BYTES = 32, NAME_WIDTH = 24, WIDTH = 12, SUM_WIDTH = 14 };

static const char *const unit_titles[COLLIO_UNITS] = {"time, ms", "data, MiB", "count",
                                                      "data, MiB"};
static const char *const unit_json[COLLIO_UNITS] = {"ns", "bytes", "count", "bytes"};
static const double unit_size[COLLIO_UNITS] = {1e6, 1048576, 1, 1048576};

/* Formats a number of a column. A number too small for its digits is not printed as 0. */
static const char *cell(char text[CELL_BYTES], double value, int digits)
{
    static const struct {
        double least;      /* smaller values would be printed as 0 */
        const char *shown; /* text for smaller values */
    } small[] = {[0] = {0, ""}, [1] = {0.05, "<0.1"}, [3] = {0.0005, "<0.001"}};

    if (value > 0 && value < small[digits].least) {
        snprintf(text, CELL_BYTES, "%s", small[digits].shown);
    } else {
        snprintf(text, CELL_BYTES, "%.*f", digits, value);
    }
    return text;
}

static void add_counted(collio_text_t *text, const collio_counted_t *counted, int ranks)
{
    double size = unit_size[counted->unit];
    int whole = COLLIO_UNIT_COUNT == counted->unit ? 0 : 3;
    int mean = COLLIO_UNIT_COUNT == counted->unit ? 1 : 3;
    char least[CELL_BYTES], average[CELL_BYTES], most[CELL_BYTES], sum[CELL_BYTES];

    add(text, "  %-*s %*s %*s %*s %*s\n", NAME_WIDTH, counted->name, WIDTH,
        cell(least, (double) counted->least / size, whole), WIDTH,
        cell(average, (double) counted->sum / (ranks > 0 ? ranks : 1) / size, mean), WIDTH,
        cell(most, (double) counted->most / size, whole), SUM_WIDTH,
        cell(sum, (double) counted->sum / size, whole));
}

/* Adds the counters of a section that have this unit. */
static void add_unit(collio_text_t *text, const collio_table_t *section, collio_unit_t unit,
                     int ranks)
{
    char title[NAME_WIDTH + 8];
    bool titled = false;

    for (int i = 0; i < section->count; ++i) {
        const collio_counted_t *counted = &section->counted[i];

        if (counted->unit != unit || 0 == counted->most) {
            continue;
        }
        if (!titled) {
            snprintf(title, sizeof(title), "%s: %s", section->name, unit_titles[unit]);
            add(text, "\n  %-*s %*s %*s %*s %*s\n", NAME_WIDTH, title, WIDTH, "min", WIDTH, "avg",
                WIDTH, "max", SUM_WIDTH, "sum");
            titled = true;
        }
        add_counted(text, counted, ranks);
    }
}

static double rate_of(const collio_traffic_t *traffic)
{
    if (0 == traffic->ns) {
        return 0;
    }
    return (double) traffic->bytes / 1048576.0 / ((double) traffic->ns * 1e-9);
}

static void add_traffic(collio_text_t *text, const collio_record_t *record,
                        const collio_traffic_t *traffic)
{
    char data[CELL_BYTES], time[CELL_BYTES], rate[CELL_BYTES];

    if (0 == traffic->calls) {
        add(text, " %*s %*s %*s %*s", WIDTH, "-", WIDTH, "-", WIDTH, "-", WIDTH, "-");
        return;
    }
    add(text, " %*" PRIu64 " %*s %*s %*s", WIDTH, traffic->calls, WIDTH,
        cell(data, (double) traffic->bytes / 1048576.0, 3), WIDTH,
        cell(time, (double) traffic->ns / 1e6, 3), WIDTH,
        record->no_rate ? "-" : cell(rate, rate_of(traffic), 1));
}

void collio_format_table(collio_text_t *text, const collio_record_t *record)
{
    add(text, "\n%s: ", record->component);
    collio_text_printable(text, record->path);
    add(text, "\n%s", collio_text_string(&record->about));
    add(text, "\n  %-*s %*s %*s %*s %*s\n", NAME_WIDTH, "all ranks", WIDTH, "calls", WIDTH, "MiB",
        WIDTH, "ms", WIDTH, "MiB/s");
    for (int i = 0; i < COLLIO_TRAFFICS; ++i) {
        if (NULL != record->traffic_name[i] && record->traffic[i].calls > 0) {
            add(text, "  %-*s", NAME_WIDTH, record->traffic_name[i]);
            add_traffic(text, record, &record->traffic[i]);
            add(text, "\n");
        }
    }
    for (int s = 0; s < record->sections; ++s) {
        for (int unit = 0; unit < COLLIO_UNITS; ++unit) {
            add_unit(text, &record->section[s], (collio_unit_t) unit, record->ranks);
        }
    }
    add(text, "\n");
}

void collio_format_heading(collio_text_t *text, const collio_record_t *record)
{
    add(text, "\n%s, one line for each file\n", record->component);
    for (int i = 0; i < COLLIO_TRAFFICS; ++i) {
        if (NULL != record->traffic_name[i]) {
            add(text, " %*s %*s %*s %*s", WIDTH, record->traffic_name[i], WIDTH, "", WIDTH, "",
                WIDTH, "");
        }
    }
    add(text, "\n");
    for (int i = 0; i < COLLIO_TRAFFICS; ++i) {
        if (NULL != record->traffic_name[i]) {
            add(text, " %*s %*s %*s %*s", WIDTH, "calls", WIDTH, "MiB", WIDTH, "ms", WIDTH,
                "MiB/s");
        }
    }
    add(text, "  file\n");
}

void collio_format_line(collio_text_t *text, const collio_record_t *record, const char *name)
{
    for (int i = 0; i < COLLIO_TRAFFICS; ++i) {
        if (NULL != record->traffic_name[i]) {
            add_traffic(text, record, &record->traffic[i]);
        }
    }
    add(text, "  ");
    collio_text_printable(text, name);
    add(text, "\n");
}

static void add_json_section(collio_text_t *text, const collio_table_t *section)
{
    const char *comma = "";

    for (int i = 0; i < section->count; ++i) {
        const collio_counted_t *counted = &section->counted[i];

        if (0 == counted->most) {
            continue;
        }
        add(text, "%s\"%s\":{\"unit\":\"%s\",\"min\":%" PRIu64 ",\"max\":%" PRIu64, comma,
            counted->name, unit_json[counted->unit], counted->least, counted->most);
        add(text, ",\"sum\":%" PRIu64 "}", counted->sum);
        comma = ",";
    }
}

void collio_format_json(collio_text_t *text, const collio_record_t *record, uint64_t files)
{
    add(text, "{\"collio_report\":1,\"component\":");
    collio_text_json(text, record->component);
    if (files > 0) {
        add(text, ",\"files\":%" PRIu64, files);
    } else {
        add(text, ",\"file\":");
        collio_text_json(text, record->path);
        add(text, ",\"ranks\":%d", record->ranks);
    }
    add(text, "%s", collio_text_string(&record->json));
    for (int i = 0; i < COLLIO_TRAFFICS; ++i) {
        const collio_traffic_t *traffic = &record->traffic[i];

        if (NULL != record->traffic_name[i]) {
            add(text, ",\"%s\":{\"calls\":%" PRIu64 ",\"bytes\":%" PRIu64 ",\"ns\":%" PRIu64,
                record->traffic_name[i], traffic->calls, traffic->bytes, traffic->ns);
            if (!record->no_rate) {
                add(text, ",\"mib_per_s\":%.3f", rate_of(traffic));
            }
            add(text, "}");
        }
    }
    for (int s = 0; s < record->sections; ++s) {
        add(text, "%s\"%s\":{", 0 == s ? ",\"counters\":{" : ",", record->section[s].name);
        add_json_section(text, &record->section[s]);
        add(text, "}%s", s == record->sections - 1 ? "}" : "");
    }
    add(text, "}\n");
}
