/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * The component and its only parameter. It takes files on BeeGFS that are opened with striping
 * hints, and only when it is wanted: named in the list of fs components (--mca fs beegfs,ufs), or
 * with a priority above that of fs/ufs. Stripes of files that exist are read whatever fs component
 * opens them (common/collio/stripes).
 */

#include "fs_beegfs.h"

#include "ompi/mca/common/collio/compat/common_collio_verbose.h"
#include "ompi/mca/common/collio/ompio/common_collio_named.h"
#include "ompi/mca/common/collio/ompio/common_collio_open.h"
#include "ompi/mca/common/collio/settings/common_collio_hints.h"
#include "ompi/mca/common/collio/stripes/common_collio_stripes.h"

enum {
    PRIORITY_DEFAULT = 5, /* below fs/ufs */
    PRIORITY_NAMED = 60
};

typedef struct settings_t {
    int priority;
} settings_t;

static settings_t parameters;

static const mca_common_collio_setting_t rows[] = {
    {"priority", MCA_COMMON_COLLIO_NUMBER, offsetof(settings_t, priority), NULL, PRIORITY_DEFAULT,
     3, MCA_COMMON_COLLIO_SETTING_NO_HINT, NULL,
     "Priority for files on BeeGFS that are opened with striping hints. Above 10 it is used for "
     "them; below, only if it is named"},
};

static mca_common_collio_settings_set_t set = {.prefix = "fs_beegfs",
                                               .rows = rows,
                                               .count = sizeof(rows) / sizeof(rows[0]),
                                               .parameters = &parameters,
                                               .bytes = sizeof(parameters)};

static int component_register(void)
{
    int rc = MCA_COMMON_COLLIO_FITS("fs/beegfs");

    return OMPI_SUCCESS == rc
               ? mca_common_collio_settings_set_register(&set, &mca_fs_beegfs_component.fsm_version)
               : rc;
}

static int component_open(void)
{
    mca_common_collio_open();
    return OMPI_SUCCESS;
}

static int component_close(void)
{
    mca_common_collio_close();
    return OMPI_SUCCESS;
}

static bool has_hint(opal_info_t *info, const char *name)
{
    char value[64];

    return mca_common_collio_hint_get(info, name, value, sizeof(value));
}

static bool has_hints(opal_info_t *info)
{
    return has_hint(info, "striping_factor") || has_hint(info, "striping_unit")
           || has_hint(info, "stripe_width") || has_hint(info, "stripe_size");
}

/* Local: see the module. */
static struct mca_fs_base_module_1_0_0_t *component_file_query(ompio_file_t *fh, int *result)
{
    bool alone;

    if (!mca_common_collio_asked_for(&ompi_fs_base_framework, "beegfs", parameters.priority,
                                     PRIORITY_DEFAULT)) {
        return NULL;
    }
    if (MPI_COMM_NULL == fh->f_comm || !has_hints(fh->f_info)) {
        MCA_COMMON_COLLIO_SHOW_ROOT(
            fs, SELECT, fh, "fs/beegfs: %s: not available: no striping hints", fh->f_filename);
        return NULL;
    }
    if (MCA_COMMON_COLLIO_STRIPES_BEEGFS != mca_common_collio_stripes_system(fh->f_filename)) {
        MCA_COMMON_COLLIO_SHOW_ROOT(fs, SELECT, fh, "fs/beegfs: %s: not available: not on BeeGFS",
                                    fh->f_filename);
        return NULL;
    }
    mca_common_collio_hints_check(fh->f_info);
    *result = mca_common_collio_named(&ompi_fs_base_framework, "beegfs", &alone)
                      && PRIORITY_NAMED > parameters.priority
                  ? PRIORITY_NAMED
                  : parameters.priority;
    MCA_COMMON_COLLIO_SHOW_ROOT(fs, SELECT, fh, "fs/beegfs: %s: available, priority %d",
                                fh->f_filename, *result);
    return mca_fs_beegfs_module(fh);
}

static int component_init_query(bool enable_progress_threads, bool enable_mpi_threads)
{
    (void) enable_progress_threads;
    (void) enable_mpi_threads;
    return OMPI_SUCCESS;
}

static int component_file_unquery(ompio_file_t *fh)
{
    (void) fh;
    return OMPI_SUCCESS;
}

mca_fs_base_component_2_0_0_t mca_fs_beegfs_component = {
    .fsm_version =
        {
            MCA_FS_BASE_VERSION_2_0_0,
            .mca_component_name = "beegfs",
            MCA_COMMON_COLLIO_COMPONENT_VERSION,
            .mca_open_component = component_open,
            .mca_close_component = component_close,
            .mca_register_component_params = component_register,
        },
    .fsm_data = {.param_field = MCA_BASE_METADATA_PARAM_CHECKPOINT},
    .fsm_init_query = component_init_query,
    .fsm_file_query = component_file_query,
    .fsm_file_unquery = component_file_unquery,
};
