/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* The report as CSV (RFC 4180): a table at a time, with a line of column names. Values that are not
 * known are empty; times are in nanoseconds. */
#include "profile/printable.h"
#include "report/report.h"
#include "report/rows.h"

#include <stdlib.h>
#include <string.h>

/** A table in progress. */
struct table {
    struct ioprof_sink sink;
    int names;  /* the row of column names is being written */
    int failed; /* no memory */
    char prefix[128];
    size_t length[4]; /* of the prefix before each group that has begun */
    int depth;        /* groups that have begun */
};

static struct table *table_of(struct ioprof_sink *sink)
{
    return (struct table *) sink;
}

/** Begins a value. In the row of names the column's name is the value: true. */
static int put_name(struct table *table, const char *name, const char *suffix)
{
    fputs(table->sink.values++ > 0 ? "," : "", table->sink.out);
    if (table->names) {
        fprintf(table->sink.out, "%s%s%s", table->prefix, name, suffix);
    }
    return table->names;
}

static void put_value(struct table *table, uint64_t value)
{
    if (IOPROF_UNSET != value) {
        fprintf(table->sink.out, "%llu", (unsigned long long) value);
    }
}

/** A name of a file is one line, with escapes for control characters, see ioprof_printable. */
static void put_text(struct ioprof_sink *sink, const char *name, const char *text)
{
    struct table *table = table_of(sink);
    char *shown;

    if (put_name(table, name, "")) {
        return;
    }
    shown = ioprof_printable_copy(NULL == text ? "" : text);
    table->failed |= NULL == shown;
    fputc('"', table->sink.out);
    for (const char *at = shown; NULL != at && '\0' != *at; at++) {
        fputs('"' == *at ? "\"" : "", table->sink.out);
        fputc(*at, table->sink.out);
    }
    fputc('"', table->sink.out);
    free(shown);
}

static void put_number(struct ioprof_sink *sink, const char *name, uint64_t value)
{
    if (!put_name(table_of(sink), name, "")) {
        put_value(table_of(sink), value);
    }
}

static void put_numbers(struct ioprof_sink *sink, const char *name, const uint64_t *values, int n,
                        const char *(*element)(int n, int i))
{
    char suffix[64];

    for (int i = 0; i < n; i++) {
        snprintf(suffix, sizeof(suffix), "_%s", element(n, i));
        if (!put_name(table_of(sink), name, suffix)) {
            put_value(table_of(sink), values[i]);
        }
    }
}

static void put_sizes(struct ioprof_sink *sink, const char *name, const uint64_t *values)
{
    char column[64];

    for (int i = 0; i < IOPROF_SIZES; i++) {
        snprintf(column, sizeof(column), "%s%ssize_from_%llu",
                 0 == strcmp(name, "sizes") ? "" : name, 0 == strcmp(name, "sizes") ? "" : "_",
                 (unsigned long long) ioprof_size_from[i]);
        put_number(sink, column, values[i]);
    }
}

/** Remembers how long the prefix was: groups end in the opposite order. */
static void begin_group(struct ioprof_sink *sink, const char *name, int in_names)
{
    struct table *table = table_of(sink);
    size_t length = strlen(table->prefix);

    table->length[table->depth++] = length;
    if (in_names) {
        snprintf(table->prefix + length, sizeof(table->prefix) - length, "%s_", name);
    }
}

static void end_group(struct ioprof_sink *sink)
{
    struct table *table = table_of(sink);

    table->prefix[table->length[--table->depth]] = '\0';
}

static void end_row(struct table *table)
{
    fputs("\r\n", table->sink.out);
    table->sink.values = 0;
    table->names = 0;
}

static struct table begin_table(FILE *out)
{
    return (struct table){
        .sink = {put_text, put_number, put_numbers, put_sizes, begin_group, end_group, 1, out, 0},
        .names = 1};
}

static int end_table(const struct table *table)
{
    if (table->failed || ferror(table->sink.out)) {
        return -1;
    }
    return 0;
}

/** A table of an array of records: the names come from a record with nothing in it. */
#define TABLE(function, items, type, row)             \
    int function(struct ioprof_profile *p, FILE *out) \
    {                                                 \
        struct table table = begin_table(out);        \
                                                      \
        row(&table.sink, &(const struct type){0});    \
        end_row(&table);                              \
        for (size_t i = 0; i < p->n##items; i++) {    \
            row(&table.sink, &p->items[i]);           \
            end_row(&table);                          \
        }                                             \
        return end_table(&table);                     \
    }
TABLE(ioprof_csv_functions, funcs, ioprof_func, ioprof_row_function)
TABLE(ioprof_csv_ranks, ranks, ioprof_rank, ioprof_row_rank)
TABLE(ioprof_csv_files, files, ioprof_file, ioprof_row_file)
TABLE(ioprof_csv_variables, pvars, ioprof_pvar, ioprof_row_variable)

static void put_bin(struct ioprof_sink *sink, const struct ioprof_timeline *time, int bin,
                    int layer, int kind)
{
    ioprof_row_bin(sink, time, bin, layer, kind);
    end_row(table_of(sink));
}

int ioprof_csv_time(struct ioprof_profile *p, FILE *out)
{
    struct table table = begin_table(out);

    put_bin(&table.sink, &p->time, 0, 0, 0);
    ioprof_each_bin(&p->time, &table.sink, put_bin);
    return end_table(&table);
}

/** A table with a row for each bin that has something. */
#define BINS(function, has, row)                      \
    int function(struct ioprof_profile *p, FILE *out) \
    {                                                 \
        struct table table = begin_table(out);        \
                                                      \
        row(&table.sink, &p->time, 0);                \
        end_row(&table);                              \
        for (int bin = 0; bin < IOPROF_BINS; bin++) { \
            if (has(&p->time, bin)) {                 \
                row(&table.sink, &p->time, bin);      \
                end_row(&table);                      \
            }                                         \
        }                                             \
        return end_table(&table);                     \
    }
BINS(ioprof_csv_memory, ioprof_has_memory, ioprof_row_memory)
BINS(ioprof_csv_node, ioprof_has_node, ioprof_row_node)

static void put_event(void *table, uint64_t rank, const struct ioprof_event *event)
{
    ioprof_row_event(&((struct table *) table)->sink, rank, event);
    end_row(table);
}

int ioprof_csv_events(struct ioprof_profile *p, FILE *out)
{
    struct table table = begin_table(out);

    put_event(&table, 0, &(struct ioprof_event){0});
    ioprof_each_event(p, &table, put_event);
    return end_table(&table);
}
