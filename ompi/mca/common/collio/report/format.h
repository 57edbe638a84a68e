/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_FORMAT_H
#define COLLIO_FORMAT_H

#include <stdint.h>

#include "report/text.h"

/**
 * What the reports of all our components look like. A column has one unit, which its heading names:
 * times are in ms, bytes in MiB, rates in MiB/s. JSON has nanoseconds and bytes. A figure that is 0
 * on all ranks has no row.
 */
typedef enum collio_unit_t {
    COLLIO_UNIT_NS,
    COLLIO_UNIT_BYTES,
    COLLIO_UNIT_COUNT,
    COLLIO_UNITS
} collio_unit_t;

/** One figure over the ranks of a file. */
typedef struct collio_figure_t {
    const char *name;
    collio_unit_t unit;
    uint64_t least;
    uint64_t most;
    uint64_t sum;
} collio_figure_t;

/** Figures that belong together: those of writes, of reads, or of the file. */
typedef struct collio_table_t {
    const char *name;
    const collio_figure_t *figure;
    int count;
} collio_table_t;

/** A kind of calls on a file, or on many: what a line of the report has. */
typedef struct collio_traffic_t {
    uint64_t calls; /* a collective call counts once */
    uint64_t bytes; /* of all ranks */
    uint64_t ns;    /* of the slowest rank */
} collio_traffic_t;

enum { COLLIO_TRAFFICS = 2 };

typedef struct collio_record_t {
    const char *component; /* "fcoll/overlap" */
    const char *path;
    int ranks;
    const char *traffic_name[COLLIO_TRAFFICS]; /* NULL: there is no such kind of calls */
    collio_traffic_t traffic[COLLIO_TRAFFICS];
    bool no_rate;        /* the calls move no data: bytes per second would mean nothing */
    collio_text_t about; /* lines of text below the title */
    collio_text_t json;  /* members of JSON, a comma in front of each */
    const collio_table_t *section;
    int sections;
} collio_record_t;

/** The table of a file. */
void collio_format_table(collio_text_t *text, const collio_record_t *record);
/** Two lines of headings, then one line for each file or total. Names stand at the end, so that
 *  columns line up. */
void collio_format_heading(collio_text_t *text, const collio_record_t *record);
void collio_format_line(collio_text_t *text, const collio_record_t *record, const char *name);
/** One object in one line. `files` > 0: a total of so many, without a path. */
void collio_format_json(collio_text_t *text, const collio_record_t *record, uint64_t files);

#endif /* COLLIO_FORMAT_H */
