/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Results as a table for people and as CSV for programs.
 */
#include <inttypes.h>

#include "scale.h"

static const char *const way_names[SCALE_WAYS] = {"two-phase", "tam"};

/* 1234567 -> "1.23M" */
static const char *shorten(int64_t value, char *text, size_t size)
{
    static const char units[] = " kMGTP";
    double scaled = (double) value;
    int unit = 0;

    while (scaled >= 999.5 && unit < 5) {
        scaled /= 1000;
        ++unit;
    }
    if (0 == unit) {
        (void) snprintf(text, size, "%" PRId64, value);
    } else {
        (void) snprintf(text, size, "%.*f%c",
                        scaled < 9.995   ? 2
                        : scaled < 99.95 ? 1
                                         : 0,
                        scaled, units[unit]);
    }
    return text;
}

void scale_report_head(FILE *out)
{
    fprintf(out, "%-7s %8s %6s %5s %-9s %8s %9s %9s %8s %8s %9s %8s %8s %8s %8s %8s %8s\n",
            "pattern", "ranks", "nodes", "aggr", "way", "request-", "extents", "extents", "list",
            "list", "data", "between", "worst", "merge", "merge", "memory", "time");
    fprintf(out, "%-7s %8s %6s %5s %-9s %8s %9s %9s %8s %8s %9s %8s %8s %8s %8s %8s %8s\n", "", "",
            "", "", "", "ers", "before", "after", "messages", "bytes", "messages", "nodes", "aggr",
            "steps 1", "steps 2", "bytes", "s");
}

void scale_report_line(FILE *out, const scale_result_t *result)
{
    const int64_t values[] = {result->requesters, result->requested,   result->passed_on,
                              result->meta,       result->wire_bytes,  result->messages,
                              result->between,    result->worst,       result->merge_ops1,
                              result->merge_ops2, result->memory_bytes};
    static const int widths[] = {8, 9, 9, 8, 8, 9, 8, 8, 8, 8, 8};
    char text[24];
    double total = 0;

    fprintf(out, "%-7s %8d %6d %5d %-9s", result->pattern, result->ranks, result->nodes,
            result->aggregators, way_names[result->way]);
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); ++i) {
        fprintf(out, " %*s", widths[i], shorten(values[i], text, sizeof(text)));
    }
    for (int i = 0; i < SCALE_PARTS; ++i) {
        total += result->seconds[i];
    }
    fprintf(out, " %8.3f\n", total);
}

void scale_report_costs(FILE *out)
{
    fprintf(out,
            "time: exchange of a whole step at the busiest aggregator, without file access; "
            "LogGP with\n"
            "o %.1f us, L %.1f us, g %.2f us and G %.2f ns/B of a card, queue search %.1f ns an "
            "entry,\no in a node %.1f us, copy %.2f ns/B, merge %.0f ns an extent and level. "
            "messages: to\naggregators, without those to themselves; what layer 1 sends inside "
            "nodes is in the CSV.\n",
            scale_costs.overhead * 1e6, scale_costs.latency * 1e6, scale_costs.card * 1e6,
            scale_costs.gap * 1e9, scale_costs.match * 1e9, scale_costs.local_overhead * 1e6,
            scale_costs.copy * 1e9, scale_costs.merge * 1e9);
}

void scale_csv_head(FILE *out)
{
    fprintf(out,
            "pattern,way,ranks,nodes,aggregators,requesters,calls,bytes,extents_before,"
            "extents_after,extents_received,list_messages,list_bytes,data_messages,"
            "data_messages_between_nodes,data_bytes_between_nodes,worst_aggregator_messages,worst_"
            "aggregator_extents,"
            "layer1_extents_before,layer1_extents_after,layer1_list_messages,"
            "layer1_list_bytes,layer1_data_messages,cycles,merge_steps_1,merge_steps_2,"
            "memory_bytes,extents_replayed,seconds_layer1,seconds_lists,seconds_merge,seconds_data,"
            "seconds_agree\n");
}

void scale_csv_line(FILE *out, const scale_result_t *result)
{
    const int64_t values[] = {
        result->calls,        result->bytes,         result->requested,  result->passed_on,
        result->extents,      result->meta,          result->wire_bytes, result->messages,
        result->between,      result->between_bytes, result->worst,      result->worst_extents,
        result->gathered,     result->merged,        result->meta1,      result->wire1_bytes,
        result->messages1,    result->cycles,        result->merge_ops1, result->merge_ops2,
        result->memory_bytes, result->replayed};

    fprintf(out, "%s,%s,%d,%d,%d,%d", result->pattern, way_names[result->way], result->ranks,
            result->nodes, result->aggregators, result->requesters);
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); ++i) {
        fprintf(out, ",%" PRId64, values[i]);
    }
    for (int i = 0; i < SCALE_PARTS; ++i) {
        fprintf(out, ",%.6f", result->seconds[i]);
    }
    fprintf(out, "\n");
}
