/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_SETTINGS_H
#define COLLIO_SETTINGS_H

#include "compat/compat.h"
#include "file/stats.h"
#include "settings/hints.h"

#include "core/aggregator.h"
#include "core/domain.h"
#include "core/schedule.h"

/**
 * The settings of collective calls: the rows of fcoll/overlap and fcoll/tam (settings/setting.h
 * lists what follows from a row). A schedule, transport or partitioning also adds its name to the
 * choices of a row.
 */

/* For the items with choices, 0 is "auto": the engine decides. */
enum {
    COLLIO_SCHEDULE_AUTO = 0,
    COLLIO_SCHEDULE_FIRST = 1 /* 1 + index in collio_schedules[] */
};

enum { /* of `intra` */
       COLLIO_INTRA_AUTO = 0,
       COLLIO_INTRA_SHM,
       COLLIO_INTRA_ISEND
};

/* partition memory: aggregators of a node at most. More of them would divide the node's memory into
 * smaller buffers and make more cycles. */
enum { COLLIO_MEMORY_PER_NODE = 4 };

typedef struct collio_settings_t {
    int schedule;               /* SCHEDULE_AUTO, or 1 + index in collio_schedules[] */
    int transport;              /* 0: auto; else 1 + index in the component's transports */
    int exchange;               /* on: aggregators access the file; off: direct access */
    int exchange_write;         /* the same for writes; AUTO: `exchange` decides */
    int exchange_read;          /* the same for reads; AUTO: `exchange` decides */
    bool implied;               /* a mode of the exchange is named, and `exchange` is auto */
    int timeout;                /* seconds that one step of a call may take; 0: no limit */
    size_t memory_group_bytes;  /* partition memory: least bytes of data of a group of nodes */
    size_t memory_domain_bytes; /* partition memory: most bytes of data of an aggregator; 0: auto */
    size_t memory_min_bytes;    /* partition memory: least free bytes of an aggregator's node */
    size_t memory_available;    /* bytes that buffers may use on this rank's node; 0: measured */
    char memory_root[COLLIO_TEXT_BYTES];     /* directory in front of /proc and /sys; "": none */
    int partition;                           /* 0: auto; else 1 + index in collio_partitions[] */
    int aggregators;                         /* number of aggregators; 0: auto */
    char aggregator_list[COLLIO_TEXT_BYTES]; /* ranks of the aggregators; "": `placement` chooses */
    int placement;                           /* 0: auto; else 1 + collio_placement_t */
    size_t buffer_bytes; /* bytes of buffers of an aggregator; 0: io_ompio_bytes_per_agg */
    size_t align_bytes;  /* unit of domains and windows; 0: the file system's (core/align.h) */
    int sync_send;       /* whether data messages are synchronous sends */
    int engine;          /* collio_engine_t; AUTO: threads */
    bool plan_reuse;     /* plans of earlier calls are reused */
    bool keep;           /* the context of the file is kept for the next file */
    int report;          /* collio_report_mode_t */
    char report_file[COLLIO_TEXT_BYTES]; /* where the report goes; "": stdout */
    int priority;                        /* priority of the component for Open MPI */
    int local_aggregators;               /* tam: local aggregators of all nodes; 0: auto */
    int local_aggregators_per_node;      /* tam: local aggregators of each node; 0: auto */
    char racks[COLLIO_TEXT_BYTES];       /* tam: nodes of each rack; "": none listed */
    int intra;                           /* tam: COLLIO_INTRA_*: how data move inside a node */
} collio_settings_t;

/** What makes one of our fcoll components: its settings, and whether it has layer 1. */
typedef struct collio_component_t {
    const char *name;  /* "overlap" */
    const char *title; /* "fcoll/overlap" */
    bool two_layers;   /* the component has layer 1 */
    bool named;        /* the user has named the component: --mca fcoll NAME */
    const struct collio_transport_t *const *transports; /* rows; NULL behind the last */
    collio_settings_t parameters;                       /* values of the MCA parameters */
    collio_settings_set_t set; /* rows and parameters; filled by register */
    collio_stats_t stats;      /* counters of all files, behind the performance variables */
} collio_component_t;

/** Registers all parameters of a component. */
int collio_settings_register(collio_component_t *component, const mca_base_component_t *mca);

/** The settings of a file: parameters, then hints. Wrong hints are ignored, with a text. Local. */
void collio_settings_resolve(const collio_component_t *component, ompio_file_t *fh,
                             collio_settings_t *settings);

/** Makes the values in force visible to MPI_File_get_info. */
void collio_settings_publish(const collio_component_t *component, const collio_settings_t *settings,
                             ompio_file_t *fh, int aggregators, int64_t buffer_bytes);

#endif /* COLLIO_SETTINGS_H */
