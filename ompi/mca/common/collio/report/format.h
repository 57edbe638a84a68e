/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_FORMAT_H
#define COLLIO_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/text.h"

/**
 * The form of the reports of all components. A column has one unit, which its heading names: times
 * are in ms, bytes in MiB, rates in MiB/s. JSON has nanoseconds and bytes. A counter that is 0 on
 * all ranks has no row.
 */
typedef enum collio_unit_t {
    COLLIO_UNIT_TIME,  /* a time in nanoseconds */
    COLLIO_UNIT_BYTES, /* a size in bytes */
    COLLIO_UNIT_COUNT, /* a number without a unit */
    COLLIO_UNIT_HIGH,  /* a high-water mark in bytes */
    COLLIO_UNITS
} collio_unit_t;

/** A counter of a component: a performance variable of MPI_T and a row of the report. */
typedef struct collio_counter_t {
    const char *name;   /* name without the component's prefix */
    collio_unit_t unit; /* unit of the counter */
    const char *help;   /* description, with the unit in brackets at the end */
    size_t place;       /* index of the value in a table of values */
    bool two_layers;    /* only components with two layers register the counter */
} collio_counter_t;

/** The row of a counter: appends the unit to the description. */
#define COLLIO_COUNTER(name, unit, help, place, two_layers)                         \
    {                                                                               \
        name, COLLIO_UNIT_##unit, help COLLIO_UNIT_OF_##unit, (place), (two_layers) \
    }
#define COLLIO_UNIT_OF_TIME  " [nanoseconds]"
#define COLLIO_UNIT_OF_BYTES " [bytes]"
#define COLLIO_UNIT_OF_COUNT " [count]"
#define COLLIO_UNIT_OF_HIGH  " [bytes]"

/** A counter, reduced over the ranks of a file. */
typedef struct collio_counted_t {
    const char *name;   /* name of the counter */
    collio_unit_t unit; /* unit of the three values */
    uint64_t least;     /* smallest value of a rank */
    uint64_t most;      /* largest value of a rank */
    uint64_t sum;       /* sum over the ranks */
} collio_counted_t;

/** The counters of writes, of reads, or of the file. */
typedef struct collio_table_t {
    const char *name;                /* "write", "read" or "file" */
    const collio_counted_t *counted; /* the counters */
    int count;                       /* number of counters */
} collio_table_t;

/** Calls of one kind on one or more files: the content of a line of the report. */
typedef struct collio_traffic_t {
    uint64_t calls; /* number of calls; a collective call counts once */
    uint64_t bytes; /* bytes of data of all ranks */
    uint64_t ns;    /* time of the slowest rank, in nanoseconds */
} collio_traffic_t;

enum { COLLIO_TRAFFICS = 2 };

/** The report of a file. */
typedef struct collio_record_t {
    const char *component;                     /* "fcoll/overlap" */
    const char *path;                          /* name of the file */
    int ranks;                                 /* ranks that have the file open */
    const char *traffic_name[COLLIO_TRAFFICS]; /* kinds of calls; NULL: there is none */
    collio_traffic_t traffic[COLLIO_TRAFFICS]; /* calls of each kind */
    bool no_rate;                              /* calls move no data, so no rate is printed */
    collio_text_t about;                       /* lines of text below the title */
    collio_text_t json;                        /* members of the JSON object, a comma before each */
    const collio_table_t *section;             /* tables of counters */
    int sections;                              /* number of tables */
} collio_record_t;

/** Adds the table of a file. */
void collio_format_table(collio_text_t *text, const collio_record_t *record);
/** heading adds two lines of headings, line one line for a file or a total. Names are at the end of
 *  a line, so that columns are aligned. */
void collio_format_heading(collio_text_t *text, const collio_record_t *record);
void collio_format_line(collio_text_t *text, const collio_record_t *record, const char *name);
/** Adds one object in one line. `files` > 0: a total of this number of files, without a path. */
void collio_format_json(collio_text_t *text, const collio_record_t *record, uint64_t files);

#endif /* COLLIO_FORMAT_H */
