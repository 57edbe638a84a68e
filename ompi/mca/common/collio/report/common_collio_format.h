/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_FORMAT_H
#define MCA_COMMON_COLLIO_FORMAT_H

#include <stdint.h>

#include "report/common_collio_text.h"

/**
 * What the reports of all our components look like. A column has one unit, which its heading names:
 * times are in ms, bytes in MiB, rates in MiB/s. JSON has nanoseconds and bytes. A figure that is 0
 * on all ranks has no row.
 */
typedef enum mca_common_collio_unit_t {
    MCA_COMMON_COLLIO_UNIT_NS,
    MCA_COMMON_COLLIO_UNIT_BYTES,
    MCA_COMMON_COLLIO_UNIT_COUNT,
    MCA_COMMON_COLLIO_UNITS
} mca_common_collio_unit_t;

/** One figure over the ranks of a file. */
typedef struct mca_common_collio_figure_t {
    const char *name;
    mca_common_collio_unit_t unit;
    uint64_t least;
    uint64_t most;
    uint64_t sum;
} mca_common_collio_figure_t;

/** Figures that belong together: those of writes, of reads, or of the file. */
typedef struct mca_common_collio_table_t {
    const char *name;
    const mca_common_collio_figure_t *figure;
    int count;
} mca_common_collio_table_t;

/** A kind of calls on a file, or on many: what a line of the report has. */
typedef struct mca_common_collio_traffic_t {
    uint64_t calls; /* a collective call counts once */
    uint64_t bytes; /* of all ranks */
    uint64_t ns;    /* of the slowest rank */
} mca_common_collio_traffic_t;

enum { MCA_COMMON_COLLIO_TRAFFICS = 2 };

typedef struct mca_common_collio_record_t {
    const char *component; /* "fcoll/overlap" */
    const char *path;
    int ranks;
    const char *traffic_name[MCA_COMMON_COLLIO_TRAFFICS]; /* NULL: there is no such kind of calls */
    mca_common_collio_traffic_t traffic[MCA_COMMON_COLLIO_TRAFFICS];
    bool no_rate; /* the calls move no data: bytes per second would mean nothing */
    mca_common_collio_text_t about; /* lines of text below the title */
    mca_common_collio_text_t json;  /* members of JSON, a comma in front of each */
    const mca_common_collio_table_t *section;
    int sections;
} mca_common_collio_record_t;

/** The table of a file. */
void mca_common_collio_format_table(mca_common_collio_text_t *text,
                                    const mca_common_collio_record_t *record);
/** Two lines of headings, then one line for each file or total. Names stand at the end, so that
 *  columns line up. */
void mca_common_collio_format_heading(mca_common_collio_text_t *text,
                                      const mca_common_collio_record_t *record);
void mca_common_collio_format_line(mca_common_collio_text_t *text,
                                   const mca_common_collio_record_t *record, const char *name);
/** One object in one line. `files` > 0: a total of so many, without a path. */
void mca_common_collio_format_json(mca_common_collio_text_t *text,
                                   const mca_common_collio_record_t *record, uint64_t files);

#endif /* MCA_COMMON_COLLIO_FORMAT_H */
