/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_REPORT_OUT_H
#define COLLIO_REPORT_OUT_H

#include "compat/compat.h"

#include "report/format.h"

#include "opal/mca/base/mca_base_pvar.h"

/**
 * report/: prints the counters of the components. A component fills a record of a file when the
 * file is closed; report/ prints the record as a table, a line or JSON, to stderr or to a file.
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
#define COLLIO_REPORT_FILE_HELP \
    "File that the report is appended to, by rank 0 of each file that is reported. Empty: stderr"

/** Registers a counter as a performance variable. `get` returns its value; NULL: `context` points
 *  to the value, an unsigned long long. */
void collio_counter_register(const collio_counter_t *counter, mca_base_get_value_fn_t get,
                             void *context, const mca_base_component_t *mca);

/** The maximum number of values in a reduction. */
enum { COLLIO_COUNTERS_MAX = 128 };

/** Reduces `mine`, the values of `count` counters, over all ranks of a file. `list` has
 *  the counters of each `rows` values. Moves the totals of earlier files to rank 0, so that rank 0
 *  of a file that all ranks opened has the total of the job. Returns false if communication failed;
 *  then there is no report. Collective. */
bool collio_report_reduce(ompi_communicator_t *comm, const char *component,
                          const collio_counter_t *list, int rows, const uint64_t *mine, int count,
                          collio_counted_t *counted);

/** Prints the record of a file, and adds it to the total of this process. Only rank 0 of the file
 *  calls this. path: file to append to; "": stderr. */
void collio_report_print(const collio_record_t *record, int mode, const char *path);

#endif /* COLLIO_REPORT_OUT_H */
