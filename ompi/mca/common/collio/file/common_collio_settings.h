/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_SETTINGS_H
#define MCA_COMMON_COLLIO_SETTINGS_H

#include "compat/common_collio_compat.h"
#include "file/common_collio_stats.h"

#include "core/common_collio_aggregator.h"
#include "core/common_collio_domain.h"
#include "core/common_collio_schedule.h"

/**
 * What a user can say about a collective call. One table (settings.c) describes each item once:
 * name, type, choices, help; from it come the MCA parameters `fcoll_<component>_<name>`, the hints
 * `collio_<name>`, their checks and messages. A hint wins over a parameter, `collio_*` over the
 * ROMIO names.
 */

/* For the items with choices, 0 is "auto": the engine decides. */
enum {
    MCA_COMMON_COLLIO_SCHEDULE_AUTO = 0,
    MCA_COMMON_COLLIO_SCHEDULE_FIRST = 1 /* 1 + index in mca_common_collio_schedules[] */
};

typedef enum mca_common_collio_transport_id_t {
    MCA_COMMON_COLLIO_TRANSPORT_AUTO = 0,
    MCA_COMMON_COLLIO_TRANSPORT_ISEND,
    MCA_COMMON_COLLIO_TRANSPORT_PUT_FENCE,
    MCA_COMMON_COLLIO_TRANSPORT_PUT_LOCK,
    MCA_COMMON_COLLIO_TRANSPORT_SHM
} mca_common_collio_transport_id_t;

enum { /* auto, on, off */
       MCA_COMMON_COLLIO_SETTING_AUTO = 0,
       MCA_COMMON_COLLIO_SETTING_ON,
       MCA_COMMON_COLLIO_SETTING_OFF
};

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
    int partition;         /* 0 auto, else 1 + mca_common_collio_partition_t */
    int aggregators;       /* 0 auto */
    char *aggregator_list; /* "" = none */
    int placement;         /* 0 auto, else 1 + mca_common_collio_placement_t */
    size_t buffer_bytes;   /* 0 = io_ompio_bytes_per_agg */
    int sync_send;
    bool plan_reuse;
    bool report;
    int priority;
    int local_aggregators;          /* tam only; 0 auto */
    int local_aggregators_per_node; /* tam only; 0 auto */
    int intra;                      /* tam only: 0 auto, 1 shm, 2 isend */
} mca_common_collio_settings_t;

/** What makes one of our fcoll components: its settings, and whether it has layer 1. */
typedef struct mca_common_collio_component_t {
    const char *name;
    bool two_layers;
    bool invalid; /* a parameter had a wrong value: every open is refused, with the message given */
    mca_common_collio_settings_t parameters;
    mca_common_collio_stats_t stats; /* of all files, behind the performance variables */
} mca_common_collio_component_t;

/** Registers all parameters of a component. Returns OMPI_SUCCESS; wrong values set `invalid`. */
int mca_common_collio_settings_register(mca_common_collio_component_t *component,
                                        const mca_base_component_t *mca);

/** The settings in force for a file: parameters, then hints. Local. On a wrong hint: *error_text is
 *  a malloc'ed message naming hint, value and choices, and MPI_ERR_INFO_VALUE is returned; the
 *  settings then hold the parameter's value for that item. */
int mca_common_collio_settings_resolve(const mca_common_collio_component_t *component,
                                       ompio_file_t *fh, mca_common_collio_settings_t *settings,
                                       char **error_text);
void mca_common_collio_settings_fini(mca_common_collio_settings_t *settings);

/** Equal settings have equal hashes; used to find ranks that disagree. */
uint64_t mca_common_collio_settings_hash(const mca_common_collio_settings_t *settings);

/** Makes the values in force visible to MPI_File_get_info. */
void mca_common_collio_settings_publish(const mca_common_collio_component_t *component,
                                        const mca_common_collio_settings_t *settings,
                                        ompio_file_t *fh, int aggregators, int64_t buffer_bytes);

const char *mca_common_collio_transport_name(int transport);

#endif /* MCA_COMMON_COLLIO_SETTINGS_H */
