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
 * What a user can say about a collective call: the rows of fcoll/overlap and fcoll/tam
 * (settings/setting.h tells what comes from a row). A schedule, transport or
 * partitioning also adds its name to a row's choices.
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
    int schedule;       /* SCHEDULE_AUTO, or 1 + index in collio_schedules[] */
    int transport;      /* 0 auto, else 1 + index in the component's transports */
    int exchange;       /* on: always shuffle; off: every rank accesses its own pieces */
    int exchange_write; /* as `exchange`, from romio_cb_write; AUTO = see exchange */
    int exchange_read;
    int timeout;               /* seconds; 0: no limit */
    size_t memory_group_bytes; /* partition memory: see core/memory.h */
    size_t memory_domain_bytes;
    size_t memory_min_bytes;
    size_t memory_available; /* of this rank's node; 0 = measured */
    char memory_root[COLLIO_TEXT_BYTES];
    int partition;                           /* 0 auto, else 1 + index in collio_partitions[] */
    int aggregators;                         /* 0 auto */
    char aggregator_list[COLLIO_TEXT_BYTES]; /* "" = none */
    int placement;                           /* 0 auto, else 1 + collio_placement_t */
    size_t buffer_bytes;                     /* 0 = io_ompio_bytes_per_agg */
    size_t align_bytes;                      /* 0 = what the file system says; see core/align.h */
    int sync_send;
    int engine; /* collio_engine_t; AUTO = threads */
    bool plan_reuse;
    bool keep;  /* for the next file of the same processes */
    int report; /* collio_report_mode_t */
    char report_file[COLLIO_TEXT_BYTES];
    int priority;
    int local_aggregators;          /* tam only; 0 auto */
    int local_aggregators_per_node; /* tam only; 0 auto */
    int intra;                      /* tam only: 0 auto, 1 shm, 2 isend */
} collio_settings_t;

/** What makes one of our fcoll components: its settings, and whether it has layer 1. */
typedef struct collio_component_t {
    const char *name;  /* "overlap" */
    const char *title; /* "fcoll/overlap" */
    bool two_layers;
    bool named; /* in the list of fcoll components: --mca fcoll NAME */
    const struct collio_transport_t *const *transports; /* rows; NULL behind the last */
    collio_settings_t parameters;
    collio_settings_set_t set; /* rows and parameters; filled by register */
    collio_stats_t stats;      /* of all files, behind the performance variables */
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
