/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_SETTINGS_H
#define MCA_COMMON_COLLIO_SETTINGS_H

#include "compat/common_collio_compat.h"
#include "file/common_collio_stats.h"
#include "settings/common_collio_hints.h"

#include "core/common_collio_aggregator.h"
#include "core/common_collio_domain.h"
#include "core/common_collio_schedule.h"

/**
 * What a user can say about a collective call: the rows of fcoll/overlap and fcoll/tam
 * (settings/common_collio_setting.h tells what comes from a row). A schedule, transport or
 * partitioning also adds its name to a row's choices.
 */

/* For the items with choices, 0 is "auto": the engine decides. */
enum {
    MCA_COMMON_COLLIO_SCHEDULE_AUTO = 0,
    MCA_COMMON_COLLIO_SCHEDULE_FIRST = 1 /* 1 + index in mca_common_collio_schedules[] */
};

/** Every transport that can be named: a file transport_<name>.c (put_fence: a driver of the
 *  cycles), one line here, and its case in cycles_pick. */
#define MCA_COMMON_COLLIO_TRANSPORT_LIST(each) \
    each(ISEND, isend) each(PUT_FENCE, put_fence) each(PUT_LOCK, put_lock) each(SHM, shm)

typedef enum mca_common_collio_transport_id_t {
    MCA_COMMON_COLLIO_TRANSPORT_AUTO = 0,
#define MCA_COMMON_COLLIO_TRANSPORT_ID(id, name) MCA_COMMON_COLLIO_TRANSPORT_##id,
    MCA_COMMON_COLLIO_TRANSPORT_LIST(MCA_COMMON_COLLIO_TRANSPORT_ID)
        MCA_COMMON_COLLIO_TRANSPORT_COUNT
} mca_common_collio_transport_id_t;

enum { /* of `intra` */
       MCA_COMMON_COLLIO_INTRA_AUTO = 0,
       MCA_COMMON_COLLIO_INTRA_SHM,
       MCA_COMMON_COLLIO_INTRA_ISEND
};

typedef struct mca_common_collio_settings_t {
    int schedule;       /* SCHEDULE_AUTO, or 1 + index in mca_common_collio_schedules[] */
    int transport;      /* mca_common_collio_transport_id_t */
    int exchange;       /* on: always shuffle; off: every rank accesses its own pieces */
    int exchange_write; /* as `exchange`, from romio_cb_write; AUTO = see exchange */
    int exchange_read;
    int patience;              /* seconds; 0: for ever */
    size_t memory_group_bytes; /* partition memory: see core/common_collio_memory.h */
    size_t memory_domain_bytes;
    size_t memory_min_bytes;
    int memory_aggregators_per_node;
    size_t memory_available; /* of this rank's node; 0 = measured */
    char memory_root[MCA_COMMON_COLLIO_TEXT_BYTES];
    int partition;   /* 0 auto, else 1 + mca_common_collio_partition_t */
    int aggregators; /* 0 auto */
    char aggregator_list[MCA_COMMON_COLLIO_TEXT_BYTES]; /* "" = none */
    int placement;       /* 0 auto, else 1 + mca_common_collio_placement_t */
    size_t buffer_bytes; /* 0 = io_ompio_bytes_per_agg */
    size_t align_bytes;  /* 0 = what the file system says; see core/common_collio_align.h */
    int sync_send;
    int engine; /* mca_common_collio_engine_t; AUTO = threads */
    bool plan_reuse;
    bool keep;  /* for the next file of the same processes */
    int report; /* mca_common_collio_report_mode_t */
    char report_file[MCA_COMMON_COLLIO_TEXT_BYTES];
    int priority;
    int local_aggregators;          /* tam only; 0 auto */
    int local_aggregators_per_node; /* tam only; 0 auto */
    int intra;                      /* tam only: 0 auto, 1 shm, 2 isend */
} mca_common_collio_settings_t;

/** What makes one of our fcoll components: its settings, and whether it has layer 1. */
typedef struct mca_common_collio_component_t {
    const char *name;
    bool two_layers;
    bool named; /* in the list of fcoll components: --mca fcoll NAME */
    mca_common_collio_settings_t parameters;
    mca_common_collio_settings_set_t set; /* rows and parameters; filled by register */
    mca_common_collio_stats_t stats;      /* of all files, behind the performance variables */
} mca_common_collio_component_t;

/** Registers all parameters of a component. */
int mca_common_collio_settings_register(mca_common_collio_component_t *component,
                                        const mca_base_component_t *mca);

/** The settings of a file: parameters, then hints. Wrong hints are left out and noted. Local. */
void mca_common_collio_settings_resolve(const mca_common_collio_component_t *component,
                                        ompio_file_t *fh, mca_common_collio_settings_t *settings);

/** Makes the values in force visible to MPI_File_get_info. */
void mca_common_collio_settings_publish(const mca_common_collio_component_t *component,
                                        const mca_common_collio_settings_t *settings,
                                        ompio_file_t *fh, int aggregators, int64_t buffer_bytes);

const char *mca_common_collio_transport_name(int transport);

#endif /* MCA_COMMON_COLLIO_SETTINGS_H */
