/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#include "report/rows.h"
#include "profile/fields.h"

const char *ioprof_class_key(uint64_t class)
{
    static const char *const keys[IOPROF_CLASSES] = {"collective", "independent", "completion",
                                                     "posix", "inside"};

    if (class < IOPROF_CLASSES) {
        return keys[class];
    }
    return "unknown";
}

const char *ioprof_end_key(uint64_t end)
{
    static const char *const keys[] = {"finalized", "exited", "aborted", "signalled"};

    if (end < 4) {
        return keys[end];
    }
    return "unknown";
}

/** What an array field of a record counts: kinds of the time line, or classes. */
static const char *element_key(int n, int element)
{
    if (IOPROF_SPAN_KINDS == n) {
        return ioprof_kind_name((uint64_t) element);
    }
    return ioprof_class_key((uint64_t) element);
}

#define FIELD(field)      sink->number(sink, #field, record->field);
#define FIELD_N(field, n) sink->numbers(sink, #field, record->field, n, element_key);
#define ROW(FIELDS)       FIELDS(FIELD, FIELD_N, FIELD, FIELD_N, FIELD, FIELD_N, FIELD)

static void put_cell(struct ioprof_sink *sink, const char *kind, const struct ioprof_cell *cell)
{
    sink->begin(sink, kind, 1);
    sink->number(sink, "calls", cell->calls);
    sink->number(sink, "errors", cell->errors);
    sink->number(sink, "ns", cell->ns);
    sink->number(sink, "bytes", cell->bytes);
    sink->end(sink);
}

void ioprof_row_cells(struct ioprof_sink *sink,
                      const struct ioprof_cell cells[IOPROF_CLASSES][IOPROF_KINDS])
{
    sink->begin(sink, "cells", 0);
    for (uint64_t class = 0; class < IOPROF_CLASSES; class ++) {
        int used = 0;

        for (uint64_t kind = 0; kind < IOPROF_KINDS; kind++) {
            if (0 == cells[class][kind].calls && !sink->all_cells) {
                continue;
            }
            if (0 == used++) {
                sink->begin(sink, ioprof_class_key(class), 1);
            }
            put_cell(sink, ioprof_kind_name(kind), &cells[class][kind]);
        }
        if (used > 0) {
            sink->end(sink);
        }
    }
    sink->end(sink);
}

void ioprof_row_function(struct ioprof_sink *sink, const struct ioprof_func *record)
{
    sink->text(sink, "name", record->name);
    sink->text(sink, "class", ioprof_class_key(record->class));
    sink->text(sink, "kind", ioprof_kind_name(record->kind));
    IOPROF_FUNC_VALUES(FIELD, FIELD_N, FIELD, FIELD_N, FIELD, FIELD_N, FIELD)
    sink->sizes(sink, "sizes", record->sizes);
}

void ioprof_row_rank(struct ioprof_sink *sink, const struct ioprof_rank *record)
{
    sink->text(sink, "host", record->host);
    sink->text(sink, "ended", ioprof_end_key(record->end));
    ROW(IOPROF_RANK_FIELDS)
    ioprof_row_cells(sink, record->cell);
}

void ioprof_row_file_numbers(struct ioprof_sink *sink, const struct ioprof_file *record)
{
    ROW(IOPROF_FILE_FIELDS)
}

void ioprof_row_file(struct ioprof_sink *sink, const struct ioprof_file *record)
{
    sink->text(sink, "path", record->path);
    sink->text(sink, "hints", record->hints);
    sink->text(sink, "fs", record->fs);
    sink->text(sink, "mount", record->mount);
    ioprof_row_file_numbers(sink, record);
    ioprof_row_cells(sink, record->cell);
    sink->begin(sink, "sizes", 0);
    for (uint64_t class = 0; class < IOPROF_CLASSES; class ++) {
        sink->begin(sink, ioprof_class_key(class), 1);
        sink->sizes(sink, "read", record->sizes[class][0]);
        sink->sizes(sink, "write", record->sizes[class][1]);
        sink->end(sink);
    }
    sink->end(sink);
}

void ioprof_row_variable(struct ioprof_sink *sink, const struct ioprof_pvar *record)
{
    sink->text(sink, "name", record->name);
    sink->text(sink, "text", record->text);
    ROW(IOPROF_PVAR_FIELDS)
}

void ioprof_row_event(struct ioprof_sink *sink, uint64_t rank, const struct ioprof_event *event)
{
    sink->number(sink, "rank", rank);
    sink->number(sink, "thread", event->thread);
    sink->text(sink, "function", event->func);
    sink->text(sink, "class", ioprof_class_key(event->class));
    sink->text(sink, "kind", ioprof_kind_name(event->kind));
    sink->text(sink, "path", event->path);
    sink->number(sink, "start_ns", event->start_ns);
    sink->number(sink, "ns", event->ns);
    sink->number(sink, "offset", event->offset);
    sink->number(sink, "bytes", event->bytes);
}

int ioprof_has_memory(const struct ioprof_timeline *time, int bin)
{
    return 0 != time->memory[bin].samples;
}

int ioprof_has_node(const struct ioprof_timeline *time, int bin)
{
    uint64_t any = 0;

    for (int i = 0; i < IOPROF_NODE_COUNTERS; i++) {
        any |= time->node[bin][i];
    }
    return 0 != any;
}

static void put_bin_time(struct ioprof_sink *sink, const struct ioprof_timeline *time, int bin)
{
    sink->number(sink, "bin", (uint64_t) bin);
    sink->number(sink, "start_ns", time->start_ns + (uint64_t) bin * time->width_ns);
    sink->number(sink, "width_ns", time->width_ns);
}

void ioprof_row_bin(struct ioprof_sink *sink, const struct ioprof_timeline *time, int bin,
                    int layer, int kind)
{
    const struct ioprof_bin *value = &time->bin[bin][layer][kind];

    put_bin_time(sink, time, bin);
    sink->text(sink, "layer", 0 == layer ? "mpi" : "posix");
    sink->text(sink, "kind", ioprof_bin_name(kind));
    sink->number(sink, "calls", value->calls);
    sink->number(sink, "ns", value->ns);
    sink->number(sink, "bytes", value->bytes);
}

void ioprof_row_memory(struct ioprof_sink *sink, const struct ioprof_timeline *time, int bin)
{
    put_bin_time(sink, time, bin);
    sink->number(sink, "samples", time->memory[bin].samples);
    sink->number(sink, "sum", time->memory[bin].sum);
    sink->number(sink, "max", time->memory[bin].max);
}

void ioprof_row_node(struct ioprof_sink *sink, const struct ioprof_timeline *time, int bin)
{
    put_bin_time(sink, time, bin);
    for (int i = 0; i < IOPROF_NODE_COUNTERS; i++) {
        sink->number(sink, ioprof_node_name(i), time->node[bin][i]);
    }
}

void ioprof_each_bin(const struct ioprof_timeline *time, struct ioprof_sink *sink,
                     void (*row)(struct ioprof_sink *, const struct ioprof_timeline *, int, int,
                                 int))
{
    for (int bin = 0; bin < IOPROF_BINS; bin++) {
        for (int layer = 0; layer < IOPROF_BIN_LAYERS; layer++) {
            for (int kind = 0; kind < IOPROF_BIN_KINDS; kind++) {
                const struct ioprof_bin *value = &time->bin[bin][layer][kind];

                if (0 != (value->calls | value->ns | value->bytes)) {
                    row(sink, time, bin, layer, kind);
                }
            }
        }
    }
}
