/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* The fields of each table by name: JSON, CSV and the data of the page are made of them. A format
 * is a sink, to which a row gives its fields one after the other. */
#ifndef IOPROF_REPORT_ROWS_H
#define IOPROF_REPORT_ROWS_H

#include <stdio.h>

#include "profile/profile.h"

struct ioprof_sink {
    void (*text)(struct ioprof_sink *sink, const char *name, const char *value);
    void (*number)(struct ioprof_sink *sink, const char *name, uint64_t value);
    /** An array; element(n, i) is the name of element i. */
    void (*numbers)(struct ioprof_sink *sink, const char *name, const uint64_t *values, int n,
                    const char *(*element)(int n, int i));
    /** How many transfers had which size: bounds are ioprof_size_from. */
    void (*sizes)(struct ioprof_sink *sink, const char *name, const uint64_t *values);
    /** A group of fields begins and ends; in_names: its name is part of the names of columns. */
    void (*begin)(struct ioprof_sink *sink, const char *name, int in_names);
    void (*end)(struct ioprof_sink *sink);
    int all_cells; /* also cells without a call: rows of a table have the same columns */
    FILE *out;
    int values; /* values were written in this row, object or array */
};

void ioprof_row_function(struct ioprof_sink *sink, const struct ioprof_func *function);
void ioprof_row_rank(struct ioprof_sink *sink, const struct ioprof_rank *rank);
void ioprof_row_file(struct ioprof_sink *sink, const struct ioprof_file *file);
/** The numbers of a file without cells and sizes. */
void ioprof_row_file_numbers(struct ioprof_sink *sink, const struct ioprof_file *file);
void ioprof_row_variable(struct ioprof_sink *sink, const struct ioprof_pvar *variable);
void ioprof_row_event(struct ioprof_sink *sink, uint64_t rank, const struct ioprof_event *event);
void ioprof_row_bin(struct ioprof_sink *sink, const struct ioprof_timeline *time, int bin,
                    int layer, int kind);
/** Memory and counters of hosts in a bin of the time line. */
void ioprof_row_memory(struct ioprof_sink *sink, const struct ioprof_timeline *time, int bin);
void ioprof_row_node(struct ioprof_sink *sink, const struct ioprof_timeline *time, int bin);
int ioprof_has_memory(const struct ioprof_timeline *time, int bin);
int ioprof_has_node(const struct ioprof_timeline *time, int bin);
void ioprof_row_cells(struct ioprof_sink *sink,
                      const struct ioprof_cell cells[IOPROF_CLASSES][IOPROF_KINDS]);

/** Calls `row` for each bin of the time line that is not empty. */
void ioprof_each_bin(const struct ioprof_timeline *time, struct ioprof_sink *sink,
                     void (*row)(struct ioprof_sink *sink, const struct ioprof_timeline *time,
                                 int bin, int layer, int kind));

/** Names for programs: "collective", "independent", "completion", "posix", "inside". */
const char *ioprof_class_key(uint64_t class);
/** "finalized", "exited", "aborted", "signalled". */
const char *ioprof_end_key(uint64_t end);

#endif /* IOPROF_REPORT_ROWS_H */
