/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_REPORT_OUT_H
#define COLLIO_REPORT_OUT_H

#include "compat/compat.h"

#include "report/format.h"

#include "opal/mca/base/mca_base_pvar.h"

/**
 * report/: the counters of all components, as performance variables of MPI_T and as reports. When a
 * file is closed, report/ prints its counters as a table, a line or JSON, to stderr or to a file.
 * When MPI_Finalize begins, report/ prints the total of all files. format.h defines the output.
 */
typedef enum collio_report_mode_t {
    COLLIO_REPORT_OFF,   /* no report */
    COLLIO_REPORT_ON,    /* tables for the first files, then lines */
    COLLIO_REPORT_TABLE, /* a table for each file */
    COLLIO_REPORT_LINES, /* a line for each file */
    COLLIO_REPORT_JSON   /* an object for each file */
} collio_report_mode_t;

/* Texts for the rows of the settings `report` and `report_file`, which are the same in all
 * components because the components share the hints collio_report and collio_report_file. */
#define COLLIO_REPORT_CHOICES "off,on,table,lines,json"
#define COLLIO_REPORT_FILE_HELP                                                             \
    "File that the report is appended to, by rank 0 of each file that is reported. Empty: " \
    "stderr (docs/report.md)"

/** The maximum number of counters of a component. */
enum { COLLIO_COUNTERS_MAX = 64 };

/** The counters of an open file. */
typedef struct collio_tally_t {
    struct collio_tally_t *next; /* next open file of the component */
    const uint64_t *values;      /* the tables of values, one after the other */
} collio_tally_t;

/** A performance variable. */
typedef struct collio_variable_t {
    struct collio_counters_t *owner; /* the counters that it belongs to */
    uint64_t closed;                 /* value of all closed files */
} collio_variable_t;

/** Totals of files that were reported. All members are uint64_t, because a reduction sums them. */
typedef struct collio_held_totals_t {
    uint64_t files;                            /* number of files */
    collio_traffic_t traffic[COLLIO_TRAFFICS]; /* calls of these files */
} collio_held_totals_t;

/**
 * The counters of a component. A file has one table of values; or two, for reads with all
 * high-water marks, and for writes. A performance variable is the sum, or the maximum, over all
 * files of this process, open and closed.
 */
typedef struct collio_counters_t {
    const char *component;                     /* "fcoll/overlap" */
    const collio_counter_t *list;              /* the counters */
    int count;                                 /* number of counters */
    int tables;                                /* tables of a file */
    const char *table_name[2];                 /* titles of the tables in a report */
    const char *traffic_name[COLLIO_TRAFFICS]; /* kinds of calls; NULL: there is none */
    bool no_rate;                              /* calls move no data, so no rate is printed */

    collio_variable_t variable[COLLIO_COUNTERS_MAX]; /* the performance variables */
    collio_tally_t *open;                            /* open files */

    bool keeps;                     /* this process keeps totals of reported files */
    struct collio_counters_t *next; /* next component with such totals */
    collio_held_totals_t held;      /* the totals */
    char path[2048];                /* setting report_file of the last file */
    int mode;                       /* setting report of the last file */
    int printed;                    /* number of files that were printed */
    bool headed;                    /* the heading of lines was printed */
} collio_counters_t;

/** Registers the performance variables of a component. */
void collio_counters_register(collio_counters_t *counters, const mca_base_component_t *mca,
                              bool two_layers);
/** The variables include the values of the file from enter to leave, and keep them afterwards. */
void collio_counters_enter(collio_counters_t *counters, collio_tally_t *tally,
                           const uint64_t *values);
void collio_counters_leave(collio_counters_t *counters, collio_tally_t *tally);

/** A report of a file. */
typedef struct collio_report_t {
    const ompio_file_t *fh;    /* the file */
    ompi_communicator_t *comm; /* all ranks of the file */
    const uint64_t *values;    /* the counters of this rank; NULL: all are 0 */
    int mode;                  /* setting report */
    const char *path;          /* file to append to; "": stderr */
    const void *owner;         /* argument of `describe` */
    /** Adds lines, JSON members and traffic to the record on rank 0. all: the counters of each
     *  table, reduced. Returns false if there is nothing to report. */
    bool (*describe)(collio_record_t *record, const void *owner, const collio_counted_t *all);
} collio_report_t;

/** Reduces the counters of a file to rank 0, which prints its report. Moves the totals of earlier
 *  files to rank 0, so that rank 0 of a file that all ranks opened has the total of the job. Prints
 *  nothing if communication fails. Collective. */
void collio_counters_report(collio_counters_t *counters, const collio_report_t *report);

#endif /* COLLIO_REPORT_OUT_H */
