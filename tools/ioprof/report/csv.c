/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/* The report as CSV (RFC 4180): a table at a time, with a line of column names. Values that are not
 * known are empty; times are in nanoseconds. */
#include "command/command.h"
#include "profile/fields.h"
#include "profile/printable.h"
#include "report/json.h"

#include <stdlib.h>

/** A row in progress. */
struct row {
    FILE *out;
    int columns;
    int failed; /* no memory */
};

static int end_table(const struct row *row)
{
    return row->failed || ferror(row->out) ? -1 : 0;
}

/** A name is one line, whatever it is: with escapes, see ioprof_printable. */
static void put_text(struct row *row, const char *text)
{
    char *shown;

    if (row->columns++ > 0) {
        fputc(',', row->out);
    }
    shown = ioprof_printable_copy(NULL == text ? "" : text);
    row->failed |= NULL == shown;
    fputc('"', row->out);
    for (const char *at = shown; NULL != at && '\0' != *at; at++) {
        if ('"' == *at) {
            fputc('"', row->out);
        }
        fputc(*at, row->out);
    }
    fputc('"', row->out);
    free(shown);
}

static void put_number(struct row *row, uint64_t value)
{
    if (row->columns++ > 0) {
        fputc(',', row->out);
    }
    if (IOPROF_UNSET != value) {
        fprintf(row->out, "%llu", (unsigned long long) value);
    }
}

static void end_row(struct row *row)
{
    fputs("\r\n", row->out);
    row->columns = 0;
}

static void put_name(struct row *row, const char *name, const char *suffix)
{
    fprintf(row->out, "%s%s%s%s", row->columns++ > 0 ? "," : "", name, '\0' == *suffix ? "" : "_",
            suffix);
}

/** Names of a comma-separated list, as they are. */
static void put_names(struct row *row, const char *list)
{
    fprintf(row->out, "%s%s", row->columns++ > 0 ? "," : "", list);
}

static void put_element_names(struct row *row, const char *name, int n)
{
    for (int i = 0; i < n; i++) {
        put_name(row, name, ioprof_element_key(n, i));
    }
}

static void put_elements(struct row *row, const uint64_t *values, int n)
{
    for (int i = 0; i < n; i++) {
        put_number(row, values[i]);
    }
}

#define NAME(field)       put_name(row, #field, "");
#define NAME_N(field, n)  put_element_names(row, #field, n);
#define FIELD(field)      put_number(row, record->field);
#define FIELD_N(field, n) put_elements(row, record->field, n);

static void put_cell_names(struct row *row)
{
    static const char *const values[] = {"calls", "errors", "ns", "bytes"};

    for (uint64_t class = 0; class < IOPROF_CLASSES; class ++) {
        for (uint64_t kind = 0; kind < IOPROF_KINDS; kind++) {
            for (int i = 0; i < 4; i++) {
                char name[64];

                snprintf(name, sizeof(name), "%s_%s", ioprof_class_key(class),
                         ioprof_kind_name(kind));
                put_name(row, name, values[i]);
            }
        }
    }
}

static void put_cells(struct row *row, const struct ioprof_cell cells[IOPROF_CLASSES][IOPROF_KINDS])
{
    for (int class = 0; class < IOPROF_CLASSES; class ++) {
        for (int kind = 0; kind < IOPROF_KINDS; kind++) {
            put_number(row, cells[class][kind].calls);
            put_number(row, cells[class][kind].errors);
            put_number(row, cells[class][kind].ns);
            put_number(row, cells[class][kind].bytes);
        }
    }
}

int ioprof_csv_functions(struct ioprof_profile *p, FILE *out)
{
    struct row rows = {.out = out}, *row = &rows;

    put_names(row, "name,class,kind,calls,errors,ns,max_ns,span_ns,bytes,ranks,top_rank,"
                   "top_rank_ns");
    for (int i = 0; i < IOPROF_SIZES; i++) {
        char from[24];

        snprintf(from, sizeof(from), "%llu", (unsigned long long) ioprof_size_from[i]);
        put_name(row, "size_from", from);
    }
    end_row(row);
    for (size_t i = 0; i < p->nfuncs; i++) {
        const struct ioprof_func *record = &p->funcs[i];

        put_text(row, record->name);
        put_text(row, ioprof_class_key(record->class));
        put_text(row, ioprof_kind_name(record->kind));
        put_number(row, record->calls);
        put_number(row, record->errors);
        put_number(row, record->ns);
        put_number(row, record->max_ns);
        put_number(row, record->span_ns);
        put_number(row, record->bytes);
        put_number(row, record->ranks);
        put_number(row, record->top_rank);
        put_number(row, record->top_rank_ns);
        put_elements(row, record->sizes, IOPROF_SIZES);
        end_row(row);
    }
    return end_table(row);
}

int ioprof_csv_ranks(struct ioprof_profile *p, FILE *out)
{
    struct row rows = {.out = out}, *row = &rows;

    put_names(row, "host,ended");
    IOPROF_RANK_FIELDS(NAME, NAME_N, NAME, NAME_N, NAME, NAME_N, NAME)
    put_cell_names(row);
    end_row(row);
    for (size_t i = 0; i < p->nranks; i++) {
        const struct ioprof_rank *record = &p->ranks[i];

        put_text(row, record->host);
        put_text(row, ioprof_end_key(record->end));
        IOPROF_RANK_FIELDS(FIELD, FIELD_N, FIELD, FIELD_N, FIELD, FIELD_N, FIELD)
        put_cells(row, record->cell);
        end_row(row);
    }
    return end_table(row);
}

int ioprof_csv_files(struct ioprof_profile *p, FILE *out)
{
    struct row rows = {.out = out}, *row = &rows;

    put_names(row, "path,hints");
    IOPROF_FILE_FIELDS(NAME, NAME_N, NAME, NAME_N, NAME, NAME_N, NAME)
    put_cell_names(row);
    end_row(row);
    for (size_t i = 0; i < p->nfiles; i++) {
        const struct ioprof_file *record = &p->files[i];

        put_text(row, record->path);
        put_text(row, record->hints);
        IOPROF_FILE_FIELDS(FIELD, FIELD_N, FIELD, FIELD_N, FIELD, FIELD_N, FIELD)
        put_cells(row, record->cell);
        end_row(row);
    }
    return end_table(row);
}

static void put_bin(struct row *row, const struct ioprof_timeline *time, int bin, int layer,
                    int kind)
{
    const struct ioprof_bin *value = &time->bin[bin][layer][kind];

    if (0 == value->calls && 0 == value->ns && 0 == value->bytes) {
        return;
    }
    put_number(row, time->start_ns + (uint64_t) bin * time->width_ns);
    put_number(row, time->width_ns);
    put_text(row, 0 == layer ? "mpi" : "posix");
    put_text(row, ioprof_kind_name((uint64_t) kind));
    put_number(row, value->calls);
    put_number(row, value->ns);
    put_number(row, value->bytes);
    end_row(row);
}

int ioprof_csv_time(struct ioprof_profile *p, FILE *out)
{
    struct row rows = {.out = out}, *row = &rows;

    put_names(row, "start_ns,width_ns,layer,kind,calls,ns,bytes");
    end_row(row);
    for (int bin = 0; bin < IOPROF_BINS; bin++) {
        for (int layer = 0; layer < IOPROF_BIN_LAYERS; layer++) {
            for (int kind = 0; kind < IOPROF_BIN_KINDS; kind++) {
                put_bin(row, &p->time, bin, layer, kind);
            }
        }
    }
    return end_table(row);
}

static void put_event(struct row *row, uint64_t rank, const struct ioprof_event *event)
{
    put_number(row, rank);
    put_number(row, event->thread);
    put_text(row, event->func);
    put_text(row, ioprof_class_key(event->class));
    put_text(row, ioprof_kind_name(event->kind));
    put_text(row, event->path);
    put_number(row, event->start_ns);
    put_number(row, event->ns);
    put_number(row, event->offset);
    put_number(row, event->bytes);
    end_row(row);
}

int ioprof_csv_events(struct ioprof_profile *p, FILE *out)
{
    struct row rows = {.out = out}, *row = &rows;

    put_names(row, "rank,thread,function,class,kind,path,start_ns,ns,offset,bytes");
    end_row(row);
    for (size_t i = 0; i < p->nchunks; i++) {
        struct ioprof_events *events = ioprof_events_open(&p->chunks[i]);
        struct ioprof_event event;

        while (NULL != events && ioprof_events_next(events, &event)) {
            put_event(row, p->chunks[i].rank, &event);
        }
        ioprof_events_close(events);
    }
    return end_table(row);
}

int ioprof_csv_variables(struct ioprof_profile *p, FILE *out)
{
    struct row rows = {.out = out}, *row = &rows;

    put_names(row, "name,text,sum,min,max,ranks");
    end_row(row);
    for (size_t i = 0; i < p->npvars; i++) {
        put_text(row, p->pvars[i].name);
        put_text(row, p->pvars[i].text);
        put_number(row, p->pvars[i].sum);
        put_number(row, p->pvars[i].min);
        put_number(row, p->pvars[i].max);
        put_number(row, p->pvars[i].ranks);
        end_row(row);
    }
    return end_table(row);
}
