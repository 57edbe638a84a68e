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
 * describes a row). A schedule, transport or partitioning also adds its name to the choices of a
 * row.
 */

/* For settings with choices, 0 is "auto". */
enum {
    COLLIO_TRANSPORT_AUTO = 0,
    COLLIO_SCHEDULE_AUTO = 0,
    COLLIO_SCHEDULE_FIRST = 1 /* 1 + index in collio_schedules[] */
};

enum { /* values of the setting `intra` */
       COLLIO_INTRA_AUTO = 0,
       COLLIO_INTRA_SHM,
       COLLIO_INTRA_ISEND
};

typedef struct collio_settings_t {
    int schedule;               /* SCHEDULE_AUTO, or 1 + index in collio_schedules[] */
    int transport;              /* COLLIO_TRANSPORT_AUTO, or 1 + number of the transport */
    int exchange;               /* COLLIO_SETTING_*: on: aggregators access the file; off: direct */
    int exchange_write;         /* COLLIO_SETTING_*: `exchange` for writes, after resolving */
    int exchange_read;          /* COLLIO_SETTING_*: `exchange` for reads, after resolving */
    bool implied;               /* `exchange` is auto, and a mode of the exchange is named */
    int timeout;                /* seconds that one step of a call may take; 0: no limit */
    int memory_per_node;        /* partition memory: maximum number of aggregators of a node */
    size_t memory_group_bytes;  /* partition memory: minimum bytes of data of a group of nodes */
    size_t memory_domain_bytes; /* partition memory: maximum bytes of a file domain; 0: auto */
    size_t memory_min_bytes;    /* partition memory: minimum free bytes of an aggregator's node */
    size_t memory_available;    /* bytes that buffers may use on this rank's node; 0: measured */
    char memory_root[COLLIO_TEXT_BYTES];     /* prefix for /proc and /sys; "": none */
    int partition;                           /* 0: auto; else 1 + index in collio_partitions[] */
    int aggregators;                         /* number of aggregators; 0: auto */
    char aggregator_list[COLLIO_TEXT_BYTES]; /* ranks of the aggregators; "": `placement` chooses */
    int placement;                           /* 0: auto; else 1 + collio_placement_t */
    size_t buffer_bytes; /* bytes of buffers of an aggregator; 0: io_ompio_bytes_per_agg */
    size_t align_bytes;  /* unit of domains and windows; 0: the file system's (core/align.h) */
    int sync_send;       /* COLLIO_SETTING_*: data messages are synchronous sends */
    int engine;          /* collio_engine_t: what runs accesses in the background; AUTO: threads */
    bool plan_reuse;     /* plans of earlier calls are reused */
    bool keep;           /* the context of the file is kept for the next file */
    int report;          /* collio_report_mode_t: report at close */
    char report_file[COLLIO_TEXT_BYTES]; /* file of the report; "": stderr */
    int priority;                        /* priority among the fcoll components */
    int local_aggregators;               /* tam: number on all nodes together; 0: per node */
    int local_aggregators_per_node;      /* tam: number on each node; 0: auto */
    char racks[COLLIO_TEXT_BYTES];       /* tam: number of nodes in each rack; "": no racks */
    int intra;                           /* tam: COLLIO_INTRA_*: transport inside a node */
} collio_settings_t;

/** An fcoll component of collio. */
typedef struct collio_component_t {
    const char *name;             /* name of the component, such as "overlap" */
    const char *title;            /* name for messages and reports, such as "fcoll/overlap" */
    bool two_layers;              /* the component has intra-node aggregation (fcoll/tam) */
    char why[128];                /* why the component is selected, for verbose output */
    collio_settings_t parameters; /* values of the MCA parameters */
    collio_settings_set_t set;    /* rows and parameters; filled by register */
    collio_counters_t counters;   /* counters of its files */
} collio_component_t;

/** True if a setting of two layers is not the default (fcoll/tam). */
static inline bool collio_settings_layers(const collio_settings_t *settings)
{
    return 0 < settings->local_aggregators || 0 < settings->local_aggregators_per_node
           || '\0' != settings->racks[0] || COLLIO_INTRA_AUTO != settings->intra;
}

/** Returns the name of value `i` of a setting, or NULL past the last value. */
typedef const char *collio_values_t(size_t i);

/** Registers all parameters of a component. `transports`: values of the setting `transport` after
 *  `auto`. Returns an Open MPI error code. */
int collio_settings_register(collio_component_t *component, const mca_base_component_t *mca,
                             collio_values_t *transports);

/** Resolves the settings of a file: parameters, then hints. Reports and ignores wrong hints.
 *  Local. */
void collio_settings_resolve(const collio_component_t *component, ompio_file_t *fh,
                             collio_settings_t *settings);

/** Publishes the values in use for MPI_File_get_info. */
void collio_settings_publish(const collio_component_t *component, const collio_settings_t *settings,
                             ompio_file_t *fh, int aggregators, int64_t buffer_bytes);

#endif /* COLLIO_SETTINGS_H */
